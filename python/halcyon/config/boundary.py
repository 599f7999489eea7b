"""Spectra that enter through the sides of the region, and those that are written for regions within it."""

from __future__ import annotations

from typing import Literal

from halcyon.config.gridded import Files, files_option
from halcyon.config.option import FilePath, Group, option


class Boundary(Group):
    """Spectra at points along the open sides of the mesh."""

    files: Files = files_option(
        "Spectra at points: netCDF of WAVEWATCH III, SWAN, wavespectra or output.nests, or SWAN's text."
    )
    directions: Literal["auto", "from", "towards", "cartesian"] = option(
        "What the directions of a netCDF file are; auto: as it says; cartesian: towards, anticlockwise from"
        " east (SWAN's own).",
        default="auto",
    )
    variable: str | None = option(
        "The densities in a netCDF file, where that is not plain.", default=None, allowed="a variable's name"
    )
    distance: float | None = option(
        "Boundary cells farther from all points stay closed; needed where the mesh has no region.",
        default=None,
        unit="m",
        gt=0,
        le=1e7,
        allowed="metres above 0 and up to 10000000",
    )
    longest_gap: float | None = option(
        "Between spectra; by default half as long again as usual in the files.",
        default=None,
        unit="s",
        gt=0,
        allowed="positive seconds",
    )


class Nest(Group):
    """Points at which spectra are written in every record, as the boundary of another run."""

    name: str = option(
        "Of the nest; its file is nest_NAME.nc.",
        pattern=r"^[A-Za-z0-9_-]{1,40}$",
        allowed="1 to 40 letters, digits, _ or -",
    )
    points: FilePath | None = option(
        "CSV with the columns longitude and latitude.", default=None, allowed="the name of a CSV file"
    )
    mesh: FilePath | None = option(
        "Or the nest's mesh: its boundary cells within this run's sea are the points.",
        default=None,
        allowed="the name of an MPAS mesh",
    )
