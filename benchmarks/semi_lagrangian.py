"""Wide halos against columns on demand, and groups of levels against none, in semi-Lagrangian advection.

mpirun -n 4 python benchmarks/semi_lagrangian.py     on this machine's ranks, or with --hosts 4 on as many
pretended hosts; medians over steps of the slowest rank. Winds are a jet with waves in each hemisphere, of at
most as many grid points a step as the width allows. What 256 ranks would receive is counted, not measured.
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
STRONGEST = 1.21  # of the jets' winds before they are scaled, at least


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


def jets(carried, n_rows, width):
    """u, v [m s-1] (point, level), the strongest of nearly (width - 2) grid points a step."""
    lat, lon = np.radians(carried.latitude), np.radians(carried.longitude)
    u = np.sin(2 * lat) ** 2 * (1 + 0.2 * np.cos(3 * lon))
    v = 0.25 * np.cos(lat) ** 2 * np.sin(5 * lon)
    speed = 0.98 * (width - 2) * np.pi / (n_rows + 0.5) * RADIUS / STEP / STRONGEST
    levels = np.linspace(0.3, 1, carried.shape[1])
    return (speed * wind[:, None] * levels for wind in (u, v))


def measured(comm, grid, sizes, width, steps, variants):
    """Of each variant, options by name, taken by turns: of the slowest rank medians [ms] of a plan, of the
    advance after it, of both, of a step at once; what all ranks receive [MB]."""
    carried = {name: Advection(comm, grid, width=width, **sizes, **each) for name, each in variants.items()}
    fields = [np.ones(next(iter(carried.values())).shape) for _ in range(sizes["fields"])]
    taken = {name: [] for name in carried}
    for _ in range(steps):
        for name, one in carried.items():
            taken[name].append(step_seconds(comm, one, jets(one, len(grid.row_lengths), width), fields))
    return {name: slowest(comm, one, taken[name]) for name, one in carried.items()}


def step_seconds(comm, carried, winds, fields):
    u, v = winds
    plan = seconds(comm, lambda: carried.find_departures(u, v, STEP))
    advance = seconds(comm, lambda: carried.advance(*fields))
    return plan, advance, plan + advance, seconds(comm, lambda: carried.step(u, v, STEP, *fields))


def slowest(comm, carried, taken):
    medians = comm.allgather([statistics.median(each) * MS for each in zip(*taken, strict=True)])
    received = comm.allreduce(carried.received_bytes) * MB
    return dict(zip(PARTS, np.max(medians, axis=0), strict=True)) | {"received": received}


def seconds(comm, work):
    comm.Barrier()
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def halo_rows(comm, grid, width, sizes, steps):
    both = {"wide": {"halo": "wide"}, "on demand": {"halo": "on_demand"}}
    wide, asked = measured(comm, grid, sizes, width, steps, both).values()
    if comm.size == 1:
        return []
    name = f"width {width}, on demand:"
    found = [rows.row(f"{name} received", asked["received"], wide["received"], "wide", "MB", bar=1)]
    found += [rows.row(f"{name} {part}", asked[part], wide[part], "wide", "ms", bar=0) for part in PARTS]
    ahead = f"width {width}, wide: fields set out before the plan"
    return [*found, rows.row(ahead, wide["at once"], wide["both"], "after it", "ms", bar=0)]


def group_rows(comm, grid, width, sizes, steps):
    """What an advance, and a step at once, take in groups of levels, with each kind of progress."""
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
    """All ranks' bytes of a wide halo against that of a grid without poles (figure 4b of the paper)."""
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
