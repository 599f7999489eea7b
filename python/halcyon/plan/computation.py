"""What a step of the wave model costs a core of this machine, by the cells that it has."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from halcyon.base import InputError, cache_folder
from halcyon.bench.wave_cost import Sea, on_ranks

LEVELS = (1, 2, 3, 4, 5)  # 42 to 10,242 cells: beyond, all lies in memory
REPETITIONS = 5


@dataclass(frozen=True)
class Computation:
    """CPU times [s] of a cell and bin in a step of transport and of the sources, by cells of a patch."""

    cells: tuple[int, ...]
    transport: tuple[float, ...]
    sources: tuple[float, ...]

    def transport_s(self, cells: float) -> float:
        """Of a cell and bin in a patch of so many cells; outside of what was measured, as at its end."""
        return self._at(cells, self.transport)

    def sources_s(self, cells: float) -> float:
        """The same of the source terms."""
        return self._at(cells, self.sources)

    def _at(self, cells: float, values: tuple[float, ...]) -> float:
        return float(np.interp(np.log(max(cells, 1)), np.log(self.cells), values))


def measured(sea: Sea, *, say: Callable[[str], None], fresh: bool = False) -> Computation:
    """The cost on one rank of this machine, by `halcyon.bench.wave_cost` on uniform meshes of few to many
    cells; kept in the cache, where it is found again unless `fresh`."""
    path = cache_folder() / f"wave_cost_{sea.scheme}_{sea.physics}.json"
    if path.is_file() and not fresh:
        return read(path)
    cells, transport, sources = [], [], []
    for level in LEVELS:
        say(f"measuring computation on {10 * 4**level + 2:,} cells")
        cost_ns = on_ranks(1, sea, level=level, repetitions=REPETITIONS)
        cells.append(10 * 4**level + 2)
        transport.append(1e-9 * cost_ns["transport"])
        sources.append(1e-9 * cost_ns["sources"])
    found = Computation(tuple(cells), tuple(transport), tuple(sources))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(vars(found)))
    return found


def read(path: Path) -> Computation:
    """Costs from a file of `cells`, `transport` and `sources`, lists of one length. Raises InputError where
    it has none."""
    try:
        lists = json.loads(path.read_text())
        found = Computation(*(tuple(lists[name]) for name in ("cells", "transport", "sources")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} has no costs of computation ({error}). Write cells, transport and sources, lists of one "
            f"length, as JSON."
        ) from None
    lengths = {len(each) for each in vars(found).values()}
    if lengths == {0} or len(lengths) > 1 or any(np.diff(found.cells) <= 0) or min(found.cells) < 1:
        raise InputError(
            f"{path}: cells must ascend from 1 or more, and transport and sources have as many entries."
        )
    return found
