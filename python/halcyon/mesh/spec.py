"""What a regional mesh is made from: plain records, that a case file or a program fills."""

from dataclasses import dataclass, field
from pathlib import Path

from halcyon.base import ConfigError

ETOPO5 = Path("/usr/share/ferret-vis/data/etopo5.cdf")
GSHHG = Path("/usr/share/gmt-gshhg")


@dataclass(frozen=True, kw_only=True)
class Region:
    """A box of longitudes and latitudes [degrees]; `east` may exceed 180, across the date line."""

    west: float
    east: float
    south: float
    north: float

    def __post_init__(self):
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
    def box(self):
        """(west, south, east, north) [degrees]."""
        return self.west, self.south, self.east, self.north


@dataclass(frozen=True, kw_only=True)
class Spacing:
    """Distance of neighbouring cells [m]: `coast` at the coast, growing over `transition` to `ocean`."""

    coast: float = 27e3
    ocean: float = 70e3
    transition: float = 300e3

    def __post_init__(self):
        if not 0 < self.coast <= self.ocean:
            raise ConfigError(
                f"Spacing at the coast is {self.coast:g} m and in the ocean {self.ocean:g} m. "
                "Give 0 < coast <= ocean."
            )
        if not self.transition > 0 or (self.ocean - self.coast) / self.transition > 0.5:
            least = 2 * (self.ocean - self.coast)
            raise ConfigError(
                f"transition is {self.transition:g} m, over which spacing cannot grow from {self.coast:g} to "
                f"{self.ocean:g} m in good shape. Give at least {max(least, 1):g} m."
            )


@dataclass(frozen=True, kw_only=True)
class Coast:
    """Where land is: `gshhg` at a `resolution` of c, l or i, or the path of a GeoJSON file of land polygons.
    Islands below `minimum_area` [m2] count as sea."""

    source: str = "gshhg"
    resolution: str = "i"
    minimum_area: float = 3e8


@dataclass(frozen=True, kw_only=True)
class Depth:
    """Depth of the sea: `etopo5`, or the path of a netCDF file, with the name of its `variable` where that is
    not plain; at least `minimum` [m]."""

    source: str = "etopo5"
    minimum: float = 5.0
    variable: str | None = None

    @property
    def path(self):
        """The file that is read."""
        return ETOPO5 if self.source == "etopo5" else Path(self.source)


@dataclass(frozen=True, kw_only=True)
class MeshSpec:
    """All that a regional mesh depends on."""

    region: Region
    spacing: Spacing = field(default_factory=Spacing)
    coast: Coast = field(default_factory=Coast)
    depth: Depth = field(default_factory=Depth)
