"""Text files as tables, with line numbers."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from halcyon.base import InputError, decoded
from halcyon.wave.text_file import read_content


@dataclass(frozen=True)
class Row:
    """A line of a file: its location, as `track.csv:12`, its number, and its words {column name: text}."""

    location: str
    line: int
    words: dict[str, str]

    def number(self, name: str, fill: float = -99) -> float:
        """Returns the number in a column, NaN if there is no such column; fill: see `number`."""
        return number(self.words.get(name, ""), self.location, name, fill)


@dataclass(frozen=True)
class Table:
    """The column names of a file, and its rows."""

    path: Path
    header: list[str]
    rows: list[Row]


def number(text: str, location: str, name: str, fill: float = -99) -> float:
    """Parses a number; NaN for an empty text, `nan` or a fill value: `fill` or less of digits 9 only, such as
    -99 and -999. Raises InputError if invalid."""
    if text.lower() in ("", "nan"):
        return math.nan
    try:
        value = float(text)
    except ValueError:
        value = math.inf
    if not math.isfinite(value):
        raise InputError(f"{location}: {name} is '{text[:40]}'; it must be a number.")
    return math.nan if value <= fill and set(f"{-value:g}") == {"9"} else value


def numbered_lines(path: Path) -> list[tuple[int, str]]:
    """Returns the lines of a text file, which may be compressed by gzip, with their numbers, without blank
    lines and lines that start with #.

    Raises InputError as `read_content`, if the file is not UTF-8, and if there is no such line."""
    text = decoded(path, read_content(path, "a track"), "a track")
    lines = [(line_number, line) for line_number, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = [(line_number, line) for line_number, line in lines if not line.lstrip().startswith("#")]
    if not lines:
        raise InputError(_empty_text(path))
    return lines


def split_line(line: str, location: str) -> list[str]:
    """Splits a CSV line into stripped words. Raises InputError, with `location`, for an invalid line."""
    try:
        return [word.strip() for word in next(csv.reader([line]))]
    except csv.Error as error:
        raise InputError(f"{location}: this is not a line of CSV: {error}. Correct it.") from None


def make_table(path: Path, lines: Sequence[tuple[int, str]]) -> Table:
    """Makes a table of numbered lines (number, text), of which the first has the column names. Raises
    InputError if there is no other line, or a line has another number of words."""
    if len(lines) < 2:
        raise InputError(_empty_text(path))
    header, rows = split_line(lines[0][1], f"{path}:{lines[0][0]}"), []
    for line, text in lines[1:]:
        words = split_line(text, f"{path}:{line}")
        if len(words) != len(header):
            raise InputError(f"{path}:{line}: {len(words)} values where {len(header)} columns are named.")
        rows.append(Row(f"{path}:{line}", line, dict(zip(header, words, strict=True))))
    return Table(path, header, rows)


def _empty_text(path: Path) -> str:
    return f"{path}: the track has no records. Give one line of column names and one line per record."
