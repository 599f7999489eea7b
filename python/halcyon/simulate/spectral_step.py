"""A step of the semi-Lagrangian spectral model as a schedule, for simulations of any number of ranks: the
messages of its transforms and halos in groups, and computing times that were measured on one rank."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from halcyon import schedule
from halcyon._core.semi_lagrangian import wide_volumes_of_sets
from halcyon._core.transform import SphereSets
from halcyon.decomposition import Volumes
from halcyon.schedule import Schedule
from halcyon.transform import Grid

# Fields on all levels: in transforms to the grid (vorticity, divergence, temperature, its gradient, wind) and
# back (wind, temperature); arrays of coefficients; velocity and advected fields in halos.
TO_GRID, BACK, SPECTRA, VELOCITY, ADVECTED = 7, 3, 3, 3, 4

# By name of the exchange, for each rank the bytes that it sends to, and receives from, each peer.
Messages = dict[str, list[dict[str, dict[int, int]]]]
Event = tuple[Any, ...]  # ("start" or "wait", exchange, group) or ("compute", seconds)


def step_messages(grid: Grid, truncation: int, levels: int, sets: tuple[int, int], width: int) -> Messages:
    """Messages of a step on V x W sets of ranks. width: of the halo [grid points]."""
    shares, found = SphereSets(grid.core, truncation, sets), {}
    for way, fields in (("synthesis", TO_GRID), ("analysis", BACK)):
        work = shares.schedule(way, levels, True, "burst")
        for name, n in (("spectra", SPECTRA), ("panels", fields), ("columns", fields)):
            found[f"{way} {name}"] = _messages(work, n, name)
    threads, owners = os.cpu_count() or 1, shares.w_of_row.tolist()
    halo = schedule.messages(
        Volumes(*wide_volumes_of_sets(grid.core, owners, sets, width, 8 * levels, threads))
    )
    return found | {"velocity": _messages(halo, VELOCITY), "advected": _messages(halo, ADVECTED)}


def _messages(work: Schedule, fields: int, name: str = "") -> list[dict[str, dict[int, int]]]:
    """Messages in buffers with `name` in their names, for a number of fields."""
    found: list[dict[str, dict[int, int]]] = [
        {"send": defaultdict(int), "receive": defaultdict(int)} for _ in range(work.n_ranks)
    ]
    for rank, sizes in enumerate(found):
        for each in schedule.operations(work, rank):
            if each.action in sizes and name in work.buffers[each.block.buffer]:
                sizes[each.action][each.peer] += fields * each.block.size_bytes
    return found


def step_events(
    part_s: Mapping[str, float], groups: int, *, blocking: bool = False, transforms_only: bool = False
) -> Iterator[Event]:
    """Events of a step of every rank, with groups of fields in transforms and of levels in halos.

    @param part_s computing times of the parts of `model_overlap.one_rank_steps` [s]
    @param blocking whether halos block; transforms in one group do"""
    to_grid = [part_s["to_grid"] * part_s[name] for name in ("Legendre", "Fourier")]
    back = [(1 - part_s["to_grid"]) * part_s[name] for name in ("Fourier", "Legendre")]
    yield from _pipeline("synthesis", ("spectra", "panels", "columns"), (*to_grid, 0.0), groups)
    if not transforms_only:
        yield ("compute", part_s["others"])
        yield from _advection(part_s, groups, blocking)
    yield from _pipeline("analysis", ("columns", "panels", "spectra"), (*back, 0.0), groups)
    if not transforms_only:
        yield ("compute", part_s["solver"])


def _pipeline(
    way: str, names: Sequence[str], compute_s: Sequence[float], groups: int
) -> Iterator[tuple[Any, ...]]:
    """Transpositions and the computation after each, in the order of `schedule.ideal_s`."""
    yield ("start", f"{way} {names[0]}", 0)
    for turn in range(groups + len(names) - 1):
        for stage, name in enumerate(names):
            group = turn - stage
            if 0 <= group < groups:
                yield ("wait", f"{way} {name}", group)
            if max(0, 1 - stage) <= group + 1 < groups:
                yield ("start", f"{way} {name}", group + 1)
            if 0 <= group < groups:
                yield ("compute", compute_s[stage] / groups)


def _advection(part_s: Mapping[str, float], groups: int, blocking: bool) -> Iterator[tuple[Any, ...]]:
    """Halos of velocity and fields. A group of levels is interpolated when the next has come, too."""
    yield ("start", "velocity", 0)
    yield from (("start", "advected", group) for group in range(0 if blocking else groups))
    yield from (("wait", "velocity", 0), ("compute", part_s["departures"]))
    for group in range(groups + 1):
        if group < groups:
            yield from [("start", "advected", group)] if blocking else []
            yield ("wait", "advected", group)
        if group > 0:
            yield ("compute", part_s["interpolation"] / groups)


def make_schedule(path: Path, messages: Messages, events: list[Event], groups: int) -> Schedule:
    """The schedule of events, which is written to a record file; each event is a part that runs once."""
    exchanges = list(dict.fromkeys(event[1:] for event in events if event[0] == "start"))
    n_ranks = len(messages["velocity"])
    with path.open("w") as out:
        out.write(f"halcyon schedule 1\nranks {n_ranks}\nbuffer data\n")
        for rank in range(n_ranks):
            parts: list[Any] = []
            runs, compute_s, largest = [], 0.0, 1
            for action, *what in events:
                if action == "compute":
                    compute_s += what[0]
                    continue
                number, lines = exchanges.index(tuple(what)), []
                for word, sizes in messages[what[0]][rank].items() if action == "start" else ():
                    for peer, size in sizes.items():
                        n_bytes = size if what[0] == "velocity" else -(-size // groups)
                        largest = max(largest, n_bytes)
                        lines.append(f"{word} {peer} {number} 0 0 {n_bytes} 1 0\n")
                runs.append(f"run {len(parts)} {compute_s:.9f}\n")
                parts.append(f"part\n{''.join(lines)}{action} {number}\n")
                compute_s = 0.0
            runs.append(f"run {len(parts)} {compute_s:.9f}\n")
            out.write(f"rank {largest}\n{''.join(parts)}part\n{''.join(runs)}")
    return schedule.read_record(path)
