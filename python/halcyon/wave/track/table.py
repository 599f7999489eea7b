"""Text files as tables of words, with the number of each line."""

import csv
import math
from dataclasses import dataclass
from pathlib import Path

from halcyon.base import InputError


@dataclass(frozen=True)
class Row:
    """A line of a file, at `track.csv:12`: its words by the names of their columns."""

    place: str
    line: int
    words: dict[str, str]

    def number(self, name):
        """As `number` of a word, "" where there is no such column."""
        return number(self.words.get(name, ""), self.place, name)


@dataclass(frozen=True)
class Table:
    """The words of the first line of a file, and the rows below."""

    path: Path
    header: list[str]
    rows: list[Row]


def number(text, place, name):
    """A number, NaN where the text is empty or a fill value (-99 or below). Raises InputError for others."""
    if not text:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{place}: {name} is '{text}'; it must be a number.") from None
    return math.nan if value <= -99 else value


def numbered_lines(path):
    """The lines of a text file with their numbers, but for blank ones and those that start with #.

    Raises InputError where it cannot be read, or has none."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text file"
        raise InputError(f"{path}: the track cannot be read: {reason}.") from None
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = [(number, line) for number, line in lines if not line.lstrip().startswith("#")]
    if not lines:
        raise InputError(_nothing_text(path))
    return lines


def words_of(line):
    """The words between the commas of a line."""
    return [word.strip() for word in next(csv.reader([line]))]


def table_of(path, lines) -> Table:
    """The table of numbered lines, the first of which names the columns. Raises InputError where no other
    line is there."""
    if len(lines) < 2:
        raise InputError(_nothing_text(path))
    header, rows = words_of(lines[0][1]), []
    for line, text in lines[1:]:
        words = words_of(text)
        if len(words) != len(header):
            raise InputError(f"{path}:{line}: {len(words)} values where {len(header)} columns are named.")
        rows.append(Row(f"{path}:{line}", line, dict(zip(header, words, strict=True))))
    return Table(path, header, rows)


def _nothing_text(path):
    return f"{path}: the track has no records. Give a line of column names and a line a record."
