"""Checks that truncated files and files with flipped bits are detected, or that the damage is harmless."""

import numpy as np
from netCDF4 import Dataset

from halcyon.base import InputError
from halcyon.io import verify

TRAILER = 31  # bytes of the digest after a netCDF-4 file, which can be lost without harm


def contents(path):
    """The bytes of every variable of a file, by name."""
    with Dataset(path) as file:
        file.set_auto_mask(False)
        return {name: file[name][:].tobytes() for name in file.variables}


def is_found(path):
    """Whether `verify` detects the damage of a file and names the file."""
    try:
        verify(str(path))
    except InputError as error:
        assert str(path) in str(error)
        return True
    return False


def check_cuts(file, copy, n):
    """Truncates a copy to n sizes: each must be detected."""
    data = file.read_bytes()
    for size in range(0, len(data) - TRAILER, 1 + len(data) // n):
        copy.write_bytes(data[:size])
        assert is_found(copy), size


def check_flips(file, copy, n):
    """Flips n bits of a copy, one at a time: each must be detected or harmless. Returns the number
    detected."""
    expected, found = contents(file), 0
    copy.write_bytes(file.read_bytes())
    for bit in np.random.default_rng(5).choice(8 * file.stat().st_size, n, replace=False):
        _flip(copy, int(bit))
        if is_found(copy):
            found += 1
        else:
            assert contents(copy) == expected, bit
        _flip(copy, int(bit))
    return found


def _flip(path, bit):
    """Flips one bit of a file; a second call restores it."""
    with path.open("r+b") as file:
        file.seek(bit // 8)
        byte = file.read(1)[0]
        file.seek(bit // 8)
        file.write(bytes([byte ^ 1 << bit % 8]))
