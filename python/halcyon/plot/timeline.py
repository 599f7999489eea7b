"""Figure of a recorded run: computation, and messages in flight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Patch

from halcyon.base import ConfigError
from halcyon.plot import style
from halcyon.schedule.inspection import operations

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from halcyon.schedule import Schedule

MOST_RANKS = 8
_LANE = 0.8  # height of a bar; lanes are 1 apart


@dataclass
class Flight:
    """Messages that a rank sends and receives together: from their start until the rank waits for them
    [s of computing time]."""

    name: str  # of the buffers
    begin_s: float
    end_s: float = 0.0
    n_bytes: int = 0


@dataclass
class Timeline:
    """The computation of a rank, as intervals [s], and its flights. Time is the rank's computing time: the
    record has no waiting times."""

    computations: list[tuple[float, float]] = field(default_factory=list)
    flights: list[Flight] = field(default_factory=list)

    @property
    def end_s(self) -> float:
        return self.computations[-1][1] if self.computations else 0.0


def timeline_of(schedule: Schedule, rank: int) -> Timeline:
    """The timeline of a rank of a recorded run."""
    names = [_family(name) for name in schedule.buffers]
    result, in_flight, time_s = Timeline(), {}, 0.0
    posted: dict[Any, Any] = {}
    for each in operations(schedule, rank):
        if each.action == "compute":
            result.computations.append((time_s, time_s + each.seconds))
            time_s += each.seconds
        elif each.action in ("send", "receive"):
            name, n_bytes = posted.get(each.round, (names[each.block.buffer], 0))
            if each.action == "receive":  # a halo sends from a scratch buffer
                name = names[each.block.buffer]
            posted[each.round] = (name, n_bytes + each.block.size_bytes * each.block.count)
        elif each.action == "start" and each.round in posted:
            name, n_bytes = posted.pop(each.round)
            in_flight[each.round] = Flight(name, time_s, n_bytes=n_bytes)
        elif each.action == "wait" and each.round in in_flight:
            flight = in_flight.pop(each.round)
            flight.end_s = time_s
            result.flights.append(flight)
    result.flights.sort(key=lambda flight: flight.begin_s)
    return result


def timeline_plot(
    path: Path,
    schedule: Schedule,
    *,
    ranks: Sequence[int] = (0,),
    begin_s: float | None = None,
    end_s: float | None = None,
    title: str = "",
) -> None:
    """Plots the timelines of ranks, as PNG: computation, light where no message is in flight, and below it
    the flights, from start to wait, with their size.

    begin_s, end_s: the part of each rank's computing time that is shown [s], as far as the record goes; by
    default a tenth, from the middle.
    Raises ConfigError for too many ranks, a rank that the record lacks, and an empty part."""
    ranks = list(dict.fromkeys(ranks))
    if not 1 <= len(ranks) <= MOST_RANKS:
        raise ConfigError(f"A timeline of {len(ranks)} ranks was requested. Give 1 to {MOST_RANKS}.")
    timelines = {rank: timeline_of(schedule, rank) for rank in ranks}
    last_s = min(timeline.end_s for timeline in timelines.values())
    begin_s = (0.5 if end_s is None else 0.9) * (end_s or last_s) if begin_s is None else begin_s
    end_s = min(begin_s + 0.1 * last_s if end_s is None else end_s, last_s)
    if not 0 <= begin_s < end_s:
        raise ConfigError(
            f"A timeline from {begin_s:g} s was requested. Give a begin before the end, within the computing"
            f" time of the ranks, 0 to {last_s:g} s."
        )
    lanes = {rank: _lanes(timeline, begin_s, end_s) for rank, timeline in timelines.items()}
    families = sorted({flight.name for rows in lanes.values() for row in rows for flight in row})
    colours = {name: style.SERIES[(1 + i) % len(style.SERIES)] for i, name in enumerate(families)}
    height = 1.6 + sum(0.35 * (1 + len(rows)) + 0.35 for rows in lanes.values())
    subtitle = "   ·   ".join(["dark: computation with messages in flight", *([title] if title else [])])
    with style.picture(path, height, "Computation, and messages in flight", subtitle) as figure:
        ratios = [1 + len(rows) for rows in lanes.values()]
        frame = {"left": 0.1, "right": 0.97, "top": 1 - 0.75 / height, "bottom": 0.75 / height}
        panels = figure.subplots(
            len(ranks), 1, squeeze=False, sharex=True, gridspec_kw=frame | {"height_ratios": ratios}
        )
        for axes, (rank, rows) in zip(panels[:, 0], lanes.items(), strict=True):
            _draw(axes, timelines[rank], rows, colours, (begin_s, end_s))
            axes.set_ylabel(f"rank {rank}", rotation=0, ha="right", va="center")
        panels[-1, 0].set_xlabel("computing time of the rank, ms")
        marks = [Patch(color=colour, label=name) for name, colour in colours.items()]
        if marks:
            figure.legend(handles=marks, loc="upper right", ncols=len(marks), fontsize=8, frameon=False)


def _draw(
    axes: Axes,
    timeline: Timeline,
    lanes: list[list[Flight]],
    colours: dict[str, str],
    window: tuple[float, float],
) -> None:
    begin_s, end_s = window
    for first_s, last_s in timeline.computations:
        if last_s > begin_s and first_s < end_s:
            hidden = any(
                row_flight.begin_s <= first_s and row_flight.end_s >= last_s
                for row in lanes
                for row_flight in row
            )
            axes.barh(
                0, 1e3 * (last_s - first_s), left=1e3 * (first_s - begin_s), height=_LANE,
                color=style.SERIES[0], alpha=1 if hidden else 0.35, edgecolor="white", linewidth=0.3,
            )  # fmt: skip
    for lane, row in enumerate(lanes, 1):
        for flight in row:
            left, width = 1e3 * (flight.begin_s - begin_s), 1e3 * (flight.end_s - flight.begin_s)
            axes.barh(-lane, width, left=left, height=_LANE, color=colours[flight.name])
            if width > 0.06e3 * (end_s - begin_s):
                text = f"{flight.name}, {flight.n_bytes / 1024:.0f} KiB"
                axes.text(left + width / 2, -lane, text, ha="center", va="center", fontsize=6, color="white")
    style.plain_axes(axes, "x")
    axes.set_yticks([])
    axes.set_xlim(0, 1e3 * (end_s - begin_s))
    axes.set_ylim(-len(lanes) - 0.5, 0.5)


def _lanes(timeline: Timeline, begin_s: float, end_s: float) -> list[list[Flight]]:
    """The flights of a window that last, in lanes without overlap."""
    lanes: list[list[Flight]] = []
    for flight in timeline.flights:
        if flight.end_s <= begin_s or flight.begin_s >= end_s or flight.end_s == flight.begin_s:
            continue
        lane = next((row for row in lanes if row[-1].end_s <= flight.begin_s), None)
        if lane is None:
            lanes.append(lane := [])
        lane.append(flight)
    return lanes


def _family(buffer: str) -> str:
    """The name of a buffer without its direction and number: `panels`, `columns`, `spectra`, `halo`."""
    words = [word for word in buffer.split() if word not in ("send", "receive") and not word.isdigit()]
    return {"field": "halo", "": "all-to-all"}.get(" ".join(words), " ".join(words))
