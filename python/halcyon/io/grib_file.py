"""Fields on a latitude-longitude grid, as GRIB2 messages by ecCodes, which runs in a process of its own: its
libraries would meet other versions of themselves in this one."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from halcyon.base import EARTH_RADIUS, ConfigError, InputError, RunError
from halcyon.io.latlon_file import means_of
from halcyon.mesh.whole_file import write_file

ENCODER = Path(__file__).with_name("grib_encoder.py")
OCEAN, METEOROLOGY = 10, 0  # disciplines
WAVES, SUBSURFACE = 0, 4  # categories of the one
TEMPERATURE, MOISTURE, MOMENTUM, MASS = 0, 1, 2, 3  # and of the other
GROUND, ISOBARIC, ABOVE_SEA, ABOVE_GROUND = 1, 100, 102, 103  # types of surface (code table 4.5)
SURFACES = {"pressure": ISOBARIC, "height": ABOVE_SEA}  # by the vertical axis
WAVE = "sea_surface_wave_"
MEAN_PERIOD = f"{WAVE}mean_period_from_variance_spectral_density"

# Discipline, category and number of CF standard names (WMO Manual on Codes I.2, GRIB2 code table 4.2).
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
ON_LEVELS = {
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
WIND_HEIGHT = 10  # [m]
UNITS_OF_TIME = ((3600, 1), (60, 0), (1, 13))  # seconds, and the entry of code table 4.4
FIXED = {
    "tablesVersion": 30,
    "centre": 255,  # missing: no centre that the WMO knows
    "productionStatusOfProcessedData": 2,  # research
    "typeOfProcessedData": 1,  # forecast
    "significanceOfReferenceTime": 1,  # start of forecast
    "typeOfGeneratingProcess": 2,  # forecast
    "generatingProcessIdentifier": 255,
    "shapeOfTheEarth": 1,  # a sphere whose radius [m] is given
    "scaleFactorOfRadiusOfSphericalEarth": 0,
    "scaledValueOfRadiusOfSphericalEarth": round(EARTH_RADIUS),
    "bitsPerValue": 16,
    "bitmapPresent": 1,
}


def require_eccodes():
    """Raises ConfigError where ecCodes is not installed."""
    if importlib.util.find_spec("eccodes") is None:
        raise ConfigError("GRIB2 is written by ecCodes, which is not installed: pip install halcyon[grib]")


def with_parameter(fields):
    """Of fields those that GRIB2 has a parameter for, and the names of the others. Raises InputError where
    none is left, and for fields on levels of a model."""
    for field in fields:
        if field.axis is not None and field.axis.name not in SURFACES:
            raise InputError(
                f"{field.name} is on levels of the model: GRIB2 is written on surfaces of pressure or height."
                " Choose others by --variables, write netCDF, or run with output.vertical: {pressure: [...]}."
            )
    known = [field for field in fields if _numbers(field) is not None]
    others = [field.name for field in fields if field not in known]
    if not known:
        raise InputError(
            f"GRIB2 has no parameter for {', '.join(others)}. Choose others by --variables, or write netCDF."
        )
    return known, others


def write_grib(path, source, remap, fields):
    """Writes the means of fields of a `FieldSource`, by a `Conservative`: a message a time and field, of 16
    bits a value. What does not change is written once, at the first time.

    The file appears under its name only when it is whole. Raises ConfigError without ecCodes, InputError for
    times that it cannot say, RunError if the disk, the folder or ecCodes refuses."""
    require_eccodes()
    clock = _clock(source)
    geometry = FIXED | _geometry(remap.grid)
    messages = (
        (geometry | _parameter(field) | surface | clock[record], means)
        for record in range(len(clock))
        for field in fields
        if field.in_time or record == 0
        for surface, means in zip(_surfaces(field), _maps(source, remap, field, record), strict=True)
    )
    write_file(path, lambda part: _encode(part, messages))


def _encode(path, messages):
    command = [sys.executable, "-P", str(ENCODER), path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as encoder:
        try:
            for keys, means in messages:
                values = np.ascontiguousarray(means[::-1], dtype="<f8")  # from the north
                encoder.stdin.write(json.dumps(keys).encode() + b"\n")
                encoder.stdin.write(values.tobytes())
            encoder.stdin.close()
        except BrokenPipeError:
            pass  # the encoder ended early and says why
        said = encoder.stderr.read().decode(errors="replace").strip()
    if encoder.returncode != 0:
        reason = said.splitlines()[-1] if said else f"it ended with {encoder.returncode}"
        raise RunError(f"ecCodes cannot write {path.removesuffix('.part')}: {reason}.")


def _maps(source, remap, field, record):
    means = means_of(source, remap, field, record)
    return [means] if field.axis is None else means


def _numbers(field):
    """Discipline, category and number of a field; None where GRIB2 has none."""
    table = PARAMETERS if field.axis is None else ON_LEVELS
    return table.get(field.attributes.get("standard_name"))


def _parameter(field):
    discipline, category, number = _numbers(field)
    return {"discipline": discipline, "parameterCategory": category, "parameterNumber": number}


def _surfaces(field):
    """The keys of the surface of each map of a field at a time."""
    if field.axis is not None:
        return [_surface(SURFACES[field.axis.name], value) for value in field.axis.coordinate.values]
    discipline, category, _ = _numbers(field)
    if discipline != METEOROLOGY:
        return [{}]
    return [_surface(ABOVE_GROUND, WIND_HEIGHT) if category == MOMENTUM else _surface(GROUND, 0)]


def _surface(kind, value):
    factor = next((n for n in range(6) if round(value * 10**n, 6) % 1 == 0), 6)
    return {
        "typeOfFirstFixedSurface": kind,
        "scaleFactorOfFirstFixedSurface": factor,
        "scaledValueOfFirstFixedSurface": round(value * 10**factor),
    }


def _geometry(grid):
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


def _clock(source):
    """The keys of time of each record; of one without time where nothing changes."""
    from cftime import num2date

    if not len(source.times):
        return [{}]
    units, calendar = source.time_attributes["units"], source.time_attributes.get("calendar", "standard")
    start = num2date(0, units, calendar)
    seconds = [round((num2date(time, units, calendar) - start).total_seconds()) for time in source.times]
    if min(seconds) < 0:
        raise InputError(f"The first time lies before that of its units, '{units}': GRIB2 wants forecasts.")
    size, code = next(row for row in UNITS_OF_TIME if all(second % row[0] == 0 for second in seconds))
    reference = {name: getattr(start, name) for name in ("year", "month", "day", "hour", "minute", "second")}
    return [
        reference | {"indicatorOfUnitOfTimeRange": code, "forecastTime": second // size} for second in seconds
    ]
