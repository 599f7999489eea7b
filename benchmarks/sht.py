"""Spherical-harmonic transforms compared with SHTns and ducc0: times on one core, and errors.

CPU time per field of synthesis and analysis between full Gaussian grids of T + 1 latitudes and triangular
truncation T, medians of interleaved repetitions, into preallocated arrays.

SHTns runs with longitudes contiguous, like Halcyon: field by field (its Python module takes one field per
call), with its default, which skips functions below 1e-10 near the poles, and with all functions; and as a
batch by its C library (`sht_shtns.py`). It also runs as a batch in its fastest layout, latitudes contiguous
and padded ("SHTns, its batch"). ducc0 runs field by field and as a batch. Thresholds: 1.5 for batches and
0.85 field by field.

Errors are the root mean square error of coefficients after synthesis and analysis, relative to the normally
distributed input; at most 1.5 times the error of SHTns. At most 15 % of a round trip may be outside the
Fourier and Legendre stages. The Legendre stage alone is compared with ducc0 and with plain matrix products
(`sht_legendre.py`), without thresholds.

SHTns is optional: `pip install -e .[bench]` builds it from source.
"""

import os
import statistics
import time

for library in ("OMP", "OPENBLAS"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
for setting in ("CORETYPE", "L2_SIZE"):  # lets OpenBLAS choose its kernels for this processor
    os.environ.pop(f"OPENBLAS_{setting}", None)

import ducc0  # noqa: E402
import numpy as np  # noqa: E402

import rows  # noqa: E402
import sht_shtns  # noqa: E402
from halcyon.transform import Grid, Transform  # noqa: E402
from sht_legendre import legendre_rows  # noqa: E402

MS = 1e3
BATCHED, FASTEST, ERROR = 1.5, 0.85, 1 / 1.5  # thresholds: over batches, over single fields, of errors
MAX_OVERHEAD = 15  # share of a round trip outside the Fourier and Legendre stages [%]
# Earlier measurements by truncation.
SHTNS_ERRORS = {127: 1.4e-14, 255: 2.3e-14, 511: 4.8e-14, 1279: 1.6e-13}
STAGES = ("synthesis", "analysis")


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
    if sht_shtns.shtns is None:
        print("SHTns is not installed: its rows are skipped. `pip install -e .[bench]` builds it.")
    sizes = [(47, 30)] if options.quick else [(127, 30), (127, 100), (255, 30), (255, 100)]
    result_rows = []
    for truncation, n_fields in sizes:
        case = Case(truncation, n_fields)
        result_rows += [*time_rows(case, 5 if options.quick else 15), overhead_row(case, 15)]
        result_rows += legendre_rows(case, 5 if options.quick else 15)
    for truncation in [47] if options.quick else [127, 255, 511, 1279]:
        result_rows += error_rows(Case(truncation, 1))
    result_rows.append(memory_row(127 if options.quick else 1279))
    rows.report(result_rows, options.json)


class Case:
    """Fields of one truncation on a full grid, and functions that transform them, by stage."""

    def __init__(self, truncation, n_fields):
        self.truncation, self.n_fields, self.n_rows = truncation, n_fields, truncation + 1
        self.transform = Transform(Grid.full(self.n_rows), truncation)
        self.coefficients = random_coefficients(self.transform, n_fields)
        self.values = self.transform.synthesis(self.coefficients)
        self.back = np.empty_like(self.coefficients)
        self.scratch = np.empty_like(self.values)

    def singly(self, work, source, target):
        """A function that calls work(source, target) for each field."""

        def fields():
            for i in range(self.n_fields):
                work(source[i], target[i])

        return fields

    def ours(self):
        return {
            "synthesis": lambda: self.transform.synthesis(self.coefficients, out=self.scratch),
            "analysis": lambda: self.transform.analysis(self.values, out=self.back),
        }

    def ours_singly(self):
        synthesis = lambda source, target: self.transform.synthesis(source, out=target)  # noqa: E731
        analysis = lambda source, target: self.transform.analysis(source, out=target)  # noqa: E731
        return {
            "synthesis": self.singly(synthesis, self.coefficients, self.scratch),
            "analysis": self.singly(analysis, self.values, self.back),
        }

    def ducc0_singly(self):
        plan = {"spin": 0, "lmax": self.truncation, "geometry": "GL", "nthreads": 1}
        rows_and_columns = {"ntheta": self.n_rows, "nphi": 2 * self.n_rows}

        def synthesis(source, target):
            ducc0.sht.synthesis_2d(alm=source[None], map=target[None], **rows_and_columns, **plan)

        def analysis(source, target):
            ducc0.sht.analysis_2d(map=source[None], alm=target[None], **plan)

        return {
            "synthesis": self.singly(synthesis, self.coefficients, self.scratch),
            "analysis": self.singly(analysis, self.values, self.back),
        }

    def ducc0_batched(self):
        grid, n_columns = self.transform.grid, 2 * self.n_rows
        plan = {"spin": 0, "lmax": self.truncation, "nthreads": 1, "phi0": np.zeros(self.n_rows)}
        plan["theta"] = np.arctan2(grid.cosines, grid.sines)
        plan["nphi"] = np.full(self.n_rows, n_columns, np.uint64)
        plan["ringstart"] = n_columns * np.arange(self.n_rows, dtype=np.uint64)
        weights = grid.weights * (2 * np.pi / n_columns)
        points = self.n_fields, 1, -1
        coefficients, back = self.coefficients[:, None], self.back[:, None]
        values, scratch = self.values.reshape(points), self.scratch.reshape(points)
        return {
            "synthesis": lambda: ducc0.sht.synthesis(alm=coefficients, map=scratch, **plan),
            "analysis": lambda: ducc0.sht.adjoint_synthesis(map=values, alm=back, ringfactor=weights, **plan),
        }

    def peers(self):
        """Transforms of other libraries by name, with their thresholds."""
        transforms = {
            "ducc0, batch": (self.ducc0_batched(), BATCHED),
            "ducc0": (self.ducc0_singly(), FASTEST),
        }
        if sht_shtns.shtns is not None:
            transforms["SHTns"] = sht_shtns.singly(self, 1e-10), FASTEST
            transforms["SHTns, exact near the poles"] = sht_shtns.singly(self, 0), FASTEST
            transforms["SHTns, batch"] = sht_shtns.batched(self), BATCHED
            transforms["SHTns, its batch"] = sht_shtns.batched_its_way(self), BATCHED
        return transforms


def time_rows(case, repetitions):
    """Rows of the time per field [ms] of synthesis and analysis, compared with other libraries."""
    peers = case.peers()
    transforms = {"ours": case.ours(), "ours, singly": case.ours_singly()}
    transforms |= {name: stages for name, (stages, _) in peers.items()}
    work = {(name, stage): stages[stage] for name, stages in transforms.items() for stage in STAGES}
    for function in work.values():
        function()
    times = rows.interleaved(work, repetitions)
    ms = {key: MS * seconds / case.n_fields for key, seconds in times.items()}
    label = f"T{case.truncation}, {case.n_fields} fields"
    result_rows = []
    for stage in STAGES:
        claim, ours = f"{stage}, {label}", ms["ours", stage]
        for name, (_, bar) in peers.items():
            result_rows.append(rows.row(claim, ours, ms[name, stage], name, "ms", bar=bar))
        alone = ms["ours, singly", stage]
        for name in peers:
            if "batch" in name:
                continue
            claim = f"{stage}, T{case.truncation}, one field"
            result_rows.append(rows.row(claim, alone, ms[name, stage], name, "ms", bar=FASTEST))
    return result_rows


def error_rows(case):
    """Row of the error after synthesis and analysis, in units of 1e-15, compared with SHTns, or, if SHTns is
    not installed, with an earlier measurement."""
    ours = relative_error(case.transform.analysis(case.values), case.coefficients)
    theirs, name = SHTNS_ERRORS.get(case.truncation), "SHTns, once"
    if sht_shtns.shtns is not None:
        stages = sht_shtns.singly(case, 0)
        stages["synthesis"]()
        stages["analysis"]()
        theirs, name = relative_error(case.back, case.coefficients), "SHTns"
    if theirs is None:
        return []
    claim = f"error of a round trip, T{case.truncation}"
    return [rows.row(claim, ours * 1e15, theirs * 1e15, name, "1e-15", bar=ERROR)]


def overhead_row(case, repetitions):
    """Row of the share of a round trip outside the Fourier and Legendre stages [%]."""
    transform, shares = case.transform, []
    for _ in range(repetitions):
        before, begin = transform.fourier_s + transform.legendre_s, time.perf_counter()
        for work in case.ours().values():
            work()
        wall_s = time.perf_counter() - begin
        shares.append(100 * (1 - (transform.fourier_s + transform.legendre_s - before) / wall_s))
    claim = f"outside both stages, T{case.truncation}, {case.n_fields} fields"
    return rows.row(claim, max(statistics.median(shares), 0.01), MAX_OVERHEAD, "the bar", "%", bar=1)


def memory_row(truncation):
    """Row of the memory of a transform that stores Legendre functions [MiB], compared with a table of all
    functions at half of the latitudes."""
    table_bytes = 8 * ((truncation + 2) // 2) * (truncation + 1) * (truncation + 2) / 2
    transform = Transform(Grid.full(truncation + 1), truncation, memory=2 * int(table_bytes))
    kept, table = (n_bytes / 2**20 for n_bytes in (transform.kept_bytes, table_bytes))
    return rows.row(f"all functions kept, T{truncation}", kept, table, "all of half the rows", "MiB", bar=0)


def relative_error(result, expected):
    """Root mean square of the difference, divided by that of the expected values."""
    return np.sqrt((np.abs(result - expected) ** 2).mean() / (np.abs(expected) ** 2).mean())


def random_coefficients(transform, n_fields):
    """Normally distributed coefficients (field, coefficient), real for zonal wavenumber 0."""
    rng = np.random.default_rng(9)
    coefficients = rng.normal(size=(n_fields, transform.n_coefficients, 2)) @ [1, 1j]
    coefficients[:, transform.wavenumbers == 0] = coefficients[:, transform.wavenumbers == 0].real
    return coefficients


if __name__ == "__main__":
    main()
