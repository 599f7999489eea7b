"""Figures of simulation results: times, the best radix, and the figures of `plot.messages`.

points: the simulated cases of a sweep; results: one dataset per point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from halcyon.base import ConfigError, format_seconds
from halcyon.plot import messages, style, ticks
from halcyon.plot.point_names import LABELS, is_number, label_of, marked_label, swept_text, value_text
from halcyon.plot.style import legend, new_axes
from halcyon.simulate.repetitions import spread_of

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from halcyon.config.points import SweepPoint

_MARKERS = "os^Dv<>P"
_DASHES = ("-", "--", ":", "-.")
RADIX = "workload.radix"


def simulation_plot(path: Path, points: Sequence[SweepPoint], results: Sequence[xr.Dataset]) -> None:
    """Plots the results of a case as its option `picture` requests, as PNG; call `require_drawable` first."""
    plots = {
        "times": _times,
        "delays": messages.delays,
        "pairs": messages.pairs,
        "pattern": messages.pattern,
        "radix": _radix,
        "links": messages.links,
    }
    kind = points[0].case.picture.kind
    if kind == "auto":
        kind = "delays" if len(points) == 1 else "times"
    with style.settings():
        figure = plots[kind](points, results)
        title = points[0].case.title or "Simulated communication"
        subtitle = points[0].case.picture.subtitle or _about(results)
        style.heading(figure, title, "; ".join([subtitle, *_approximations(results)]))
        style.save(figure, path)


def _about(results: Sequence[xr.Dataset]) -> str:
    """The attributes that all simulations have in common, as text."""
    parts = []
    for name in ("topology", "routing", "machine", "fidelity"):
        values = {data.attrs[name] for data in results}
        if len(values) == 1:
            parts.append(f"machine {values.pop()}" if name == "machine" else values.pop())
    return ", ".join(parts)


def _approximations(results: Sequence[xr.Dataset]) -> list[str]:
    """A note if results are approximate: `approximate` for all, `* approximate` for those marked by an
    asterisk."""
    n_marked = sum(bool(data.attrs["approximate"]) for data in results)
    return [] if n_marked == 0 else ["approximate" if n_marked == len(results) else "* approximate"]


def require_drawable(points: Sequence[SweepPoint]) -> None:
    """Raises ConfigError if the case does not record the data, or sweep over the options, that its figure
    shows."""
    case, swept = points[0].case, points[0].swept
    if case.picture.kind == "pairs" and any(point.case.record.pairs == 0 for point in points):
        text = "needs record.pairs: give a number of blocks, such as 100."
    elif case.picture.kind == "links" and not all(point.case.record.links for point in points):
        text = "needs record.links: true."
    elif case.picture.kind == "radix" and not {"workload.radix", "ranks"} <= swept.keys():
        text = "needs a sweep of ranks and workload.radix."
    else:
        return
    position = points[0].source.position(("picture", "kind"))
    raise ConfigError(f"{position}: picture.kind = '{case.picture.kind}' {text}")


def _x_option(points: Sequence[SweepPoint]) -> str | None:
    """The swept option on the x axis: ranks, or else the first numeric one."""
    keys = [key for key in points[0].swept if all(is_number(point.swept[key]) for point in points)]
    return "ranks" if "ranks" in keys else next(iter(keys), None)


def _lines(points: Sequence[SweepPoint], x: str | None) -> dict[tuple[str, str], list[int]]:
    """The indices of the points of each line, by the line's series and swept values other than `x`."""
    lines: dict[tuple[str, str], list[int]] = {}
    for i, point in enumerate(points):
        lines.setdefault((point.series, swept_text(point, without=x)), []).append(i)
    return lines


def line_styles(lines: Iterable[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Colours and markers of lines, given as (series, values of the other options). If both vary, the series
    sets the dashes and the options set the colour."""
    series, others = (list(dict.fromkeys(names)) for names in zip(*lines, strict=True))
    both_vary = len(series) > 1 and len(others) > 1
    for series_name, other_values in lines:
        i_series, i_other = series.index(series_name), others.index(other_values)
        dash = i_series if both_vary else 0
        colour = i_other if both_vary else max(i_series, i_other)
        yield {
            "color": style.SERIES[colour % len(style.SERIES)],
            "linestyle": _DASHES[dash % len(_DASHES)],
            "marker": _MARKERS[(dash if both_vary else colour) % len(_MARKERS)],
            "markerfacecolor": "white" if dash else None,
        }


def _times(points: Sequence[SweepPoint], results: Sequence[xr.Dataset]) -> Figure:
    x = _x_option(points)
    if x is None:
        return _bars(points, results)
    figure, axes = new_axes()
    lines = _lines(points, x)
    for (names, members), line_style in zip(lines.items(), line_styles(lines), strict=True):
        members = sorted(members, key=lambda i: points[i].swept[x])
        times = [results[i]["time"].item() for i in members]
        label = marked_label(", ".join(filter(None, names)), *(results[i] for i in members))
        xs = [points[i].swept[x] for i in members]
        spreads: list[Any] = [spread_of(results[i]) for i in members]
        bars = None
        if None not in spreads:  # of repetitions, from the least to the greatest time
            ends = zip(times, spreads, strict=True)
            bars = np.transpose([(time - least, greatest - time) for time, (least, greatest) in ends])
        axes.errorbar(xs, times, bars, markersize=4.5, label=label, capsize=3, **line_style)
    values = [point.swept[x] for point in points]
    is_logarithmic = min(values) > 0
    axes.set(xscale="log" if is_logarithmic else "linear", yscale="log")
    axes.set(xlabel=LABELS.get(x, x), ylabel="time")
    ticks.times(axes.yaxis, most_decades=7)
    legend(axes)
    if is_logarithmic:
        ticks.at_points(axes, values, lambda value: value_text(x, value))
    return figure


def _bars(points: Sequence[SweepPoint], results: Sequence[xr.Dataset]) -> Figure:
    figure, axes = new_axes(1.6 + 0.35 * len(points))
    values = [data["time"].item() for data in results]
    bars = axes.barh(range(len(points)), values, color=style.SERIES[0], height=0.6)
    axes.bar_label(bars, [format_seconds(value) for value in values], padding=3, fontsize=8.5)
    names: Any = [
        marked_label(label_of(point) or "all", data) for point, data in zip(points, results, strict=True)
    ]
    axes.set_yticks(range(len(points)), names)
    axes.invert_yaxis()
    axes.set(xlabel="time")
    ticks.times(axes.xaxis)
    axes.margins(x=0.12)
    box = axes.get_position()
    axes.set_position((0.28, box.y0, 0.68, box.height))
    return figure


def best_radices(points: Sequence[SweepPoint], results: Sequence[xr.Dataset]) -> dict[int, int]:
    """The radix with the shortest time for each number of ranks; for equal times the smallest radix."""
    best: dict[int, tuple[float, int]] = {}
    for point, data in zip(points, results, strict=True):
        candidate = data["time"].item(), point.swept[RADIX]
        ranks = point.swept["ranks"]
        best[ranks] = min(best.get(ranks, candidate), candidate)
    return {ranks: radix for ranks, (_, radix) in best.items()}


def _radix(points: Sequence[SweepPoint], results: Sequence[xr.Dataset]) -> Figure:
    best = best_radices(points, results)
    radices = list(best.values())
    figure, axes = new_axes()
    label = f"best, from {min(radices)} to {max(radices)}"
    axes.plot(list(best), radices, "o", color=style.SERIES[0], markersize=5, label=label)
    for value, name, dash in ((np.median(radices), "median", "--"), (np.mean(radices), "mean", ":")):
        axes.axhline(
            float(value), color=style.MUTED, linewidth=1, linestyle=dash, label=f"{name} {value:.3g}"
        )
    axes.set(xscale="log", xlabel="ranks", ylabel="radix with the shortest time", ylim=(0, max(radices) + 2))
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    legend(axes)
    ticks.at_points(axes, best)
    return figure
