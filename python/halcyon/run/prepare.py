"""Checks before a run: input files, whether the run can be resumed, the number of ranks."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np

from halcyon.base import ConfigError, InputError
from halcyon.config.case import Case
from halcyon.config.forcing import Storms
from halcyon.config.mesh import GeneratedMesh
from halcyon.config.mesh_file import count_cells
from halcyon.config.run_case import RunCase
from halcyon.config.spectral import SpectralCase
from halcyon.launch.output_file import output_file
from halcyon.mesh import read_partition
from halcyon.run.folder import identity_of_finished
from halcyon.run.input.storms import Box, check_storms, tracks_of
from halcyon.run.output.files import require_restart_files
from halcyon.run.state.identity import checked_input_files, options_of
from halcyon.run.state.restart_state import require_same_run


def check_forcing(case: RunCase) -> None:
    """Checks the input files. Raises InputError if the track is unreadable, does not cover the run, or stays
    outside the region; ConfigError or InputError if files of fields or spectra are unsuitable."""
    checked_input_files(case)  # for its errors
    if not isinstance(case, Case) or not isinstance(case.forcing.wind, Storms):
        return
    check_storms(case, tracks_of(case, perturbed=False), region_of(case))


def region_of(case: Case) -> Box:
    """The region of the mesh of a case: west, east, south, north [degrees]; the globe if it is not known."""
    if not isinstance(case.mesh, GeneratedMesh) or not case.mesh.region:
        return -180.0, 180.0, -90.0, 90.0
    box = case.mesh.region
    return box.west, box.east, box.south, box.north


def check_recording_file(case: RunCase, recording_file: Path | None) -> None:
    """Raises ConfigError if the file of `--record`, to which the run writes its messages at its end, is not
    writable."""
    if recording_file is None:
        return
    if recording_file.resolve().parent == case.folder.resolve() and not recording_file.exists():
        return  # the output folder will be created
    try:
        output_file(recording_file, [case.path])  # for its errors
    except ConfigError as error:
        raise ConfigError(f"--record {error}") from None


def can_resume(case: RunCase) -> bool:
    """As `is_unfinished`; prints a line if there is nothing to resume."""
    if is_unfinished(case):
        return True
    print(f"The run in {case.folder} is finished: there is nothing to resume.", flush=True)
    return False


def is_unfinished(case: RunCase) -> bool:
    """Whether the run in the case's folder is unfinished, or is extended by a later `time.end`.

    Raises InputError if there is no restart file, ConfigError if a finished run had other options or input
    files than the case, or a later end."""
    finished_identity = identity_of_finished(case.folder)
    if finished_identity is None:
        require_restart_files(case.folder)
        return True
    options = options_of(case)
    require_same_run(
        case.folder, options, {name: value for name, value in finished_identity.items() if name in options}
    )
    end = datetime.fromisoformat(finished_identity["time.end"])
    if case.time.end > end:
        require_restart_files(case.folder)
        return True
    if case.time.end < end:
        raise ConfigError(
            f"{case.location('time', 'end')}: time.end = {case.time.end.isoformat()}, but the run in"
            f" {case.folder} is finished up to {end.isoformat()}. Give a later time.end to extend it."
        )
    return False


def check_ranks(ranks: int, cells: int) -> None:
    """Raises ConfigError if there are more ranks than cells."""
    if ranks > cells:
        raise ConfigError(
            f"{ranks} ranks are more than the mesh has cells ({cells}). Start at most {cells} ranks."
        )


def default_rank_count(case: RunCase, available: int) -> int:
    """The number of ranks of a run without -n: `available`; for the spectral model V x W if the case gives
    exchange.sets = [V, W], or else at most the largest W, as with V = 1."""
    if not isinstance(case, SpectralCase):
        return available
    if case.exchange.sets != "auto":
        return case.exchange.sets[0] * case.exchange.sets[1]
    _, max_w = case.max_v_and_w
    return min(available, max_w)


def check_sets(case: SpectralCase, ranks: int) -> None:
    """Raises ConfigError if the model cannot be distributed over `ranks` ranks."""
    if case.sets_for(ranks) is not None:
        return
    if case.exchange.sets != "auto":
        v, w = case.exchange.sets
        raise ConfigError(
            f"{case.location('exchange', 'sets')}: exchange.sets = [{v}, {w}] needs {v * w} ranks, but the"
            f" run has {ranks}. Start {v * w} ranks, give two numbers whose product is {ranks}, or 'auto'."
        )
    max_v, max_w = case.max_v_and_w
    raise ConfigError(
        f"{case.location('mesh')}: T{case.mesh.truncation} on {case.mesh.description} cannot be "
        f"distributed over {ranks} ranks: the number of ranks must be a product V x W (exchange.sets) with V "
        f"at most {max_v} and W at most {max_w}. Give -n {max_w} or less, or another such product."
    )


def check_partition(case: RunCase, ranks: int, mesh_file: Path | None) -> None:
    """Checks the number of ranks, the exchange.sets of a spectral case, and the partition file if the case
    names one. Raises the errors of `check_ranks`, `check_sets` and `owners_from_file`."""
    if isinstance(case, SpectralCase):
        check_sets(case, ranks)
    if mesh_file is None:
        return
    cells = count_cells(mesh_file)
    check_ranks(ranks, cells)
    if case.partition.file is not None:
        owners_from_file(case, ranks, cells)


def owners_from_file(case: RunCase, ranks: int, cells: int) -> np.ndarray:
    """The rank int32 (cell) of each cell, from the partition file of the case.

    Raises InputError if the file is not a partition of the mesh, ConfigError if it is for another number of
    ranks."""
    location = case.location("partition", "file")
    try:
        owners = read_partition(case.partition.file, cells)
    except InputError as error:
        raise InputError(f"{location}: {error}") from None
    parts = int(owners.max()) + 1
    if parts != ranks:
        raise ConfigError(
            f"{location}: {case.partition.file} has {parts} parts, but the run has {ranks} ranks. Start"
            f" {parts} ranks, or write a file for {ranks} ranks with `halcyon partition`."
        )
    return owners
