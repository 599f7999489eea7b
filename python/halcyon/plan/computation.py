"""Measured computation cost of a model step on a core of this machine, for several numbers of cells."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halcyon import _core
from halcyon.base import InputError, RunError, cache_folder, read_text
from halcyon.mesh.atomic_file import write_file
from halcyon.plan.model import ComputationCost, Model

REPETITIONS = 5


def measure_cost(model: Model, *, ranks_at_once: int, report: Callable[[str], None]) -> ComputationCost:
    """Measures the cost of a step by the model's benchmark, on a number of simultaneous ranks. The ranks
    share the resources of the node, mainly the memory bandwidth; each computes on meshes of increasing size.

    The result is cached per library, processor and number of simultaneous ranks. An unreadable cache entry is
    replaced by a new measurement; a failure to write an entry is reported."""
    path = _cache_path(model, ranks_at_once)
    try:
        return read(path, model.PARTS)
    except InputError as error:
        if path.exists():
            report(f"measuring again: {error}")
    costs: dict[str, list[float]] = {part: [] for part in model.PARTS}
    cells = [model.probe_cells(probe) for probe in model.PROBES]
    for probe, n_cells in zip(model.PROBES, cells, strict=True):
        ranks_text = f" on each of {ranks_at_once} simultaneous ranks" if ranks_at_once > 1 else ""
        report(f"measuring computation on {n_cells:,} cells{ranks_text}")
        cost = model.cost_s(ranks_at_once, probe)
        for part, costs_of_part in costs.items():
            costs_of_part.append(cost[part])
    parts = {part: tuple(values) for part, values in costs.items()}
    computation = ComputationCost(tuple(cells), parts, ranks_at_once)
    _store(path, computation, report)
    return computation


def read(path: Path, parts: Sequence[str]) -> ComputationCost:
    """Reads costs from a JSON file with lists of equal length for `cells` and the parts of a step, and
    optionally `ranks_at_once`. Raises InputError for an invalid file."""
    expected = f"Write {listed(('cells', *parts))} [s] as JSON lists of numbers, of equal length."
    try:
        data = json.loads(read_text(path, "costs of computation"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} has no costs of computation ({error}). {expected}") from None
    if not isinstance(data, dict):
        raise InputError(f"{path} has no costs of computation, but {type(data).__name__}. {expected}")
    lists = {name: _numbers(path, data, name, expected) for name in ("cells", *parts)}
    lengths = [len(values) for values in lists.values()]
    if len(set(lengths)) > 1 or lengths[0] == 0:
        raise InputError(
            f"{path}: {listed(lists)} have {listed(lengths)} entries. Give lists of equal length, of at "
            "least one entry."
        )
    cells = lists.pop("cells")
    if cells[0] < 1 or any(np.diff(cells) <= 0):
        raise InputError(f"{path}: cells are {list(cells)}, but must ascend from 1 or more.")
    n_ranks = data.get("ranks_at_once")
    if n_ranks is not None and (not isinstance(n_ranks, int) or isinstance(n_ranks, bool) or n_ranks < 1):
        text = f"ranks_at_once is {n_ranks!r}. Give an integer of at least 1, or remove it."
        raise InputError(f"{path}: {text}")
    return ComputationCost(cells, lists, n_ranks)


def listed(items: Iterable[object]) -> str:
    """Returns a text such as: a, b and c."""
    *others, last = map(str, items)
    return f"{', '.join(others)} and {last}" if others else last


def _numbers(path: Path, data: Mapping[str, Any], name: str, expected: str) -> tuple[float, ...]:
    values = data.get(name)
    if not isinstance(values, list):
        raise InputError(f"{path}: {name} is {values!r}, which is not a list. {expected}")
    for value in values:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (is_number and 0 <= value < 1e300):
            raise InputError(f"{path}: {name} has {value!r}. Give numbers of 0 or more.")
    return tuple(values)


def _store(path: Path, cost: ComputationCost, report: Callable[[str], None]) -> None:
    """Writes the cache entry atomically."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, lambda part: Path(part).write_text(json.dumps(cost.as_json())))
    except (RunError, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        report(f"warning: the costs cannot be cached in {path.parent} ({reason}).")


def _cache_path(model: Model, ranks_at_once: int) -> Path:
    library = hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()
    dependencies = json.dumps([library, _processor(), model.PROBES, REPETITIONS])
    digest = hashlib.sha256(dependencies.encode()).hexdigest()[:16]
    return cache_folder() / f"{model.cost_name}_{ranks_at_once}_{digest}.json"


def _processor() -> str:
    """Name of the processor of this machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
