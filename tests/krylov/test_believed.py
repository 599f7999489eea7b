"""Reported residuals are true residuals, for any replacement interval and any magnitude of b."""

import numpy as np
import pytest

from halcyon.krylov import VARIANTS, solve
from tests.krylov import equations


def definite(n, seed):
    """A symmetric and definite matrix, and a right side."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    return root @ root.T + n * np.eye(n), rng.normal(size=n)


def left(matrix, b, x):
    """|b - A x| / |b|"""
    return np.linalg.norm(b - matrix @ x) / np.linalg.norm(b)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("replace_every", [1, 2, 3])
@pytest.mark.parametrize("n", range(1, 7))
def test_what_has_converged_is_no_breakdown(variant, replace_every, n):
    """After as many iterations as items only rounding remains, which the recurrence may underestimate."""
    for seed in range(25):
        matrix, b = definite(n, seed)
        found = solve(lambda x, a=matrix: a @ x, b, variant=variant, replace_every=replace_every)
        assert found.converged, (seed, found.outcome, found.residual)
        assert left(matrix, b, found.x) <= 1.01e-10
        assert found.residual == found.residuals[-1]
        assert found.residual == pytest.approx(left(matrix, b, found.x), rel=0.01, abs=1e-15)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("replace_every", [0, 1, 2])
def test_the_residual_of_a_breakdown_is_that_of_x(variant, replace_every):
    matrix, b = definite(5, 1)
    matrix = np.block([[matrix, np.zeros((5, 1))], [np.zeros((1, 6))]])
    b = np.append(b, 1e-3)  # outside the range of the matrix
    found = solve(lambda x: matrix @ x, b, variant=variant, replace_every=replace_every)
    assert found.outcome in ("dependent", "no_descent", "stagnated")
    assert found.residual == pytest.approx(left(matrix, b, found.x), rel=1e-9)
    assert found.residual == pytest.approx(1e-3 / np.linalg.norm(b), rel=1e-6)


def test_of_what_is_not_finite_there_is_no_residual():
    assert np.isnan(solve(lambda x: x, np.array([1.0, np.inf])).residual)
    assert np.isnan(solve(lambda x: x * np.nan, np.ones(3), guess=np.ones(3)).residual)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("power", [-1000, -600, -540, -500, -167, -165, 165, 167, 500, 600, 1000])
def test_a_right_side_may_be_as_small_or_large_as_numbers_are(variant, power):
    matrix, b = equations.nonsymmetric(20)
    usual = solve(lambda x: matrix @ x, b, variant=variant, k=3)
    found = solve(lambda x: matrix @ x, np.ldexp(b, power), variant=variant, k=3)
    assert found.converged, found.explanation
    assert np.ldexp(found.x, -power).tobytes() == usual.x.tobytes()
    assert found.iterations == usual.iterations
    np.testing.assert_allclose(found.residuals, usual.residuals, rtol=1e-14)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_small_right_side_is_solved_from_a_guess_and_renewed(variant):
    matrix, b = equations.nonsymmetric(20)
    exact = np.linalg.solve(matrix, b)
    guess = 1e-170 * (exact + 1e-3)
    found = solve(lambda x: matrix @ x, 1e-170 * b, guess=guess, variant=variant, replace_every=2)
    assert found.converged and found.iterations > 0
    np.testing.assert_allclose(1e170 * found.x, exact, rtol=0, atol=1e-9)
    nothing = solve(lambda x: matrix @ x, 0 * b, guess=guess, variant=variant)
    assert (nothing.outcome, nothing.residual) == ("converged", 0) and not nothing.x.any()
