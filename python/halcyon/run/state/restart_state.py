"""The part of a model's state that restart files hold: where it lies, how it is read, whose it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import __version__
from halcyon.base import ConfigError, InputError
from halcyon.config.run_case import RunCase
from halcyon.io import IoOptions, Placement, Ranks, Reader, io_ranks, verify
from halcyon.launch.errors import from_root, input_agreed

if TYPE_CHECKING:
    from mpi4py import MPI

# Attributes of restart files; the layout says whether a Halcyon can go on from one.
STATE, LAYOUT, IDENTITY = "halcyon_state", "halcyon_layout", "halcyon_identity"
LAYOUT_NUMBER = "1"  # another where what a state holds, or its meaning, changes


@dataclass(frozen=True)
class RestartState:
    """The part of a model's state that its restart files hold.

    variables: rows of its table; sizes: of all their dimensions; owned: by the first dimension the global ids
    of this rank's items; array: what the model has of a variable (owned item, ...), to read and to write.
    """

    variables: list[Any]
    sizes: list[tuple[str, int]]
    owned: dict[str, np.ndarray]
    array: Callable[[str], np.ndarray]

    @property
    def n_bytes(self) -> int:
        """Of all ranks together."""
        sizes = dict(self.sizes)
        return sum(
            self.array(v.name).itemsize * prod(sizes[name] for name in v.dimensions) for v in self.variables
        )

    def on(self, dimension: str) -> list[Any]:
        """The variables whose items are those of a dimension."""
        return [variable for variable in self.variables if variable.dimensions[0] == dimension]

    def ranks(self, case: RunCase, core_comm: Any) -> Ranks:
        """Collective. Those that touch its files."""
        return io_ranks(core_comm, IoOptions(**case.io.model_dump()), n_bytes=self.n_bytes)

    def placements(self, ranks: Ranks) -> dict[str, Placement]:
        """Collective. Where the owned items lie, by dimension."""
        sizes = dict(self.sizes)
        return {name: Placement(ranks, ids, sizes[name]) for name, ids in self.owned.items()}

    def read(
        self,
        reader: Reader,
        placements: Mapping[str, Placement],
        array: Callable[[str], np.ndarray] | None = None,
    ) -> None:
        """Collective. Reads all variables, each into its array, by default that of the model."""
        array = array or self.array
        for name, placement in placements.items():
            for variable in self.on(name):
                reader.read(-1, placement, [(variable.name, array(variable.name))])


def is_restart(path: Path) -> bool:
    """Whether a file is a restart file of Halcyon. Raises InputError where it cannot be read as netCDF."""
    from netCDF4 import Dataset

    try:
        with Dataset(path) as file:
            return STATE in file.ncattrs()
    except OSError as error:
        raise InputError(f"{path} cannot be read as netCDF: {error.strerror or error}.") from None


def open_restart(ranks: Ranks, path: Path, comm: MPI.Comm) -> tuple[Reader, dict[str, Any], dict[str, Any]]:
    """Collective. A file, its state and its identity. Raises InputError where it is no whole restart file,
    ConfigError where another Halcyon's holds it otherwise."""
    from_root(comm, lambda: verify(str(path)) and None)
    with input_agreed(comm):
        reader = Reader(ranks, str(path))
    _require_layout(path, reader)
    return reader, json.loads(reader.text("", STATE)), json.loads(reader.text("", IDENTITY))


def _require_layout(path: Path, reader: Reader) -> None:
    """Raises InputError for a file that is no restart file, ConfigError for one of another layout."""
    if _text(reader, STATE) is None:
        raise InputError(f"{path} is no restart file of Halcyon.")
    layout = _text(reader, LAYOUT)
    if layout != LAYOUT_NUMBER:
        raise ConfigError(
            f"{path} was written by {_text(reader, 'source')}, whose restart files have another layout"
            f" ({layout or 'without a number'}) than those of this Halcyon, {__version__} ({LAYOUT_NUMBER})."
            " Go on with the Halcyon that wrote it, or start the run again without it."
        )


def _text(reader: Reader, name: str) -> str | None:
    """A text of a file as a whole, or None."""
    try:
        return reader.text("", name)
    except InputError:
        return None


def require_same(place: Path, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Raises ConfigError where the identity of this run and of the one at a place differ."""
    found = differences(ours, theirs)
    if found:
        raise ConfigError(
            f"{place} is of another run: {'; '.join(found)}. Resume it with the case and the options that it"
            " had (run.json names them), or start anew without --resume."
        )


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Texts for all that differs between this run and the one of a restart file."""
    names = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    said = "not given"
    return [f"{name} = {ours.get(name, said)}, there {theirs.get(name, said)}" for name in names]


def require_alike(
    case: RunCase,
    state: Mapping[str, Any],
    ours: Mapping[str, Any],
    theirs: Mapping[str, Any],
    matters: Callable[[str], bool],
    *,
    what: str,
    advice: str = "",
) -> None:
    """Raises ConfigError where the file of `initial.file`, with its state and identity, is of another time
    than the run's start, or differs in an option that matters. what: of what kind it is, for the text."""
    found = differences(
        *({name: value for name, value in each.items() if matters(name)} for each in (ours, theirs))
    )
    if state["time"] != case.time.start.isoformat():
        found.append(f"time.start = {case.time.start.isoformat()}, there {state['time']}")
    if found:
        place = case.place("initial", "file")
        raise ConfigError(f"{place}: {case.initial.file} is of another {what}: {'; '.join(found)}.{advice}")
