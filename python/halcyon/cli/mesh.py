"""`halcyon mesh`: makes or finds the mesh of a case and says what it is like."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from netCDF4 import Dataset


def show_mesh(case_file: Path, overrides: Sequence[str]) -> None:
    """Prints the figures of the case's mesh; makes it if it is not in the cache."""
    from halcyon.config import load_case
    from halcyon.run.prepare import count_cells, prepare_mesh
    from halcyon.run.view import run_view

    case = load_case(case_file, overrides)
    with run_view(sys.stdout) as view:
        path = prepare_mesh(case, view.step)
    count_cells(path)
    typer.echo(mesh_text(path))


def mesh_text(path: Path) -> str:
    """Cells, spacing, depth and quality of an MPAS mesh file. Raises InputError where it is none."""
    from netCDF4 import Dataset

    from halcyon.run.report import memory

    with Dataset(path) as file:
        counts = [f"{len(file.dimensions[name]):,}" for name in ("nCells", "nEdges", "nVertices")]
        lines = [
            f"mesh     {path} ({memory(path.stat().st_size)})",
            "cells    {}, edges {}, vertices {}".format(*counts),
            f"spacing  {_spread(_spacing_km(file), 'km')}",
        ]
        if "bottomDepth" in file.variables:
            lines.append(f"depth    {_spread(file.variables['bottomDepth'][:], 'm')}")
    lines.append(f"quality  {_quality_text(path)}")
    return "\n".join(lines)


def _quality_text(path: Path) -> str:
    """Shortest over longest side of cells and triangles, and the triangles that should not be there."""
    from halcyon.mesh import quality, read_mpas

    found = quality(read_mpas(str(path)))
    return (
        f"shortest over longest side: cells {found.cell_min:.2f} at least, mean {found.cell_mean:.2f};"
        f" triangles {found.triangle_min:.2f} at least, mean {found.triangle_mean:.2f};"
        f" {found.n_obtuse:,} obtuse triangles"
    )


def _spacing_km(file: Dataset):
    """Distances between neighbouring cells [km] (edge)."""
    from halcyon.base import EARTH_RADIUS

    radius = float(getattr(file, "sphere_radius", 1.0))
    return file.variables["dcEdge"][:] * (EARTH_RADIUS / radius / 1000)


def _spread(values, unit: str) -> str:
    low, middle, high = (format(v, ".4g") for v in (values.min(), values.mean(), values.max()))
    return f"{low} to {high} {unit}, mean {middle} {unit}"
