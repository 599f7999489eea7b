"""Limits of the growth of spacing with distance, before and after spacing is scaled to a number of cells."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from halcyon.base import EARTH_RADIUS, ConfigError

if TYPE_CHECKING:
    from halcyon.mesh.spacing_spec import Box, Circle, Spacing, Zoom
    from halcyon.mesh.spec import MeshSpec

_Part = TypeVar("_Part", "Circle", "Box", "Spacing")  # with a transition


MAX_GROWTH = 0.5  # [1] largest growth of spacing with distance for well-shaped cells
COARSE_SPACINGS = 6  # in the default transition of a zoom
SHORTEST_ZOOM_TRANSITION = 1001e3  # [m], pi/20 of the earth's radius, as in GRIST's G8X4
MAX_STRETCH_GROWTH = 0.25  # [1] of a stretched mesh; beyond, few cells cover a large area at the antipode


def km(metres: float) -> str:
    """Returns a length [m] as text, such as 20 km."""
    return f"{metres / 1e3:g} km"


def shortest_transition(finest: float, coarsest: float) -> float:
    """Returns the shortest distance [m] over which spacing can grow linearly from `finest` to `coarsest`
    [m]."""
    return (coarsest - finest) / MAX_GROWTH


def require_growth(
    name: str, finest: float, coarsest: float, transition: float, least: float | None = None
) -> None:
    """Raises ConfigError unless spacing can grow from `finest` to `coarsest` [m] over `transition` [m], which
    must be at least `least` [m], by default the `shortest_transition`. name: the option, for the error
    text."""
    if not 0 < finest <= coarsest:
        raise ConfigError(
            f"{name}: spacing grows from {km(finest)} to {km(coarsest)}. Give 0 < the finer <= the coarser."
        )
    least = shortest_transition(finest, coarsest) if least is None else least
    if not transition > 0 or transition < least:
        raise ConfigError(
            f"{name}: transition is {km(transition)}, over which spacing cannot grow from {km(finest)} to "
            f"{km(coarsest)} in good shape. Give at least {km(max(least, 1))}."
        )


def require_stretch_growth(ratio: float, n_points: int) -> None:
    """Raises ConfigError if spacing grows too steeply halfway between the centre of a stretched mesh of
    `n_points` cells and the antipode. The growth there is h (c - 1 / c) / 2, with the uniform spacing h
    [rad] and c = sqrt(ratio)."""
    steepest = 2 * MAX_STRETCH_GROWTH / even_spacing(n_points)
    max_ratio = ((steepest + math.sqrt(steepest**2 + 4)) / 2) ** 2
    if ratio > max_ratio:
        raise ConfigError(
            f"At a stretch of ratio {ratio:g} the spacing of {n_points} cells grows too steeply to keep "
            f"them in good shape. Give a ratio of at most {math.floor(10 * max_ratio) / 10:g}, or more cells."
        )


def even_spacing(n_points: int) -> float:
    """Returns the distance between neighbours [rad] if `n_points` hexagons fill the sphere."""
    return math.sqrt(8 * math.pi / math.sqrt(3) / n_points)


def with_longer_transitions(spec: MeshSpec, factor: float) -> MeshSpec:
    """Returns a `MeshSpec` whose transitions are long enough for its spacings times a factor."""
    if spec.spacing is not None:
        return replace(spec, spacing=_spacing_with_longer_transitions(spec.spacing, factor))
    if spec.zoom is None or spec.zoom.ratio == 1:
        return spec
    # The spacing h of a zoom grows by d ln h / d x <= 1 / (2 alpha), with the transition alpha.
    least = _coarsest(spec.zoom, factor) / (2 * MAX_GROWTH)
    return replace(spec, zoom=replace(spec.zoom, transition=_at_least(spec.zoom.transition or 0.0, least)))


def with_default_transition(spec: MeshSpec, factor: float = 0.0) -> MeshSpec:
    """Returns a `MeshSpec` whose zoom has the default transition for its spacings times a factor, the
    shortest for 0. A transition of some coarse spacings keeps the cells in it regular."""
    assert spec.zoom is not None
    wide = max(SHORTEST_ZOOM_TRANSITION, spec.zoom.radius)
    transition = _at_least(SHORTEST_ZOOM_TRANSITION, COARSE_SPACINGS * _coarsest(spec.zoom, factor))
    return replace(spec, zoom=replace(spec.zoom, transition=min(transition, wide)))


def require_scaled_growth(spec: MeshSpec, longer: MeshSpec, factor: float) -> None:
    """Raises ConfigError if a transition of a `MeshSpec` with a number of cells is shorter than in `longer`.

    longer: the spec with long enough transitions. factor: factor of the spacings that fills the globe with
    that number of cells."""
    if spec.spacing is not None:
        coarsest = factor * (spec.spacing.background or 0)
        ramps = [] if longer.spacing is None else longer.spacing.ramps
        pairs = zip(spec.spacing.ramps, ramps, strict=True)
        for (name, finest, transition), (_, _, least) in pairs:
            name_with_count = f"{name}, of {spec.n_points} points"
            require_growth(name_with_count, factor * finest, coarsest, transition, least)
    if spec.zoom is not None:
        assert spec.zoom.transition is not None and longer.zoom is not None
        coarsest = _coarsest(spec.zoom, factor)
        finest = coarsest / spec.zoom.ratio
        require_growth("zoom", finest, coarsest, spec.zoom.transition, longer.zoom.transition)


def _spacing_with_longer_transitions(request: Spacing, factor: float) -> Spacing:
    def long_enough(part: _Part, finest: float) -> _Part:
        least = factor * shortest_transition(finest, request.coarsest)
        return replace(part, transition=_at_least(part.transition, least))

    longer = request if request.coast is None else long_enough(request, request.coast)
    circles = tuple(long_enough(circle, circle.spacing) for circle in request.circles)
    return replace(
        longer, circles=circles, boxes=tuple(long_enough(box, box.spacing) for box in request.boxes)
    )


def _coarsest(zoom: Zoom, factor: float) -> float:
    """Returns the spacing [m] far from a zoom."""
    return factor * zoom.ratio * EARTH_RADIUS


def _at_least(transition: float, least: float) -> float:
    """Returns the transition [m], or `least` [m], rounded up to three digits, if that is longer."""
    if transition >= least:
        return transition
    unit = 10.0 ** (math.floor(math.log10(least)) - 2)
    return math.ceil(least / unit) * unit
