"""`halcyon verify`: whether files are whole and hold what was written."""

from __future__ import annotations

from pathlib import Path

import typer

from halcyon.cli.options import argument


def verify(
    files: list[Path] = argument("Output files (netCDF).", "FILE...", show_default=False),
) -> None:
    """Verify files: sizes, headers and checksums."""
    from halcyon import io
    from halcyon.base import InputError

    damaged = []
    for file in files:
        try:
            typer.echo(f"{file}: {_found(io.verify(str(file)))}")
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
