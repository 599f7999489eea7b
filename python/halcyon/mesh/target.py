"""The spacing function of a `MeshSpec`, and the number of cells that it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import EARTH_RADIUS
from halcyon.mesh.domain import GLOBE, MeshDomain
from halcyon.mesh.growth import require_scaled_growth, with_default_transition, with_longer_transitions
from halcyon.mesh.spacing import (
    CoarserOutside,
    Minimum,
    NearBox,
    NearCircle,
    Scaled,
    Stretched,
    Uniform,
    Zoomed,
)
from halcyon.mesh.spacing_coast import CoarserInland, NearCoast, NearCoastOnBothSides
from halcyon.mesh.spacing_grid import by_depth, by_field
from halcyon.mesh.sphere import fibonacci, to_points

if TYPE_CHECKING:
    from halcyon.mesh.spacing import SpacingFunction
    from halcyon.mesh.spacing_coast import Shore
    from halcyon.mesh.spacing_spec import Box, Circle, Spacing
    from halcyon.mesh.spec import MeshSpec, Region


N_SAMPLES = 300_000  # sample points for the number of cells
N_FINEST_SAMPLES = 200_000  # sample points for the smallest spacing
MAX_LENGTHENINGS = 100  # maximum number of iterations that lengthen the transitions
HEXAGON = 2 / np.sqrt(3)  # [1] square of the distance between neighbours over the area of a hexagon


def target_spacing(spec: MeshSpec, domain: MeshDomain) -> SpacingFunction:
    """Returns the spacing function of a spec: points (n, 3) to spacing (n) [rad].

    If the spec gives a number of cells, spacing is scaled such that this number fills the globe; raises
    ConfigError if the spacing then grows too steeply. Otherwise spacing is coarser where cells are removed
    later: outside the region, and inland if land is excluded."""
    if spec.n_points is not None:
        return _spacing_for_count(spec, domain)
    function = _requested_spacing(spec, domain)
    if spec.sea:
        assert spec.spacing is not None  # without a number of points
        function = CoarserInland(
            function, _shore_of(function) or domain.shore(_finest(function, spec.spacing))
        )
    return function if domain.is_global else CoarserOutside(function, domain.box)


def expected_cells(
    spec: MeshSpec, domain: MeshDomain | None = None, function: SpacingFunction | None = None
) -> int:
    """Estimates the number of cells of a spec without generating the mesh: 2 / (sqrt(3) h^2) integrated over
    the kept part of the sphere, with the spacing h.

    function: spacing function, by default `target_spacing`."""
    domain = domain or MeshDomain(spec)
    function = function or target_spacing(spec, domain)
    samples = _sample_points(domain.box)
    is_kept = domain.contains(samples.points)
    if spec.depths is not None:
        is_kept[is_kept] = domain.is_deep_enough(
            domain.relief(samples.points[is_kept], np.zeros(is_kept.sum()))
        )
    return round(_count_cells(function, SamplePoints(samples.points[is_kept], samples.area)))


def _requested_spacing(spec: MeshSpec, domain: MeshDomain) -> SpacingFunction:
    """Returns the spacing function of a spec. If the spec gives a number of cells, the function is not yet
    scaled to it."""
    if spec.zoom is not None:
        return Zoomed(spec.zoom)
    if spec.stretch is not None:
        return Stretched(spec.stretch)
    request = spec.spacing
    if request is None:
        return Uniform(EARTH_RADIUS)
    parts: list[SpacingFunction] = []
    if request.background is not None:
        parts.append(Uniform(request.background))
    parts += [NearCircle(circle, request.coarsest) for circle in request.circles]
    parts += [NearBox(box, request.coarsest) for box in request.boxes]
    box = domain.box.box
    if request.depth is not None:
        assert spec.depth_source is not None
        parts.append(by_depth(request.depth, request.coarsest, spec.depth_source, box))
    if request.field is not None:
        parts.append(by_field(request.field, box))
    if request.coast is not None:
        kind = NearCoast if spec.sea else NearCoastOnBothSides
        shore = domain.shore(min(request.coast, _finest(Minimum(parts), request)))
        parts.append(kind(shore, request))
    return parts[0] if len(parts) == 1 else Minimum(parts)


def _finest(function: SpacingFunction, request: Spacing) -> float:
    """Estimates the smallest spacing [m] of a spacing request, whose circles and boxes may be small."""
    refined: tuple[Circle | Box, ...] = (*request.circles, *request.boxes)
    areas = [area.spacing for area in refined]
    return min([float(function(fibonacci(N_FINEST_SAMPLES)).min()) * EARTH_RADIUS, *areas])


def _shore_of(function: SpacingFunction) -> Shore | None:
    """Returns the shore (`MeshDomain.shore`) that a part of a spacing function uses, or None."""
    parts = getattr(function, "functions", (function,))
    return next((part.shore for part in parts if hasattr(part, "shore")), None)


def _spacing_for_count(spec: MeshSpec, domain: MeshDomain) -> SpacingFunction:
    """Returns the spacing function of a spec, scaled to fill the globe with its number of cells.

    Transitions are not scaled. Longer transitions change the number of coarse cells, and so the scale;
    therefore the shortest sufficient transitions are found by iteration."""
    samples = _sample_points(GLOBE)
    if spec.zoom is not None and spec.zoom.transition is None:
        spec = _with_default_transition(spec, domain, samples)
    function = _scaled_to_count(spec, domain, samples)
    previous, longer = spec, with_longer_transitions(spec, function.factor)
    for _ in range(MAX_LENGTHENINGS):
        if longer == previous:
            break
        previous, longer = (
            longer,
            with_longer_transitions(longer, _scaled_to_count(longer, domain, samples).factor),
        )
    require_scaled_growth(spec, longer, function.factor)
    return function


def _with_default_transition(spec: MeshSpec, domain: MeshDomain, samples: SamplePoints) -> MeshSpec:
    """Returns a spec whose zoom has the default transition for its own coarse spacing, found by iteration."""
    previous, found = spec, with_default_transition(spec)
    while found != previous:
        scale = _scaled_to_count(found, domain, samples).factor
        previous, found = found, with_default_transition(found, scale)
    return found


def _scaled_to_count(spec: MeshSpec, domain: MeshDomain, samples: SamplePoints) -> Scaled:
    assert spec.n_points is not None
    function = _requested_spacing(spec, domain)
    return Scaled(function, np.sqrt(_count_cells(function, samples) / spec.n_points))


@dataclass(frozen=True)
class SamplePoints:
    """Sample points (n, 3) of the unit sphere, each of which represents an area."""

    points: np.ndarray
    area: float


def _count_cells(function: SpacingFunction, samples: SamplePoints) -> float:
    """Returns the number of hexagons of a spacing h [rad] that fill the area of the samples."""
    return samples.area * float(np.sum(HEXAGON * function(samples.points) ** -2.0))


def _sample_points(box: Region) -> SamplePoints:
    """Returns sample points distributed uniformly in a box."""
    i = np.arange(N_SAMPLES)
    low, high = np.sin(np.radians([box.south, box.north]))
    lat = np.degrees(np.arcsin(low + (high - low) * (i + 0.5) / N_SAMPLES))
    lon = box.west + (box.east - box.west) * (i * (np.sqrt(5) - 1) / 2 % 1)
    return SamplePoints(to_points(lon, lat), (high - low) * np.radians(box.east - box.west) / N_SAMPLES)
