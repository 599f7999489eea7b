"""The calls in a DUMPI file (SST), which has those of one rank."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from halcyon.base import InputError
from halcyon.schedule.trace.dumpi_calls import CALLS
from halcyon.schedule.trace.events import damaged

_MAGIC = bytes([0xFF, 0xAA, 0xDD]) + b"DUMPI"
_NAMES, _LAYOUTS = zip(*(word.split(":") for word in CALLS.split()), strict=True)
_INTEGERS = {
    "b": struct.Struct(">b"),
    "h": struct.Struct(">h"),
    "i": struct.Struct(">i"),
    "q": struct.Struct(">q"),
}
_STATUS, _CPU, _WALL, _THREAD, _COUNTERS = 0b11, 1 << 2, 1 << 3, 1 << 6, 1 << 7  # bits of a call's mask
_TIMES = struct.Struct(">HIHI")  # seconds and nanoseconds of the beginning and the end
# Sizes [bytes] of the first data types, from `error` to MPI_LONG_DOUBLE_INT, where the file has none.
_TYPE_BYTES = (0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20)


class Call(NamedTuple):
    """A profiled call of MPI."""

    name: str
    values: list[Any]
    statuses: list[tuple[int, int, int]]  # (bytes, source, tag)
    begin_ns: int
    end_ns: int


class RankFile:
    """The calls of a file."""

    def __init__(self, rank: int, file: Path) -> None:
        self.rank, self.file = rank, file
        self._data = file.read_bytes()
        self._position = 0
        if self._data[:8] != _MAGIC:
            raise InputError(f"{file} is not a DUMPI trace. Give the meta file of DUMPI traces.")
        self._read_index()

    def fail(self, problem: str) -> InputError:
        return damaged(str(self.file), self.rank, problem)

    def _read_index(self) -> None:
        """Finds the sections from the record at the end of the file, whose oldest form has four offsets."""
        words = struct.unpack(">8Q", self._data[-64:]) if len(self._data) >= 72 else ()
        magic = int.from_bytes(_MAGIC, "big")
        if magic not in words[:4]:
            raise self.fail("its index is missing, so it is cut off")
        sections = words[words.index(magic) + 1 :]
        header, self._body = sections[-4], sections[-3]
        if not 8 <= self._body < len(self._data) or not 8 <= header < len(self._data) - 3:
            raise self.fail("its index is wrong")
        self._version = tuple(self._data[header : header + 3])
        self.type_bytes = dict(enumerate(_TYPE_BYTES))
        if len(sections) == 7 and sections[0] > 0:
            self._position = sections[0]
            sizes = self._values("I")[0]
            self.type_bytes |= {number: size for number, size in enumerate(sizes) if size > 0}

    def _integer(self, code: str) -> int:
        layout = _INTEGERS[code]
        try:
            (value,) = layout.unpack_from(self._data, self._position)
        except struct.error:
            raise self.fail("it is cut off") from None
        self._position += layout.size
        return value

    def _bytes(self, n: int) -> bytes:
        if n < 0 or self._position + n > len(self._data):
            raise self.fail("it is cut off")
        self._position += n
        return self._data[self._position - n : self._position]

    def _array(self, code: str) -> list[int]:
        n = self._integer("i")
        size = _INTEGERS[code].size
        return list(struct.unpack(f">{max(n, 0)}{code}", self._bytes(n * size)))

    def _values(self, codes: str) -> list[Any]:
        values: list[Any] = []
        skips = False
        for code in codes:
            if code == "?":
                skips = values[0] != values[-2]
            elif code == ";":
                skips = False
            elif skips:
                continue
            elif code in _INTEGERS:
                values.append(self._integer(code))
            elif code in "BHI":
                values.append(self._array(code.lower()))
            elif code == "J":
                values.append([self._array("i") for _ in range(self._integer("i"))])
            elif code == "S":
                values.append(self._bytes(self._integer("i")))
            elif code == "A":
                values.append([self._bytes(self._integer("i")) for _ in range(self._integer("i"))])
        return values

    def _statuses(self) -> list[tuple[int, int, int]]:
        statuses = []
        for _ in range(self._integer("i")):
            size, source = self._integer("i"), self._integer("i")
            self._bytes(2)  # flags: cancelled, error
            statuses.append((size, source, self._integer("i") if self._version >= (0, 6, 3) else -1))
        return statuses

    def _layout(self, name: str, layout: str) -> str:
        """The layout of the arguments in this version of the format."""
        if name == "type_struct" and self._version < (0, 6, 9):
            return "iIiHh"
        if name == "cart_get" and self._version < (0, 6, 8):
            return "ihiIIi"
        if name == "init" and self._version < (0, 6, 2):
            return "iA"
        return layout

    def calls(self) -> Iterator[Call]:
        """The calls up to the end of the stream."""
        self._position = self._body
        biases = self._integer("i"), self._integer("i")  # of CPU and wall time [s]; differences cancel them
        del biases
        while True:
            number = self._integer("h")
            if not 0 <= number < len(_NAMES):
                raise self.fail(f"there is no call {number}")
            name = _NAMES[number]
            if name == "end_of_stream":
                return
            mask = self._integer("b") & 0xFF
            if mask & _THREAD:
                self._integer("h")
            begin_ns = end_ns = 0
            for clock in (_CPU, _WALL):
                if mask & clock:  # wall time if there is one
                    begin_s, begin_ns, end_s, end_ns = _TIMES.unpack(self._bytes(_TIMES.size))
                    begin_ns, end_ns = begin_ns + begin_s * 10**9, end_ns + end_s * 10**9
            if mask & _COUNTERS:
                self._bytes(16 * (self._integer("b") & 0xFF))
            layout = self._layout(name, _LAYOUTS[number])
            if layout == "!":
                raise InputError(
                    f"{self.file}: rank {self.rank} calls MPI_{name.capitalize()}, which cannot be replayed."
                )
            before, has_statuses, after = layout.partition("s")
            values = self._values(before)
            statuses = self._statuses() if has_statuses and mask & _STATUS else []
            yield Call(name, values + self._values(after), statuses, begin_ns, end_ns)
