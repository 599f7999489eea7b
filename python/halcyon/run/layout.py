"""The layout of restart files, which says whether a Halcyon can go on from them."""

from __future__ import annotations

from pathlib import Path

from halcyon import __version__
from halcyon.base import ConfigError, InputError
from halcyon.io import Reader

STATE, LAYOUT = "halcyon_state", "halcyon_layout"  # attributes of the file
NUMBER = "1"  # another where what a state holds, or its meaning, changes


def require_layout(path: Path, reader: Reader) -> None:
    """Raises InputError for a file that is no restart file, ConfigError for one of another layout."""
    if _text(reader, STATE) is None:
        raise InputError(f"{path} is no restart file of Halcyon.")
    layout = _text(reader, LAYOUT)
    if layout != NUMBER:
        raise ConfigError(
            f"{path} was written by {_text(reader, 'source')}, whose restart files have another layout"
            f" ({layout or 'without a number'}) than those of this Halcyon, {__version__} ({NUMBER})."
            " Go on with the Halcyon that wrote it, or start the run again without it."
        )


def _text(reader: Reader, name: str) -> str | None:
    """A text of a file as a whole, or None."""
    try:
        return reader.text("", name)
    except InputError:
        return None
