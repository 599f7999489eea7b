"""The differences between two runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from halcyon.api.display import Rows, as_html, as_text
from halcyon.base import InputError
from halcyon.io.compare import Difference, compare


@dataclass(frozen=True)
class Comparison:
    """The differences of the variables of two runs, second minus first, by file."""

    differences: dict[str, list[Difference]]
    notes: list[str]

    @property
    def same_bits(self) -> bool:
        """Whether all values are equal bit by bit."""
        return all(each.same_bits for _, each in self._all())

    def _all(self) -> Iterator[tuple[str, Difference]]:
        for file, of_file in self.differences.items():
            for each in of_file:
                yield file, each

    def _rows(self) -> Rows:
        rows = [(f"{file} {each.name}", _text(each)) for file, each in self._all()]
        return [*rows, *(("note", note) for note in self.notes)]

    def __repr__(self) -> str:
        return as_text("Differences, second minus first", self._rows())

    def _repr_html_(self) -> str:
        return as_html("Differences, second minus first", self._rows())


def _text(each: Difference) -> str:
    if each.same_bits:
        return "equal bits"
    units = "" if each.units in ("", "1") else f" {each.units}"
    text = f"bias {each.bias:.4g}, rms {each.rms:.4g}, largest {each.largest:.4g}{units}"
    return f"{text} at {each.largest_location}" if each.largest_location else text


def compare_folders(first: Sequence[Path], second: Sequence[Path]) -> Comparison:
    """Compares the files of two runs that have the same names. Raises InputError if there are none, or as
    `halcyon.io.compare.compare`."""
    others = {path.name: path for path in second if path.suffix == ".nc"}
    pairs = [(path, others[path.name]) for path in first if path.name in others]
    if not pairs:
        names = ", ".join(path.name for path in first if path.suffix == ".nc")
        raise InputError(f"the runs have no files in common: {names}; {', '.join(others)}.")
    results = {path.name: compare(path, other) for path, other in pairs}
    notes = [note for result in results.values() for note in result.notes]
    return Comparison({name: result.differences for name, result in results.items()}, notes)
