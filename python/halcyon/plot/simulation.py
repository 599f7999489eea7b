"""What simulations found: times, delays, congestion between ranks, the best radix."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from halcyon.base import ConfigError
from halcyon.plot import style
from halcyon.plot.numbers import seconds

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.config.points import Point

_HEIGHT = 5.2
_MARKERS = "os^Dv<>P"
LABELS = {
    "ranks": "ranks",
    "workload.radix": "radix",
    "workload.width": "width of the halo [points]",
    "machine.links.bandwidth": "bandwidth of links [B/s]",
    "machine.links.latency": "latency of a link [s]",
}


def simulation_plot(path: Path, points: Sequence[Point], found: Sequence[xr.Dataset]) -> None:
    """Draws the results of a case as its `picture` says, as PNG; `require_drawable` says whether that can be
    done."""
    drawers = {
        "times": _times,
        "delays": _delays,
        "pairs": _pairs,
        "pattern": _pattern,
        "radix": _radix,
        "links": _links,
    }
    kind = points[0].case.picture.kind
    if kind == "auto":
        kind = "delays" if len(points) == 1 else "times"
    with style.settings():
        figure = drawers[kind](points, found)
        title = points[0].case.title or "Simulated communication"
        about = points[0].case.picture.subtitle or _about(found)
        style.heading(figure, title, "; ".join([about, *_approximations(found)]))
        figure.savefig(path)


def _about(found: Sequence[xr.Dataset]) -> str:
    """What all simulations have in common."""
    parts = []
    for name in ("topology", "routing", "machine", "fidelity"):
        values = {data.attrs[name] for data in found}
        if len(values) == 1:
            parts.append(f"machine {values.pop()}" if name == "machine" else values.pop())
    return ", ".join(parts)


def _approximations(found: Sequence[xr.Dataset]) -> list[str]:
    """That results are approximate: all of them, or those with the mark of `_label`."""
    n_marked = sum(bool(data.attrs["approximate"]) for data in found)
    return [] if n_marked == 0 else ["approximate" if n_marked == len(found) else "* approximate"]


def _label(name: str, *found: xr.Dataset) -> str | None:
    """What results are called; approximate ones with a mark."""
    is_approximate = any(data.attrs["approximate"] for data in found)
    return f"{name} *" if name and is_approximate else name or None


def require_drawable(points: Sequence[Point]) -> None:
    """Raises ConfigError where what is to be drawn of a case will not be recorded or is not swept."""
    case, swept = points[0].case, points[0].swept
    if case.picture.kind == "pairs" and any(point.case.record.pairs == 0 for point in points):
        text = "needs record.pairs: give a number of blocks, such as 100."
    elif case.picture.kind == "links" and not all(point.case.record.links for point in points):
        text = "needs record.links: true."
    elif case.picture.kind == "radix" and not {"workload.radix", "ranks"} <= swept.keys():
        text = "needs a sweep of ranks and workload.radix."
    else:
        return
    place = points[0].source.place(("picture", "kind"))
    raise ConfigError(f"{place}: picture.kind = '{case.picture.kind}' {text}")


def _axes(height: float = _HEIGHT):
    figure = style.new_figure(height)
    axes = figure.add_axes([0.09, 0.62 / height, 0.87, 1 - (0.62 + 0.85) / height])
    _plain(axes)
    return figure, axes


def _plain(axes) -> None:
    axes.grid(color=style.GRID, linewidth=0.5, which="major")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _horizontal(points: Sequence[Point]) -> str | None:
    """The swept option that goes along x: ranks, or else the first that is a number."""
    keys = [key for key in points[0].swept if all(_is_number(point.swept[key]) for point in points)]
    return "ranks" if "ranks" in keys else next(iter(keys), None)


def _lines(points: Sequence[Point], x: str | None) -> dict[str, list[int]]:
    """The points of each line, by its name: the series and what else is swept."""
    lines: dict[str, list[int]] = {}
    for i, point in enumerate(points):
        others = [f"{LABELS.get(k, k)} {_shown(v)}" for k, v in point.swept.items() if k != x]
        lines.setdefault(", ".join([*filter(None, [point.series]), *others]), []).append(i)
    return lines


def _shown(value: Any) -> str:
    return f"{value:g}" if _is_number(value) else str(value)


def _times(points: Sequence[Point], found: Sequence[xr.Dataset]):
    x = _horizontal(points)
    if x is None:
        return _bars(points, found)
    figure, axes = _axes()
    marks = itertools.cycle(itertools.product(_MARKERS, style.SERIES))
    for (name, members), (marker, colour) in zip(_lines(points, x).items(), marks, strict=False):
        members = sorted(members, key=lambda i: points[i].swept[x])
        values = [found[i]["time"].item() for i in members]
        axes.plot(
            [points[i].swept[x] for i in members],
            values,
            color=colour,
            marker=marker,
            markersize=4,
            label=_label(name, *(found[i] for i in members)),
        )
    axes.set(xscale="log", yscale="log", xlabel=LABELS.get(x, x), ylabel="time")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: seconds(value)))
    axes.yaxis.set_minor_formatter(FuncFormatter(lambda value, _: seconds(value)))
    axes.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    if len(axes.lines) > 1 or not axes.lines[0].get_label().startswith("_"):
        axes.legend(frameon=False, fontsize=8.5)
    return figure


def _bars(points: Sequence[Point], found: Sequence[xr.Dataset]):
    figure, axes = _axes(1.6 + 0.35 * len(points))
    values = [data["time"].item() for data in found]
    drawn = axes.barh(range(len(points)), values, color=style.SERIES[0], height=0.6)
    axes.bar_label(drawn, [seconds(value) for value in values], padding=3, fontsize=8.5)
    names = [_label(str(point) or "all", data) for point, data in zip(points, found, strict=True)]
    axes.set_yticks(range(len(points)), names)
    axes.invert_yaxis()
    axes.set(xlabel="time [s]")
    axes.margins(x=0.12)
    box = axes.get_position()
    axes.set_position([0.28, box.y0, 0.68, box.height])
    return figure


def _delays(points: Sequence[Point], found: Sequence[xr.Dataset]):
    figure, axes = _axes()
    for (point, data), colour in zip(
        zip(points, found, strict=True), itertools.cycle(style.SERIES), strict=False
    ):
        from_s, to_s = data["delay_from"].values, data["delay_to"].values
        parts = 100 * data["delayed"].values / max(data["delayed"].values.sum(), 1)
        middle = np.sqrt(np.maximum(from_s, to_s / 2) * to_s)
        axes.step(
            1e6 * middle, parts, where="mid", color=colour, linewidth=1.4, label=_label(str(point), data)
        )
    axes.set(xscale="log", xlabel="from leaving one NIC to standing in the other [us]", ylabel="messages [%]")
    shown = [data["delay_to"].values[data["delayed"].values > 0] for data in found]
    if all(each.size for each in shown):
        axes.set_xlim(5e5 * min(each.min() for each in shown), 2e6 * max(each.max() for each in shown))
    else:
        axes.set_title("no messages between nodes", fontsize=9)
    if len(points) > 1:
        axes.legend(frameon=False, fontsize=8.5)
    return figure


def _pairs(points: Sequence[Point], found: Sequence[xr.Dataset]):
    columns = min(2, len(points))
    rows = -(-len(points) // columns)
    height = 1.1 + 4.3 * rows / columns * 2 / 1.35
    figure = style.new_figure(height)
    frame = {"left": 0.07, "right": 0.88, "top": 1 - 1.1 / height, "bottom": 0.5 / height}
    panels = figure.subplots(
        rows, columns, squeeze=False, gridspec_kw=frame | {"hspace": 0.25, "wspace": 0.2}
    )
    means = [1e6 * data["pair_delay"].values / np.maximum(data["pair_messages"].values, 1) for data in found]
    largest = max(mean.max() for mean in means) or 1.0
    for axes, point, data, mean in itertools.zip_longest(panels.flat, points, found, means):
        if point is None:
            axes.set_visible(False)
            continue
        ranks = int(data.attrs["ranks"])
        hidden = np.ma.masked_where(data["pair_messages"].values == 0, mean)
        drawn = axes.imshow(
            hidden.T, origin="lower", extent=(0, ranks, 0, ranks), cmap="viridis_r", vmin=0, vmax=largest
        )
        axes.set_title(_label(str(point), data) or "", fontsize=9.5, loc="left")
        axes.set(xlabel="source", ylabel="target")
    bar = figure.colorbar(drawn, cax=figure.add_axes([0.91, 0.5 / height, 0.018, 1 - 1.6 / height]))
    bar.set_label("mean delay beyond an idle network [us]")
    return figure


def _pattern(points: Sequence[Point], found: Sequence[xr.Dataset]):
    from matplotlib.colors import LogNorm

    from halcyon.decomposition import schedule_volumes
    from halcyon.simulate.build import schedule_of

    volumes = schedule_volumes(schedule_of(points[0].case))
    ranks = volumes.n_ranks
    figure = style.new_figure(9.0)
    axes = figure.add_axes([0.1, 0.07, 0.74, 0.82])
    look = {"s": max(0.3, 3000 / ranks), "marker": "s", "linewidths": 0}
    drawn = axes.scatter(volumes.peers, volumes.receivers, c=volumes.bytes, norm=LogNorm(), **look)
    axes.set(xlim=(-1, ranks), ylim=(-1, ranks), xlabel="source", ylabel="target", aspect="equal")
    figure.colorbar(drawn, cax=figure.add_axes([0.88, 0.07, 0.02, 0.82])).set_label("bytes")
    return figure


def _radix(points: Sequence[Point], found: Sequence[xr.Dataset]):
    key = "workload.radix"
    best: dict[int, tuple[float, int]] = {}
    for point, data in zip(points, found, strict=True):
        candidate = data["time"].item(), point.swept[key]
        ranks = point.swept["ranks"]
        best[ranks] = min(best.get(ranks, candidate), candidate)
    radices = [radix for _, radix in best.values()]
    figure, axes = _axes()
    axes.plot(list(best), radices, "o", color=style.SERIES[0], markersize=5)
    for value, name in ((np.median(radices), "median"), (np.mean(radices), "mean")):
        axes.axhline(value, color=style.MUTED, linewidth=1, linestyle="--" if name == "median" else ":")
        axes.annotate(
            f"{name} {value:.3g}", (1.0, value), xycoords=("axes fraction", "data"), ha="right", va="bottom"
        )
    axes.set(xscale="log", xlabel="ranks", ylabel="radix with the shortest time", ylim=(0, max(radices) + 2))
    axes.set_title(f"best radices from {min(radices)} to {max(radices)}", fontsize=9.5, loc="left")
    return figure


def _links(points: Sequence[Point], found: Sequence[xr.Dataset]):
    figure, axes = _axes()
    for point, data, colour in zip(points, found, itertools.cycle(style.SERIES), strict=False):
        busy = np.sort(data["link_busy"].values)[::-1] / max(data["time"].item(), 1e-300)
        axes.plot(np.linspace(0, 100, busy.size), 100 * busy, color=colour, label=_label(str(point), data))
    axes.set(xlabel="links, the busiest first [%]", ylabel="busy [% of the time]", ylim=(0, 102))
    if len(points) > 1:
        axes.legend(frameon=False, fontsize=8.5)
    return figure
