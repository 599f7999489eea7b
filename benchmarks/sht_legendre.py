"""The Legendre stage of `sht.py` alone, compared with ducc0 and with matrix products of the same shape."""

import time

import ducc0.sht.experimental as ducc0
import numpy as np

import rows

MS = 1e3
STAGES = ("synthesis", "analysis")


def legendre_rows(case, repetitions):
    """Rows of the time of the Legendre stage per field [ms], minimum of the repetitions. For each zonal
    wavenumber m, the matrix products multiply the functions at half of the latitudes, even and odd
    separately, with the real and imaginary parts of all fields. Halcyon's stage also computes the
    functions."""
    peers = {"ducc0": ducc0_stage(case), "dgemm": matrix_products(case)}
    work = {(name, stage): functions[stage] for name, functions in peers.items() for stage in STAGES}
    for function in (*case.ours().values(), *work.values()):
        function()
    times = {key: [] for key in [*work, *(("ours", stage) for stage in STAGES)]}
    for _ in range(repetitions):
        for stage, function in case.ours().items():
            times["ours", stage].append(stage_s(case.transform, function))
        for key, function in work.items():
            before = time.perf_counter()
            function()
            times[key].append(time.perf_counter() - before)
    ms = {key: MS * min(seconds) / case.n_fields for key, seconds in times.items()}
    label = f"T{case.truncation}, {case.n_fields} fields"
    return [
        rows.row(f"Legendre, {stage}, {label}", ms["ours", stage], ms[name, stage], name, "ms", bar=0)
        for stage in STAGES
        for name in peers
    ]


def stage_s(transform, function):
    """Time in the Legendre stage during a call [s]."""
    before = transform.legendre_s
    function()
    return transform.legendre_s - before


def ducc0_stage(case):
    """Functions that run the Legendre stage of ducc0, field by field, as its interface requires."""
    grid, truncation = case.transform.grid, case.truncation
    plan = {"lmax": truncation, "theta": np.arctan2(grid.cosines, grid.sines), "spin": 0, "nthreads": 1}
    leg = np.zeros((1, case.n_rows, truncation + 1), complex)

    def synthesis():
        for field in case.coefficients:
            ducc0.alm2leg(alm=field[None], leg=leg, **plan)

    def analysis():
        for field in case.back:
            ducc0.leg2alm(leg=leg, alm=field[None], **plan)

    return {"synthesis": synthesis, "analysis": analysis}


def matrix_products(case):
    """Functions that compute the matrix products by the BLAS of numpy on one core, with precomputed Legendre
    functions."""
    half, truncation, n = (case.n_rows + 1) // 2, case.truncation, 2 * case.n_fields
    sizes = [(truncation + 1 - m + parity) // 2 for m in range(truncation + 1) for parity in (1, 0)]
    tables = [np.full((half, size), 0.5) for size in sizes if size > 0]
    terms = [np.full((table.shape[1], n), 0.5) for table in tables]
    values = [np.full((half, n), 0.5) for _ in tables]

    def synthesis():
        for table, term, sums in zip(tables, terms, values, strict=True):
            np.dot(table, term, out=sums)

    def analysis():
        for table, term, sums in zip(tables, terms, values, strict=True):
            np.dot(table.T, sums, out=term)

    return {"synthesis": synthesis, "analysis": analysis}
