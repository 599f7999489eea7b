"""Checks of output files before a command begins its work."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryFile

from halcyon.base import ConfigError


def output_file(name: str | Path, inputs: Iterable[str | Path] = ()) -> Path:
    """Returns the absolute path of an output file; if it is a symbolic link, the link will be replaced.

    inputs: files that the command reads, which must not be overwritten. Raises ConfigError if the name is an
    input file, a folder or a device, or if the folder of the file is missing or not writable."""
    path = Path(name).parent.resolve() / Path(name).name
    if path.is_dir() or str(name).endswith(os.sep):
        raise ConfigError(f"{name} is a folder. Give the name of a file in it.")
    if any(Path(name).resolve() == Path(file).resolve() for file in inputs):
        raise ConfigError(f"{name} is also an input file. Give another name for the result.")
    if path.exists() and not path.is_file():
        raise ConfigError(f"{name} is not a regular file. Give another name for the result.")
    if not path.parent.is_dir():
        raise ConfigError(
            f"{name}: there is no folder {Path(name).parent}. Create it, or choose another folder."
        )
    try:
        TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise ConfigError(
            f"{name}: the folder {path.parent} cannot be written to ({error.strerror}). Choose another."
        ) from None
    return path


def picture_file(name: str | Path, inputs: Iterable[str | Path] = ()) -> Path:
    """As `output_file`, for a picture, whose suffix determines its format."""
    from matplotlib.backend_bases import FigureCanvasBase

    suffix, known = Path(name).suffix[1:], sorted(FigureCanvasBase.get_supported_filetypes())
    if suffix.lower() not in known:
        raise ConfigError(
            f"{name}: unknown picture format. Give a name that ends in one of .{', .'.join(known)}."
        )
    return output_file(name, inputs)
