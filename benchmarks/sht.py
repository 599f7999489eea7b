"""Spherical-harmonic transforms compared with SHTns and ducc0: times on one core, and errors.

CPU time per field of synthesis and analysis between full Gaussian grids of T + 1 latitudes and triangular
truncation, medians of interleaved repetitions, into preallocated arrays. SHTns runs with longitudes
contiguous, as Halcyon: field by field (its Python module takes one field per call), with its default, which
skips functions below 1e-10 near the poles, and with all functions; as a batch by its library
(`sht_shtns.py`); and as a batch with latitudes contiguous and padded ("its batch"). ducc0 runs field by field
and as a batch. Thresholds: 1.5 for batches and 0.85 field by field. Errors are the root mean square of
coefficients after synthesis and analysis relative to the normally distributed input; at most 1.5 times the
error of SHTns. At most 15 % of a round trip may be outside the Fourier and Legendre stages. The Legendre
stage is compared with that of ducc0, and with plain matrix products (`sht_legendre.py`), without thresholds.

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
BATCHED, FASTEST, ERROR = 1.5, 0.85, 1 / 1.5
OUTSIDE = 15  # [%]
SHTNS_ERRORS = {127: 1.4e-14, 255: 2.3e-14, 511: 4.8e-14, 1279: 1.6e-13}  # measured before
STAGES = ("synthesis", "analysis")


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
    if sht_shtns.shtns is None:
        print("SHTns is not installed: its rows are skipped. `pip install -e .[bench]` builds it.")
    sizes = [(47, 30)] if options.quick else [(127, 30), (127, 100), (255, 30), (255, 100)]
    found = []
    for truncation, n_fields in sizes:
        case = Case(truncation, n_fields)
        found += [*time_rows(case, 5 if options.quick else 15), outside_row(case, 15)]
        found += legendre_rows(case, 5 if options.quick else 15)
    for truncation in [47] if options.quick else [127, 255, 511, 1279]:
        found += error_rows(Case(truncation, 1))
    found.append(memory_row(127 if options.quick else 1279))
    rows.report(found, options.json)


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
        ways = {"ducc0, batch": (self.ducc0_batched(), BATCHED), "ducc0": (self.ducc0_singly(), FASTEST)}
        if sht_shtns.shtns is not None:
            ways["SHTns"] = sht_shtns.singly(self, 1e-10), FASTEST
            ways["SHTns, exact near the poles"] = sht_shtns.singly(self, 0), FASTEST
            ways["SHTns, batch"] = sht_shtns.batched(self), BATCHED
            ways["SHTns, its batch"] = sht_shtns.batched_its_way(self), BATCHED
        return ways


def time_rows(case, repetitions):
    """Milliseconds per field of both stages."""
    peers = case.peers()
    ways = {"ours": case.ours(), "ours, singly": case.ours_singly()}
    ways |= {name: way for name, (way, _) in peers.items()}
    work = {(name, stage): way[stage] for name, way in ways.items() for stage in STAGES}
    for function in work.values():
        function()
    taken = rows.interleaved(work, repetitions)
    ms = {key: MS * seconds / case.n_fields for key, seconds in taken.items()}
    label = f"T{case.truncation}, {case.n_fields} fields"
    found = []
    for stage in STAGES:
        claim, ours = f"{stage}, {label}", ms["ours", stage]
        for name, (_, bar) in peers.items():
            found.append(rows.row(claim, ours, ms[name, stage], name, "ms", bar=bar))
        alone = ms["ours, singly", stage]
        others = [name for name in peers if "batch" not in name]
        for name in others:
            found.append(
                rows.row(f"{stage}, T{case.truncation}, one field", alone, ms[name, stage], name, "ms", bar=0)
            )
    return found


def error_rows(case):
    """Errors after synthesis and analysis, in units of 1e-15; for SHTns an earlier measurement if it is not
    installed."""
    ours = relative(case.transform.analysis(case.values), case.coefficients)
    theirs, name = SHTNS_ERRORS.get(case.truncation), "SHTns, once"
    if sht_shtns.shtns is not None:
        way = sht_shtns.singly(case, 0)
        way["synthesis"]()
        way["analysis"]()
        theirs, name = relative(case.back, case.coefficients), "SHTns"
    if theirs is None:
        return []
    claim = f"error of a round trip, T{case.truncation}"
    return [rows.row(claim, ours * 1e15, theirs * 1e15, name, "1e-15", bar=ERROR)]


def outside_row(case, repetitions):
    """Share of a round trip outside both stages, in per cent."""
    transform, shares = case.transform, []
    for _ in range(repetitions):
        before, begin = transform.fourier_s + transform.legendre_s, time.perf_counter()
        for work in case.ours().values():
            work()
        wall_s = time.perf_counter() - begin
        shares.append(100 * (1 - (transform.fourier_s + transform.legendre_s - before) / wall_s))
    claim = f"outside both stages, T{case.truncation}, {case.n_fields} fields"
    return rows.row(claim, max(statistics.median(shares), 0.01), OUTSIDE, "the bar", "%", bar=1)


def memory_row(truncation):
    """Memory of a transform that stores all Legendre functions, in MiB."""
    table_bytes = 8 * ((truncation + 2) // 2) * (truncation + 1) * (truncation + 2) / 2
    transform = Transform(Grid.full(truncation + 1), truncation, memory=2 * int(table_bytes))
    kept, table = (each / 2**20 for each in (transform.kept_bytes, table_bytes))
    return rows.row(f"all functions kept, T{truncation}", kept, table, "all of half the rows", "MiB", bar=0)


def relative(found, expected):
    return np.sqrt((np.abs(found - expected) ** 2).mean() / (np.abs(expected) ** 2).mean())


def random_coefficients(transform, n_fields):
    rng = np.random.default_rng(9)
    found = rng.normal(size=(n_fields, transform.n_coefficients, 2)) @ [1, 1j]
    found[:, transform.wavenumbers == 0] = found[:, transform.wavenumbers == 0].real
    return found


if __name__ == "__main__":
    main()
