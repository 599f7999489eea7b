"""Text files as tables of words, with the number of each line."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halcyon.base import InputError

_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?)?Z?")


@dataclass(frozen=True)
class Table:
    """The words of a file: of its first line, and of each other, with the numbers of those lines."""

    path: Path
    header: list[str]
    rows: list[list[str]]
    lines: list[int]

    def chosen(self, records):
        """The rows of these numbers."""
        return Table(
            self.path, self.header, [self.rows[i] for i in records], [self.lines[i] for i in records]
        )

    def place(self, record):
        """Where a row stands in its file, as `track.csv:12`."""
        return f"{self.path}:{self.lines[record]}"

    def require_widths(self):
        """Raises InputError where a row has more or fewer words than the header."""
        for row, line in zip(self.rows, self.lines, strict=True):
            if len(row) != len(self.header):
                raise InputError(
                    f"{self.path}:{line}: {len(row)} values where {len(self.header)} columns are named."
                )


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
    (_, header), *others = lines
    return Table(path, words_of(header), [words_of(line) for _, line in others], [n for n, _ in others])


def _nothing_text(path):
    return f"{path}: the track has no records. Give a line of column names and a line a record."


class Column:
    """One column of the file, and how to make numbers or times of it."""

    def __init__(self, table, name):
        self.path, self.name, self.lines = table.path, name, table.lines
        index = table.header.index(name)
        self.cells = [row[index] for row in table.rows]

    def fail(self, record, what):
        raise InputError(f"{self.path}:{self.lines[record]}: {self.name} is '{self.cells[record]}'; {what}.")

    def times(self):
        values = []
        for record, cell in enumerate(self.cells):
            values.append(self._time(record, cell))
            if record and values[-1] <= values[-2]:
                self.fail(record, f"it must come after {values[-2]} of the record before")
        return np.array(values)

    def _time(self, record, cell):
        try:
            if _TIME.fullmatch(cell):
                return np.datetime64(cell.removesuffix("Z"), "s")
        except ValueError:
            pass
        self.fail(record, "give it as 2022-09-01T06:00, in UTC")

    def numbers(self, lowest, highest, *, needed=False):
        return np.array([self._number(record, lowest, highest, needed) for record in range(len(self.cells))])

    def _number(self, record, lowest, highest, needed):
        cell = self.cells[record]
        if not cell and not needed:
            return np.nan
        try:
            value = float(cell)
        except ValueError:
            self.fail(record, "it must be a number")
        if not lowest <= value <= highest:
            self.fail(record, f"it must be a number from {lowest:g} to {highest:g}")
        return value if needed or value != 0 else np.nan
