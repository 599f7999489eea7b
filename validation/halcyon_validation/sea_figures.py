"""Figures of storms against buoys: series, scatter and quantiles, Taylor diagram, map."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from halcyon.config import load_case
from halcyon.plot import style
from halcyon.plot.cells import cells_of, open_files, values_of
from halcyon.plot.chart import TEXT_OUTLINE, Chart
from halcyon.plot.run import land_of
from halcyon.score import Pairs, join, peak, score
from halcyon_validation.sea_storms import Result

HEIGHT = "significant_height"
_SHOWN = {  # variables of the series, with labels
    HEIGHT: "Hs [m]",
    "wind_speed": "wind at 10 m [m s⁻¹]",
    "mean_period_02": "Tm02 [s]",
    "peak_period": "Tp [s]",
}


def series(path: Path, same_storm: Sequence[Result]) -> None:
    """Series of a storm: one row per buoy and variable; a line per set of source terms. Below Hs: the
    distance of the storm."""
    first = same_storm[0]
    keys = [key for variable in _SHOWN for key in first.pairs if key[1] == variable]
    keys.sort(key=lambda key: list(first.distance).index(key[0]))
    rows = style.Rows(len(keys), row=1.55, gap=0.5, top=0.35, bottom=0.45)
    with style.settings():
        figure = style.new_figure(rows.height)
        for i, key in enumerate(keys):
            axes = rows.axes(figure, i, 0.06, 0.86)
            _one_series(axes, [result.pairs[key] for result in same_storm], [r.physics for r in same_storm])
            if key[1] == HEIGHT:
                _distance(axes, first, key[0])
            if i == 0:
                axes.legend(frameon=False, fontsize=8, ncols=5, loc="upper left", bbox_to_anchor=(0.35, 1.24))
        figure.savefig(path)


def _one_series(axes, found: Sequence[Pairs], names: Sequence[str]) -> None:
    for i, (pairs, name) in enumerate(zip(found, names, strict=True)):
        axes.plot(pairs.times, pairs.modelled, color=style.SERIES[i], linewidth=1.3, label=name)
    measured = found[0]
    axes.plot(measured.times, measured.measured, ".", color=style.INK, markersize=3.5, label="buoy")
    axes.set_ylim(0, None)
    style.date_ticks(axes, 3, 9)
    title = f"{measured.buoy}: {_SHOWN[measured.variable]}"
    if measured.variable == HEIGHT:
        error = peak(measured)
        title += f"   peak {100 * error.error:+.0f} %, {error.delay_s / 3600:+.0f} h"
    axes.set_title(title, fontsize=9, loc="left")
    style.plain_axes(axes)


def _distance(axes, result: Result, buoy: str) -> None:
    right = axes.twinx()
    times = result.pairs[buoy, HEIGHT].times
    right.plot(times, result.distance[buoy] / 1e3, color=style.MUTED, linewidth=0.8, linestyle=":")
    right.set(ylim=(0, None), ylabel="to the storm [km]")
    right.spines[["top"]].set_visible(False)


def scatter(path: Path, results: Sequence[Result]) -> None:
    """Modelled against measured heights of all buoys, and their quantiles."""
    with style.settings():
        figure = style.new_figure(4.4)
        left, right = figure.subplots(1, 2, gridspec_kw={"left": 0.06, "right": 0.99, "bottom": 0.12})
        high = [pairs for result in results for pairs in result.high(HEIGHT)]
        for i, result in enumerate(results):
            name = result.storm.name
            for pairs in result.of(HEIGHT):
                left.plot(pairs.measured, pairs.modelled, ".", color=style.SERIES[i], alpha=0.2, markersize=4)
            joined = join(result.high(HEIGHT))
            left.plot(joined.measured, joined.modelled, ".", color=style.SERIES[i], markersize=5, label=name)
        groups = {"all hours": [p for r in results for p in r.of(HEIGHT)], "above half the peak": high}
        for i, (name, group) in enumerate(groups.items()):
            joined = join(group)
            x, y = (np.quantile(v, np.linspace(0, 1, 101)) for v in (joined.measured, joined.modelled))
            right.plot(x, y, ".-", color=style.SERIES[i], linewidth=0.8, markersize=4, label=name)
        found, limit = score(join(high)), 1.05 * max(max(p.measured.max(), p.modelled.max()) for p in high)
        left.set_title(
            f"n {found.n}   bias {100 * found.bias / found.mean:+.1f} %   scatter index"
            f" {found.scatter_index:.2f}   correlation {found.correlation:.2f}   slope {found.slope:.2f}",
            fontsize=8.5,
            loc="left",
        )
        right.set_title("quantiles", fontsize=9, loc="left")
        for axes in (left, right):
            axes.plot([0, limit], [0, limit], color=style.MUTED, linewidth=0.8)
            axes.set(xlim=(0, limit), ylim=(0, limit), xlabel="Hs of the buoy [m]", ylabel="Hs [m]", aspect=1)
            axes.legend(frameon=False, fontsize=8, loc="upper left")
            style.plain_axes(axes)
        figure.savefig(path)


def taylor(path: Path, by_set: Mapping[str, Sequence[Result]]) -> None:
    """Taylor diagram (Taylor 2001, J. Geophys. Res. 106, 7183-7192): standard deviation over that of the
    buoy as distance from the origin, correlation as angle, centred error as distance from (1, 0)."""
    with style.settings():
        figure = style.new_figure(5.0)
        axes = figure.add_axes([0.08, 0.1, 0.5, 0.85], projection="polar")
        ticks, spread = np.array([0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]), [1.0]
        for i, (name, results) in enumerate(by_set.items()):
            groups = {result.storm.name: result.high(HEIGHT) for result in results}
            groups |= {"together": [pairs for group in groups.values() for pairs in group]}
            for marker, (storm, group) in zip("osD^vPX", groups.items(), strict=False):
                joined = join(group)
                ratio = joined.modelled.std() / joined.measured.std()
                angle = np.arccos(max(score(joined).correlation, 0))
                spread.append(ratio)
                axes.plot(angle, ratio, marker, color=style.SERIES[i], markersize=7, label=f"{storm}, {name}")
        limit = 1.1 * max(1.3, *spread)
        angles, radii = np.meshgrid(np.linspace(0, np.pi / 2, 100), np.linspace(0, limit, 100))
        error = np.sqrt(1 + radii**2 - 2 * radii * np.cos(angles))
        lines = axes.contour(
            angles, radii, error, levels=[0.2, 0.4, 0.6, 0.8, 1], colors=style.GRID, linewidths=0.8
        )
        axes.clabel(lines, fontsize=7)
        axes.plot(0, 1, "*", color=style.INK, markersize=12, clip_on=False, label="buoys")
        axes.plot(np.linspace(0, np.pi / 2, 50), np.ones(50), color=style.MUTED, linewidth=0.8)
        axes.set_thetagrids(np.degrees(np.arccos(ticks)), [f"{tick:g}" for tick in ticks])
        axes.set(thetamin=0, thetamax=90, rmin=0, rmax=limit)
        axes.set_title("correlation; radius: standard deviation over that of the buoys", fontsize=9)
        axes.legend(frameon=False, fontsize=8.5, loc="center left", bbox_to_anchor=(1.12, 0.5))
        figure.savefig(path)


def storm_map(path: Path, result: Result) -> None:
    """Map of the maximum height of a run with the track and the buoys, and their peaks."""
    datasets = open_files(sorted(result.folder.glob("fields_*.nc")))
    cells = cells_of(datasets[0])
    highest = np.max([values_of(each, HEIGHT).values.max(axis=0) for each in datasets], axis=0)
    times = [values_of(each, "time").values.astype("datetime64[s]") for each in datasets]
    case = load_case(result.storm.case_file)
    places = {station.name: station for station in case.output.stations}
    with style.settings():
        chart = Chart(
            cells.box, case.title, f"maximum significant height, {result.physics}; peaks at the buoys"
        )
        chart.cells(cells.polygons, highest, style.round_levels(highest.max()), "Hs [m]", "magma_r")
        chart.land(land_of(case))
        start, end = max(times[0][0], result.track.times[0]), min(times[-1][-1], result.track.times[-1])
        chart.track(result.track, start, end)
        below = _below(places, result.distance)
        for buoy in result.distance:
            found, nearest = peak(result.pairs[buoy, HEIGHT]), np.nanmin(result.distance[buoy])
            x, y = (places[buoy].longitude + 180) % 360 - 180, places[buoy].latitude
            chart.axes.plot(x, y, "s", color="white", markeredgecolor=style.INK, markersize=7, zorder=6)
            text = (
                f"{buoy}, {nearest / 1e3:.0f} km\nbuoy {found.measured:.1f} m\nmodel {found.modelled:.1f} m"
            )
            chart.axes.annotate(
                text,
                (x, y),
                (8, -6 if buoy in below else 6),
                textcoords="offset points",
                fontsize=8,
                va="top" if buoy in below else "bottom",
                zorder=7,
                path_effects=TEXT_OUTLINE,
            )
        chart.save(path)


def _below(places: Mapping, buoys: Iterable[str]) -> set[str]:
    """Returns the buoys whose labels are below them: the southern ones of two within 2 degrees, and all
    others."""
    return {
        buoy
        for buoy in buoys
        if not any(
            0 < places[buoy].latitude - places[other].latitude < 2
            and abs(places[buoy].longitude - places[other].longitude) < 2
            for other in buoys
        )
    }
