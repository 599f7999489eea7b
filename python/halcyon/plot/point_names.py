"""What simulations are called in pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halcyon.base import seconds

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.config.points import Point

LABELS = {  # of an axis, and of a column
    "ranks": "ranks",
    "workload.radix": "radix",
    "workload.width": "width of the halo [points]",
    "machine.links.bandwidth": "bandwidth of links",
    "machine.links.latency": "latency of a link",
}
UNITS = {  # how a value reads by itself
    "machine.links.bandwidth": lambda value: f"{value / 1e9:g} GB/s",
    "machine.links.latency": seconds,
}


def written(key: str, value: Any) -> str:
    """The value of an option, as it is read under the option's name."""
    if not is_number(value):
        return str(value)
    if key in UNITS:
        return UNITS[key](value)
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def swept(point: Point, without: str | None = None) -> str:
    """The values of what is swept, but for one option."""
    return ", ".join(_shown(key, value) for key, value in point.swept.items() if key != without)


def name_of(point: Point) -> str:
    """What tells a point from the others, as it is read."""
    return ", ".join(filter(None, [point.series, swept(point)]))


def marked(name: str, *found: xr.Dataset) -> str | None:
    """What results are called, with a mark where they are approximate; None for no name."""
    is_approximate = any(data.attrs["approximate"] for data in found)
    return f"{name} *" if name and is_approximate else name or None


def _shown(key: str, value: Any) -> str:
    says_itself = key in UNITS or not is_number(value)
    return written(key, value) if says_itself else f"{LABELS.get(key, key)} {written(key, value)}"
