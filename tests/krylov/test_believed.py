"""Reported residuals are true residuals, for any replacement interval and any magnitude of b."""

import numpy as np
import pytest

from halcyon.krylov import VARIANTS, solve
from tests.krylov import equations


def definite(n, seed):
    """A symmetric and definite matrix, and a right side."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(n, n))
    return factor @ factor.T + n * np.eye(n), rng.normal(size=n)


def relative_residual(matrix, b, x):
    """|b - A x| / |b|"""
    return np.linalg.norm(b - matrix @ x) / np.linalg.norm(b)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("replace_every", [1, 2, 3])
@pytest.mark.parametrize("n", range(1, 7))
def test_what_has_converged_is_no_breakdown(variant, replace_every, n):
    """A system of n equations converges, although after n iterations only rounding errors remain, which the
    recurrence may underestimate."""
    for seed in range(25):
        matrix, b = definite(n, seed)
        result = solve(lambda x, a=matrix: a @ x, b, variant=variant, replace_every=replace_every)
        assert result.converged, (seed, result.outcome, result.residual)
        assert relative_residual(matrix, b, result.x) <= 1.01e-10
        assert result.residual == result.residuals[-1]
        assert result.residual == pytest.approx(relative_residual(matrix, b, result.x), rel=0.01, abs=1e-15)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("replace_every", [0, 1, 2])
def test_the_residual_of_a_breakdown_is_that_of_x(variant, replace_every):
    """A singular matrix ends without convergence, with the residual of the solution returned."""
    matrix, b = definite(5, 1)
    matrix = np.block([[matrix, np.zeros((5, 1))], [np.zeros((1, 6))]])
    b = np.append(b, 1e-3)  # outside the range of the matrix
    result = solve(lambda x: matrix @ x, b, variant=variant, replace_every=replace_every)
    assert result.outcome in ("dependent", "no_descent", "stagnated")
    assert result.residual == pytest.approx(relative_residual(matrix, b, result.x), rel=1e-9)
    assert result.residual == pytest.approx(1e-3 / np.linalg.norm(b), rel=1e-6)


def test_of_what_is_not_finite_there_is_no_residual():
    """Infinite or missing values give the residual NaN."""
    assert np.isnan(solve(lambda x: x, np.array([1.0, np.inf])).residual)
    assert np.isnan(solve(lambda x: x * np.nan, np.ones(3), guess=np.ones(3)).residual)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("power", [-1000, -600, -540, -500, -167, -165, 165, 167, 500, 600, 1000])
def test_a_right_side_may_be_as_small_or_large_as_numbers_are(variant, power):
    """A right side times a power of two gives the solution times this power, to the bit."""
    matrix, b = equations.nonsymmetric(20)
    unscaled = solve(lambda x: matrix @ x, b, variant=variant, k=3)
    result = solve(lambda x: matrix @ x, np.ldexp(b, power), variant=variant, k=3)
    assert result.converged, result.explanation
    assert np.ldexp(result.x, -power).tobytes() == unscaled.x.tobytes()
    assert result.iterations == unscaled.iterations
    np.testing.assert_allclose(result.residuals, unscaled.residuals, rtol=1e-14)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_small_right_side_is_solved_from_a_guess_and_renewed(variant):
    """A right side of 1e-170 is solved from a first guess with recomputed residuals; for 0 the solution
    is 0."""
    matrix, b = equations.nonsymmetric(20)
    exact = np.linalg.solve(matrix, b)
    guess = 1e-170 * (exact + 1e-3)
    result = solve(lambda x: matrix @ x, 1e-170 * b, guess=guess, variant=variant, replace_every=2)
    assert result.converged and result.iterations > 0
    np.testing.assert_allclose(1e170 * result.x, exact, rtol=0, atol=1e-9)
    zero = solve(lambda x: matrix @ x, 0 * b, guess=guess, variant=variant)
    assert (zero.outcome, zero.residual) == ("converged", 0) and not zero.x.any()
