"""Converts the options of `halcyon mesh make`, in km, into the specification of a mesh, in m."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from halcyon.base import ConfigError
from halcyon.mesh import spacing_spec
from halcyon.mesh.named import level_and_ratio
from halcyon.mesh.spacing_spec import Spacing, Stretch, Zoom
from halcyon.mesh.spec import Coast, Depth, MeshSpec, Region

_ZOOM = ("radius", "transition")
_SPACINGS = ("background", "circles", "boxes", "coast", "depth", "field")
_POSITION, _SIDES = ("longitude", "latitude"), ("west", "east", "south", "north")
_SHAPES = (  # repeatable options: name, flag, type, form and fields (without SPACING_KM,TRANSITION_KM)
    ("circles", "--circle", spacing_spec.Circle, "LON,LAT,RADIUS_KM", (*_POSITION, "radius")),
    ("boxes", "--box", spacing_spec.Box, "W,E,S,N", _SIDES),
)
# Options, by parameter, that define spacings near a place, and need --spacing for the rest.
_NEED_BACKGROUND = {"circles": "circle", "boxes": "box", "coast": "coast", "depth": "depth"}


def spec_of(given: Mapping[str, Any]) -> MeshSpec:
    """The specification of the mesh. Raises ConfigError that names the invalid option."""
    level, ratio = level_and_ratio(given["source"])
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


def numbers(option: str, text: str, form: str, *, fewest: int | None = None) -> list[float]:
    """Returns the numbers of `1,2,3`. Raises ConfigError.

    form: names of the numbers, such as `LON,LAT`; fewest: smallest count of numbers, by default all."""
    words = text.split(",")
    count = form.count(",") + 1
    try:
        values = [float(word) for word in words]
    except ValueError:
        values = []
    if not (fewest or count) <= len(values) <= count or not all(map(math.isfinite, values)):
        raise ConfigError(f"{option} {text}: give {form}, numbers with commas between.")
    return values


def _zoom(given: Mapping[str, Any], ratio: float | None) -> Zoom | None:
    options = {name: 1e3 * given[name] for name in _ZOOM if given[name] is not None}
    if ratio is not None:
        return Zoom(ratio=ratio, **options, **_centre(given))
    if options:
        raise ConfigError(
            f"--{next(iter(options))} goes with a mesh such as G8X4. For another circle give --circle."
        )
    return None


def _stretch(given: Mapping[str, Any], ratio: float | None) -> Stretch | None:
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
    return _metres(_POSITION, numbers("--center", given["center"], "LON,LAT"))


def _region(text: str | None) -> Region | None:
    return None if text is None else Region(**_metres(_SIDES, numbers("--region", text, "W,E,S,N")))


def _spacing(given: Mapping[str, Any]) -> Spacing | None:
    if all(not given[name] and given[name] != 0 for name in _SPACINGS):
        return None
    options: dict[str, Any] = {}
    for name, flag, kind, form, fields in _SHAPES:
        shapes = [numbers(flag, text, f"{form},SPACING_KM,TRANSITION_KM") for text in given[name] or ()]
        options[name] = tuple(kind(**_metres((*fields, "spacing", "transition"), each)) for each in shapes)
    if given["coast"] is not None:
        values = numbers("--coast", given["coast"], "SPACING_KM,TRANSITION_KM")
        options |= _metres(("coast", "transition"), values)
    if given["depth"] is not None:
        finest, *depth = numbers("--depth", given["depth"], "SPACING_KM,DEPTH_M", fewest=1)
        full_depth = {"depth": depth[0]} if depth else {}
        options["depth"] = spacing_spec.ByDepth(spacing=1e3 * finest, **full_depth)
    if given["field"] is not None:
        path, variable = _file_and_variable(given["field"])
        options["field"] = spacing_spec.ByField(path=path, variable=variable)
    background = given["background"]
    local = next((name for name in _NEED_BACKGROUND if given[name]), None)
    if background is None and local is not None:
        raise ConfigError(
            f"--{_NEED_BACKGROUND[local]} needs --spacing KM, the spacing far from it. With a number of "
            "cells only the ratios of spacings matter."
        )
    return Spacing(background=None if background is None else 1e3 * background, **options)


def _metres(names: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    """The values by name; lengths are converted from km to m, angles stay in degrees."""
    pairs = zip(names, values, strict=True)
    return {name: value if name in (*_POSITION, *_SIDES) else 1e3 * value for name, value in pairs}


def _coast(given: Mapping[str, Any]) -> Coast:
    text = given["coastline"]
    if text is None:
        return Coast()
    if not (given["sea"] or given["coast"]):
        raise ConfigError("--coastline goes with --sea or --coast. Give one of them, or leave it out.")
    source, comma, area = text.partition(",")
    options: dict[str, Any] = {"minimum_area": 1e6 * numbers("--coastline", area, "KM2")[0]} if comma else {}
    is_resolution = len(source) == 1 or source == "auto"
    return Coast(**options, **{"resolution" if is_resolution else "source": source})


def _depth(given: Mapping[str, Any]) -> Depth | None:
    if given["bathymetry"] is None:
        return Depth() if given["sea"] or given["depths"] else None
    if not any(given[name] for name in ("sea", "depths", "depth")):
        raise ConfigError("--bathymetry goes with --sea, --depths or --depth. Give one of them.")
    path, variable = _file_and_variable(given["bathymetry"])
    return Depth(source=path, variable=variable)


def _file_and_variable(text: str) -> tuple[str, str | None]:
    """The parts of FILE[:VAR]; a file name may contain colons."""
    if Path(text).is_file() or ":" not in text:
        return text, None
    path, _, variable = text.rpartition(":")
    return path, variable or None
