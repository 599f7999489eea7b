"""Writes fields on a latitude-longitude grid as GRIB2 messages. ecCodes runs in a separate process, since its
libraries may conflict with other versions of the same libraries in this process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import EARTH_RADIUS, InputError, RunError
from halcyon.io.latlon_file import means_of
from halcyon.mesh.atomic_file import write_file

if TYPE_CHECKING:
    from halcyon.io.field_source import Field, FieldSource
    from halcyon.remap import Conservative, LatLonGrid


ENCODER = Path(__file__).with_name("grib_encoder.py")
# Codes of GRIB2.
OCEAN, METEOROLOGY = 10, 0  # disciplines
WAVES, SUBSURFACE = 0, 4  # categories of OCEAN
TEMPERATURE, MOISTURE, MOMENTUM, MASS = 0, 1, 2, 3  # categories of METEOROLOGY
GROUND, ISOBARIC, ABOVE_SEA, ABOVE_GROUND = 1, 100, 102, 103  # types of surface (code table 4.5)
SURFACES = {"pressure": ISOBARIC, "height": ABOVE_SEA}  # name of the vertical axis: type of surface
WAVE = "sea_surface_wave_"
MEAN_PERIOD = f"{WAVE}mean_period_from_variance_spectral_density"

# CF standard names of fields without levels, and their discipline, category and number (WMO Manual on Codes
# I.2, GRIB2 code table 4.2).
PARAMETERS = {
    f"{WAVE}significant_height": (OCEAN, WAVES, 3),
    "sea_surface_wind_wave_from_direction": (OCEAN, WAVES, 4),
    "sea_surface_wind_wave_significant_height": (OCEAN, WAVES, 5),
    "sea_surface_wind_wave_mean_period": (OCEAN, WAVES, 6),
    "sea_surface_swell_wave_from_direction": (OCEAN, WAVES, 7),
    "sea_surface_swell_wave_significant_height": (OCEAN, WAVES, 8),
    "sea_surface_swell_wave_mean_period": (OCEAN, WAVES, 9),
    f"{WAVE}from_direction": (OCEAN, WAVES, 14),
    f"{MEAN_PERIOD}_inverse_frequency_moment": (OCEAN, WAVES, 15),
    f"{WAVE}stokes_drift_eastward_velocity": (OCEAN, WAVES, 21),
    f"{WAVE}stokes_drift_northward_velocity": (OCEAN, WAVES, 22),
    f"{MEAN_PERIOD}_first_frequency_moment": (OCEAN, WAVES, 25),
    f"{MEAN_PERIOD}_second_frequency_moment": (OCEAN, WAVES, 28),
    f"{WAVE}period_at_variance_spectral_density_maximum": (OCEAN, WAVES, 34),
    f"{WAVE}from_direction_at_variance_spectral_density_maximum": (OCEAN, WAVES, 46),
    "sea_floor_depth_below_sea_surface": (OCEAN, SUBSURFACE, 7),
    "eastward_wind": (METEOROLOGY, MOMENTUM, 2),
    "northward_wind": (METEOROLOGY, MOMENTUM, 3),
    "surface_air_pressure": (METEOROLOGY, MASS, 0),
}
# The same codes for fields with levels.
PARAMETERS_ON_LEVELS = {
    "air_temperature": (METEOROLOGY, TEMPERATURE, 0),
    "air_potential_temperature": (METEOROLOGY, TEMPERATURE, 2),
    "specific_humidity": (METEOROLOGY, MOISTURE, 0),
    "eastward_wind": (METEOROLOGY, MOMENTUM, 2),
    "northward_wind": (METEOROLOGY, MOMENTUM, 3),
    "upward_air_velocity": (METEOROLOGY, MOMENTUM, 9),
    "atmosphere_relative_vorticity": (METEOROLOGY, MOMENTUM, 12),
    "divergence_of_wind": (METEOROLOGY, MOMENTUM, 13),
    "air_pressure": (METEOROLOGY, MASS, 0),
    "geopotential_height": (METEOROLOGY, MASS, 5),
}
HECTOPASCAL = 100  # [Pa]
WIND_HEIGHT = 10  # of winds without levels [m]
TIME_UNITS = ((3600, 1), (60, 0), (1, 13))  # length [s], and code (code table 4.4)
COMMON_KEYS = {
    "tablesVersion": 30,
    "centre": 255,  # missing: no WMO centre
    "productionStatusOfProcessedData": 2,  # research
    "typeOfProcessedData": 1,  # forecast
    "significanceOfReferenceTime": 1,  # start of forecast
    "typeOfGeneratingProcess": 2,  # forecast
    "generatingProcessIdentifier": 255,
    "shapeOfTheEarth": 1,  # a sphere of given radius [m]
    "scaleFactorOfRadiusOfSphericalEarth": 0,
    "scaledValueOfRadiusOfSphericalEarth": round(EARTH_RADIUS),
    "bitsPerValue": 16,
    "bitmapPresent": 1,
}


def split_by_parameter(fields: Sequence[Field]) -> tuple[list[Field], list[str]]:
    """Returns the fields that have a GRIB2 parameter of their own, and the names of the other fields.

    Raises InputError if no field has a parameter, and for fields on model levels."""
    for field in fields:
        if field.axis is not None and field.axis.name not in SURFACES:
            raise InputError(
                f"{field.name} is on levels of the model: GRIB2 is written on surfaces of pressure or height."
                " Choose others by --variables, write netCDF, or run with output.vertical: {pressure: [...]}."
            )
    codes = [_parameter_code(field) for field in fields]
    supported = [field for i, field in enumerate(fields) if codes[i] and codes[i] not in codes[:i]]
    others = [field.name for field in fields if field not in supported]
    if not supported:
        raise InputError(
            f"GRIB2 has no parameter for {', '.join(others)}. Choose others by --variables, or write netCDF."
        )
    return supported, others


def is_shown_whole(fields: Iterable[Field]) -> bool:
    """Whether cfgrib shows a file of these fields as one dataset: pressures are all below 1 hPa, or all above
    and different in whole hPa, since ecCodes has another typeOfLevel below 1 hPa, and whole hPa above."""
    axes = [field.axis for field in fields if field.axis is not None and field.axis.name == "pressure"]
    hectopascals = [axis.coordinate.values // HECTOPASCAL for axis in axes]
    return all(not v.any() or (v.all() and len(np.unique(v)) == len(v)) for v in hectopascals)


def write_grib(
    path: str | os.PathLike[str], source: FieldSource, remap: Conservative, fields: Sequence[Field]
) -> None:
    """Writes the means of fields over the boxes of a grid: one message per time, field and level, with 16
    bits per value. Time-invariant fields are written at every time, too: cfgrib shows a file whole only if
    all its fields have the same times.

    source: a `FieldSource`; remap: the `Conservative` remapping from the faces of the source to the grid;
    fields: the fields of the source that are written.

    The file is written atomically. Raises InputError for times before the
    reference time of their units, RunError if the file cannot be written."""
    time_keys = _time_keys(source)
    geometry = COMMON_KEYS | _geometry(remap.grid)
    messages = (
        (geometry | _parameter(field) | surface | time_keys[record], means)
        for record in range(len(time_keys))
        for field in fields
        for surface, means in zip(_surfaces(field), _maps(source, remap, field, record), strict=True)
    )
    write_file(path, lambda part: _encode(part, messages, path))


def _encode(
    part: str, messages: Iterable[tuple[dict[str, Any], np.ndarray]], path: str | os.PathLike[str]
) -> None:
    command = [sys.executable, "-P", str(ENCODER), part]  # -P: imports nothing from the encoder's folder
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as encoder:
        assert encoder.stdin is not None and encoder.stderr is not None
        try:
            for keys, means in messages:
                values = np.ascontiguousarray(means[::-1], dtype="<f8")  # from the north
                encoder.stdin.write(json.dumps(keys).encode() + b"\n")
                encoder.stdin.write(values.tobytes())
            encoder.stdin.close()
        except BrokenPipeError:
            pass  # the encoder has ended early, and stderr has the reason
        error_text = encoder.stderr.read().decode(errors="replace").strip()
    if encoder.returncode != 0:
        reason = error_text.splitlines()[-1] if error_text else f"it ended with {encoder.returncode}"
        raise RunError(f"ecCodes cannot write {path}: {reason}.")


def _maps(
    source: FieldSource, remap: Conservative, field: Field, record: int
) -> Sequence[np.ndarray] | np.ndarray:
    means = means_of(source, remap, field, record)
    return [means] if field.axis is None else means


def _parameter_code(field: Field) -> tuple[int, int, int] | None:
    """Returns discipline, category and number of a field; None if GRIB2 has no parameter for it, or only one
    for its present value and not for its extreme over time."""
    if re.search(r"\btime: (?!point)", field.attributes.get("cell_methods", "")):
        return None
    table = PARAMETERS if field.axis is None else PARAMETERS_ON_LEVELS
    return table.get(str(field.attributes.get("standard_name")))


def _parameter(field: Field) -> dict[str, int]:
    code = _parameter_code(field)
    assert code is not None  # see `split_by_parameter`
    discipline, category, number = code
    return {"discipline": discipline, "parameterCategory": category, "parameterNumber": number}


def _surfaces(field: Field) -> list[dict[str, int]]:
    """Returns the surface keys of each horizontal field of a record."""
    if field.axis is not None:
        return [_surface(SURFACES[field.axis.name], value) for value in field.axis.coordinate.values]
    code = _parameter_code(field)
    assert code is not None
    discipline, category, _ = code
    if discipline != METEOROLOGY:
        return [{}]
    return [_surface(ABOVE_GROUND, WIND_HEIGHT) if category == MOMENTUM else _surface(GROUND, 0)]


def _surface(kind: int, value: float) -> dict[str, int]:
    """Returns the keys of a surface; GRIB2 stores its value as value * 10**n, a whole number, and n."""
    n = next((n for n in range(6) if round(value * 10**n, 6) % 1 == 0), 6)
    return {
        "typeOfFirstFixedSurface": kind,
        "scaleFactorOfFirstFixedSurface": n,
        "scaledValueOfFirstFixedSurface": round(value * 10**n),
    }


def _geometry(grid: LatLonGrid) -> dict[str, int | float]:
    longitude, latitude = grid.longitude, grid.latitude
    return {
        "Ni": grid.n_longitudes,
        "Nj": grid.n_latitudes,
        "longitudeOfFirstGridPointInDegrees": float(longitude[0] % 360),
        "longitudeOfLastGridPointInDegrees": float(longitude[-1] % 360),
        "latitudeOfFirstGridPointInDegrees": float(latitude[-1]),
        "latitudeOfLastGridPointInDegrees": float(latitude[0]),
        "iDirectionIncrementInDegrees": (grid.east - grid.west) / grid.n_longitudes,
        "jDirectionIncrementInDegrees": (grid.north - grid.south) / grid.n_latitudes,
    }


def _time_keys(source: FieldSource) -> list[dict[str, int]]:
    """Returns the time keys of each record; a single empty dictionary if no field depends on time."""
    from cftime import num2date

    if not len(source.times):
        return [{}]
    units, calendar = source.time_attributes["units"], source.time_attributes.get("calendar", "standard")
    start = num2date(0, units, calendar)
    seconds = [round((num2date(time, units, calendar) - start).total_seconds()) for time in source.times]
    if min(seconds) < 0:
        raise InputError(
            f"The first time is before the reference time of its units, '{units}'. GRIB2 stores times since"
            " the start of a forecast, which cannot be negative."
        )
    size, code = next(unit for unit in TIME_UNITS if all(second % unit[0] == 0 for second in seconds))
    reference = {name: getattr(start, name) for name in ("year", "month", "day", "hour", "minute", "second")}
    return [
        reference | {"indicatorOfUnitOfTimeRange": code, "forecastTime": second // size} for second in seconds
    ]
