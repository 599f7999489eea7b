"""`halcyon convert` to latitude-longitude grids: of the fields of a run, or of the depth of a mesh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from halcyon.base import ConfigError, InputError, printable
from halcyon.cli.common import suggesting_variables
from halcyon.cli.options import comma_separated
from halcyon.remap import Conservative, LatLonGrid, grid_around, regular_grid, suitable_resolution
from halcyon.remap.conservative import COVERAGE
from halcyon.remap.grid import globe

if TYPE_CHECKING:
    from halcyon.io.field_source import FieldSource


def convert_fields(sources: Sequence[Path], path: Path, format: str, options: Mapping[str, Any]) -> str:
    """Writes conservative means of the fields of `sources` over grid boxes to `path`, as latlon or grib2.
    Returns a description of the output.

    options: resolution [degrees], grid "NLONxNLAT", region "W,E,S,N" [degrees], variables "a,b", coverage.
    Raises ConfigError for invalid options, and the errors of reading and writing."""
    from halcyon.io.grib_file import is_shown_whole, split_by_parameter, write_grib
    from halcyon.io.latlon_file import write_latlon

    region, shape = _region(options["region"]), _shape(options["grid"])
    if shape and options["resolution"] is not None:
        raise ConfigError("--grid and --resolution both define the resolution. Give one of them.")
    coverage = COVERAGE if options["coverage"] is None else options["coverage"]
    with _opened(sources) as source:
        with suggesting_variables("--variables"):
            fields = source.select(comma_separated(options["variables"]))
        if format == "grib2":
            fields, others = split_by_parameter(fields)
            if others:
                text = f"warning: GRIB2 has no parameter for {', '.join(others)}: left out."
                typer.echo(printable(text), err=True)
            if not is_shown_whole(fields):
                typer.echo(
                    "warning: cfgrib does not show all levels together: some are below 1 hPa, or two have the"
                    " same in whole hPa. Run with other levels in output.vertical, or write netCDF.",
                    err=True,
                )
        grid = _grid(source, region, shape, options["resolution"])
        remap = Conservative(source.faces, grid, coverage=coverage)
        write = write_latlon if format == "latlon" else write_grib
        write(path, source, remap, fields)
    times = f", {len(source.times)} times" if len(source.times) else ""
    names = ", ".join(field.name for field in fields)
    return f"{names} on {grid.n_longitudes} x {grid.n_latitudes} boxes{times}"


@contextmanager
def _opened(sources: Sequence[Path]) -> Iterator[FieldSource]:
    from halcyon.io.field_source import is_ugrid, mesh_source, open_fields

    if len(sources) == 1 and not is_ugrid(sources[0]):
        from halcyon.mesh import read_mesh

        yield mesh_source(read_mesh(sources[0]), sources[0].name)
    else:
        with open_fields(sources) as source:
            _warn_of_damage(sources)
            yield source


def _warn_of_damage(sources: Sequence[Path]) -> None:
    """Warns if a file differs from what the run wrote. It is not an error: the file may have been edited."""
    from halcyon.io import verify

    for path in sources:
        try:
            verify(str(path))
        except InputError as error:
            typer.echo(printable(f"warning: {error} The file is converted as it is."), err=True)


def _grid(
    source: FieldSource,
    region: Sequence[float] | None,
    shape: tuple[int, int] | None,
    resolution: float | None,
) -> LatLonGrid:
    faces = source.faces
    if shape:
        return regular_grid(region or globe(180.0 if source.middle > 0 else 0.0), shape=shape)
    whole = Conservative(faces, regular_grid(shape=(1, 1)))  # a single grid box
    mean_area = float(np.mean(whole.overlaps.face_areas))
    if region:
        chosen = suitable_resolution(mean_area) if resolution is None else resolution
        return regular_grid(region, resolution=chosen)
    x, y, z = faces.nodes.T
    longitude, latitude = np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))
    return grid_around(longitude, latitude, mean_area, resolution=resolution, middle=source.middle)


def _region(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        west, east, south, north = (float(word) for word in text.split(","))
    except ValueError:
        raise ConfigError(f"--region {text}: give west,east,south,north in degrees.") from None
    return west, east, south, north


def _shape(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    n_longitudes, x, n_latitudes = text.partition("x")
    if not (x and n_longitudes.isdecimal() and n_latitudes.isdecimal() and len(text) < 40):
        raise ConfigError(f"--grid {text}: give the numbers of longitudes and latitudes, such as 360x180.")
    return int(n_longitudes), int(n_latitudes)
