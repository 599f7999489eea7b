"""`halcyon verify`: checks files against their recorded sizes and checksums."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from halcyon.cli.options import argument
from halcyon.cli.working import working

if TYPE_CHECKING:
    from halcyon._core.io import Verification


def verify(
    files: list[Path] = argument("NetCDF files.", "FILE...", show_default=False),
) -> None:
    """Check that files are complete and undamaged: sizes, headers, checksums."""
    from halcyon import io
    from halcyon.base import InputError, require_regular_file

    errors = []
    for file in files:
        try:
            require_regular_file(file, "netCDF")
            with working(f"reading {file}"):
                verified = io.verify(str(file))
            typer.echo(f"{file}: {_result_text(verified)}")
        except InputError as error:
            errors.append(str(error))
    if errors:
        raise InputError("\n".join(errors))


def _result_text(verified: Verification) -> str:
    from halcyon.base import format_bytes

    text = f"{verified.format}, {format_bytes(verified.bytes)}, "
    if not verified.header_checked:
        return f"{text}no checksums: only header and size were checked"
    if not verified.n_variables:
        return f"{text}all bytes checked"
    return f"{text}header and {verified.n_checked} of {verified.n_variables} variables checked"
