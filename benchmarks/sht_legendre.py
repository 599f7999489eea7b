"""The Legendre stage of `sht.py` alone, compared with ducc0 and with matrix products of the same shape."""

import time

import ducc0.sht.experimental as ducc0
import numpy as np

import rows

MS = 1e3
STAGES = ("synthesis", "analysis")


def legendre_rows(case, repetitions):
    """Milliseconds per field, the minimum of the repetitions. The matrix products have, for each m, the
    functions at half the latitudes, even and odd separately, and the real and imaginary parts of all fields.
    Our sums also compute the functions."""
    others = {"ducc0": theirs(case), "dgemm": products(case)}
    work = {(name, stage): way[stage] for name, way in others.items() for stage in STAGES}
    for function in (*case.ours().values(), *work.values()):
        function()
    taken = {key: [] for key in [*work, *(("ours", stage) for stage in STAGES)]}
    for _ in range(repetitions):
        for stage, function in case.ours().items():
            taken["ours", stage].append(in_stage(case.transform, function))
        for key, function in work.items():
            before = time.perf_counter()
            function()
            taken[key].append(time.perf_counter() - before)
    ms = {key: MS * min(seconds) / case.n_fields for key, seconds in taken.items()}
    label = f"T{case.truncation}, {case.n_fields} fields"
    return [
        rows.row(f"Legendre, {stage}, {label}", ms["ours", stage], ms[name, stage], name, "ms", bar=0)
        for stage in STAGES
        for name in others
    ]


def in_stage(transform, function):
    """Seconds in the Legendre stage of a call."""
    before = transform.legendre_s
    function()
    return transform.legendre_s - before


def theirs(case):
    """The Legendre stage of ducc0, field by field, as its interface requires."""
    grid, last = case.transform.grid, case.truncation
    plan = {"lmax": last, "theta": np.arctan2(grid.cosines, grid.sines), "spin": 0, "nthreads": 1}
    leg = np.zeros((1, case.n_rows, last + 1), complex)

    def synthesis():
        for field in case.coefficients:
            ducc0.alm2leg(alm=field[None], leg=leg, **plan)

    def analysis():
        for field in case.back:
            ducc0.leg2alm(leg=leg, alm=field[None], **plan)

    return {"synthesis": synthesis, "analysis": analysis}


def products(case):
    """Matrix products by the BLAS of numpy on one core, with precomputed functions."""
    half, last, n = (case.n_rows + 1) // 2, case.truncation, 2 * case.n_fields
    sizes = [(last + 1 - m + parity) // 2 for m in range(last + 1) for parity in (1, 0)]
    tables = [np.full((half, size), 0.5) for size in sizes if size > 0]
    terms = [np.full((table.shape[1], n), 0.5) for table in tables]
    values = [np.full((half, n), 0.5) for _ in tables]

    def synthesis():
        for table, each, sums in zip(tables, terms, values, strict=True):
            np.dot(table, each, out=sums)

    def analysis():
        for table, each, sums in zip(tables, terms, values, strict=True):
            np.dot(table.T, sums, out=each)

    return {"synthesis": synthesis, "analysis": analysis}
