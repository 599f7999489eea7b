"""Panels of overlap by V x W sets of ranks, after figures 9a and 10 to 14 of the paper on YHGSM's Fourier
section: bars of the blocking collective, and of the best pipeline of each method."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from halcyon.plot import style

ROWS = 4  # of panels that `draw` needs
_BLOCKING = "blocking collective"
_LOWEST = -1.0  # lowest share that is drawn
_COLOURS = tuple(style.SERIES[i] for i in (5, 6, 4, 7, 3))  # of the blocking collective, then of the methods

Lines = Sequence[Mapping[str, Any]]  # result of `halcyon_bench.overlap_tables.summary`
Bars = dict[str, list[float]]  # by name of the bar: one value per V x W


def draw(rows, lines: Lines) -> None:
    """Draws the result of `halcyon_bench.overlap_tables.summary` in rows of two axes."""
    (parts, total), (compute, calls), (hidden, chr_), (speed, efficiency) = rows
    names = _names(lines)
    _stacked(parts, lines)
    _times(total, names, "total", _with_blocking(lines, "blocking_s", "pipelined_s"))
    _legend(total, 3)
    _times(compute, names, "computation", _with_blocking(lines, "compute_s", "pipelined_compute_s"))
    _times(
        calls, names, "communication: time in its calls", _with_blocking(lines, "communication_s", "calls_s")
    )
    for axes, key, title in ((hidden, "hidden", "hidden, by wall clock"), (chr_, "chr", "CHR")):
        _bars(axes, names, _by_method(lines, key), marks=_by_method(lines, "ceiling"))
        shares(axes, f"{title} (ticks: upper bound)", [line[key] for line in lines])
    gains = _with_blocking(lines, "speedup", "pipelined_speedup")
    rank_ratios = [line["ranks"] / lines[0]["ranks"] for line in _firsts(lines)]
    _bars(speed, names, gains, marks=dict.fromkeys(gains, rank_ratios))
    _legend(speed, 3)
    _title(speed, f"speed-up over {names[0]} without overlap (ticks: ideal)", "speed-up")
    _bars(efficiency, names, _with_blocking(lines, "efficiency", "pipelined_efficiency"))
    _title(efficiency, f"parallel efficiency over {names[0]} without overlap", "efficiency")


def draw_steps(row, jobs: Sequence[Mapping[str, Any]]) -> None:
    """Draws the share of the transforms in a step of the spectral model, and the time of the step, from
    `halcyon_bench.model_step` (figure 9b)."""
    share, step = row
    names = [job["name"] for job in jobs]
    _bars(share, names, _step_bars(jobs, "share"))
    share.set_ylim(0, 1.05)
    _title(share, "share of transforms and their exchanges in a model step", "share of the step")
    _times(step, names, "a step of the spectral model", _step_bars(jobs, "step_s"))
    _legend(step, 3)


def _step_bars(jobs: Sequence[Mapping[str, Any]], key: str) -> Bars:
    """Values `key` of the steps, the blocking collective first, then by method; the number of groups may
    differ between jobs."""
    steps_by_variant = zip(*(job["steps"] for job in jobs), strict=True)
    found = {steps[0]["method"]: [step[key] for step in steps] for steps in steps_by_variant}
    blocking = next(iter(found))
    return {_BLOCKING: found.pop(blocking)} | found


def drawn(share: float | None) -> float:
    """The share, or NaN if it was not measurable."""
    return math.nan if share is None else share


def shares(axes, title: str, values: Sequence[float | None]) -> None:
    """Labels an axis of shares, which reaches from the lowest value, but at least -1, to 1; shares are
    negative where overlap is slower."""
    lowest = min([0.0, *(value for value in values if value is not None)])
    axes.set_ylim(max(lowest, _LOWEST) - 0.05, 1.05)
    axes.axhline(0, color=style.MUTED, linewidth=0.7)
    _title(axes, title + (", cut at -1" if lowest < _LOWEST else ""), "share of the communication")


def _title(axes, title: str, unit: str) -> None:
    axes.set_title(title, fontsize=9.5, loc="left")
    axes.set_ylabel(unit)


def _firsts(lines: Lines) -> list[Mapping[str, Any]]:
    """The first line of each V x W."""
    return list({line["name"]: line for line in reversed(lines)}.values())[::-1]


def _names(lines: Lines) -> list[str]:
    return [line["name"] for line in _firsts(lines)]


def _by_method(lines: Lines, key: str) -> Bars:
    methods = dict.fromkeys(line["method"] for line in lines)
    return {method: [drawn(line[key]) for line in lines if line["method"] == method] for method in methods}


def _with_blocking(lines: Lines, blocking: str, pipelined: str) -> Bars:
    return {_BLOCKING: [line[blocking] for line in _firsts(lines)]} | _by_method(lines, pipelined)


def _times(axes, names: Sequence[str], title: str, found: Bars) -> None:
    _bars(axes, names, {name: [1e3 * seconds for seconds in values] for name, values in found.items()})
    _title(axes, title, "ms")


def _bars(axes, names: Sequence[str], found: Bars, marks: Bars | None = None) -> None:
    """Draws grouped bars by V x W, and `marks` as ticks across the bars; methods have the same colours in all
    panels."""
    centres, width = np.arange(len(names)), 0.8 / len(found)
    colours = _COLOURS if _BLOCKING in found else _COLOURS[1:]
    for i, ((name, values), colour) in enumerate(zip(found.items(), itertools.cycle(colours), strict=False)):
        positions = centres + (i - (len(found) - 1) / 2) * width
        axes.bar(positions, values, 0.92 * width, color=colour, label=name)
        if marks is not None:
            axes.hlines(
                marks[name], positions - width / 2, positions + width / 2, color=style.INK, linewidth=1.4
            )
    _label_sets(axes, names)


def _stacked(axes, lines: Lines) -> None:
    """Draws stacked bars of computation and communication of the blocking collective, labelled with the share
    of communication."""
    firsts, centres = _firsts(lines), np.arange(len(_firsts(lines)))
    compute, calls = (
        np.array([1e3 * line[key] for line in firsts]) for key in ("compute_s", "communication_s")
    )
    axes.bar(centres, compute, 0.5, color=style.SERIES[0], label="computation")
    above = axes.bar(centres, calls, 0.5, bottom=compute, color=style.SERIES[1], label="communication")
    axes.bar_label(above, [f"{100 * share:.0f} %" for share in calls / (compute + calls)], fontsize=8)
    _title(axes, "blocking collective, and the share of its communication", "ms")
    _label_sets(axes, _names(lines))
    _legend(axes, 2)


def _label_sets(axes, names: Sequence[str]) -> None:
    axes.set_xticks(np.arange(len(names)), names)
    axes.set_xlabel("V x W")
    axes.grid(visible=False, axis="x")


def _legend(axes, columns: int) -> None:
    axes.set_ylim(0, 1.25 * axes.get_ylim()[1])  # space for the legend
    axes.legend(frameon=False, fontsize=8, ncols=columns, loc="upper right")
