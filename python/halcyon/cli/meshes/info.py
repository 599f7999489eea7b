"""The properties of a mesh as text: counts, resolution, quality, discrete identities, memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from halcyon.base import EARTH_RADIUS, format_bytes
from halcyon.mesh import Mesh, identities, quality
from halcyon.run.model_memory import ATMOSPHERE_LEVELS, atmosphere_memory, wave_memory

WAVE_BINS = (35, 36)  # frequencies and directions of the wave model in the estimate of memory


def info_text(mesh: Mesh, path: Path) -> str:
    """The text of `halcyon mesh info` for a mesh and its file."""
    rows = [
        ("mesh", f"{path} ({format_bytes(path.stat().st_size)})"),
        ("cells", f"{mesh.n_cells:,}, edges {mesh.n_edges:,}, vertices {mesh.n_vertices:,}"),
        *_resolution_rows(mesh),
        *_quality_rows(mesh),
        ("identities", f"residuals: {_identities_text(mesh)}"),
        *_memory_rows(mesh),
    ]
    return "\n".join(f"{name:<10} {text}" for name, text in rows)


def _resolution_rows(mesh: Mesh) -> list[tuple[str, str]]:
    km = EARTH_RADIUS / 1e3
    spacing, mean_size = mesh.dc_edge * km, np.sqrt(mesh.area_cell.mean()) * km
    area = mesh.area_cell.sum()
    share = area / (4 * np.pi)
    rows = [
        (
            "spacing",
            f"{_range_and_mean(spacing, 'km')}; square root of the mean cell area {mean_size:.4g} km",
        ),
        ("area", f"{area * km**2 / 1e6:.4g} million km2, {100 * share:.3g} % of the globe"),
    ]
    depth = np.asarray(mesh.bottom_depth)
    return rows + ([("depth", _range_and_mean(depth, "m"))] if len(depth) else [])


def _quality_rows(mesh: Mesh) -> list[tuple[str, str]]:
    ratios = quality(mesh)
    n_cells = np.bincount(np.diff(mesh.cell_offsets))  # by number of sides
    counts = ", ".join(f"{count:,} with {n}" for n, count in enumerate(n_cells) if count)
    return [
        ("quality", "ratio of the shortest to the longest side:"),
        ("", f"  cells      {ratios.cell_min:.3f} at least, mean {ratios.cell_mean:.3f}"),
        ("", f"  triangles  {ratios.triangle_min:.3f} at least, mean {ratios.triangle_mean:.3f}"),
        (
            "",
            f"obtuse triangles {ratios.n_obtuse:,}; largest over smallest cell area {ratios.area_ratio:.2f}",
        ),
        ("", f"cells by number of sides: {counts}"),
    ]


def _identities_text(mesh: Mesh) -> str:
    residuals = identities(mesh)
    text = (
        f"area {residuals.area:.0e}, antisymmetry of weights {residuals.antisymmetry:.0e}, "
        f"divergence {residuals.divergence:.0e}, orthogonality {residuals.orthogonality:.0e}"
    )
    is_limited = bool((mesh.cells_on_cell < 0).any())
    return f"{text} (away from the boundary of this limited area)" if is_limited else text


def _memory_rows(mesh: Mesh) -> list[tuple[str, str]]:
    frequencies, directions = WAVE_BINS
    wave, air = wave_memory(mesh, frequencies, directions), atmosphere_memory(mesh)
    return [
        ("memory", f"wave model of {frequencies} x {directions} bins {format_bytes(wave)};"),
        (
            "",
            f"atmosphere of {ATMOSPHERE_LEVELS} levels {format_bytes(air)}, assuming 8 variables on cells "
            "and 1 on edges, each stored three times in double precision",
        ),
    ]


def _range_and_mean(values: np.ndarray, unit: str) -> str:
    low, middle, high = (format(v, ".4g") for v in (values.min(), values.mean(), values.max()))
    return f"{low} to {high} {unit}, mean {middle} {unit}"
