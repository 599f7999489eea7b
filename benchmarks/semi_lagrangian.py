"""Semi-Lagrangian advection: wide halos or on-demand columns, and groups of levels.

mpirun -n 4 python benchmarks/semi_lagrangian.py     on ranks of this machine, or, with --hosts 4, on emulated
hosts; medians over steps of the slowest rank. Winds are a jet with waves in each hemisphere, with the largest
displacement that the halo width allows. The bytes received on 256 ranks are computed, not measured.
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

WIDTHS = (3, 10, 20, 30)
GROUPS = (1, 2, 4, 8)
PROGRESS = ("none", "poll", "thread")
STEP = 600.0
PARTS = ("plan", "advance", "both", "at once")
MB, MS = 1e-6, 1e3
MAX_SPEED = 1.21  # upper bound of the unscaled wind speed


def main():
    options = between_hosts.parsed(rows.parser(__doc__.splitlines()[0]), __file__)
    comm = world()
    grid = Grid.full(128 if options.quick else 256)
    sizes = {"levels": 12, "fields": 4} if options.quick else {"levels": 24, "fields": 5}
    steps = 3 if options.quick else 9
    found = [row for width in WIDTHS for row in halo_rows(comm, grid, width, sizes, steps)]
    found += [row for width in WIDTHS[1:] for row in group_rows(comm, grid, width, sizes, steps)]
    if comm.rank == 0:
        found += counted_rows(options.quick)
        n = len(grid.row_lengths)
        print(f"{n} x {2 * n} points, {sizes['levels']} levels, {sizes['fields']} fields, {comm.size} ranks")
        rows.report(found, options.json)


def jets(advection, n_rows, width):
    """u, v [m s-1] (point, level), with a largest displacement of nearly (width - 2) grid points per step."""
    lat, lon = np.radians(advection.latitude), np.radians(advection.longitude)
    u = np.sin(2 * lat) ** 2 * (1 + 0.2 * np.cos(3 * lon))
    v = 0.25 * np.cos(lat) ** 2 * np.sin(5 * lon)
    speed = 0.98 * (width - 2) * np.pi / (n_rows + 0.5) * RADIUS / STEP / MAX_SPEED
    levels = np.linspace(0.3, 1, advection.shape[1])
    return (speed * wind[:, None] * levels for wind in (u, v))


def measured(comm, grid, sizes, width, steps, variants):
    """Interleaved medians of each variant (options by name): times of the slowest rank [ms] of the plan, of
    the advance, of both, and of a combined step; and the bytes received by all ranks [MB]."""
    advection = {name: Advection(comm, grid, width=width, **sizes, **each) for name, each in variants.items()}
    fields = [np.ones(next(iter(advection.values())).shape) for _ in range(sizes["fields"])]
    taken = {name: [] for name in advection}
    for _ in range(steps):
        for name, one in advection.items():
            taken[name].append(step_seconds(comm, one, jets(one, len(grid.row_lengths), width), fields))
    return {name: slowest(comm, one, taken[name]) for name, one in advection.items()}


def step_seconds(comm, advection, winds, fields):
    u, v = winds
    plan = seconds(comm, lambda: advection.find_departures(u, v, STEP))
    advance = seconds(comm, lambda: advection.advance(*fields))
    return plan, advance, plan + advance, seconds(comm, lambda: advection.step(u, v, STEP, *fields))


def slowest(comm, advection, taken):
    medians = comm.allgather([statistics.median(each) * MS for each in zip(*taken, strict=True)])
    received = comm.allreduce(advection.received_bytes) * MB
    return dict(zip(PARTS, np.max(medians, axis=0), strict=True)) | {"received": received}


def seconds(comm, work):
    comm.Barrier()
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def halo_rows(comm, grid, width, sizes, steps):
    both = {"wide": {"halo": "wide"}, "on demand": {"halo": "on_demand"}}
    wide, on_demand = measured(comm, grid, sizes, width, steps, both).values()
    if comm.size == 1:
        return []
    name = f"width {width}, on demand:"
    found = [rows.row(f"{name} received", on_demand["received"], wide["received"], "wide", "MB", bar=1)]
    found += [rows.row(f"{name} {part}", on_demand[part], wide[part], "wide", "ms", bar=0) for part in PARTS]
    ahead = f"width {width}, wide: fields set out before the plan"
    return [*found, rows.row(ahead, wide["at once"], wide["both"], "after it", "ms", bar=0)]


def group_rows(comm, grid, width, sizes, steps):
    """Times of an advance and of a combined step, by groups of levels and kind of progress."""
    found = []
    for by in PROGRESS:
        variants = {n: {"groups": n, "progress": Progress(comm, by)} for n in GROUPS}
        one, *others = measured(comm, grid, sizes, width, steps, variants).items()
        for groups, taken in others:
            for part in ("advance", "at once"):
                claim = f"width {width}, {groups} groups, {by}: {part}"
                found.append(rows.row(claim, taken[part], one[1][part], "1 group", "ms", bar=0))
    return found


def counted_rows(quick):
    """Bytes of a wide halo on all ranks, compared with a grid without poles (figure 4b of the paper)."""
    n = 320 if quick else 1280
    grid, ranks, found = Grid.full(n), (16, 16), []
    for width in WIDTHS:
        ours = halo_volumes(grid, ranks, width=width, column_bytes=8, threads=0)
        flat = grid_halo((2 * n, n), ranks, width=width, item_bytes=8)
        theirs = counts(flat).received_bytes.sum()
        claim = f"{n} x {2 * n} on 16 x 16 ranks, width {width}"
        sphere = ours.received(ours.bytes).sum()
        found.append(rows.row(claim, sphere * MB, theirs * MB, "torus", "MB", bar=0))
    return found


if __name__ == "__main__":
    main()
