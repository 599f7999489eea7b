"""Fits the model of a file system to measured accesses of files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from halcyon.config.machine import FileSystem
from halcyon.simulate.file_system import Access, access_parts_s, total_s

_FITTED = {
    "file_time": 1e-3,
    "open_time": 1e-4,
    "rank_bandwidth": 1e9,
    "bandwidth": 1e9,
    "range_time": 1e-7,
}  # initial values
_RANGE = 1e4  # a value may differ from its initial value by this factor


@dataclass(frozen=True)
class FileFit:
    """A fitted file system of one server: its options, and the modelled time of each access [s]."""

    options: Mapping[str, float]
    modelled_s: tuple[float, ...]
    undetermined: tuple[str, ...]  # options that the times do not determine: at the limit of their range


def fit_file_system(accesses: Sequence[Access], measured_s: Sequence[float]) -> FileFit:
    """Fits the times per file and per process that opens it, the bandwidths of a process and of the server,
    and the time per range: robust least squares of the logarithms of modelled over measured times. Requests
    and locks of a single server cannot be separated from its bandwidth, and take no time."""
    from scipy.optimize import least_squares

    start = np.log([*_FITTED.values()])
    target = np.log(measured_s)

    def modelled_s(logarithms: np.ndarray) -> list[float]:
        system = _system(logarithms)
        return [total_s(access_parts_s(system, each, math.inf)) for each in accesses]

    found = least_squares(
        lambda x: np.log(modelled_s(x)) - target,
        start,
        bounds=(start - math.log(_RANGE), start + math.log(_RANGE)),
        loss="soft_l1",
        f_scale=0.1,
    )
    at_limit = np.abs(found.x - start) > 0.99 * math.log(_RANGE)
    undetermined = tuple(name for name, limited in zip(_FITTED, at_limit, strict=True) if limited)
    return FileFit(_options(found.x), tuple(modelled_s(found.x)), undetermined)


def _options(logarithms: np.ndarray) -> dict[str, float]:
    values = (float(f"{value:.3g}") for value in np.exp(logarithms))
    fixed = {"servers": 1, "request_time": 0.0, "lock_time": 0.0}
    return fixed | dict(zip(_FITTED, values, strict=True))


def _system(logarithms: np.ndarray) -> FileSystem:
    return FileSystem(servers=1, request_time=0.0, lock_time=0.0).model_copy(
        update=dict(zip(_FITTED, map(float, np.exp(logarithms)), strict=True))
    )
