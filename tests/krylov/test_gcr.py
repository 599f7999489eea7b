"""GCR against known solutions, scipy and published results; errors."""

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator, gmres

from halcyon.base import ConfigError, InputError, RunError
from halcyon.krylov import VARIANTS, Gcr, Helmholtz, jacobi, solve, zonal_line
from tests.krylov import equations

FUSED = [variant for variant in VARIANTS if variant != "classical"]
# Squared length L^2, preconditioner, iterations of GCR(8) to 1e-10 on 64 latitudes, and relative error: from
# an independent program.
KNOWN = [
    (1.0, "jacobi", 102, 2.85e-3),
    (1.0, "zonal_line", 45, 2.85e-3),
    (0.01, "jacobi", 97, 6.8e-4),
    (0.01, "zonal_line", 26, 6.8e-4),
]


def error_of(problem, x):
    """Relative l2 error over the sphere."""
    weight = problem.area[:, None]
    return np.sqrt(np.sum(weight * (x - problem.exact()) ** 2) / np.sum(weight * problem.exact() ** 2))


def solved(n_latitudes, length_squared, preconditioner, **options):
    """A Helmholtz equation and its solution."""
    problem = Helmholtz(n_latitudes, length_squared)
    result = solve(
        problem.operator, problem.right_side(), preconditioner=getattr(problem, preconditioner)(), **options
    )
    return problem, result


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("length_squared", "preconditioner", "iterations", "error"), KNOWN)
def test_helmholtz_takes_the_iterations_that_are_known(
    variant, length_squared, preconditioner, iterations, error
):
    problem, result = solved(64, length_squared, preconditioner, variant=variant)
    assert (result.outcome, result.iterations) == ("converged", iterations)
    assert result.residual <= 1e-10
    assert error_of(problem, result.x) == pytest.approx(error, rel=0.005)


@pytest.mark.parametrize("length_squared", [1.0, 0.01])
def test_the_error_of_helmholtz_is_of_second_order(length_squared):
    """Half the grid spacing divides the error by 4."""
    solutions = [solved(n, length_squared, "zonal_line") for n in (16, 32, 64)]
    errors = [error_of(problem, result.x) for problem, result in solutions]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.03)


@pytest.mark.parametrize("variant", VARIANTS)
def test_allreduces_and_operators_an_iteration(variant):
    """Numbers of allreduces, of those not overlapped, and of calls of both maps in n iterations."""
    _, result = solved(24, 1.0, "zonal_line", variant=variant)
    n = result.iterations
    allreduces, exposed, operators, preconditioners = {
        "classical": (2 * n - 1, 2 * n - 1, 2 * n - 1, n),
        "fused": (n, n, n, n),
        "pipelined": (n, 0, n + 1, n + 1),  # plus one of each before the first iteration
    }[variant]
    # Two additional allreduces: of |b|, which can be overlapped, too, and of b - A x at the end.
    assert result.allreduces == allreduces + 2
    assert result.exposed == exposed + (1 if variant == "pipelined" else 2)
    assert (result.operator_calls, result.preconditioner_calls) == (operators + 2, preconditioners)
    assert result.replacements == 0


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("k", [1, 3, 20])
def test_a_nonsymmetric_matrix_is_solved_as_numpy_does(variant, k):
    matrix, b = equations.nonsymmetric(60)
    result = solve(lambda x: matrix @ x, b, variant=variant, k=k, tolerance=1e-12)
    assert result.converged, result.explanation
    np.testing.assert_allclose(result.x, np.linalg.solve(matrix, b), rtol=0, atol=1e-11)
    assert result.residual == pytest.approx(
        np.linalg.norm(b - matrix @ result.x) / np.linalg.norm(b), rel=1e-3
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_with_all_directions_kept_it_minimises_the_residual_as_gmres_does(variant):
    matrix, b = equations.nonsymmetric(40, seed=3)
    gmres_residuals = []
    gmres(LinearOperator((40, 40), lambda x: matrix @ x), b, rtol=1e-9, restart=40,
          callback=gmres_residuals.append, callback_type="pr_norm")  # fmt: skip
    result = solve(lambda x: matrix @ x, b, variant=variant, k=40, tolerance=1e-9)
    assert result.iterations == len(gmres_residuals)
    np.testing.assert_allclose(result.residuals, gmres_residuals, rtol=1e-4)


def test_the_fused_variants_take_the_steps_of_the_classical_one():
    matrix, b = equations.nonsymmetric(50, seed=5)
    histories = [solve(lambda x: matrix @ x, b, variant=v, k=3, tolerance=1e-8).residuals for v in VARIANTS]
    for residuals in histories[1:]:
        np.testing.assert_allclose(residuals, histories[0], rtol=1e-6)


def test_the_published_algorithm_converges_with_r_s_and_not_with_u_s():
    """The step length needs <r, s> in place of the printed <u, s>; corrected, the residuals are ours."""
    problem = Helmholtz(24, 1.0)
    operator, preconditioner = problem.operator, problem.jacobi()
    shape = problem.exact().shape
    a, m = (lambda x: operator(x).reshape(shape)), (lambda r: preconditioner(r).reshape(shape))
    corrected_numerator, printed_numerator = (lambda u, r, s: np.vdot(r, s)), (lambda u, r, s: np.vdot(u, s))
    options = {"k": 8, "tolerance": 1e-10, "most_iterations": 2000}
    _, corrected = equations.published_gcr(a, problem.right_side(), gamma=(m, corrected_numerator), **options)
    _, printed = equations.published_gcr(a, problem.right_side(), gamma=(m, printed_numerator), **options)
    assert len(corrected) < 100
    assert printed[-1] > 0.01
    result = solve(operator, problem.right_side(), preconditioner=preconditioner, variant="classical")
    # Eleven iterations reduce the residual by 1e5; later ones depend on rounding, here of numpy's sums on
    # this processor.
    np.testing.assert_allclose(result.residuals[:11], corrected[:11], rtol=1e-6)
    np.testing.assert_allclose(result.residuals, corrected, rtol=0.1)


def test_a_first_guess_and_the_shape_of_the_right_side():
    """A first guess saves iterations, and x has the shape of the right side; for b = 0 the solution is 0."""
    matrix, b = equations.nonsymmetric(12)
    exact = np.linalg.solve(matrix, b).reshape(3, 4)
    operator = lambda x: (matrix @ x.ravel()).reshape(3, 4)  # noqa: E731
    near = solve(operator, b.reshape(3, 4), guess=exact + 1e-9)
    assert near.x.shape == (3, 4)
    assert near.iterations < solve(operator, b.reshape(3, 4)).iterations
    assert solve(operator, b.reshape(3, 4), guess=exact).iterations == 0
    zero = solve(operator, np.zeros((3, 4)), guess=exact)
    assert (zero.outcome, zero.iterations, zero.residual) == ("converged", 0, 0)
    assert not zero.x.any()


def test_a_plan_serves_many_right_sides():
    """A Gcr object gives the bits of new solvers."""
    matrix, b = equations.nonsymmetric(30)
    gcr = Gcr(30, variant="pipelined")
    for right_side in (b, 2 * b, b[::-1]):
        reused = gcr.solve(lambda x: matrix @ x, right_side)
        assert reused.x.tobytes() == solve(lambda x: matrix @ x, right_side, variant="pipelined").x.tobytes()


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_tolerance_beyond_rounding_ends_as_stagnated(variant):
    matrix, b = equations.nonsymmetric(40)
    result = solve(lambda x: matrix @ x, b, variant=variant, tolerance=1e-19)
    assert result.outcome == "stagnated"
    assert result.residual < 1e-14
    assert "rounding" in result.explanation


def test_a_drift_of_the_pipelined_recurrence_is_found_and_mended():
    """With a small tolerance and a large condition number the vectors u and w of the recurrence drift
    from M r and A u; replacing them restores convergence."""
    n = 200
    scale = np.logspace(0, 4, n)
    rng = np.random.default_rng(2)
    rotation = np.linalg.qr(rng.normal(size=(n, n)))[0]
    matrix = rotation @ np.diag(scale) @ rotation.T
    b = rng.normal(size=n)
    options = {"k": 40, "tolerance": 1e-11, "most_iterations": 20000}
    result = solve(lambda x: matrix @ x, b, variant="pipelined", **options)
    assert result.converged, result.explanation
    assert result.replacements > 0
    assert np.linalg.norm(b - matrix @ result.x) <= 1.1e-11 * np.linalg.norm(b)
    frequent = solve(lambda x: matrix @ x, b, variant="pipelined", replace_every=10, **options)
    assert frequent.replacements >= frequent.iterations // 10 - 1 > 0
    assert frequent.converged


@pytest.mark.parametrize("variant", VARIANTS)
def test_breakdowns_are_named(variant):
    rotation = np.array([[0.0, 1.0], [-1.0, 0.0]])
    result = solve(lambda x: rotation @ x, np.array([1.0, 0.0]), variant=variant)
    assert (result.outcome, result.iterations, result.converged) == ("no_descent", 0, False)
    result = solve(np.zeros_like, np.ones(3), variant=variant)
    assert result.outcome == "dependent"
    assert "singular" in result.explanation
    result = solve(lambda x: x * np.nan, np.ones(3), variant=variant)
    assert result.outcome == "not_finite"
    result = solve(lambda x: x, np.array([1.0, np.inf]), variant=variant)
    assert result.outcome == "not_finite"


@pytest.mark.parametrize("variant", FUSED)
def test_a_difference_without_digits_is_computed_anew(variant):
    """Where A u is almost in the span of the stored directions, <s, s> is a small difference of large
    numbers, and needs another allreduce."""
    matrix = np.array([[1e-5, 1.0], [-1.0, 1e-5]])
    result = solve(lambda x: matrix @ x, np.array([1.0, 0.0]), variant=variant, tolerance=1e-12)
    assert result.converged, result.explanation
    np.testing.assert_allclose(matrix @ result.x, [1, 0], atol=1e-12)
    assert result.exposed > (result.iterations + 2 if variant == "fused" else 1)


def test_most_iterations_end_with_the_best_so_far():
    """After most_iterations the solver ends with the residual that it reached."""
    _, result = solved(32, 1.0, "jacobi", most_iterations=7)
    assert (result.outcome, result.iterations) == ("most_iterations", 7)
    assert 1e-10 < result.residual < 1
    assert "Allow more" in result.explanation


def test_zonal_lines_are_solved():
    """Both preconditioners invert their part of a cyclic tridiagonal matrix."""
    rng = np.random.default_rng(7)
    rows, n = 5, 9
    lower, upper = rng.uniform(-1, 1, (2, rows, n))
    diagonal = rng.uniform(2.5, 4, (rows, n))
    x = rng.normal(size=(rows, n))
    y = lower * np.roll(x, 1, 1) + diagonal * x + upper * np.roll(x, -1, 1)
    np.testing.assert_allclose(zonal_line(lower, diagonal, upper)(y).reshape(rows, n), x, rtol=1e-12)
    np.testing.assert_allclose(jacobi(diagonal)(y).reshape(rows, n), y / diagonal, rtol=1e-15)


def test_the_maps_of_helmholtz_are_those_of_its_matrix():
    """The matrix is built from the operator; it is symmetric with area weights, and the preconditioners
    invert its diagonal and its blocks of latitude circles."""
    problem = Helmholtz(4, 0.3, n_longitudes=5)
    matrix = np.array([problem.operator(unit) for unit in np.eye(20)]).T
    weights = np.repeat(problem.area, 5)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=1e-13)  # a constant has no Laplacian
    np.testing.assert_allclose(weights[:, None] * matrix, (weights[:, None] * matrix).T, atol=1e-14)
    np.testing.assert_allclose(weights.sum(), 4 * np.pi, rtol=1e-14)
    r = np.arange(20.0)
    np.testing.assert_allclose(problem.jacobi()(r), r / np.diag(matrix), rtol=1e-14)
    latitude_circles = matrix * np.kron(np.eye(4), np.ones((5, 5)))
    np.testing.assert_allclose(problem.zonal_line()(r), np.linalg.solve(latitude_circles, r), rtol=1e-12)


OPTION_MISTAKES = [
    ({"variant": "fast"}, "'fast', but must be one of classical, fused, pipelined"),
    ({"k": 0}, "keeps 0 directions"),
    ({"tolerance": 0.0}, "tolerance of GCR is 0. Give a number above 0 and below 1, such as 1e-10"),
    ({"tolerance": 2.0}, "above 0 and below 1"),
    ({"tolerance": float("nan")}, "tolerance of GCR is nan. Give a number above 0 and below 1"),
    ({"tolerance": "tight"}, "tolerance is 'tight'. Give a number"),
    ({"tolerance": None}, "tolerance is None. Give a number"),
    pytest.param(
        {"variant": 3}, "variant is 3. Give one of the names", id="options7-variant is 3. Give a name"
    ),
    ({"k": 2.5}, "k is 2.5. Give a whole number"),
    ({"most_iterations": 2**31}, r"most_iterations is 2147483648. Give a whole number below 2\^31"),
    ({"radix": "2"}, "radix is '2'. Give a whole number"),
    ({"most_iterations": 0}, "0 iterations. Give 1 or more"),
    ({"replace_every": -1}, "every -1 iterations"),
    pytest.param(
        {"radix": 1},
        "radix of an allreduce is 1. Give 2 or more",
        id="options13-radix of an allreduce is 1, but must be 2 or more",
    ),
]


@pytest.mark.parametrize(("options", "text"), OPTION_MISTAKES)
def test_mistakes_of_options(options, text):
    with pytest.raises(ConfigError, match=text):
        solve(lambda x: x, np.ones(3), **options)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_solver_within_its_own_solution(variant):
    """A solver called in its own preconditioner raises an error, and can be used afterwards."""

    def operator(x):
        return np.array([2.0, 3.0, 4.0]) * x

    solver = Gcr(3, variant=variant)
    with pytest.raises(RunError, match=r"called within its own solution\. Make another"):
        solver.solve(operator, np.ones(3), preconditioner=lambda x: solver.solve(operator, x).x)
    assert solver.solve(operator, np.ones(3)).converged


@pytest.mark.parametrize("n", [3, 4, 5, 8, 100, 1000])
def test_zonal_lines_that_are_singular(n):
    """A second difference along a circle is singular; with a slightly larger diagonal it is solved."""
    ones = np.ones((2, n))
    with pytest.raises(ConfigError, match=r"Row 0 .* cannot be solved by elimination"):
        zonal_line(ones, -2 * ones, ones)
    mean = zonal_line(ones, -(2 + 1e-6) * ones, ones)(ones)
    np.testing.assert_allclose(mean, -1e6, rtol=1e-6)


@pytest.mark.parametrize("values", [["a"], [1 + 1j], [None]], ids=["given0", "given1", "given2"])
def test_maps_of_what_are_no_real_numbers(values):
    with pytest.raises(InputError, match=r"diagonal is of .* Give numbers that float64 can hold"):
        jacobi(values)
    with pytest.raises(InputError, match="lower is of"):
        zonal_line([values * 3], [values * 3], [values * 3])


@pytest.mark.parametrize("comm", [3, "world"])
def test_what_is_no_communicator(comm):
    with pytest.raises(ConfigError, match=r"comm is .* Give a Comm"):
        solve(lambda x: x, np.ones(3), comm=comm)


def test_mistakes_of_vectors_and_maps():
    gcr = Gcr(3)
    with pytest.raises(ConfigError, match=r"right side is float64 \(4,\), but must be 3 numbers"):
        gcr.solve(lambda x: x, np.ones(4))
    with pytest.raises(ConfigError, match="complex128"):
        gcr.solve(lambda x: x, np.ones(3, complex))
    with pytest.raises(ConfigError, match=r"first guess is \(3, 1\), but the right side \(3,\)"):
        gcr.solve(lambda x: x, np.ones(3), guess=np.ones((3, 1)))
    with pytest.raises(ConfigError, match="A map of 2 items is given for vectors of 3"):
        gcr.solve(lambda x: x, np.ones(3), preconditioner=jacobi(np.ones(2)))
    with pytest.raises(ConfigError, match=r"not ndarray. For a matrix, give `lambda x: matrix @ x`"):
        gcr.solve(np.eye(3), np.ones(3))
    with pytest.raises(ConfigError, match="is 0 at item 1"):
        jacobi(np.array([1.0, 0.0]))
    with pytest.raises(ConfigError, match=r"\(2, 3\), \(2, 3\), \(2, 4\). Give \(row, longitude\)"):
        zonal_line(np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 4)))
    with pytest.raises(ConfigError, match=r"2 items. Give 3 or more"):
        zonal_line(*np.ones((3, 2, 2)))
    with pytest.raises(ConfigError, match=r"Row 1 .* cannot be solved"):
        zonal_line(np.zeros((2, 3)), np.array([[1.0, 1, 1], [1, 0, 1]]), np.zeros((2, 3)))
    with pytest.raises(ConfigError, match=r"2 x 4 boxes. Give 3"):
        Helmholtz(2, 1.0)
    with pytest.raises(ConfigError, match="squared length of a Helmholtz equation is -1"):
        Helmholtz(4, -1.0)
    with pytest.raises(ConfigError, match=r"n_latitudes is 4.5. Give a whole number"):
        Helmholtz(4.5, 1.0)
    with pytest.raises(ConfigError, match=r"length_squared is '1 m2'. Give a number"):
        Helmholtz(4, "1 m2")
    with pytest.raises(ConfigError, match=r"n_owned is -1. Give 0 or more"):
        Gcr(-1)


def test_what_a_callable_returns_is_checked():
    """Errors in callables name the callable and keep their cause; KeyboardInterrupt passes through."""
    with pytest.raises(
        RunError, match=r"The operator \(rank 0\) raised ConfigError: it returned float64 \(2,\)"
    ):
        solve(lambda x: x[:2], np.ones(3))
    with pytest.raises(
        RunError, match=r"preconditioner \(rank 0\) raised ZeroDivisionError: by hand"
    ) as caught:
        solve(lambda x: x, np.ones(3), preconditioner=_fail(ZeroDivisionError("by hand")))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(KeyboardInterrupt):
        solve(_fail(KeyboardInterrupt()), np.ones(3))


def _fail(error):
    def function(x):
        raise error

    return function


@pytest.mark.parametrize("variant", ["classical", "fused", "pipelined"])
def test_no_more_directions_are_kept_than_there_are_iterations(variant):
    """A number k of directions beyond most_iterations gives the bits of k = most_iterations."""
    diagonal = np.linspace(1, 3, 40)
    options = {"variant": variant, "most_iterations": 20}
    results = [solve(lambda x: diagonal * x, np.ones(40), k=k, **options) for k in (20, 2**31 - 1)]
    assert np.array_equal(results[0].x, results[1].x)
    assert np.array_equal(results[0].residuals, results[1].residuals)


@pytest.mark.mpi
def test_directions_that_one_rank_has_no_memory_for_are_told_on_all(comm):
    n_owned = 2**50 if comm.rank == comm.size - 1 else 3
    with pytest.raises(ConfigError, match=r"Memory for 8 directions \(k\) of 1125899906842624 items"):
        Gcr(n_owned, comm=comm)
