"""The spacing that a `MeshSpec` asks for, as one function, and the cells that it will take."""

from dataclasses import dataclass

import numpy as np

from halcyon.base import EARTH_RADIUS
from halcyon.mesh.gentle import lengthened, require_as_gentle
from halcyon.mesh.ground import GLOBE, Ground
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

PLACES = 300_000  # at which the number of cells is estimated
FINEST_PLACES = 200_000
MOST_LENGTHENINGS = 100
HEXAGON = 2 / np.sqrt(3)  # [1] the square of the distance of neighbours over the area of a hexagon


def target(spec, ground):
    """The function of points (n, 3) to spacing (n) [rad].

    Where the spec gives a count, it fills the globe with as many cells; raises ConfigError if it is then too
    steep. Else it is coarser where cells will be thrown away: outside the region, and inland if land is
    cut."""
    if spec.n_points is not None:
        return _filling(spec, ground)
    function = _wished(spec, ground)
    if spec.sea:
        function = CoarserInland(
            function, _shore_of(function) or ground.shore(_finest(function, spec.spacing))
        )
    return function if ground.is_global else CoarserOutside(function, ground.box)


def expected_cells(spec, ground=None, function=None):
    """About how many cells the mesh of a spec will have: 2 / (sqrt(3) h^2) over what is kept of the sphere,
    for the spacing h of a function, `target` if None is given; found without making it."""
    ground = ground or Ground(spec)
    function = function or target(spec, ground)
    places = _places(ground.box)
    held = ground.holds(places.points)
    if spec.depths is not None:
        held[held] = ground.is_deep_enough(ground.relief(places.points[held], np.zeros(held.sum())))
    return round(_cells(function, Places(places.points[held], places.area)))


def _wished(spec, ground):
    """The wishes of a spec alone, of any unit where it gives a count."""
    if spec.zoom is not None:
        return Zoomed(spec.zoom)
    if spec.stretch is not None:
        return Stretched(spec.stretch)
    wish = spec.spacing
    if wish is None:
        return Uniform(EARTH_RADIUS)
    parts = [] if wish.background is None else [Uniform(wish.background)]
    parts += [NearCircle(circle, wish.background) for circle in wish.circles]
    parts += [NearBox(box, wish.background) for box in wish.boxes]
    box = ground.box.box
    if wish.depth is not None:
        parts.append(by_depth(wish.depth, wish.background, spec.needs_depth, box))
    if wish.field is not None:
        parts.append(by_field(wish.field, box))
    if wish.coast is not None:
        kind = NearCoast if spec.sea else NearCoastOnBothSides
        shore = ground.shore(min(wish.coast, _finest(Minimum(parts), wish)))
        parts.append(kind(shore, wish))
    return parts[0] if len(parts) == 1 else Minimum(parts)


def _finest(function, wish):
    """About the least spacing [m] of the function of a wish, whose circles and boxes may be small."""
    areas = [area.spacing for area in (*wish.circles, *wish.boxes)]
    return min([float(function(fibonacci(FINEST_PLACES)).min()) * EARTH_RADIUS, *areas])


def _shore_of(function):
    """The shore that a part of a function knows already, or None."""
    parts = getattr(function, "functions", (function,))
    return next((part.shore for part in parts if hasattr(part, "shore")), None)


def _filling(spec, ground):
    """The wishes of a spec, scaled to fill the globe with its count of cells.

    Transitions do not scale. Longer ones leave fewer coarse cells and scale more, so that the least that will
    do are found one after the other."""
    places = _places(GLOBE)
    function = _scaled(spec, ground, places)
    longer, gentle = spec, lengthened(spec, function.factor)
    for _ in range(MOST_LENGTHENINGS):
        if gentle == longer:
            break
        longer, gentle = gentle, lengthened(gentle, _scaled(gentle, ground, places).factor)
    require_as_gentle(spec, gentle, function.factor)
    return function


def _scaled(spec, ground, places):
    function = _wished(spec, ground)
    return Scaled(function, np.sqrt(_cells(function, places) / spec.n_points))


@dataclass(frozen=True)
class Places:
    """Points (n, 3) of the unit sphere, each of which stands for an area."""

    points: np.ndarray
    area: float


def _cells(function, places):
    """The number of hexagons at a spacing h [rad] that fill the area of places."""
    return places.area * float(np.sum(HEXAGON * function(places.points) ** -2.0))


def _places(box):
    """Places that lie evenly in a box."""
    i = np.arange(PLACES)
    low, high = np.sin(np.radians([box.south, box.north]))
    lat = np.degrees(np.arcsin(low + (high - low) * (i + 0.5) / PLACES))
    lon = box.west + (box.east - box.west) * (i * (np.sqrt(5) - 1) / 2 % 1)
    return Places(to_points(lon, lat), (high - low) * np.radians(box.east - box.west) / PLACES)
