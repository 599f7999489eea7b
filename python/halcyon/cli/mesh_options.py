"""From the words of the command line to the specification of a mesh. The command line has km, the rest m."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.base import ConfigError
from halcyon.mesh.named import level_and_ratio

if TYPE_CHECKING:
    from halcyon.mesh import Coast, Depth, MeshSpec, Region, Spacing, Stretch, Zoom

_ZOOM = ("radius", "transition")
_SPACINGS = ("background", "circles", "boxes", "coast", "depth", "field")
_OVER_BACKGROUND = {"circles": "circle", "boxes": "box", "coast": "coast", "depth": "depth"}


def spec_of(given: Mapping[str, Any]) -> MeshSpec:
    """The specification that the options ask for. Raises ConfigError that names the option."""
    from halcyon.mesh import MeshSpec

    level, ratio = level_and_ratio(given["what"])
    return MeshSpec(
        level=level,
        points=given["points"],
        spacing=_spacing(given),
        zoom=_zoom(given, ratio),
        stretch=_stretch(given, ratio),
        region=_region(given["region"]),
        polygon=given["polygon"] and str(given["polygon"]),
        sea=given["sea"],
        depths=given["depths"] and tuple(numbers("--depths", given["depths"], "MIN,MAX")),
        coast=_coast(given),
        depth=_depth(given),
        tolerance=given["tolerance"],
        iterations=given["iterations"],
        threads=given["threads"],
        **({"order": given["order"]} if given["order"] else {}),
    )


def numbers(option: str, text: str, names: str, *, fewest: int | None = None) -> list[float]:
    """The numbers of `1,2,3`, as many as `names` has. Raises ConfigError that names the option."""
    words = text.split(",")
    most = names.count(",") + 1
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = []
    if not (fewest or most) <= len(values) <= most or not all(map(math.isfinite, values)):
        raise ConfigError(f"{option} {text}: give {names}, numbers with commas between.")
    return values


def _zoom(given: Mapping[str, Any], ratio: float | None) -> Zoom | None:
    from halcyon.mesh import Zoom

    options = {name: 1e3 * given[name] for name in _ZOOM if given[name] is not None}
    if ratio is not None:
        return Zoom(ratio=ratio, **options, **_centre(given))
    if options:
        raise ConfigError(
            f"--{next(iter(options))} goes with a mesh such as G8X4. For another circle give --circle."
        )
    return None


def _stretch(given: Mapping[str, Any], ratio: float | None) -> Stretch | None:
    from halcyon.mesh import Stretch

    if given["stretch"] is not None:
        return Stretch(ratio=given["stretch"], **_centre(given))
    if ratio is None and given["center"] is not None:
        raise ConfigError(
            "--center goes with --stretch or a mesh such as G8X4. For another circle give --circle."
        )
    return None


def _centre(given: Mapping[str, Any]) -> dict[str, float]:
    if given["center"] is None:
        return {}
    return dict(zip(("longitude", "latitude"), numbers("--center", given["center"], "LON,LAT"), strict=True))


def _spacing(given: Mapping[str, Any]) -> Spacing | None:
    from halcyon.mesh import Box, ByDepth, ByField, Circle, Spacing

    if all(not given[name] and given[name] != 0 for name in _SPACINGS):
        return None
    options: dict[str, Any] = {"circles": (), "boxes": ()}
    for text in given["circles"] or ():
        values = numbers("--circle", text, "LON,LAT,RADIUS_KM,SPACING_KM,TRANSITION_KM")
        names = ("longitude", "latitude", "radius", "spacing", "transition")
        options["circles"] += (Circle(**_metres(names, values, 2)),)
    for text in given["boxes"] or ():
        values = numbers("--box", text, "W,E,S,N,SPACING_KM,TRANSITION_KM")
        names = ("west", "east", "south", "north", "spacing", "transition")
        options["boxes"] += (Box(**_metres(names, values, 4)),)
    if given["coast"] is not None:
        values = numbers("--coast", given["coast"], "SPACING_KM,TRANSITION_KM")
        options |= _metres(("coast", "transition"), values, 0)
    if given["depth"] is not None:
        finest, *depth = numbers("--depth", given["depth"], "SPACING_KM,DEPTH_M", fewest=1)
        options["depth"] = ByDepth(spacing=1e3 * finest, **({"depth": depth[0]} if depth else {}))
    if given["field"] is not None:
        path, variable = _file_and_variable(given["field"])
        options["field"] = ByField(path=path, variable=variable)
    background = given["background"]
    if background is None:
        _require_no_background(given)
    return Spacing(background=None if background is None else 1e3 * background, **options)


def _require_no_background(given: Mapping[str, Any]) -> None:
    part = next((name for name in _OVER_BACKGROUND if given[name]), None)
    if part is not None:
        raise ConfigError(
            f"--{_OVER_BACKGROUND[part]} needs --spacing KM, the spacing far from there; with a count, only "
            "their ratio matters."
        )


def _metres(names, values, first) -> dict[str, float]:
    """Values by their names, those from `first` on turned from km into m."""
    pairs = enumerate(zip(names, values, strict=True))
    return {name: value * (1e3 if i >= first else 1) for i, (name, value) in pairs}


def _region(text: str | None) -> Region | None:
    from halcyon.mesh import Region

    if text is None:
        return None
    west, east, south, north = numbers("--region", text, "W,E,S,N")
    return Region(west=west, east=east, south=south, north=north)


def _coast(given: Mapping[str, Any]) -> Coast:
    from halcyon.mesh import Coast

    text = given["coastline"]
    if text is None:
        return Coast()
    if not (given["sea"] or given["coast"]):
        raise ConfigError("--coastline goes with --sea or --coast. Give one of them, or leave it out.")
    source, comma, area = text.partition(",")
    options = {"minimum_area": 1e6 * numbers("--coastline", area, "KM2")[0]} if comma else {}
    is_resolution = len(source) == 1 or source == "auto"
    return Coast(**options, **{"resolution" if is_resolution else "source": source})


def _depth(given: Mapping[str, Any]) -> Depth | None:
    from halcyon.mesh import Depth

    if given["bathymetry"] is None:
        return Depth() if given["sea"] or given["depths"] else None
    if not any(given[name] for name in ("sea", "depths", "depth")):
        raise ConfigError("--bathymetry goes with --sea, --depths or --depth. Give one of them.")
    path, variable = _file_and_variable(given["bathymetry"])
    return Depth(source=path, variable=variable)


def _file_and_variable(text: str) -> tuple[str, str | None]:
    """The parts of FILE[:VAR]; names of files may have colons themselves."""
    if Path(text).is_file() or ":" not in text:
        return text, None
    path, _, variable = text.rpartition(":")
    return path, variable or None
