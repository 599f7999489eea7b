"""Consistency checks between the options of a mesh, and of the files that the options name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from halcyon.base import ConfigError
from halcyon.config.error_texts import Finding, did_you_mean
from halcyon.config.mesh import FileMesh, GeneratedMesh, Region, Spacing, Spectrum
from halcyon.config.option import decimal
from halcyon.mesh.growth import shortest_transition

HIGHEST_FREQUENCY = 5.0  # [Hz]; waves shorter than 6 cm are governed by surface tension


def mesh_findings(mesh: GeneratedMesh | FileMesh) -> Iterator[Finding]:
    """Yields (option, error text) for each inconsistency of a mesh whose options are valid individually."""
    yield from _spectrum_findings(mesh.spectrum)
    if isinstance(mesh, FileMesh):
        yield from file_findings("mesh.file", mesh.file)
        return
    region = () if mesh.region is None else region_findings(mesh.region)
    findings = [*region, *_size_findings(mesh), *_depths_findings(mesh), *_spacing_findings(mesh.spacing)]
    yield from findings or _spec_findings(mesh)
    yield from _files_findings(mesh)


def region_findings(box: Region) -> Iterator[Finding]:
    """Yields the errors of `mesh.region`."""
    west, east, south, north = (decimal(side) for side in (box.west, box.east, box.south, box.north))
    if box.east <= box.west:
        text = f"mesh.region.east = {east} must be larger than mesh.region.west = {west}."
        yield "mesh.region.east", f"{text} Across the date line give, for example, west 170, east 200."
    elif box.east - box.west > 360:
        text = f"mesh.region spans {decimal(box.east - box.west)} degrees; at most 360 are allowed."
        yield "mesh.region.east", text
    if box.north <= box.south:
        text = f"mesh.region.north = {north} must be larger than mesh.region.south = {south}."
        yield "mesh.region.north", text


def _size_findings(mesh: GeneratedMesh) -> Iterator[Finding]:
    if all(given is None for given in (mesh.level, mesh.points, mesh.spacing, mesh.zoom, mesh.stretch)):
        yield "mesh", "mesh has no size. Give mesh.spacing, or mesh.level, mesh.points or mesh.file."
    if mesh.level is not None and mesh.points is not None:
        yield "mesh.points", "mesh.points does not go together with mesh.level. Remove one of them."
    given = [name for name in ("spacing", "stretch", "zoom") if getattr(mesh, name) is not None]
    for name in reversed([name for name in given if name != "spacing"]):
        if name != given[0]:
            text = f"mesh.{name} does not go together with mesh.{given[0]}. Remove one of them."
            yield f"mesh.{name}", text
        elif mesh.level is None and mesh.points is None:
            yield f"mesh.{name}", f"mesh.{name} needs mesh.level or mesh.points. Give one of them."


def _depths_findings(mesh: GeneratedMesh) -> Iterator[Finding]:
    given = mesh.depths
    if given is not None and not (len(given) == 2 and 0 <= given[0] < given[1]):
        shown = ", ".join(decimal(value) for value in given)
        yield (
            "mesh.depths",
            f"mesh.depths = [{shown}] must be [least, most], with 0 <= least < most.",
        )


def _spacing_findings(spacing: Spacing | None) -> Iterator[Finding]:
    if spacing is None:
        return
    if spacing.ocean is not None and spacing.background is not None:
        text = "mesh.spacing.ocean and mesh.spacing.background are names of one option. Remove one of them."
        yield "mesh.spacing.background", text
    elif spacing.background_spacing is None and (spacing.field is None or spacing.coast):
        text = "mesh.spacing.background is missing: the spacing where no refinement applies. Give it in m."
        yield "mesh.spacing", text
    elif spacing.coast is not None:
        background = spacing.background_spacing
        assert background is not None
        coast, ocean = decimal(spacing.coast), decimal(background)
        least = shortest_transition(spacing.coast, background)
        if spacing.coast > background:
            name = "ocean" if spacing.background is None else "background"
            text = f"mesh.spacing.coast = {coast} m must not exceed mesh.spacing.{name} = {ocean} m."
            yield "mesh.spacing.coast", text
        elif spacing.transition < least:
            text = f"mesh.spacing.transition = {decimal(spacing.transition)} m is too short for well-shaped"
            text += f" cells between {coast} and {ocean} m. Give at least {decimal(least)} m."
            yield "mesh.spacing.transition", text


def _spec_findings(mesh: GeneratedMesh) -> Iterator[Finding]:
    """Yields the error of the mesh specification, such as a circle whose transition is too short."""
    group = "mesh.spacing" if mesh.stretch is None else "mesh.stretch"
    try:
        mesh.spec()
    except ConfigError as error:
        yield group, f"{group}: {error}"


def _spectrum_findings(spectrum: Spectrum) -> Iterator[Finding]:
    first, ratio = spectrum.first_frequency, spectrum.ratio
    max_ratios = math.log(HIGHEST_FREQUENCY / first) / math.log(ratio)  # from the lowest to the limit
    if spectrum.frequencies - 1 > max_ratios * (1 + 1e-9):
        top = f"{first * ratio ** (spectrum.frequencies - 1):.3g} Hz"
        limit = f"the {decimal(HIGHEST_FREQUENCY)} Hz limit of wind waves"
        text = (
            f"mesh.spectrum reaches {top}, beyond {limit}. With this first_frequency and ratio give at most"
        )
        yield "mesh.spectrum.frequencies", f"{text} {math.floor(max_ratios) + 1} frequencies."


def _files_findings(mesh: GeneratedMesh) -> Iterator[Finding]:
    files = {
        "mesh.coast.source": mesh.coast.source,
        "mesh.depth.source": mesh.depth and mesh.depth.source,
        "mesh.polygon": mesh.polygon,
        "mesh.spacing.field.file": mesh.spacing and mesh.spacing.field and mesh.spacing.field.file,
    }
    for name, path in files.items():
        if isinstance(path, Path):
            yield from file_findings(name, path)


def file_findings(name: str, path: Path) -> Iterator[Finding]:
    """Yields an error if an option does not name an existing file."""
    if path.is_dir():
        yield name, f"{name} = {path} is a folder. Give a file."
    elif not path.exists():
        yield name, f"{name} = {path} does not exist.{_alternatives(path)}"
    elif not path.is_file():
        yield name, f"{name} = {path} is a pipe or a device. Give a file."


def _alternatives(path: Path) -> str:
    """Suggests the most similar file name, or lists files of the same type."""
    if not path.parent.is_dir():
        return f" The folder {path.parent} does not exist either."
    names = sorted(p.name for p in path.parent.iterdir() if p.is_file())
    similar = did_you_mean(path.name, names)
    if similar:
        return f" Did you mean '{similar}'?"
    same_type = [name for name in names if Path(name).suffix == path.suffix][:5]
    return f" Files in its folder: {', '.join(same_type)}." if same_type else ""
