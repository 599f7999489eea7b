"""Labels of simulations in figures and tables. A point is one simulation of a sweep over options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halcyon.base import format_seconds

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.config.points import SweepPoint

LABELS = {  # labels of axes and columns, by option
    "ranks": "ranks",
    "workload.radix": "radix",
    "workload.width": "width of the halo [points]",
    "machine.links.bandwidth": "bandwidth of links",
    "machine.links.latency": "latency of a link",
}
UNITS = {  # formats of values that include the unit, by option
    "machine.links.bandwidth": lambda value: f"{value / 1e9:g} GB/s",
    "machine.links.latency": format_seconds,
}


def value_text(key: str, value: Any) -> str:
    """The value of an option as text."""
    if not is_number(value):
        return str(value)
    if key in UNITS:
        return UNITS[key](value)
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def swept_text(point: SweepPoint, without: str | None = None) -> str:
    """The values of the swept options as text, without the option `without`."""
    return ", ".join(_with_name(key, value) for key, value in point.swept.items() if key != without)


def label_of(point: SweepPoint) -> str:
    """The label of a simulation: the name of its series, and its values of the swept options."""
    return ", ".join(filter(None, [point.series, swept_text(point)]))


def marked_label(label: str, *results: xr.Dataset) -> str | None:
    """The label, with an asterisk if any of the results is approximate; None for an empty label."""
    is_approximate = any(data.attrs["approximate"] for data in results)
    return f"{label} *" if label and is_approximate else label or None


def _with_name(key: str, value: Any) -> str:
    is_self_explanatory = key in UNITS or not is_number(value)
    return (
        value_text(key, value) if is_self_explanatory else f"{LABELS.get(key, key)} {value_text(key, value)}"
    )
