"""ECMWF's 2-D wave spectra in GRIB of edition 1 (local definition 13) and 2 (template 4.99): one field for
each frequency and direction, whose values the headers list."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ChoiceError, InputError
from halcyon.mesh.cf_file import format_time
from halcyon.mesh.data_file import RECORD_KEYS, fields_of
from halcyon.mesh.file_reader import ask
from halcyon.wave.spectra.ecmwf import ecmwf_directions, ecmwf_frequencies, from_logarithms
from halcyon.wave.spectra.file import SpectraFile

if TYPE_CHECKING:
    from halcyon.mesh.data_file.grib import Field


_PARAMETER = 140251
# Keys of the number, the list of scaled values, and their factors in the editions 1 and 2.
_FREQUENCY = (
    ("frequencyNumber", "scaledFrequencies", "frequencyScalingFactor"),
    ("frequencyNumber", "scaledValuesOfWaveFrequencies", "scaleFactorOfWaveFrequencies"),
)
_DIRECTION = (
    ("directionNumber", "scaledDirections", "directionScalingFactor"),
    ("directionNumber", "scaledValuesOfWaveDirections", "scaleFactorOfWaveDirections"),
)
_KEYS = tuple(dict.fromkeys(key for keys in (*_FREQUENCY, *_DIRECTION) for key in keys))


def read_grib(path: str | os.PathLike[str], select: Mapping[str, Any] | None = None) -> SpectraFile:
    """Reads the headers of a file. select: values of keys, see `open_grib`. Raises InputError for a file
    without spectra, with several at a point and time, or without some of their fields."""
    fields, grids = fields_of(path, select or {}, _KEYS)
    places: defaultdict[Any, dict[Any, Any]] = defaultdict(dict)
    known: dict[Any, Field] = {}
    fields = [field for field in fields if field.header.get("paramId") == _PARAMETER]
    if not fields:
        raise InputError(f"{path} has no 2-D wave spectra (paramId {_PARAMETER}) in GRIB.")
    for field in fields:
        key = field.header.get("frequencyNumber"), field.header.get("directionNumber")
        time = np.datetime64(field.valid_s, "s").astype("datetime64[ms]")
        if None in key or key in places[time]:
            raise _repetition_error(path, time, key, known.get((time, key), field), field)
        places[time][key], known[time, key] = field.place, field
    grid = _only_grid(path, {field.grid for field in fields}, grids)
    times = sorted(places)
    numbers = [sorted({key[axis] for key in places[times[0]]}) for axis in (0, 1)]
    bins = [(i, j) for i in numbers[0] for j in numbers[1]]
    for time in times:
        if set(places[time]) != set(bins):
            raise InputError(
                f"{path}: the spectra at {format_time(time)} UTC have {len(places[time])} fields, not "
                f"{len(bins)} for {len(numbers[0])} frequencies and {len(numbers[1])} directions. Give all."
            )
    header = fields[0].header
    latitude, longitude = ask("grib points", str(path), places[times[0]][bins[0]])

    def read(record: int, points: np.ndarray) -> np.ndarray:
        """Reads densities [m2 s rad-1] (point, frequency, direction) of a record."""
        at = np.unravel_index(np.asarray(points), grid)
        fields = places[times[record]]
        values = [ask("grib field", str(path), fields[key], at) for key in bins]
        shape = len(points), len(numbers[0]), len(numbers[1])
        return from_logarithms(np.stack(values, axis=-1).reshape(shape))

    n_all = [len(header.get(editions[header["edition"] - 1][1], ())) for editions in (_FREQUENCY, _DIRECTION)]
    is_part = any(len(given) < n for given, n in zip(numbers, n_all, strict=True))
    frequency = _values(header, _FREQUENCY, numbers[0])
    direction = _values(header, _DIRECTION, numbers[1])
    return SpectraFile(
        Path(path),
        ecmwf_frequencies(np.array(numbers[0])) if frequency is None else frequency,
        ecmwf_directions(np.array(numbers[1])) if direction is None else np.radians(direction),
        longitude,
        latitude,
        np.array(times, "datetime64[ms]"),
        read,
        warning=f"{path} has {len(numbers[0])} of {n_all[0]} frequencies and {len(numbers[1])} of {n_all[1]} "
        "directions: the energy between them is interpolated."
        if is_part
        else "",
        missing_is_calm=True,
    )


def _repetition_error(
    path: str | os.PathLike[str],
    time: np.datetime64,
    bin_numbers: tuple[Any, Any],
    first: Field,
    second: Field,
) -> InputError:
    """Returns the error for two fields of the same bin and time, which chooses one of both by the first key
    in which they differ."""
    frequency, direction = bin_numbers
    label = (
        f"{path}: frequency {frequency}, direction {direction} of the spectra at {format_time(time)} UTC is"
        " given twice, as of several members or forecasts."
    )
    for key in RECORD_KEYS:
        value = first.value(key)
        if value is not None and value != second.value(key):
            return ChoiceError(f"{label} Choose one: select: {{{key}: {value}}}.", select={key: value})
    return InputError(f"{label} Give a file of one (grib_copy -w).")


def _only_grid(
    path: str | os.PathLike[str], used: Collection[int], grids: Sequence[Mapping[str, Any]]
) -> tuple[int, ...]:
    """Returns the shape of the grid of the spectra: rows and columns, or points."""
    grid = grids[next(iter(used))]
    if len(used) > 1 or grid.get("alternativeRowScanning") or grid.get("jPointsAreConsecutive"):
        raise InputError(f"{path}: the spectra are on several grids, or not in rows. Give one grid in rows.")
    n, rows, columns = (grid.get(name) for name in ("numberOfDataPoints", "Nj", "Ni"))
    return (rows, columns) if rows and columns and rows * columns == n else (int(n or 0),)


def _values(
    header: Mapping[str, Any], editions: Sequence[tuple[str, str, str]], numbers: Sequence[int]
) -> np.ndarray | None:
    """Returns the values of the bins with the given numbers from 1; None if the header does not list them."""
    _, values, factor = editions[header["edition"] - 1]
    if not header.get(values) or max(numbers) > len(header[values]):
        return None
    scale = 1 / header[factor] if header["edition"] == 1 else 10.0 ** -header[factor]
    return np.array(header[values], float)[np.array(numbers) - 1] * scale
