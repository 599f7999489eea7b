"""Validation of GCR on a Helmholtz equation with analytic solution: error, order, iterations, allreduces."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from halcyon.krylov import VARIANTS, Helmholtz, Solution, solve
from halcyon_validation.check import Check, Outcome, near

_REFERENCE = "an independent program in numpy"
_EIGENVALUE = "spherical harmonic of degree 5"
# L^2: (relative l2 error on 64 latitudes, {preconditioner: iterations of GCR(8) to a residual of 1e-10})
_KNOWN = {1.0: (2.85e-3, {"jacobi": 102, "zonal_line": 45}), 0.01: (6.8e-4, {"jacobi": 97, "zonal_line": 26})}
_LATITUDES = 64


@cache
def _solved(
    n_latitudes: int, length_squared: float, preconditioner: str, variant: str = "fused"
) -> tuple[float, Solution]:
    problem = Helmholtz(n_latitudes, length_squared)
    operator = getattr(problem, preconditioner)()
    solution = solve(problem.operator, problem.right_side(), preconditioner=operator, variant=variant)
    weight, exact = problem.area[:, None], problem.exact()
    error = np.sqrt(np.sum(weight * (solution.x - exact) ** 2) / np.sum(weight * exact**2))
    return float(error), solution


def helmholtz_error() -> Outcome:
    """Error on 64 latitudes, and second-order convergence."""
    checks = []
    for length_squared, (error, _) in _KNOWN.items():
        errors = {n: _solved(n, length_squared, "zonal_line")[0] for n in (16, 32, 64, 128)}
        text = f"L^2 = {length_squared:g}: l2 error on 64 latitudes"
        checks.append(near(text, errors[_LATITUDES], error, 0.005, source=_REFERENCE))
        for n in (32, 64, 128):
            text = f"L^2 = {length_squared:g}: error on {n // 2} latitudes over that on {n}"
            checks.append(near(text, errors[n // 2] / errors[n], 4, 0.06, source=_EIGENVALUE))
    return Outcome(checks)


def helmholtz_iterations() -> Outcome:
    """Iterations of each variant with each preconditioner."""
    checks = []
    for length_squared, (_, iterations) in _KNOWN.items():
        for preconditioner, n in iterations.items():
            for variant in VARIANTS:
                solution = _solved(_LATITUDES, length_squared, preconditioner, variant)[1]
                text = f"L^2 = {length_squared:g}, {preconditioner}, {variant}: iterations"
                checks.append(Check(text, solution.iterations, n, n, source=_REFERENCE))
    return Outcome(checks)


def helmholtz_allreduces() -> Outcome:
    """Allreduces per iteration, in total and exposed (not overlapped with computation), without the two
    allreduces for |b| and b - A x."""
    counts = {"classical": (2, 2), "fused": (1, 1), "pipelined": (1, 0)}
    checks = []
    for variant, (n_all, n_exposed) in counts.items():
        solution = _solved(_LATITUDES, 1.0, "zonal_line", variant)[1]
        n = solution.iterations
        saved = variant == "classical"  # one allreduce: the first iteration does not orthogonalize
        overlapped = variant == "pipelined"  # one of the two that are not counted
        total = solution.allreduces - 2 + saved
        exposed = solution.exposed - 2 + saved + overlapped
        checks.append(Check(f"{variant}: allreduces per iteration", total / n, n_all, n_all))
        checks.append(
            Check(f"{variant}: exposed allreduces per iteration", exposed / n, n_exposed, n_exposed)
        )
    return Outcome(checks)


CASES: dict[str, Callable[[], Outcome]] = {
    "error of the Helmholtz equation": helmholtz_error,
    "iterations of GCR": helmholtz_iterations,
    "allreduces of GCR": helmholtz_allreduces,
}
