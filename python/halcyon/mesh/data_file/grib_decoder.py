"""Indexes and decodes GRIB files with ecCodes, in the process of `reader_process`.

Formats: WMO, Manual on Codes, volume I.2, FM 92 GRIB edition 1 and 2; "section" and "octet" as there. The
headers of a year of hourly fields differ by their times only: ecCodes reads one header of each kind, and the
times are read here."""

from __future__ import annotations

import contextlib
import datetime
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import eccodes
import numpy as np

HEAD_BYTES = 2048  # read at once at the begin of a message
MAX_SECTION_BYTES = 1 << 24  # of a section that describes a field
SCAN_BYTES = 1 << 20  # pieces in which a message is searched
MEMORY_PER_VALUE = 32  # bytes that decoding needs
MISSING = 1e36
# Octets of section 4 with the end of an interval, from 0, by product definition template.
INTERVAL_END = {8: 34, 9: 47, 10: 35, 11: 37, 12: 36}
FIELD_KEYS = (
    *("edition", "centre", "shortName", "cfVarName", "cfName", "name", "units", "paramId", "discipline"),
    *(
        "parameterCategory",
        "parameterNumber",
        "table2Version",
        "indicatorOfParameter",
        "typeOfLevel",
        "level",
    ),
    *("stepType", "number", "expver", "dataType", "uvRelativeToGrid"),
)
SPECTRUM_ARRAYS = (  # of 2-D wave spectra
    *("scaledFrequencies", "scaledDirections"),
    *("scaledValuesOfWaveFrequencies", "scaledValuesOfWaveDirections"),
)
GRID_KEYS = (
    *("gridType", "numberOfDataPoints", "Ni", "Nj", "iScansNegatively", "jScansPositively"),
    *("jPointsAreConsecutive", "alternativeRowScanning", "latitudeOfFirstGridPointInDegrees"),
    *("longitudeOfFirstGridPointInDegrees", "latitudeOfLastGridPointInDegrees"),
    *("longitudeOfLastGridPointInDegrees", "latitudeOfSouthernPoleInDegrees"),
    *("longitudeOfSouthernPoleInDegrees", "angleOfRotationInDegrees", "DxInMetres", "DyInMetres"),
    *("DiInMetres", "DjInMetres", "LaDInDegrees", "LoVInDegrees", "Latin1InDegrees", "Latin2InDegrees"),
    *("orientationOfTheGridInDegrees", "projectionCentreFlag", "standardParallelInDegrees"),
    *("centralLongitudeInDegrees", "radius", "earthMajorAxis", "earthMinorAxis", "uuidOfHGrid"),
)


def index(path: str, keys: Sequence[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]], np.ndarray]:
    """Returns the headers of the fields of a file, their grids, and where each field is.

    keys: further keys of ecCodes that are read. Returns a list of headers (dict of key to value; among them
    `step_s`, the forecast time [s], and `grid`, the number of the grid), a list of grids (dict of key to
    value), and an int64 array (field, 5): the number of the header, the reference time [s since 1970], the
    begin and the length of the message [bytes], and the number of the field in its message."""
    headers: list[dict[str, Any]] = []
    grids: list[dict[str, Any]] = []
    numbers: dict[bytes, int] = {}
    fields: list[tuple[int, ...]] = []
    with open(path, "rb", buffering=0) as file:
        for begin, length in _messages(file):
            for ordinal, kind, time_s, message in _fields(file, begin, length):
                if kind not in numbers:
                    numbers[kind] = len(headers)
                    header, grid = _header(message(), keys)
                    if grid not in grids:
                        grids.append(grid)
                    headers.append(header | {"grid": grids.index(grid)})
                fields.append((numbers[kind], time_s, begin, length, ordinal))
    return headers, grids, np.array(fields, np.int64).reshape(-1, 5)


def field(path: str, place: Sequence[int], key: Any, memory_bytes: int) -> np.ndarray:
    """Returns a part of the values of a field, float64, NaN where missing: `key` indexes (row, column) in
    scanning order, or (point). place: begin, length and number, see `index`.

    Raises MemoryError where the values need more than `memory_bytes`."""
    with _opened(path, place, memory_bytes) as handle:
        eccodes.codes_set(handle, "missingValue", MISSING)
        values = eccodes.codes_get_values(handle)
        if eccodes.codes_get(handle, "bitmapPresent"):
            values[values == MISSING] = math.nan
        return _in_rows(values, handle)[key]


def points(path: str, place: Sequence[int], memory_bytes: int) -> np.ndarray:
    """Returns the latitudes and longitudes [degrees] (2, point) of a field, in scanning order."""
    with _opened(path, place, memory_bytes) as handle:
        return np.array([eccodes.codes_get_array(handle, name) for name in ("latitudes", "longitudes")])


@contextlib.contextmanager
def _opened(path: str, place: Sequence[int], memory_bytes: int) -> Iterator[int]:
    begin, length, ordinal = map(int, place)
    with open(path, "rb", buffering=0) as file:
        fields = _fields(file, begin, length) if _starts_message(file, begin) else ()
        message = next((message for number, *_, message in fields if number == ordinal), None)
        if message is None:
            raise ValueError(f"no message begins at byte {begin}: the file has changed")
        handle = eccodes.codes_new_from_message(message())
    try:
        if eccodes.codes_get(handle, "numberOfDataPoints") * MEMORY_PER_VALUE > memory_bytes:
            raise MemoryError
        yield handle
    finally:
        eccodes.codes_release(handle)


def _in_rows(values: np.ndarray, handle: int) -> np.ndarray:
    """Returns values (row, column) of a grid in rows, with each row in the same direction; others
    unchanged."""
    n_rows, n_columns = (_value(handle, name) for name in ("Nj", "Ni"))
    if n_rows is None or n_columns is None or n_rows * n_columns != len(values):
        return values
    by_column = eccodes.codes_get(handle, "jPointsAreConsecutive")
    values = values.reshape((n_columns, n_rows) if by_column else (n_rows, n_columns))
    if eccodes.codes_get(handle, "alternativeRowScanning"):
        values[1::2] = values[1::2, ::-1].copy()
    return values.T if by_column else values


def _messages(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Yields the begin and length [bytes] of each message; there may be other bytes between messages."""
    size, position = os.fstat(file.fileno()).st_size, 0
    while (begin := _next_message(file, position, size)) is not None:
        head = _read(file, begin, 16)
        if head[7] not in (1, 2):
            raise ValueError(f"the message at byte {begin} has the edition {head[7]}, allowed are 1 and 2")
        length = int.from_bytes(head[8:16], "big") if head[7] == 2 else _length_of_grib1(file, begin)
        if length < 16 or begin + length > size or _read(file, begin + length - 4, 4) != b"7777":
            raise ValueError(f"the message at byte {begin} was cut short or is damaged")
        yield begin, length
        position = begin + length


def _next_message(file: BinaryIO, position: int, size: int) -> int | None:
    while position + 16 <= size:
        if _starts_message(file, position):
            return position
        found = _read(file, position, min(SCAN_BYTES, size - position)).find(b"GRIB", 1)
        position += found if found > 0 else SCAN_BYTES - 3
    return None


def _starts_message(file: BinaryIO, position: int) -> bool:
    return os.pread(file.fileno(), 4, position) == b"GRIB"


def _length_of_grib1(file: BinaryIO, begin: int) -> int:
    """Returns the length of a message of edition 1. Of large messages (ECMWF's convention) it is stored in
    units of 120 bytes, rounded up, and section 4 has the difference, below 120, in place of its length."""
    length = int.from_bytes(_read(file, begin + 4, 3), "big")
    if not length & 0x800000:
        return length
    position = begin + 8
    flags = _read(file, position + 7, 1)[0]
    for has_section in (True, flags & 0x80, flags & 0x40):
        position += int.from_bytes(_read(file, position, 3), "big") if has_section else 0
    rest = int.from_bytes(_read(file, position, 3), "big")
    return (length & 0x7FFFFF) * 120 - rest + 4 if rest < 120 else length


def _fields(file: BinaryIO, begin: int, length: int) -> Iterator[tuple[int, bytes, int, Callable[[], bytes]]]:
    """Yields the fields of a message: its number in the message, what distinguishes its header from others
    except for the reference time, the reference time [s since 1970], and a function that returns the field as
    a message of its own."""
    head = _read(file, begin, min(HEAD_BYTES, length))
    return (_fields_of_grib1 if head[7] == 1 else _fields_of_grib2)(file, begin, length, head)


def _fields_of_grib1(
    file: BinaryIO, begin: int, length: int, head: bytes
) -> Iterator[tuple[int, bytes, int, Callable[[], bytes]]]:
    size = int.from_bytes(head[8:11], "big")
    product = bytearray(_read(file, begin + 8, size))
    if size < 28:
        raise ValueError(f"section 1 of the message at byte {begin} has {size} bytes")
    time_s = _seconds((product[24] - 1) * 100 + product[12], *product[13:17])
    grid, grid_begin = b"", begin + 8 + size
    if product[7] & 0x80:
        grid = _read(file, grid_begin, int.from_bytes(_read(file, grid_begin, 3), "big"))
    product[12:17], product[24] = bytes(5), 0
    yield 0, bytes(product) + grid, time_s, lambda: _read(file, begin, length, math.inf)


def _fields_of_grib2(
    file: BinaryIO, begin: int, length: int, head: bytes
) -> Iterator[tuple[int, bytes, int, Callable[[], bytes]]]:
    sections, bitmap, position, ordinal = {}, None, begin + 16, 0
    while position < begin + length - 4:
        at = position - begin
        start = head[at : at + 5] if at + 5 <= len(head) else _read(file, position, 5)
        size, number = int.from_bytes(start[:4], "big"), start[4]
        if size < 5 or position + size > begin + length - 4 or not 1 <= number <= 7:
            raise ValueError(f"a section of the message at byte {begin} is damaged")
        sections[number] = position, size
        if number == 7:
            if not {1, 3, 4, 5, 6} <= sections.keys():
                raise ValueError(f"the message at byte {begin} lacks sections")
            if _read(file, sections[6][0] + 5, 1)[0] != 254:  # 254: the bitmap of an earlier field
                bitmap = sections[6]
            if bitmap is None:
                raise ValueError(f"the message at byte {begin} lacks a bitmap")
            of_field = {**sections, 6: bitmap}
            yield ordinal, *_kind_of_grib2(file, begin, of_field, head), _single(file, begin, of_field)
            ordinal += 1
        position += size


def _kind_of_grib2(
    file: BinaryIO, begin: int, sections: Mapping[int, tuple[int, int]], head: bytes
) -> tuple[bytes, int]:
    parts = {
        number: bytearray(_read(file, *sections[number])) for number in (1, 2, 3, 4) if number in sections
    }
    identification, product = parts[1], parts[4]
    if len(identification) < 21 or len(product) < 9:
        raise ValueError(f"a section of the message at byte {begin} is too short")
    time_s = _seconds(int.from_bytes(identification[12:14], "big"), *identification[14:19])
    identification[12:19] = bytes(7)
    end = INTERVAL_END.get(int.from_bytes(product[7:9], "big"))
    if end is not None:
        product[end : end + 7] = bytes(7)
    return head[6:8] + b"".join(parts.values()), time_s


def _single(file: BinaryIO, begin: int, sections: Mapping[int, tuple[int, int]]) -> Callable[[], bytes]:
    """Returns a function that returns one field of a message of edition 2 as a message of its own."""

    def message() -> bytes:
        parts = [_read(file, *sections[number], math.inf) for number in sorted(sections)]
        size = 20 + sum(map(len, parts))
        return b"".join([_read(file, begin, 8), size.to_bytes(8, "big"), *parts, b"7777"])

    return message


def _seconds(year: int, month: int, day: int, hour: int, minute: int, second: int = 0) -> int:
    """Returns a time (year, month, day, hour, minute, second) in seconds since 1970."""
    try:
        return int(datetime.datetime(year, month, day, hour, minute, second, tzinfo=datetime.UTC).timestamp())
    except ValueError as error:
        time = year, month, day, hour, minute, second
        raise ValueError(f"a field has the invalid time {time}: {error}") from None


def _read(file: BinaryIO, position: int, size: int, largest: float = MAX_SECTION_BYTES) -> bytes:
    if size > largest:
        raise ValueError(f"a section at byte {position} has {size} bytes")
    data = os.pread(file.fileno(), size, position)
    while len(data) < size:
        more = os.pread(file.fileno(), size - len(data), position + len(data))
        if not more:
            raise ValueError("the file was cut short")
        data += more
    return data


def _header(message: bytes, keys: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the header and the grid of a field (dicts)."""
    handle = eccodes.codes_new_from_message(message)
    try:
        header = _values(handle, (*FIELD_KEYS, *keys))
        header |= {name: _array(handle, name) for name in SPECTRUM_ARRAYS if name in keys}
        grid = _values(handle, GRID_KEYS)
        arrays = ["pl", "distinctLatitudes"] if str(grid.get("gridType")).endswith("_gg") else ["pl"]
        grid |= {name: _array(handle, name) for name in arrays}
        valid, reference = (
            _seconds_of_date(*(eccodes.codes_get(handle, f"{kind}{part}", int) for part in ("Date", "Time")))
            for kind in ("validity", "data")
        )
        return header | {"step_s": valid - reference, "pv": _array(handle, "pv")}, grid
    finally:
        eccodes.codes_release(handle)


def _seconds_of_date(date: int, time: int) -> int:
    """Returns seconds since 1970 of a date yyyymmdd and a time hhmm."""
    return _seconds(date // 10000, date // 100 % 100, date % 100, time // 100, time % 100)


def _values(handle: int, names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name in names if (value := _value(handle, name)) is not None}


def _value(handle: int, name: str) -> Any:
    """Returns the value of a key, None if it is not defined, missing or an array."""
    try:
        is_missing = eccodes.codes_is_missing(handle, name)
        return (
            None
            if is_missing or eccodes.codes_get_size(handle, name) != 1
            else eccodes.codes_get(handle, name)
        )
    except eccodes.CodesInternalError:
        return None


def _array(handle: int, name: str) -> tuple[Any, ...]:
    """Returns the values of an array as a tuple, empty if the field has no such array."""
    try:
        return tuple(eccodes.codes_get_array(handle, name).tolist())
    except eccodes.CodesInternalError:
        return ()
