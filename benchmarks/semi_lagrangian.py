"""Semi-Lagrangian advection: wide halos compared with columns on demand, and exchanges in groups of levels.

mpirun -n 4 python benchmarks/semi_lagrangian.py     runs on ranks of this machine, or, with --hosts 4, on
emulated hosts. Times are medians over steps, of the slowest rank. Winds are a jet with waves in each
hemisphere, whose largest displacement is what the halo width allows. The bytes received on 256 ranks are
computed, not measured.
"""

import statistics
import time

import numpy as np

import between_hosts
import rows
from halcyon.comm import Progress, world
from halcyon.schedule import counts, grid_halo
from halcyon.semi_lagrangian import RADIUS, Advection, halo_volumes
from halcyon.transform import Grid

WIDTHS = (3, 10, 20, 30)  # of the halo [grid points]
GROUPS = (1, 2, 4, 8)  # numbers of groups of levels
PROGRESS = ("none", "poll", "thread")
STEP = 600.0  # [s]
# Parts of a step: finding departure points, advancing the fields, the sum; a combined call of both.
PARTS = ("plan", "advance", "both", "at once")
MB, MS = 1e-6, 1e3
MAX_SPEED = 1.21  # upper bound of the unscaled wind speed


def main():
    options = between_hosts.parsed_options(rows.parser(__doc__.splitlines()[0]), __file__)
    comm = world()
    grid = Grid.full(128 if options.quick else 256)
    sizes = {"levels": 12, "fields": 4} if options.quick else {"levels": 24, "fields": 5}
    steps = 3 if options.quick else 9
    result_rows = [row for width in WIDTHS for row in halo_rows(comm, grid, width, sizes, steps)]
    result_rows += [row for width in WIDTHS[1:] for row in group_rows(comm, grid, width, sizes, steps)]
    if comm.rank == 0:
        result_rows += counted_rows(options.quick)
        n = len(grid.row_lengths)
        print(f"{n} x {2 * n} points, {sizes['levels']} levels, {sizes['fields']} fields, {comm.size} ranks")
        rows.report(result_rows, options.json)


def jets(advection, n_rows, width):
    """u, v [m s-1] (point, level), with a largest displacement of nearly (width - 2) grid points per step."""
    lat, lon = np.radians(advection.latitude), np.radians(advection.longitude)
    u = np.sin(2 * lat) ** 2 * (1 + 0.2 * np.cos(3 * lon))
    v = 0.25 * np.cos(lat) ** 2 * np.sin(5 * lon)
    speed = 0.98 * (width - 2) * np.pi / (n_rows + 0.5) * RADIUS / STEP / MAX_SPEED
    levels = np.linspace(0.3, 1, advection.shape[1])
    return (speed * wind[:, None] * levels for wind in (u, v))


def measured(comm, grid, sizes, width, steps, variants):
    """Collective. For each variant: the time of each of the PARTS [ms], median over steps, of the slowest
    rank; and `received`, the bytes that all ranks receive [MB]. Steps of the variants are interleaved.

    @param variants options of `Advection` by name of the variant"""
    models = {
        name: Advection(comm, grid, width=width, **sizes, **options) for name, options in variants.items()
    }
    fields = [np.ones(next(iter(models.values())).shape) for _ in range(sizes["fields"])]
    times = {name: [] for name in models}
    for _ in range(steps):
        for name, model in models.items():
            times[name].append(step_seconds(comm, model, jets(model, len(grid.row_lengths), width), fields))
    return {name: slowest(comm, model, times[name]) for name, model in models.items()}


def step_seconds(comm, advection, winds, fields):
    u, v = winds
    plan = seconds(comm, lambda: advection.find_departures(u, v, STEP))
    advance = seconds(comm, lambda: advection.advance(*fields))
    return plan, advance, plan + advance, seconds(comm, lambda: advection.step(u, v, STEP, *fields))


def slowest(comm, advection, times):
    medians = comm.allgather([statistics.median(part_s) * MS for part_s in zip(*times, strict=True)])
    received = comm.allreduce(advection.received_bytes) * MB
    return dict(zip(PARTS, np.max(medians, axis=0), strict=True)) | {"received": received}


def seconds(comm, work):
    comm.Barrier()
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def halo_rows(comm, grid, width, sizes, steps):
    halo_variants = {"wide": {"halo": "wide"}, "on demand": {"halo": "on_demand"}}
    wide, on_demand = measured(comm, grid, sizes, width, steps, halo_variants).values()
    if comm.size == 1:
        return []
    name = f"width {width}, on demand:"
    result_rows = [rows.row(f"{name} received", on_demand["received"], wide["received"], "wide", "MB", bar=1)]
    result_rows += [
        rows.row(f"{name} {part}", on_demand[part], wide[part], "wide", "ms", bar=0) for part in PARTS
    ]
    claim = f"width {width}, wide: fields sent before the plan"
    return [*result_rows, rows.row(claim, wide["at once"], wide["both"], "sent after it", "ms", bar=0)]


def group_rows(comm, grid, width, sizes, steps):
    """Rows of the parts `advance` and `at once` in several groups of levels, compared with one group, by kind
    of progress."""
    result_rows = []
    for kind in PROGRESS:
        variants = {n: {"groups": n, "progress": Progress(comm, kind)} for n in GROUPS}
        (_, one_group), *others = measured(comm, grid, sizes, width, steps, variants).items()
        for groups, times in others:
            for part in ("advance", "at once"):
                claim = f"width {width}, {groups} groups, {kind}: {part}"
                result_rows.append(rows.row(claim, times[part], one_group[part], "1 group", "ms", bar=0))
    return result_rows


def counted_rows(quick):
    """Rows of the bytes of a wide halo on all ranks, compared with a grid without poles (figure 4b of the
    paper)."""
    n = 320 if quick else 1280
    grid, ranks, result_rows = Grid.full(n), (16, 16), []
    for width in WIDTHS:
        ours = halo_volumes(grid, ranks, width=width, column_bytes=8, threads=0)
        flat = grid_halo((2 * n, n), ranks, width=width, item_bytes=8)
        theirs = counts(flat).received_bytes.sum()
        claim = f"{n} x {2 * n} on 16 x 16 ranks, width {width}"
        sphere = ours.received(ours.bytes).sum()
        result_rows.append(rows.row(claim, sphere * MB, theirs * MB, "torus", "MB", bar=0))
    return result_rows


if __name__ == "__main__":
    main()
