"""Solutions have the same bytes on any number of ranks and with any radix, and no rank hangs."""

import numpy as np
import pytest
from mpi4py import MPI

from halcyon.base import ConfigError, RunError
from halcyon.krylov import VARIANTS, Gcr, Helmholtz, jacobi, solve, zonal_line
from tests.krylov import equations

pytestmark = pytest.mark.mpi


def helmholtz(comm, preconditioner, **options):
    """Collective. The solution of a Helmholtz equation on 21 latitudes."""
    problem = Helmholtz(21, 0.1, comm=comm)
    m = getattr(problem, preconditioner)()
    return solve(problem.operator, problem.right_side(), preconditioner=m, comm=comm, **options)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("preconditioner", ["jacobi", "zonal_line"])
def test_any_number_of_ranks_leaves_the_same_bytes(comm, variant, preconditioner):
    """Solution, residuals and counts of allreduces are those of one rank."""
    result = helmholtz(comm, preconditioner, variant=variant)
    serial = helmholtz(MPI.COMM_SELF, preconditioner, variant=variant)
    assert np.concatenate(comm.allgather(result.x)).tobytes() == serial.x.tobytes()
    assert result.residuals.tobytes() == serial.residuals.tobytes()
    assert (result.outcome, result.allreduces, result.exposed) == (
        serial.outcome,
        serial.allreduces,
        serial.exposed,
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_small_right_side_leaves_the_same_bytes(comm, variant):
    comms = comm, MPI.COMM_SELF
    problems = [Helmholtz(21, 0.1, comm=c) for c in comms]
    result, serial = (
        solve(
            problem.operator, np.ldexp(problem.right_side(), -550), comm=c, variant=variant, replace_every=7
        )
        for problem, c in zip(problems, comms, strict=True)
    )
    assert serial.converged
    assert np.concatenate(comm.allgather(result.x)).tobytes() == serial.x.tobytes()


@pytest.mark.parametrize("radix", [2, 3, 5])
@pytest.mark.parametrize("variant", VARIANTS)
def test_any_radix_leaves_the_same_bytes(comm, variant, radix):
    """The radix of the allreduce does not change the solution."""
    result = helmholtz(comm, "jacobi", variant=variant, radix=radix)
    assert result.x.tobytes() == helmholtz(comm, "jacobi", variant=variant).x.tobytes()


@pytest.mark.parametrize("variant", VARIANTS)
def test_callables_of_python_on_uneven_parts(comm, variant):
    """Operators written in Python, with 37 rows distributed over the ranks, give the bits of one rank."""
    matrix, b = equations.nonsymmetric(37)
    operator = equations.Matrix(comm, matrix)
    m = jacobi(operator.local(np.diag(matrix)))
    result = solve(operator, operator.local(b), preconditioner=m, comm=comm, variant=variant)
    serial = solve(
        equations.Matrix(MPI.COMM_SELF, matrix), b, preconditioner=jacobi(np.diag(matrix)), variant=variant
    )
    assert operator.gathered(result.x).tobytes() == serial.x.tobytes()
    np.testing.assert_allclose(serial.x, np.linalg.solve(matrix, b), rtol=1e-8)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("failing", ["operator", "preconditioner"])
@pytest.mark.parametrize("call", [1, 2, 7])
def test_all_ranks_end_where_one_fails(comm, variant, failing, call):
    """An exception in a callable on one rank is raised on all, and the solver can be used again."""
    matrix, b = equations.nonsymmetric(37)
    operator = equations.Matrix(comm, matrix)
    failing_rank, calls = comm.size - 1, []

    def failing_at_call(function):
        def apply(x):
            y = function(x)
            calls.append(failing)
            if comm.rank == failing_rank and len(calls) == call:
                raise ValueError("spoiled by hand")
            return y

        return apply

    maps = {"operator": operator, "preconditioner": lambda r: r}
    maps[failing] = failing_at_call(maps[failing])
    gcr = Gcr(len(operator.local(b)), comm=comm, variant=variant)
    with pytest.raises(RunError) as caught:
        gcr.solve(maps["operator"], operator.local(b), preconditioner=maps["preconditioner"])
    assert str(caught.value) == f"The {failing} (rank {failing_rank}) raised ValueError: spoiled by hand"
    assert isinstance(caught.value.__cause__, ValueError) == (comm.rank == failing_rank)
    next_result = gcr.solve(operator, operator.local(b))
    assert next_result.converged


def test_a_mistake_on_one_rank_is_told_on_all(comm):
    last_rank = comm.size - 1
    where = "" if comm.size == 1 else f"Rank {last_rank}: "
    with pytest.raises(ConfigError, match=f"{where}The right side is"):
        Gcr(3, comm=comm).solve(lambda x: x, np.ones(4 if comm.rank == last_rank else 3))
    with pytest.raises(ConfigError, match="keeps 0 directions"):
        Gcr(3, comm=comm, k=0)
    if comm.size > 1:
        with pytest.raises(ConfigError, match=r"Rank 1 gives k 9, but rank 0 8. Give the same."):
            Gcr(3, comm=comm, k=8 + comm.rank)
    with pytest.raises(ConfigError, match=f"3 latitudes on {comm.size} ranks" if comm.size > 3 else "Give 3"):
        Helmholtz(3 if comm.size > 3 else 2, 1.0, comm=comm)


def test_a_rank_without_items_takes_part(comm):
    """Ranks other than 0 take part with empty vectors."""
    b = np.arange(1.0, 6) if comm.rank == 0 else np.empty(0)
    result = solve(lambda x: 2 * x, b, comm=comm, variant="pipelined")
    np.testing.assert_allclose(result.x, b / 2, rtol=1e-14)


def test_zonal_lines_need_whole_rows_only(comm):
    """Each rank has complete rows."""
    rows = equations.rows_of(comm, 6)
    rng = np.random.default_rng(8)
    parts = rng.uniform(-1, 1, (3, 6, 8)) + np.array([0, 3, 0])[:, None, None]
    r = rng.normal(size=(6, 8))
    serial = zonal_line(*parts)(r).reshape(6, 8)
    solved = zonal_line(*(part[rows] for part in parts))(r[rows]).reshape(-1, 8)
    assert np.concatenate(comm.allgather(solved)).tobytes() == serial.tobytes()
