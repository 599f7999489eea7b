"""The specification of a mesh: records that a case file, the command line or a program fills.

Lengths are in metres, angles in degrees. For spacing see `halcyon.mesh.spacing_spec`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from halcyon.base import EARTH_RADIUS, ConfigError
from halcyon.graph import ORDERS
from halcyon.mesh.growth import even_spacing, require_stretch_growth
from halcyon.mesh.spacing_spec import Spacing, Stretch, Zoom

ETOPO5 = Path("/usr/share/ferret-vis/data/etopo5.cdf")
GSHHG = Path("/usr/share/gmt-gshhg")
HIGHEST_LEVEL = 10
FEWEST_POINTS, MOST_POINTS = 12, 10 * 4**HIGHEST_LEVEL + 2
ACCURACY = {"c": 25e3, "l": 5e3}  # accuracy [m] of GSHHG's coarser resolutions (Wessel and Smith 1996)
SHORE_ACCURACY = 0.2  # [1] needed accuracy of the shore, as a multiple of the finest spacing


@dataclass(frozen=True, kw_only=True)
class Region:
    """A box of longitudes and latitudes [degrees]; `east` may exceed 180, across the date line."""

    west: float
    east: float
    south: float
    north: float

    def __post_init__(self) -> None:
        if not -90 <= self.south < self.north <= 90:
            raise ConfigError(
                f"The region's south and north are {self.south:g} and {self.north:g}. "
                "Give -90 <= south < north <= 90."
            )
        if not self.west < self.east <= self.west + 360:
            raise ConfigError(
                f"The region's west and east are {self.west:g} and {self.east:g}. Give west < east, at most "
                "360 degrees apart; add 360 to east where the region crosses the date line."
            )

    @property
    def box(self) -> tuple[float, float, float, float]:
        """(west, south, east, north) [degrees]."""
        return self.west, self.south, self.east, self.north


@dataclass(frozen=True, kw_only=True)
class Coast:
    """Source of land polygons: `gshhg` at a `resolution` of c, l, i or auto (chosen by the finest spacing of
    the mesh), or the path of a GeoJSON file. Islands below `minimum_area` [m2] count as sea."""

    source: str = "gshhg"
    resolution: str = "auto"
    minimum_area: float = 3e8


@dataclass(frozen=True, kw_only=True)
class Depth:
    """Source of bathymetry: `etopo5`, or the path of a netCDF file, with the name of the `variable` if the
    file has several. Depths are at least `minimum` [m]."""

    source: str = "etopo5"
    minimum: float = 5.0
    variable: str | None = None

    @property
    def path(self) -> Path:
        """The file that is read."""
        return ETOPO5 if self.source == "etopo5" else Path(self.source)


@dataclass(frozen=True, kw_only=True)
class MeshSpec:
    """The specification of a mesh.

    Number of cells, given by `level` (10 * 4^level + 2 cells, the mesh G<level>) or `points` (any other
    number), by `spacing` (the distance between neighbouring cells), or by a number and a spacing: then the
    whole globe has exactly that number of cells, and spacings are relative. With a number and no spacing,
    `zoom` refines around a circle as GRIST does, and `stretch` contracts the uniform mesh towards a point.

    Limited areas: cells are kept if their centre is in the box `region` and in the polygons of the GeoJSON
    file `polygon`, not on land of `coast` if `sea` is set, and in water within `depths` (least, most) [m].
    `depth`: source of depths; None generates a mesh without depths, unless `depths` needs them.

    order: order of the cells, one of ORDERS. tolerance: mean move of an iteration over the local spacing at
    convergence. iterations: maximum number of iterations per level. threads: None for all cores; the mesh
    does not depend on it."""

    level: int | None = None
    points: int | None = None
    spacing: Spacing | None = None
    zoom: Zoom | None = None
    stretch: Stretch | None = None
    region: Region | None = None
    polygon: str | None = None
    sea: bool = False
    depths: tuple[float, float] | None = None
    coast: Coast = field(default_factory=Coast)
    depth: Depth | None = None
    order: str = "hilbert"
    tolerance: float | None = None
    iterations: int | None = None
    threads: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        self._require_size()
        if self.depths is not None and not 0 <= self.depths[0] < self.depths[1]:
            raise ConfigError("depths are {:g} to {:g} m. Give 0 <= least < most.".format(*self.depths))
        if self.order not in ORDERS:
            raise ConfigError(f"order is '{self.order}', but must be one of {', '.join(ORDERS)}.")
        for name in ("tolerance", "iterations", "threads"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigError(f"{name} is {value:g}, but must be above 0.")

    def _require_size(self) -> None:
        if self.level is None and self.points is None and self.spacing is None:
            raise ConfigError("The mesh has no size. Give a level, a number of points, or a spacing.")
        if self.level is not None and self.points is not None:
            raise ConfigError(
                f"level {self.level} and points {self.points} are both given. Keep one of them."
            )
        if self.level is not None and not 0 <= self.level <= HIGHEST_LEVEL:
            raise ConfigError(f"G{self.level} is not supported. Choose a level of 0..{HIGHEST_LEVEL}.")
        if self.points is not None and not FEWEST_POINTS <= self.points <= MOST_POINTS:
            raise ConfigError(
                f"{self.points} points are not supported. Give at least {FEWEST_POINTS} and at most "
                f"{MOST_POINTS}."
            )
        if self.n_points is not None and self.spacing is not None and self.spacing.is_uniform:
            raise ConfigError(
                f"The uniform mesh of {self.n_points} cells takes no spacing. Give the spacing alone, or"
                " with a refinement such as a circle, whose spacing is then relative to it."
            )
        for name in ("zoom", "stretch"):
            if getattr(self, name) is not None and (self.spacing is not None or self.n_points is None):
                raise ConfigError(f"{name} goes with a level or a number of points, and without a spacing.")
        if self.stretch is not None:
            if self.zoom is not None:
                raise ConfigError("zoom and stretch are both given. Keep one of them.")
            assert self.n_points is not None  # checked above
            require_stretch_growth(self.stretch.ratio, self.n_points)

    @property
    def n_points(self) -> int | None:
        """The number of cells of the whole globe if it is given, else None."""
        return 10 * 4**self.level + 2 if self.level is not None else self.points

    @property
    def depth_source(self) -> Depth | None:
        """The source of the depths that the mesh needs (`Depth`), or None if it needs no depths."""
        by_depth = self.spacing is not None and self.spacing.depth is not None
        return self.depth or (Depth() if self.depths is not None or by_depth else None)

    @property
    def finest(self) -> float:
        """Approximate smallest distance between neighbours [m]; 0 if a file determines the spacing."""
        ratio = self.zoom.ratio if self.zoom else self.stretch.ratio**0.5 if self.stretch else 1.0
        request = self.spacing
        if request is not None and request.field is not None:
            return 0.0
        if self.n_points is None:
            assert request is not None  # see `_require_size`
            return request.finest
        if request is not None:
            ratio = request.coarsest / request.finest
        return EARTH_RADIUS * even_spacing(self.n_points) / ratio

    @property
    def land(self) -> Coast:
        """The source of land: `coast`, in which the resolution `auto` is replaced by the coarsest resolution
        that is accurate to a fifth of the finest spacing."""
        if self.coast.resolution != "auto":
            return self.coast
        accurate = (name for name, error in ACCURACY.items() if error <= SHORE_ACCURACY * self.finest)
        return replace(self.coast, resolution=next(accurate, "i"))
