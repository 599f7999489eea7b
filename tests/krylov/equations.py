"""Small linear equations distributed over ranks, and GCR as published, for the tests of krylov."""

from __future__ import annotations

import numpy as np


def rows_of(comm, n):
    """The rows of this rank, of n over all ranks."""
    return slice(comm.rank * n // comm.size, (comm.rank + 1) * n // comm.size)


class Matrix:
    """A dense matrix whose rows are distributed over ranks."""

    def __init__(self, comm, matrix):
        self.whole, self.rows, self._comm = matrix, rows_of(comm, len(matrix)), comm

    def __call__(self, x):
        whole = np.concatenate(self._comm.allgather(x))
        return np.array(
            [row @ whole for row in self.whole[self.rows]]
        )  # row by row, for the same bits on any number of ranks

    def mine(self, vector):
        """The items of this rank."""
        return vector[self.rows]

    def whole_of(self, x):
        return np.concatenate(self._comm.allgather(x))


def nonsymmetric(n, seed=1):
    """A matrix with a definite symmetric part, and a right side."""
    rng = np.random.default_rng(seed)
    matrix = np.diag(rng.uniform(4, 8, n)) + rng.uniform(-1, 1, (n, n)) * 3 / np.sqrt(n)
    return matrix, rng.uniform(-1, 1, n)


def printed_gcr(operator, b, *, k, tolerance, most_iterations, gamma):
    """GCR as published by Zheng and Marguinaud (2018), algorithm 1, without preconditioner; `gamma` are
    the functions for u and for <u, s> or <r, s>. Returns the solution, and |r| / |b| after each
    iteration."""
    u_of, gamma_of = gamma
    x, r, kept, residuals = np.zeros_like(b), b.copy(), [], []
    while len(residuals) < most_iterations and (not residuals or residuals[-1] > tolerance):
        u = u_of(r)
        w, p = operator(u), u.copy()
        for p_j, s_j in kept[-k:]:
            p -= (np.vdot(w, s_j) / np.vdot(s_j, s_j)) * p_j
        s = operator(p)
        alpha = gamma_of(u, r, s) / np.vdot(s, s)
        x, r, kept = x + alpha * p, r - alpha * s, [*kept[-k:], (p, s)]
        residuals.append(float(np.linalg.norm(r) / np.linalg.norm(b)))
    return x, residuals
