"""Lines and numbers of text files of spectra."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import NoReturn

import numpy as np

from halcyon.base import InputError
from halcyon.wave.text_file import read_content

_SHORT_EXPONENT = re.compile(r"(\d)([+-]\d{3})$")  # Fortran writes 0.1E-100 as 0.1-100


def read_lines(path: Path, kind: str) -> list[str]:
    """Returns the lines of a text file. Raises InputError as `read_content`."""
    return read_content(path, kind).decode("utf-8", errors="replace").splitlines()


def to_number(word: str) -> float:
    """Returns the number of a word, also in Fortran's forms `1.0D-3` and `0.1-100`. Raises ValueError for
    other words, and for infinite numbers."""
    try:
        number = float(word)
    except ValueError:
        number = float(_SHORT_EXPONENT.sub(r"\1E\2", word).upper().replace("D", "E"))
    if math.isinf(number):
        raise ValueError(word)
    return number


class Lines:
    """The lines of a file, read one after the other. name: of the format, such as "SWAN's format"; comment:
    beginning of lines that are left out."""

    def __init__(self, path: Path, name: str, comment: str = "\0") -> None:
        self._path, self._name = path, name
        lines = read_lines(path, f"spectra in {name}")
        self._lines = [(i, line.strip()) for i, line in enumerate(lines, 1) if not line.startswith(comment)]
        self._position = 0

    def has_more(self) -> bool:
        """Returns whether there is a next line that is not empty."""
        return self._position < len(self._lines) and bool(self.peek())

    def peek(self) -> str:
        """Returns the next line without moving on, or an empty text at the end."""
        return self._lines[self._position][1] if self._position < len(self._lines) else ""

    def next(self, *words: str) -> str:
        """Returns the next line and moves on; if words are given, the line must begin with one of them."""
        line = self.peek()
        if not line or (words and not line.startswith(words)):
            self.fail(" or ".join(words) or "another line")
        self._position += 1
        return line

    def numbers(self, count: int) -> list[float]:
        """Returns the first `count` numbers of the next line and moves on."""
        words = self.next().split()[:count]
        try:
            numbers = [to_number(word) for word in words]
        except ValueError:
            numbers = []
        if len(numbers) < count:
            self._position -= 1
            self.fail(f"{count} number{'s' * (count > 1)}")
        return numbers

    def time(self, date: str, clock: str, example: str) -> np.datetime64:
        """Returns the time, datetime64[ms], of a date `yyyymmdd` and a clock `hhmmss` of the next line, and
        moves on. example: of a line, for errors."""
        try:
            day = f"{date[:4]}-{date[4:6]}-{date[6:]}"
            time = np.datetime64(f"{day}T{clock[:2]}:{clock[2:4]}:{clock[4:]}", "ms")
        except ValueError:
            self.fail(f"a time such as {example}")
        self.next()
        return time

    def block(self, count: int) -> list[float]:
        """Returns `count` numbers of the next lines, all of which must belong to them, and moves on."""
        numbers: list[float] = []
        while len(numbers) < count:
            try:
                words = self.next().split()
                numbers += map(to_number, words)
            except ValueError:
                words = [""] * (count + 1)
            if len(numbers) > count or len(words) > count:
                self._position -= 1
                self.fail(f"{count} numbers")
        return numbers

    def fail(self, expected: str) -> NoReturn:
        """Raises InputError for the next line."""
        if self._position >= len(self._lines):
            raise InputError(f"{self._path} ends where {expected} should be, in {self._name}.")
        line, text = self._lines[self._position]
        raise InputError(
            f"{self._path}:{line}: '{text[:40]}' stands where {expected} should be, in {self._name}."
        )
