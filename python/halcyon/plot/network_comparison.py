"""A page with the table and the picture of `halcyon compare-networks`."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from halcyon.base import format_seconds
from halcyon.mesh.atomic_file import write_file
from halcyon.plot import style

TITLES = (
    *("network", "routing", "nodes", "switches", "cables", "most ports", "bisection [GB/s]", "link speed"),
    *("time", "over best", "lower bound", "message slowdown, 50 %", "95 %", "99 %"),
)
_STYLE = (
    ":root{color-scheme:light dark}body{font:15px system-ui,sans-serif;margin:2em auto;max-width:75em;"
    "padding:0 1em}table{border-collapse:collapse}td,th{padding:.3em .7em;text-align:right;"
    "border-bottom:1px solid #8886}td{white-space:nowrap}"
    "td:first-child,td:nth-child(2){text-align:left}img{max-width:100%}"
)


def cells(row: Mapping[str, Any]) -> list[str]:
    """The texts of a row of `halcyon.simulate.compared_networks.summary`, one per title."""
    bisection = row["bisection_bandwidth"]
    return [
        row["network"],
        row["routing"],
        *(f"{row[name]:,}" for name in ("nodes", "switches", "cables", "most_ports")),
        "" if bisection is None else f"{1e-9 * bisection:,.4g}",
        f"x {row['link_speed_factor']:.3g}",
        format_seconds(row["time_s"]),
        f"{row['slowdown']:.2f}",
        format_seconds(row["bound_s"]),
        *(f"{row[f'message_slowdown_{p}']:.3g}" for p in (50, 95, 99)),
    ]


def comparison_page(
    path: Path, title: str, rows: Sequence[Mapping[str, Any]], *, equal_bisection: bool
) -> None:
    """Writes one HTML file that needs no other: the rows of `summary`, and the times as bars with their
    lower bounds."""
    equal = "nodes and bisection bandwidth" if equal_bisection else "numbers of nodes"
    heads = "".join(f"<th>{html.escape(head)}</th>" for head in TITLES)
    lines = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells(row))}</tr>" for row in rows
    )
    networks = "".join(
        f"<li>{html.escape(row['network'])}: {html.escape(row['description'])}</li>"
        for row in {row["network"]: row for row in rows}.values()
    )
    reasons = dict.fromkeys(row["approximate"] for row in rows if row["approximate"])
    notes = "".join(f"<p>Approximate: {html.escape(reason)}.</p>" for reason in reasons)
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{html.escape(title)}</h1><p>Networks of equal {equal}.</p>"
        '<img alt="Time, lower bound and slowdown of messages on each network" '
        f'src="data:image/png;base64,{_picture(rows)}">'
        f"<table><tr>{heads}</tr>{lines}</table><ul>{networks}</ul>{notes}</body></html>\n"
    )
    write_file(path, lambda part: Path(part).write_text(text, encoding="utf-8"))


def _picture(rows: Sequence[Mapping[str, Any]]) -> str:
    """The times as bars, with their lower bounds, and the slowdowns of messages, as PNG in base 64."""
    from matplotlib.figure import Figure

    with style.settings():
        figure = Figure(figsize=(11, 0.9 + 0.36 * len(rows)), layout="constrained")
        axes, slowdowns = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        _draw_slowdowns(slowdowns, rows)
        style.plain_axes(axes)
        places = range(len(rows))
        times = [row["time_s"] for row in rows]
        axes.barh(places, times, color=style.SERIES[0], label="time")
        bounds = [row["bound_s"] for row in rows]
        axes.plot(bounds, places, "|", color=style.SERIES[1], markersize=16, label="lower bound")
        axes.set_yticks(places, [f"{row['network']}, {row['routing']}" for row in rows])
        axes.invert_yaxis()
        axes.set(xlabel="time", xlim=(0, 1.05 * max(times) if max(times) > 0 else 1))
        axes.xaxis.set_major_formatter(lambda seconds, _: format_seconds(seconds))
        axes.legend(frameon=False, fontsize=8.5, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=150)
    return base64.b64encode(buffer.getvalue()).decode()


def _draw_slowdowns(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Percentiles of the delays of messages over those on the idle network."""
    style.plain_axes(axes)
    values = {p: [row[f"message_slowdown_{p}"] for row in rows] for p in (50, 95, 99)}
    places = range(len(rows))
    axes.hlines(places, values[50], values[99], color=style.MUTED, linewidth=1)
    for marker, colour, (p, slowdown) in zip("o|D", style.SERIES, values.items(), strict=False):
        axes.plot(slowdown, places, marker, color=colour, markersize=5 + 9 * (p == 95), label=f"{p} %")
    axes.set(xscale="log", xlabel="slowdown of messages", xlim=(0.9, 1.2 * max(values[99])))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter("")
    axes.legend(frameon=False, fontsize=8.5, loc="lower right", bbox_to_anchor=(1, 1), ncols=3)
