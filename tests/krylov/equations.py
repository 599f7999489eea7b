"""Small systems of linear equations distributed over ranks, and GCR as published, for the tests of krylov."""

from __future__ import annotations

import numpy as np


def rows_of(comm, n):
    """This rank's rows, as a slice, of n rows over all ranks."""
    return slice(comm.rank * n // comm.size, (comm.rank + 1) * n // comm.size)


class Matrix:
    """A dense matrix whose rows are distributed over ranks."""

    def __init__(self, comm, matrix):
        self.matrix, self.rows, self._comm = matrix, rows_of(comm, len(matrix)), comm

    def __call__(self, x):
        """Collective. This rank's items of A x, from its items of x."""
        whole = np.concatenate(self._comm.allgather(x))
        # Row by row, for the same bits on any number of ranks.
        return np.array([row @ whole for row in self.matrix[self.rows]])

    def local(self, vector):
        """This rank's items of a global vector."""
        return vector[self.rows]

    def gathered(self, x):
        """Collective. The global vector, from this rank's items."""
        return np.concatenate(self._comm.allgather(x))


def nonsymmetric(n, seed=1):
    """A matrix with a definite symmetric part, and a right side."""
    rng = np.random.default_rng(seed)
    matrix = np.diag(rng.uniform(4, 8, n)) + rng.uniform(-1, 1, (n, n)) * 3 / np.sqrt(n)
    return matrix, rng.uniform(-1, 1, n)


def published_gcr(operator, b, *, k, tolerance, most_iterations, gamma):
    """GCR as published by Zheng and Marguinaud (2018), algorithm 1. Returns the solution, and |r| / |b|
    after each iteration.

    gamma: the preconditioner, u(r), and the numerator of the step length as a function of u, r and s,
    which is <u, s> as published and <r, s> corrected."""
    precondition, numerator = gamma
    x, r, directions, residuals = np.zeros_like(b), b.copy(), [], []
    while len(residuals) < most_iterations and (not residuals or residuals[-1] > tolerance):
        u = precondition(r)
        w, p = operator(u), u.copy()
        for p_j, s_j in directions[-k:]:
            p -= (np.vdot(w, s_j) / np.vdot(s_j, s_j)) * p_j
        s = operator(p)
        alpha = numerator(u, r, s) / np.vdot(s, s)
        x, r, directions = x + alpha * p, r - alpha * s, [*directions[-k:], (p, s)]
        residuals.append(float(np.linalg.norm(r) / np.linalg.norm(b)))
    return x, residuals
