"""Figures of measurements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from halcyon.plot import style

_FRAME = {"left": 0.07, "right": 0.98, "top": 0.8, "bottom": 0.13}


@contextmanager
def panels(
    path: Path | str, height: float, title: str, subtitle: str, rows: int, columns: int, **frame: Any
) -> Iterator[Any]:
    """The axes (row, column) of a new figure, which is saved to `path` at the end of the `with` block.

    height: of the figure [inches]; frame: Matplotlib's `gridspec_kw`, and `sharex`"""
    shared = frame.pop("sharex", False)
    with style.picture(path, height, title, subtitle) as figure:
        yield figure.subplots(rows, columns, squeeze=False, sharex=shared, gridspec_kw=_FRAME | frame)


def label(axes: Any, text: str = "", *, x: str = "", ticks: Any = (), names: Any = ()) -> None:
    """Sets the labels of the axes, named major ticks in x without minor ticks, and a light grid."""
    if len(ticks):
        axes.set_xticks(ticks, names)
        axes.set_xticks([], minor=True)
    axes.set(**({"ylabel": text} if text else {}), **({"xlabel": x} if x else {}))
    axes.grid(color=style.GRID, linewidth=0.5)


def title(axes: Any, text: str) -> None:
    """Sets a left-aligned title."""
    axes.set_title(text, fontsize=9, loc="left")
