"""Schedules of the exchanges of a spectral model, for any number of ranks."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

import numpy as np

from halcyon import schedule
from halcyon._core import semi_lagrangian as _core_lagrangian
from halcyon._core.transform import SphereSets
from halcyon.base import ConfigError
from halcyon.config.spectral import Gaussian
from halcyon.config.workload import SpectralExchange
from halcyon.config.yaml_source import errors_at
from halcyon.decomposition import Volumes

if TYPE_CHECKING:
    from halcyon.schedule import Schedule
    from halcyon.transform import Grid

ALGORITHMS = {"at_once": "burst", "in_order": "ring-1"}  # order of messages: algorithm of an all-to-all
_PAIR = 4  # numbers: a complex coefficient of vorticity, and one of divergence


@functools.lru_cache(maxsize=4)
def gaussian_grid(truncation: int, grid: str) -> Grid:
    """The grid of a case with this truncation and `mesh.grid`."""
    return Gaussian(truncation=truncation, grid=grid).gaussian_grid


@functools.lru_cache(maxsize=64)
def sphere_sets(truncation: int, grid: str, sets: tuple[int, int]) -> SphereSets:
    """The distribution of transforms over V x W sets. Raises ConfigError for too many sets."""
    return SphereSets(gaussian_grid(truncation, grid).core, truncation, sets)


def exchange_schedule(work: SpectralExchange, ranks: int) -> Schedule:
    """The schedule of one exchange of a spectral model. Raises ConfigError for sets that do not fit."""
    v, w = work.sets
    with errors_at("workload", "sets"):
        if v * w != ranks:
            raise ConfigError(f"workload.sets = [{v}, {w}] makes {v * w} ranks, but ranks = {ranks}.")
        sets = sphere_sets(work.truncation, work.grid, (v, w))
    if work.exchange == "halo":
        with errors_at("workload", "width"):
            return schedule.messages(_halo_volumes(work), order=work.order)
    algorithm = ALGORITHMS[work.order]
    if work.exchange == "modes":
        return schedule.alltoall(ranks, _mode_bytes(work, sets), algorithm=algorithm, groups=(v, w))
    shares_coefficients = work.exchange == "transform"
    return sets.schedule("synthesis", work.fields, shares_coefficients, algorithm, work.precision // 8)


def _halo_volumes(work: SpectralExchange) -> Volumes:
    """Bytes of a wide halo of columns on the distribution of the transforms. Raises ConfigError for a halo of
    more than all rows."""
    n_rows = gaussian_grid(work.truncation, work.grid).core.n_rows
    if work.width > n_rows:
        raise ConfigError(f"workload.width is {work.width}. Give 3 to the {n_rows} rows.")
    return _volumes(
        work.truncation, work.grid, tuple(work.sets), work.width, work.precision // 8 * work.fields
    )


@functools.lru_cache(maxsize=8)  # a plan simulates each halo with several orders of messages
def _volumes(truncation: int, grid: str, sets: tuple[int, int], width: int, column_bytes: int) -> Volumes:
    core_grid = gaussian_grid(truncation, grid).core
    w_of_row = sphere_sets(truncation, grid, sets).w_of_row.tolist()
    threads = os.cpu_count() or 1
    return Volumes(
        *_core_lagrangian.wide_volumes_of_sets(core_grid, w_of_row, sets, width, column_bytes, threads)
    )


def _mode_bytes(work: SpectralExchange, sets: SphereSets) -> np.ndarray:
    """Bytes (from, to) by which the vertical modes of the W set with most coefficients are distributed."""
    n_sets = work.sets[0]
    coefficients = np.diff(np.arange(n_sets + 1) * int(sets.coefficients.max()) // n_sets)
    modes = np.diff(np.arange(n_sets + 1) * work.fields // n_sets)
    return _PAIR * work.precision // 8 * np.outer(coefficients, modes)
