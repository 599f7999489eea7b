"""What a step of a model costs a core of this machine, by the cells that it has."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halcyon import _core
from halcyon.base import InputError, cache_folder
from halcyon.plan.model import Computation, Model

LEVELS = (1, 2, 3, 4, 5)  # 42 to 10,242 cells: beyond, all lies in memory
REPETITIONS = 5


def measured(model: Model, *, ranks_at_once: int, say: Callable[[str], None]) -> Computation:
    """The cost on this machine, by the model's benchmark, on so many ranks at once, each with a uniform mesh
    of few to many cells of its own: they share what a node's cores share, its memory above all.

    Kept in the cache by the library and the processor, where it is found again. What cannot be read there is
    measured anew, and what cannot be written is said."""
    path = _kept_in(model, ranks_at_once)
    try:
        return read(path, model.PARTS)
    except InputError as error:
        if path.exists():
            say(f"measuring anew: {error}")
    costs: dict[str, list[float]] = {part: [] for part in model.PARTS}
    cells = [10 * 4**level + 2 for level in LEVELS]
    for level, n_cells in zip(LEVELS, cells, strict=True):
        many = f" on each of {ranks_at_once} ranks at once" if ranks_at_once > 1 else ""
        say(f"measuring computation on {n_cells:,} cells{many}")
        found = model.cost_s(ranks_at_once, level)
        for part, costs_of_part in costs.items():
            costs_of_part.append(found[part])
    parts = {part: tuple(values) for part, values in costs.items()}
    computation = Computation(tuple(cells), parts, ranks_at_once)
    _keep(path, computation, say)
    return computation


def read(path: Path, parts: Sequence[str]) -> Computation:
    """Costs from a JSON file of `cells` and the parts of a step, lists of numbers of one length, and
    `ranks_at_once` where that is known. Raises InputError where it has none."""
    form = f"Write {listed(('cells', *parts))} [s], lists of numbers of one length, as JSON."
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} has no costs of computation ({error}). {form}") from None
    if not isinstance(data, dict):
        raise InputError(f"{path} has no costs of computation, but {type(data).__name__}. {form}")
    lists = {name: _numbers(path, data, name, form) for name in ("cells", *parts)}
    lengths = [len(values) for values in lists.values()]
    if len(set(lengths)) > 1 or lengths[0] == 0:
        raise InputError(
            f"{path}: {listed(lists)} have {listed(lengths)} entries. Give as many of each, at least one."
        )
    cells = lists.pop("cells")
    if cells[0] < 1 or any(np.diff(cells) <= 0):
        raise InputError(f"{path}: cells are {list(cells)}, but must ascend from 1 or more.")
    at_once = data.get("ranks_at_once")
    if at_once is not None and (not isinstance(at_once, int) or isinstance(at_once, bool) or at_once < 1):
        text = f"ranks_at_once is {at_once!r}. Give an integer of at least 1, or leave it out."
        raise InputError(f"{path}: {text}")
    return Computation(cells, lists, at_once)


def listed(items: Iterable[object]) -> str:
    """Such as: a, b and c."""
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}" if first else last


def _numbers(path: Path, data: Mapping[str, Any], name: str, form: str) -> tuple[float, ...]:
    values = data.get(name)
    if not isinstance(values, list):
        raise InputError(f"{path}: {name} is {values!r}, which is no list. {form}")
    for value in values:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (is_number and 0 <= value < 1e300):
            raise InputError(f"{path}: {name} has {value!r}. Give numbers of 0 or more.")
    return tuple(values)


def _keep(path: Path, found: Computation, say: Callable[[str], None]) -> None:
    """Whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(found.as_json()))
        os.replace(part, path)
    except OSError as error:
        say(f"warning: the costs cannot be kept in {path.parent} ({error.strerror}).")


def _kept_in(model: Model, ranks_at_once: int) -> Path:
    library = hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()
    made_by = json.dumps([library, _processor(), LEVELS, REPETITIONS])
    mark = hashlib.sha256(made_by.encode()).hexdigest()[:16]
    return cache_folder() / f"{model.cost_name}_{ranks_at_once}_{mark}.json"


def _processor() -> str:
    """The model of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
