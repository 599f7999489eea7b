"""Writes GRIB2 messages with ecCodes: a program that `grib_file` starts.

python -P grib_encoder.py PATH    reads messages from standard input and writes them to PATH. A message is a
line of JSON with ecCodes keys, in the order in which they must be set, and then Ni x Nj doubles, row by row,
NaN where missing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import BinaryIO

import eccodes
import numpy as np

SAMPLE = "regular_ll_sfc_grib2"
MISSING = 1e30


def main(path: str) -> None:
    with open(path, "wb") as out:
        for line in sys.stdin.buffer:
            keys = json.loads(line)
            values = np.frombuffer(sys.stdin.buffer.read(8 * keys["Ni"] * keys["Nj"]), dtype="<f8")
            write(out, keys, values)


def write(out: BinaryIO, keys: Mapping[str, int | float], values: np.ndarray) -> None:
    """Writes one message."""
    message = eccodes.codes_grib_new_from_samples(SAMPLE)
    try:
        for name, value in keys.items():
            eccodes.codes_set(message, name, value)
        eccodes.codes_set(message, "missingValue", MISSING)
        eccodes.codes_set_values(message, np.where(np.isnan(values), MISSING, values))
        eccodes.codes_write(message, out)
    finally:
        eccodes.codes_release(message)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (OSError, eccodes.CodesInternalError) as error:
        sys.exit(str(getattr(error, "strerror", None) or error))
