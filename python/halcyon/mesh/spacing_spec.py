"""Records of the requested spacing, in metres and degrees, checked on construction."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from halcyon.base import ConfigError
from halcyon.mesh.growth import km, require_growth


def require_lengths(owner: str, **lengths: float | None) -> None:
    """Raises ConfigError unless all lengths [m] are above 0 and finite. lengths: by name; None is skipped."""
    for name, length in lengths.items():
        if length is not None and not 0 < length < inf:
            raise ConfigError(f"{owner}: the {name} is {km(length)}, but must be above 0 and finite.")


def require_coordinates(owner: str, longitude: float, latitude: float) -> None:
    """Raises ConfigError unless a longitude and a latitude [degrees] are valid."""
    if not (-180 <= longitude <= 360 and -90 <= latitude <= 90):
        raise ConfigError(
            f"{owner}: {longitude:g}, {latitude:g} is not a valid position. Give a longitude of "
            "-180..360 and a latitude of -90..90."
        )


@dataclass(frozen=True, kw_only=True)
class Circle:
    """`spacing` within `radius` [m] of a point; outside, it grows over `transition` [m] to the background."""

    longitude: float
    latitude: float
    radius: float
    spacing: float
    transition: float

    def __post_init__(self) -> None:
        require_coordinates("circle", self.longitude, self.latitude)
        if not 0 <= self.radius < inf:
            raise ConfigError(f"circle: the radius is {km(self.radius)}, but must be finite and 0 or more.")
        require_lengths("circle", spacing=self.spacing, transition=self.transition)


@dataclass(frozen=True, kw_only=True)
class Box:
    """`spacing` within a box [degrees], which may cross the date line; outside, it grows over `transition`
    [m] to the background."""

    west: float
    south: float
    east: float
    north: float
    spacing: float
    transition: float

    def __post_init__(self) -> None:
        is_ordered = self.west < self.east <= self.west + 360 and self.south < self.north
        if not is_ordered or self.south < -90 or self.north > 90:
            raise ConfigError(
                f"box: west {self.west:g}, south {self.south:g}, east {self.east:g}, north {self.north:g} is "
                "not a valid box. Give west < east and -90 <= south < north <= 90; across the date line east "
                "is above 180."
            )
        require_lengths("box", spacing=self.spacing, transition=self.transition)


@dataclass(frozen=True, kw_only=True)
class ByDepth:
    """Spacing proportional to the speed of long waves, sqrt(g depth): the background times
    sqrt(water depth / `depth`), at least `spacing` [m]; in water deeper than `depth` [m], the background."""

    spacing: float
    depth: float = 4000.0

    def __post_init__(self) -> None:
        require_lengths("spacing by depth", spacing=self.spacing)
        if not 0 < self.depth < inf:
            raise ConfigError(f"spacing by depth: the depth is {self.depth:g} m, but must be above 0.")


@dataclass(frozen=True, kw_only=True)
class ByField:
    """Spacing from a netCDF file on longitudes and latitudes, in units of m or km."""

    path: str
    variable: str | None = None


@dataclass(frozen=True, kw_only=True)
class Zoom:
    """Refinement around a circle by the `ratio` of coarse to fine spacing, with the density of Ringler et al.
    (2011), as in GRIST's G8X4: radius and transition are its beta and alpha [m]. The radius is by default
    pi/6 of the earth's; the transition is six coarse spacings, at least pi/20 and at most the radius."""

    ratio: float
    longitude: float = 180.0
    latitude: float = 35.0
    radius: float = 3336e3
    transition: float | None = None

    def __post_init__(self) -> None:
        require_coordinates("zoom", self.longitude, self.latitude)
        if not 1 <= self.ratio < inf:
            raise ConfigError(f"The zoom's ratio is {self.ratio:g}, but coarse over fine must be at least 1.")
        require_lengths("zoom", radius=self.radius)
        if self.transition is not None:
            require_lengths("zoom", transition=self.transition)


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """A uniform mesh contracted towards a point by the conformal map of Schmidt (1977), as in ARPEGE and
    NICAM: spacing is linear in the cosine of the distance from the point, and `ratio` times as large at the
    antipode."""

    ratio: float
    longitude: float = 180.0
    latitude: float = 35.0

    def __post_init__(self) -> None:
        require_coordinates("stretch", self.longitude, self.latitude)
        if not 1 <= self.ratio < inf:
            raise ConfigError(
                f"The stretch's ratio is {self.ratio:g}, but spacing at the antipode over that at the centre "
                "must be at least 1."
            )


@dataclass(frozen=True, kw_only=True)
class Spacing:
    """Distance between neighbouring cells [m]: the minimum of all parts, at most `background`.

    coast: spacing at the shore, which grows over `transition` to the background. depth, field, circles,
    boxes: see `ByDepth`, `ByField`, `Circle`, `Box`."""

    background: float | None = None
    coast: float | None = None
    transition: float = 300e3
    depth: ByDepth | None = None
    field: ByField | None = None
    circles: tuple[Circle, ...] = ()
    boxes: tuple[Box, ...] = ()

    def __post_init__(self) -> None:
        if self.background is None and self.field is None:
            raise ConfigError("The spacing has no background. Give a background, or a field.")
        if self.background is None and (self.coast or self.depth or self.circles or self.boxes):
            raise ConfigError(
                "Spacing at coasts, by depth, in circles and boxes needs a background. Give one."
            )
        lengths = {"background": self.background, "spacing at the coast": self.coast}
        require_lengths("spacing", **lengths, transition=self.transition)
        self._require_growth()

    @property
    def is_uniform(self) -> bool:
        """Whether only the background is given."""
        return self.field is None and self.coast is None and not (self.depth or self.circles or self.boxes)

    @property
    def finest(self) -> float:
        """The smallest spacing [m] of all parts except a field."""
        parts: tuple[ByDepth | Circle | Box | None, ...] = (self.depth, *self.circles, *self.boxes)
        background = self.coarsest
        return min(self.coast or background, *(part.spacing for part in parts if part), background)

    @property
    def coarsest(self) -> float:
        """The background [m], which every spacing has but that of a field."""
        assert self.background is not None
        return self.background

    @property
    def ramps(self) -> list[tuple[str, float, float]]:
        """Name, spacing and transition [m] of the parts that grow linearly to the background."""
        coast = [] if self.coast is None else [("spacing at the coast", self.coast, self.transition)]
        kinds: Any = (("circle", self.circles), ("box", self.boxes))
        areas = ((f"{kind} {n}", area) for kind, members in kinds for n, area in enumerate(members, 1))
        return coast + [(name, area.spacing, area.transition) for name, area in areas]

    def _require_growth(self) -> None:
        if self.depth is not None:
            require_growth("spacing by depth", self.depth.spacing, self.coarsest, float("inf"))
        for name, finest, transition in self.ramps:
            require_growth(name, finest, self.coarsest, transition)
