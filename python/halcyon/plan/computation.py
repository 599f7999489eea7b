"""What a step of the wave model costs a core of this machine, by the cells that it has."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.base import InputError, cache_folder
from halcyon.bench.wave_cost import Sea, on_ranks

LEVELS = (1, 2, 3, 4, 5)  # 42 to 10,242 cells: beyond, all lies in memory
REPETITIONS = 5
LISTS = ("cells", "transport", "sources")


@dataclass(frozen=True)
class Computation:
    """CPU times [s] of a cell and bin in a step of transport and of the sources, by cells of a patch, and how
    many ranks of a node computed at once; None where that is not known."""

    cells: tuple[float, ...]
    transport: tuple[float, ...]
    sources: tuple[float, ...]
    ranks_at_once: int | None = None

    def transport_s(self, cells: float) -> float:
        """Of a cell and bin in a patch of so many cells; outside of what was measured, as at its end."""
        return self._at(cells, self.transport)

    def sources_s(self, cells: float) -> float:
        """The same of the source terms."""
        return self._at(cells, self.sources)

    def _at(self, cells: float, values: tuple[float, ...]) -> float:
        return float(np.interp(np.log(max(cells, 1)), np.log(self.cells), values))


def measured(sea: Sea, *, ranks_at_once: int, say: Callable[[str], None]) -> Computation:
    """The cost on this machine, by `halcyon.bench.wave_cost`, on so many ranks at once, each with a uniform
    mesh of few to many cells of its own: they share what a node's cores share, its memory above all.

    Kept in the cache by the library and the processor, where it is found again. What cannot be read there is
    measured anew, and what cannot be written is said."""
    path = _kept_in(sea, ranks_at_once)
    try:
        return read(path)
    except InputError as error:
        if path.exists():
            say(f"measuring anew: {error}")
    costs: dict[str, list[float]] = {name: [] for name in LISTS}
    for level in LEVELS:
        n_cells = 10 * 4**level + 2
        many = f" on each of {ranks_at_once} ranks at once" if ranks_at_once > 1 else ""
        say(f"measuring computation on {n_cells:,} cells{many}")
        cost_ns = on_ranks(ranks_at_once, sea, level=level, repetitions=REPETITIONS, apart=True)
        costs["cells"].append(n_cells)
        costs["transport"].append(1e-9 * cost_ns["transport"])
        costs["sources"].append(1e-9 * cost_ns["sources"])
    found = Computation(*(tuple(costs[name]) for name in LISTS), ranks_at_once)
    _keep(path, found, say)
    return found


def read(path: Path) -> Computation:
    """Costs from a JSON file of `cells`, `transport` and `sources`, lists of numbers of one length, and
    `ranks_at_once` where that is known. Raises InputError where it has none."""
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} has no costs of computation ({error}). {_FORM}") from None
    if not isinstance(data, dict):
        raise InputError(f"{path} has no costs of computation, but {type(data).__name__}. {_FORM}")
    cells, transport, sources = (_numbers(path, data, name) for name in LISTS)
    if not len(cells) == len(transport) == len(sources) > 0:
        lengths = f"{len(cells)}, {len(transport)} and {len(sources)}"
        raise InputError(
            f"{path}: cells, transport and sources have {lengths} entries. Give as many of each."
        )
    if cells[0] < 1 or any(np.diff(cells) <= 0):
        raise InputError(f"{path}: cells are {list(cells)}, but must ascend from 1 or more.")
    return Computation(cells, transport, sources, _ranks_at_once(path, data))


_FORM = "Write cells, transport and sources [s], lists of numbers of one length, as JSON."


def _numbers(path: Path, data: Mapping[str, Any], name: str) -> tuple[float, ...]:
    values = data.get(name)
    if not isinstance(values, list):
        raise InputError(f"{path}: {name} is {values!r}, which is no list. {_FORM}")
    for value in values:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (is_number and 0 <= value < 1e300):
            raise InputError(f"{path}: {name} has {value!r}. Give numbers of 0 or more.")
    return tuple(values)


def _ranks_at_once(path: Path, data: Mapping[str, Any]) -> int | None:
    value = data.get("ranks_at_once")
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise InputError(
            f"{path}: ranks_at_once is {value!r}. Give an integer of at least 1, or leave it out."
        )
    return value


def _keep(path: Path, found: Computation, say: Callable[[str], None]) -> None:
    """Whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(vars(found)))
        os.replace(part, path)
    except OSError as error:
        say(f"warning: the costs cannot be kept in {path.parent} ({error.strerror}).")


def _kept_in(sea: Sea, ranks_at_once: int) -> Path:
    from halcyon import _core

    library = hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()
    made_by = json.dumps([library, _processor(), LEVELS, REPETITIONS])
    mark = hashlib.sha256(made_by.encode()).hexdigest()[:16]
    return cache_folder() / f"wave_cost_{sea.scheme}_{sea.physics}_{sea.depth}_{ranks_at_once}_{mark}.json"


def _processor() -> str:
    """The model of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
