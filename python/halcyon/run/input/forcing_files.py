"""Which files of other models a case takes its fields from, and which of their records its run needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from halcyon.base import ConfigError, InputError
from halcyon.config.case import Case
from halcyon.config.forcing import Current, Gridded, GriddedWind, Level, OverSea, SeaScalar, TrackWind
from halcyon.wave import gridded
from halcyon.wave.gridded import Catalogue, Quantity, catalogue, passes_of, serving

Location = tuple[str, ...]

WIND, BACKGROUND = ("forcing", "wind"), ("forcing", "wind", "background")
ICE, CURRENT = ("forcing", "ice"), ("forcing", "current")
WATER_LEVEL = ("forcing", "water_level")


def gridded_groups(case: Case) -> dict[Location, Gridded]:
    """The groups of a case that name files of fields on longitudes and latitudes."""
    wind = case.forcing.wind
    groups = {
        WIND: wind if isinstance(wind, GriddedWind) else None,
        BACKGROUND: wind.background if isinstance(wind, TrackWind) else None,
        ICE: case.forcing.ice,
        CURRENT: case.forcing.current,
        WATER_LEVEL: case.forcing.water_level,
    }
    return {location: group for location, group in groups.items() if group is not None}


def reach_of(group: Gridded) -> float:
    """From how far values are taken where there is none [m]."""
    return group.reach if isinstance(group, OverSea) else 0.0


def catalogues_of(case: Case) -> dict[Location, list[Catalogue]]:
    """What the run needs of each group, a catalogue for each of its quantities.

    Raises ConfigError and InputError, which name the place in the case, for files that do not serve."""
    found = {}
    for location, group in gridded_groups(case).items():
        with placed(case, *location):
            found[location] = _catalogues(case, group)
    return found


def files_of(case: Case) -> dict[str, list[Path]]:
    """The files that the run reads, by the option that names them."""
    found = catalogues_of(case)
    return {
        ".".join((*location, "files")): sorted({path for each in catalogues for path in each.paths})
        for location, catalogues in found.items()
    }


@contextmanager
def placed(case: Case, *location: str) -> Iterator[None]:
    """Adds to mistakes that its body finds where the option stands that they come from."""
    try:
        yield
    except (ConfigError, InputError) as error:
        raise type(error)(f"{case.place(*location)}: {error}") from None


def _catalogues(case: Case, group: Gridded) -> list[Catalogue]:
    quantities, names = _wanted(group)
    start, end = (np.datetime64(time, "ms") for time in (case.time.start, case.time.end))
    found = catalogue(group.files, quantities, names=names, unit=group.units)
    for each in found:
        passes_of(each.axes, reach_of(group))
    climatology = group.climatology == "monthly"
    return [
        serving(each, start, end, climatology=climatology, longest_gap=group.longest_gap) for each in found
    ]


def _wanted(group: Gridded) -> tuple[tuple[Quantity, ...], list[str] | None]:
    """The quantities of a group, and the names of their variables where it gives them."""
    if isinstance(group, SeaScalar):
        quantity = gridded.LEVEL if isinstance(group, Level) else gridded.ICE
        return (quantity,), [group.variable] if group.variable else None
    names = group.variables and [group.variables.eastward, group.variables.northward]
    return gridded.CURRENT if isinstance(group, Current) else gridded.WIND, names
