"""`halcyon verify`: whether files are whole and hold what was written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer


def check(files: Sequence[Path]) -> None:
    """Prints a line a file. Raises InputError with a line for each that is damaged."""
    from halcyon.base import InputError
    from halcyon.io import verify

    damaged = []
    for file in files:
        try:
            typer.echo(f"{file}: {_found(verify(str(file)))}")
        except InputError as error:
            damaged.append(str(error))
    if damaged:
        raise InputError("\n".join(damaged))


def _found(verified) -> str:
    from halcyon.base import memory

    text = f"{verified.format}, {memory(verified.bytes)}, "
    if not verified.header_checked:
        return f"{text}it holds no checksums: only its header and size were checked"
    if not verified.n_variables:
        return f"{text}all bytes checked"
    return f"{text}header and {verified.n_checked} of {verified.n_variables} variables checked"
