"""Small GRIB files, written by ecCodes, with fields whose values are known at each point."""

import eccodes
import numpy as np

REGULAR = {
    **{"Ni": 6, "Nj": 4, "latitudeOfFirstGridPointInDegrees": 30, "latitudeOfLastGridPointInDegrees": 15},
    **{"longitudeOfFirstGridPointInDegrees": 100, "longitudeOfLastGridPointInDegrees": 125},
    **{"iDirectionIncrementInDegrees": 5, "jDirectionIncrementInDegrees": 5},
}
U10, V10 = {"paramId": 165}, {"paramId": 166}


def linear(latitude, longitude, *, offset=0.0):
    """A field that is linear in latitude and longitude [degrees]."""
    return offset + 0.1 * (longitude % 360) - 0.2 * latitude


def message(keys, values, *, edition=2):
    """Returns a message (bytes). keys: of ecCodes, set in this order; values: in scanning order, NaN where
    missing."""
    values = np.ravel(np.asarray(values, float))
    handle = eccodes.codes_grib_new_from_samples(f"GRIB{edition}")
    try:
        for key, value in {"date": 20220901, "time": 0, "bitsPerValue": 24, **keys}.items():
            eccodes.codes_set(handle, key, value)
        if np.isnan(values).any():
            eccodes.codes_set(handle, "bitmapPresent", 1)
            eccodes.codes_set(handle, "missingValue", 1e30)
        eccodes.codes_set_values(handle, np.where(np.isnan(values), 1e30, values))
        return eccodes.codes_get_message(handle)
    finally:
        eccodes.codes_release(handle)


def regular_values(*, offset=0.0):
    """The values of `linear` on the grid REGULAR, in scanning order from the north west."""
    latitude, longitude = np.linspace(30, 15, 4), np.linspace(100, 125, 6)
    return linear(*np.meshgrid(latitude, longitude, indexing="ij"), offset=offset)


def write_winds(path, hours=(0, 3, 6), *, grid=REGULAR, values=regular_values, edition=2, **keys):
    """Writes winds at 10 m: the eastward component of `values` plus half an m/s per hour, the northward
    component 3 m/s more."""
    with open(path, "wb") as file:
        for hour in hours:
            date, time = 20220901 + hour // 24, hour % 24 * 100
            for parameter, offset in ((U10, 0.0), (V10, 3.0)):
                given = {**grid, **parameter, "date": date, "time": time, **keys}
                file.write(message(given, values(offset=offset + 0.5 * hour), edition=edition))
    return path


def sections(content):
    """The sections 1 to 7 of a message of edition 2: a list of (number, bytes)."""
    found, position = [], 16
    while content[position : position + 4] != b"7777":
        size = int.from_bytes(content[position : position + 4], "big")
        found.append((content[position + 4], content[position : position + size]))
        position += size
    return found


def joined(first, second):
    """Returns a message of edition 2 with the fields of two messages, of which the second has the grid and
    the bitmap of the first, as NCEP writes both components of the wind."""
    parts = [part for _, part in sections(first)]
    for number, part in sections(second):
        if number in (4, 5, 7):
            parts.append(part)
        if number == 6:
            parts.append((6).to_bytes(4, "big") + bytes([6, 254]))
    size = 20 + sum(map(len, parts))
    return first[:8] + size.to_bytes(8, "big") + b"".join(parts) + b"7777"
