"""Writes the page: an HTML template with style, script and data."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.colors import to_hex

from halcyon.base import ConfigError, Error
from halcyon.plot import style
from halcyon.plot.html_page import json_in_html, write_page
from halcyon.plot.network_page.jobs import jobs_of
from halcyon.plot.network_page.loads import loads
from halcyon.simulate.build import network_of

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.config.points import SweepPoint

_HERE = Path(__file__).parent
_COLOURS = [to_hex(colour) for colour in matplotlib.colormaps["inferno_r"](np.linspace(0.06, 0.9, 64))]
MOST_SIMULATIONS = 24


def network_page(path: Path, points: Sequence[SweepPoint], results: Sequence[xr.Dataset]) -> None:
    """Writes a page that shows the loads of links over time in one or several simulations. Call
    `require_drawable` first.

    Raises ConfigError if no message crossed a link."""
    document: dict[str, Any] = {
        "title": points[0].case.title or "A network under load",
        "subtitle": points[0].case.picture.subtitle,
        "colours": _COLOURS,
        "job_colours": style.SERIES,
        "simulations": [_simulation(point, data) for point, data in zip(points, results, strict=True)],
    }
    parts = {
        "title": html.escape(document["title"]),
        "style": (_HERE / "page.css").read_text(),
        "script": (_HERE / "page.js").read_text(),
        "data": json_in_html(document),
    }
    write_page(path, _HERE / "page.html", parts)


def require_drawable(points: Sequence[SweepPoint]) -> None:
    """Raises ConfigError if loads of links are not recorded, or for too many simulations or no links."""
    if len(points) > MOST_SIMULATIONS:
        text = (
            f"is for {MOST_SIMULATIONS} simulations at most, but the case has {len(points)}. "
            f"Sweep over fewer values."
        )
    elif any(point.case.record.link_bins == 0 for point in points):
        text = "needs record.link_bins: give a number of bins of time, such as 60."
    elif name := next(filter(None, map(_without_links, points)), None):
        text = f"shows links, and {name} has none. Give a network of several switches."
    else:
        return
    position = points[0].source.position(("picture", "kind"))
    raise ConfigError(f"{position}: picture.kind = 'network' {text}")


def _without_links(point: SweepPoint) -> str | None:
    """The name of the point's network if it has no links, else None."""
    try:
        topology, _ = network_of(point.case)
    except Error as error:
        raise point.locate_error(error) from None
    return None if topology.n_links else topology.name


def _simulation(point: SweepPoint, data: xr.Dataset) -> dict[str, Any]:
    topology, machine = network_of(point.case)
    if not data["link_bin_bytes"].any():
        raise ConfigError(
            "picture.kind = 'network': no message crossed a link. Use ranks on several switches."
        )
    layout, drawn = loads(data, topology, machine)
    about = {name: data.attrs[name] for name in ("topology", "routing", "machine", "fidelity")}
    return {
        **about,
        **drawn,
        **jobs_of(point.case, data, topology, layout),
        "name": str(point),
        "workload": point.case.workload.type,
        "ranks": int(data.attrs["ranks"]),
        "time": data["time"].item(),
        "bytes": data["bytes"].item(),
        "bin_from": data["bin_from"].values.tolist(),
        "switches": topology.n_switches,
        "links": topology.n_links,
        "kinds": topology.kinds,
        "disc_is": layout.text,
        "bow": layout.bow,
        "stretches": layout.stretches,
    }
