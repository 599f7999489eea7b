"""Text files as tables, with line numbers."""

import csv
import math
from dataclasses import dataclass
from pathlib import Path

from halcyon.base import InputError


@dataclass(frozen=True)
class Row:
    """A line of a file: its location, as `track.csv:12`, its number, and its words {column name: text}."""

    location: str
    line: int
    words: dict[str, str]

    def number(self, name):
        """Returns the number in a column, NaN if there is no such column."""
        return number(self.words.get(name, ""), self.location, name)


@dataclass(frozen=True)
class Table:
    """The column names of a file, and its rows."""

    path: Path
    header: list[str]
    rows: list[Row]


def number(text, location, name):
    """Parses a number; NaN for an empty text or a fill value (-99 or less). Raises InputError if invalid."""
    if not text:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{location}: {name} is '{text}'; it must be a number.") from None
    return math.nan if value <= -99 else value


def numbered_lines(path):
    """Returns the lines of a text file with their numbers, without blank lines and lines that start with #.

    Raises InputError if the file cannot be read or has no such line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text file"
        raise InputError(f"{path}: the track cannot be read: {reason}.") from None
    lines = [(line_number, line) for line_number, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = [(line_number, line) for line_number, line in lines if not line.lstrip().startswith("#")]
    if not lines:
        raise InputError(_empty_text(path))
    return lines


def split_line(line):
    """Splits a CSV line into stripped words."""
    return [word.strip() for word in next(csv.reader([line]))]


def make_table(path, lines) -> Table:
    """Makes a table of numbered lines (number, text), of which the first has the column names. Raises
    InputError if there is no other line, or a line has another number of words."""
    if len(lines) < 2:
        raise InputError(_empty_text(path))
    header, rows = split_line(lines[0][1]), []
    for line, text in lines[1:]:
        words = split_line(text)
        if len(words) != len(header):
            raise InputError(f"{path}:{line}: {len(words)} values where {len(header)} columns are named.")
        rows.append(Row(f"{path}:{line}", line, dict(zip(header, words, strict=True))))
    return Table(path, header, rows)


def _empty_text(path):
    return f"{path}: the track has no records. Give one line of column names and one line per record."
