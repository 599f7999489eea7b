"""Schedules of the workload `traffic`: messages by a pattern, or by a matrix of bytes."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING

import numpy as np

from halcyon import schedule
from halcyon.base import ConfigError, InputError, require_regular_file
from halcyon.config.yaml_source import errors_at

if TYPE_CHECKING:
    from pathlib import Path

    from halcyon.config.workload import Traffic
    from halcyon.schedule import Schedule


def traffic_schedule(work: Traffic, ranks: int) -> Schedule:
    """The schedule of a traffic pattern. Raises ConfigError for a number of ranks that the pattern does not
    have, InputError for an invalid file of a matrix."""
    if work.pattern != "matrix" and work.file is not None:
        with errors_at("workload", "file"):
            raise ConfigError(
                f"file is used by the pattern matrix only, not by {work.pattern}. Leave it out."
            )
    if work.pattern == "matrix":
        with errors_at("workload", "file"):
            if work.file is None:
                raise ConfigError("file is missing. Give a file of the matrix.")
            one = schedule.traffic(_read_matrix(work.file), compute_s=work.computation)
        if one.n_ranks != ranks:
            raise ConfigError(f"ranks = {ranks}, but the matrix in {work.file} has {one.n_ranks} rows.")
    else:
        one = schedule.traffic_to(_receivers(work, ranks), work.message_bytes, compute_s=work.computation)
    return one if work.repetitions == 1 else schedule.repeated(one, work.repetitions)


def _receivers(work: Traffic, n: int) -> np.ndarray:
    """The receiver of each rank's message; itself for none."""
    rank = np.arange(n)
    match work.pattern:
        case "incast":
            if work.targets >= n:
                with errors_at("workload", "targets"):
                    raise ConfigError(f"targets = {work.targets}, but ranks = {n}. Give fewer targets.")
            return np.where(rank < work.targets, rank, rank % min(work.targets, n))
        case "shift":
            if work.shift % n == 0:
                with errors_at("workload", "shift"):
                    raise ConfigError(
                        f"shift = {work.shift} with ranks = {n}: each rank would send to itself."
                    )
            return (rank + work.shift) % n
        case "complement":
            return n - 1 - rank
        case "random":
            order = np.random.default_rng(work.seed).permutation(n)  # a cycle, so that no rank is left out
            receivers = np.empty(n, np.int64)
            receivers[order] = np.roll(order, -1)
            return receivers
    side = math.isqrt(n)
    if side * side != n:
        with errors_at("workload", "pattern"):
            raise ConfigError(f"the pattern transpose needs a square number of ranks, such as {side * side}.")
    return rank % side * side + rank // side


def _read_matrix(file: Path) -> np.ndarray:
    require_regular_file(file, "a matrix of bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of an empty file, which is an error here
            matrix = np.load(file, allow_pickle=False) if file.suffix == ".npy" else np.loadtxt(file, ndmin=2)
    except (ValueError, OSError, EOFError, UnicodeDecodeError) as error:
        reason = str(error).partition(";")[0].strip().rstrip(".")
        raise InputError(
            f"{file} is no matrix ({reason}). Give numbers of bytes, one line per sender."
        ) from None
    if matrix.ndim != 2 or matrix.size == 0 or matrix.shape[0] != matrix.shape[1]:
        shape = " x ".join(map(str, matrix.shape))
        raise InputError(f"{file} has {shape} numbers. Give as many lines as numbers per line.")
    return matrix
