"""The Legendre stage of `sht.py` alone, beside ducc0's and plain products of matrices of the same shape."""

import time

import ducc0.sht.experimental as ducc0
import numpy as np

import rows

MS = 1e3
STAGES = ("synthesis", "analysis")


def legendre_rows(case, repetitions):
    """Milliseconds a field, the shortest of all repetitions. A product of matrices takes from each m its
    functions at half the latitudes, once for even and once for odd ones, and real and imaginary parts of all
    fields: its time over ours is the share of its speed that our sums have, which also make the functions."""
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
    """Seconds of a call's Legendre stage."""
    before = transform.legendre_s
    function()
    return transform.legendre_s - before


def theirs(case):
    """Of ducc0, field by field, as it takes them."""
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
    """By the BLAS of numpy on one core, with tables of all functions that are there, and values of each m."""
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
