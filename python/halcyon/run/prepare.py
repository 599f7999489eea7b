"""What is checked before the ranks compute: input, what is left to do, whether ranks can share the case."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from halcyon.base import ConfigError, InputError
from halcyon.config.case import Case
from halcyon.config.forcing import TrackWind
from halcyon.config.mesh import MadeMesh
from halcyon.config.mesh_file import count_cells
from halcyon.config.run_case import RunCase
from halcyon.config.spectral import SpectralCase
from halcyon.launch.output_file import output_file
from halcyon.mesh import read_partition
from halcyon.run.folder import identity_of_finished
from halcyon.run.input.forcing import track_of
from halcyon.run.output.files import restart_files
from halcyon.run.state.identity import input_files, options_of
from halcyon.run.state.restart_state import require_same


def check_forcing(case: RunCase) -> None:
    """Raises InputError when the track cannot be read, does not cover the run, or stays out of the region;
    ConfigError and InputError when files of fields or spectra do not serve the run."""
    input_files(case)
    if not isinstance(case, Case) or not isinstance(case.forcing.wind, TrackWind):
        return
    region = (-180.0, 180.0, -90.0, 90.0)
    if isinstance(case.mesh, MadeMesh) and case.mesh.region:
        box = case.mesh.region
        region = (box.west, box.east, box.south, box.north)
    track_of(case).check(case.time.start, case.time.end, region)


def check_record(case: RunCase, record: Path | None) -> None:
    """Raises ConfigError where a run, which may take hours, could not write its record at its end."""
    if record is None or (record.resolve().parent == case.folder.resolve() and not record.exists()):
        return  # the folder of the results will be made
    try:
        output_file(record, [case.path])
    except ConfigError as error:
        raise ConfigError(f"--record {error}") from None


def remains(case: RunCase) -> bool:
    """Whether the run in the case's folder can go on; where it is finished, this is said.

    Raises InputError when there is no restart file; ConfigError when a finished run is another one."""
    finished = identity_of_finished(case.folder)
    if finished is None:
        restart_files(case.folder)
        return True
    ours = options_of(case)
    require_same(case.folder, ours, {name: value for name, value in finished.items() if name in ours})
    print(f"The run in {case.folder} is finished: there is nothing to resume.", flush=True)
    return False


def check_ranks(ranks: int, cells: int) -> None:
    """Raises ConfigError when there are more ranks than cells."""
    if ranks > cells:
        raise ConfigError(
            f"{ranks} ranks are more than the mesh has cells ({cells}). Start at most {cells} ranks."
        )


def ranks_of(case: RunCase, default: int) -> int:
    """How many ranks a run has unless it is told, where others have `default`: those of its sets; at most as
    many as share a spectral model without V sets."""
    if not isinstance(case, SpectralCase):
        return default
    if case.exchange.sets != "auto":
        return case.exchange.sets[0] * case.exchange.sets[1]
    return min(default, case.max_sets[1])


def check_sets(case: SpectralCase, ranks: int) -> None:
    """Raises ConfigError where so many ranks cannot share the case."""
    if case.sets_for(ranks) is not None:
        return
    if case.exchange.sets != "auto":
        v, w = case.exchange.sets
        raise ConfigError(
            f"{case.place('exchange', 'sets')}: exchange.sets = [{v}, {w}] are {v * w} ranks, but the run has"
            f" {ranks}. Start {v * w}, give two numbers whose product is {ranks}, or 'auto'."
        )
    most_v, most_w = case.max_sets
    raise ConfigError(
        f"{case.place('mesh')}: T{case.mesh.truncation} on {case.mesh.description} cannot be shared by {ranks}"
        f" ranks: they are no product of V sets, {most_v} at most, and W sets, {most_w} at most. Give"
        f" -n {most_w} or less, or such a product."
    )


def check_partition(case: RunCase, ranks: int, mesh: Path | None) -> None:
    """Raises as `check_ranks`, and as `owners_of_file` where the case names one; as `check_sets` for a case
    of the spectral model."""
    if isinstance(case, SpectralCase):
        check_sets(case, ranks)
    if mesh is None:
        return
    cells = count_cells(mesh)
    check_ranks(ranks, cells)
    if case.partition.file is not None:
        owners_of_file(case, ranks, cells)


def owners_of_file(case: RunCase, ranks: int, cells: int) -> np.ndarray:
    """The rank int32 (cell) of each cell as the file of the partition says.

    Raises InputError for a file that is no partition of the mesh; ConfigError for other ranks than it has."""
    place = case.place("partition", "file")
    try:
        owners = read_partition(case.partition.file, cells)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
    parts = int(owners.max()) + 1
    if parts != ranks:
        raise ConfigError(
            f"{place}: {case.partition.file} has {parts} parts, but the run {ranks} ranks. Start {parts}"
            f" ranks, or make a file for {ranks} by `halcyon partition`."
        )
    return owners
