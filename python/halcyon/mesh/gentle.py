"""How fast spacing may grow with distance, before and after it is scaled to a count of cells."""

import math
from dataclasses import replace

from halcyon.base import EARTH_RADIUS, ConfigError

STEEPEST = 0.5  # [1] growth of spacing with distance; steeper, cells lose their shape
STEEPEST_STRETCH = 0.25  # [1] beyond, the cells around the antipode are no small part of the globe


def km(metres):
    """A length [m] in words, such as 20 km."""
    return f"{metres / 1e3:g} km"


def least_transition(finest, coarsest):
    """The least way [m] over which spacing can grow evenly from `finest` to `coarsest` [m]."""
    return (coarsest - finest) / STEEPEST


def require_gentle(what, finest, coarsest, transition, least=None):
    """Raises ConfigError unless spacing can grow from `finest` to `coarsest` [m] over `transition` [m], which
    must be `least` [m], by default that of even growth."""
    if not 0 < finest <= coarsest:
        raise ConfigError(
            f"{what}: spacing grows from {km(finest)} to {km(coarsest)}. Give 0 < the finer <= the coarser."
        )
    least = least_transition(finest, coarsest) if least is None else least
    if not transition > 0 or transition < least:
        raise ConfigError(
            f"{what}: transition is {km(transition)}, over which spacing cannot grow from {km(finest)} to "
            f"{km(coarsest)} in good shape. Give at least {km(max(least, 1))}."
        )


def require_gentle_stretch(ratio, n_points):
    """Raises ConfigError if spacing grows too steeply halfway between the centre of a stretched mesh of
    `n_points` cells and the antipode: by h (c - 1 / c) / 2 a length, for the even spacing h [rad] and
    c = sqrt(ratio)."""
    steepest = 2 * STEEPEST_STRETCH / even_spacing(n_points)
    most = ((steepest + math.sqrt(steepest**2 + 4)) / 2) ** 2
    if ratio > most:
        raise ConfigError(
            f"At a stretch of ratio {ratio:g} the spacing of {n_points} cells grows too steeply to keep "
            f"them in good shape. Give a ratio of at most {math.floor(10 * most) / 10:g}, or more cells."
        )


def even_spacing(n_points):
    """Distance of neighbours [rad] where `n_points` hexagons fill the sphere."""
    return math.sqrt(8 * math.pi / math.sqrt(3) / n_points)


def lengthened(spec, factor):
    """A `MeshSpec` whose transitions are long enough for its spacings times a factor."""
    if spec.spacing is not None:
        return replace(spec, spacing=_lengthened_spacing(spec.spacing, factor))
    if spec.zoom is None or spec.zoom.ratio == 1:
        return spec
    # d ln h / d x of the density is at most 1 / (2 alpha)
    least = _coarsest(spec.zoom, factor) / (2 * STEEPEST)
    return replace(spec, zoom=replace(spec.zoom, transition=_enough(spec.zoom.transition, least)))


def require_as_gentle(spec, gentle, factor):
    """Raises ConfigError for a transition of a `MeshSpec` of a count of cells that is longer in a gentle one.

    factor: what scales its spacings."""
    if spec.spacing is not None:
        coarsest = factor * (spec.spacing.background or 0)
        pairs = zip(spec.spacing.ramps, gentle.spacing.ramps, strict=True)
        for (what, finest, transition), (_, _, least) in pairs:
            name = f"{what}, of {spec.n_points} points"
            require_gentle(name, factor * finest, coarsest, transition, least)
    if spec.zoom is not None:
        coarsest = _coarsest(spec.zoom, factor)
        finest = coarsest / spec.zoom.ratio
        require_gentle("zoom", finest, coarsest, spec.zoom.transition, gentle.zoom.transition)


def _lengthened_spacing(wish, factor):
    def long_enough(part, finest):
        least = factor * least_transition(finest, wish.background)
        return replace(part, transition=_enough(part.transition, least))

    longer = wish if wish.coast is None else long_enough(wish, wish.coast)
    circles = tuple(long_enough(circle, circle.spacing) for circle in wish.circles)
    return replace(longer, circles=circles, boxes=tuple(long_enough(box, box.spacing) for box in wish.boxes))


def _coarsest(zoom, factor):
    """The spacing [m] far from a zoom."""
    return factor * zoom.ratio * EARTH_RADIUS


def _enough(transition, least):
    """A transition [m] if it is not below the least one, else that, rounded up to three figures."""
    if transition >= least:
        return transition
    unit = 10.0 ** (math.floor(math.log10(least)) - 2)
    return math.ceil(least / unit) * unit
