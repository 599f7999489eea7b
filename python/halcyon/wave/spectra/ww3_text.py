"""Spectra in text files of WAVEWATCH III: the transfer files of ww3_outp (ITYPE 1, OTYPE 3), named .spec or
.spc. Format: the user manual of version 6.07, point output post-processor, and ww3_outp's write statements.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.wave.spectra.file import SpectraFile, require_directions
from halcyon.wave.spectra.text import Lines
from halcyon.wave.text_file import beginning

_MAGIC = b"'WAVEWATCH III SPECTRA'"
_MOST_VALUES = 1e9
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)")  # numbers of fixed width may touch: `36.75-122.42`
_SAME_POSITION = 0.011  # [degrees]; positions are written with two decimals


def is_ww3_text(path: Path) -> bool:
    """Returns whether a file begins with the header of WAVEWATCH III."""
    return beginning(path).lstrip().startswith(_MAGIC)


def read_ww3_text(path: Path) -> SpectraFile:
    """Reads the spectra of a file. The directions [rad] are those towards which waves propagate, clockwise
    from north (MOD(2.5 PI - TH, 2 PI), where TH is anticlockwise from east); densities [m2 s rad-1] have the
    frequency as the fastest index. Raises InputError, which names the line, for invalid content."""
    lines = Lines(path, "WAVEWATCH III's format")
    shape, n_points = _next_sizes(lines)
    frequency, direction = (np.array(lines.block(n)) for n in shape)
    require_directions(path, np.degrees(direction))
    times, spectra, places = [], [], []
    while lines.has_more():
        date, _, clock = lines.peek().partition(" ")
        times.append(lines.time(date, clock.strip().zfill(6), "20220901 060000"))
        record = []
        for point in range(n_points):
            place = _next_place(lines)
            if len(times) == 1:
                places.append(place)
            elif np.abs(np.subtract(place, places[point])).max() > _SAME_POSITION:
                raise InputError(
                    f"{path}: point {point + 1} moves from {places[point]} to {place} (longitude, latitude)."
                    " Give spectra at fixed points."
                )
            record.append(np.array(lines.block(shape[0] * shape[1])).reshape(shape[::-1]).T)
        spectra.append(record)
    if not spectra:
        lines.fail("a time")
    return SpectraFile.of_arrays(path, frequency, direction, places, times, np.array(spectra))


def _next_sizes(lines: Lines) -> tuple[tuple[int, int], int]:
    """Reads the first line. Returns the numbers of frequencies and directions, and that of points."""
    words = lines.peek()[len(_MAGIC) :].split()[:3]
    sizes = [int(word) for word in words if word.isdigit()]
    if len(sizes) < 3 or min(sizes) < 1 or np.prod(sizes, dtype=float) > _MOST_VALUES:
        lines.fail("the header with the numbers of frequencies, directions and points")
    lines.next()
    return (sizes[0], sizes[1]), sizes[2]


def _next_place(lines: Lines) -> tuple[float, float]:
    """Reads the line of a point: its name in quotes, latitude, longitude, depth and others. Returns longitude
    and latitude [degrees]."""
    text = lines.peek()
    numbers = _NUMBER.findall(text[text.rfind("'") + 1 :])
    if not text.startswith("'") or len(numbers) < 2:
        lines.fail("a point's name in quotes, its latitude and longitude")
    lines.next()
    return float(numbers[1]), float(numbers[0])
