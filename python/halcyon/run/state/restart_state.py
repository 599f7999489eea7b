"""The state of a model in restart files: its layout, its reading, and the check of the run that wrote it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import __version__
from halcyon.base import ConfigError, InputError
from halcyon.config.run_case import RunCase
from halcyon.io import IoOptions, Placement, Ranks, Reader, io_ranks, verify
from halcyon.launch.errors import from_root, input_error_on_all_ranks
from halcyon.mesh.data_file import is_grib
from halcyon.mesh.file_reader import is_hdf5, require_readable

if TYPE_CHECKING:
    from mpi4py import MPI

# Global attributes of restart files. A version of Halcyon reads restart files of one layout.
STATE, LAYOUT, IDENTITY = "halcyon_state", "halcyon_layout", "halcyon_identity"
LAYOUT_NUMBER = "1"  # changes with the contents or the meaning of the state
BEFORE_RECORD = "before_record"  # entry of the state: whether the record of its step is yet to be written
# Options that were added, with the values with which runs are those of earlier restart files; the identity
# lacks these values.
ADDED_OPTIONS = {
    "equations.advection": "eulerian",
    "equations.frictional_heating": False,
    "equations.interpolation": "cubic",
    "equations.mass_fixer": True,
    "equations.monotone": False,
    "equations.monotone_tracers": True,
    "equations.moist": False,
    "equations.sharp_vorticity": False,
    "equations.viscosity": 0.0,
    "equations.scalar_viscosity": 0.0,
    "initial.cap_light_winds": False,
    "physics.schemes": [],
    "time.decentring": 0.0,
    "time.solver": "direct",
}
OMITTED_PRECISION = 64  # which the identity of runs of the spectral model lacks, for the same reason
NO_RECORD = -1  # record number of variables without a record dimension, in reads and writes


@dataclass(frozen=True)
class RestartState:
    """The state of a model that its restart files hold. The first dimension of each variable is distributed
    over the ranks, such as `cell`; its items on a rank are the owned items."""

    variables: list[Any]  # rows of the variable table
    sizes: list[tuple[str, int]]  # sizes of all dimensions of the variables
    owned: dict[str, np.ndarray]  # global ids of the owned items, by first dimension
    array_of: Callable[[str], np.ndarray]  # returns the model's array (owned item, ...) of a variable

    @property
    def n_bytes(self) -> int:
        """Size of the state over all ranks."""
        sizes = dict(self.sizes)
        return sum(
            self.array_of(v.name).itemsize * prod(sizes[name] for name in v.dimensions)
            for v in self.variables
        )

    def variables_on(self, dimension: str) -> list[Any]:
        """The variables whose first dimension is `dimension`."""
        return [variable for variable in self.variables if variable.dimensions[0] == dimension]

    def ranks(self, case: RunCase, core_comm: Any) -> Ranks:
        """Collective. The I/O ranks of restart files."""
        return io_ranks(core_comm, IoOptions(**case.io.model_dump()), n_bytes=self.n_bytes)

    def placements(self, ranks: Ranks) -> dict[str, Placement]:
        """Collective. The positions of the owned items in the file, by first dimension."""
        sizes = dict(self.sizes)
        return {name: Placement(ranks, ids, sizes[name]) for name, ids in self.owned.items()}

    def missing_in(self, reader: Reader) -> list[str]:
        """Names of the variables that a file lacks."""
        names = reader.schema.names
        return [variable.name for variable in self.variables if variable.name not in names]

    def read(
        self,
        reader: Reader,
        placements: Mapping[str, Placement],
        array_of: Callable[[str], np.ndarray] | None = None,
        skipped: Collection[str] = (),
    ) -> None:
        """Collective. Reads each variable, except `skipped`, into the array `array_of(name)`, by default the
        model's array."""
        array_of = array_of or self.array_of
        for name, placement in placements.items():
            for variable in self.variables_on(name):
                if variable.name not in skipped:
                    reader.read(NO_RECORD, placement, [(variable.name, array_of(variable.name))])


def is_restart(path: Path) -> bool:
    """Whether a file is a Halcyon restart file. Raises InputError if it cannot be read."""
    from netCDF4 import Dataset

    if Path(path).is_dir() or is_grib(path):
        return False
    if is_hdf5(path):
        require_readable(path)
    try:
        with Dataset(path) as file:
            return STATE in file.ncattrs()
    except OSError as error:
        raise InputError(f"{path} cannot be read as netCDF: {error.strerror or error}.") from None


def open_restart(ranks: Ranks, path: Path, comm: MPI.Comm) -> tuple[Reader, dict[str, Any], dict[str, Any]]:
    """Collective. Opens a restart file and returns its reader, state and identity. Raises InputError if the
    file is not a complete restart file, ConfigError if its layout is of an incompatible version."""
    from_root(comm, lambda: _require_checksums(path))
    with input_error_on_all_ranks(comm):
        reader = Reader(ranks, str(path))
    _require_layout(path, reader)
    return reader, json.loads(reader.text("", STATE)), json.loads(reader.text("", IDENTITY))


def _require_checksums(path: Path) -> None:
    """Raises InputError for a file that is damaged, or is a restart file without checksums."""
    verified = verify(str(path))
    if is_restart(path) and not (verified.header_checked and verified.n_checked == verified.n_variables):
        raise InputError(
            f"{path} has checksums of {verified.n_checked} of its {verified.n_variables} variables, so damage"
            " would not be noticed. Give the file as the run wrote it."
        )


def _require_layout(path: Path, reader: Reader) -> None:
    """Raises InputError for a file that is not a restart file, ConfigError for one with another layout."""
    if _attribute(reader, STATE) is None:
        raise InputError(f"{path} is not a Halcyon restart file.")
    layout = _attribute(reader, LAYOUT)
    if layout != LAYOUT_NUMBER:
        raise ConfigError(
            f"{path} was written by {_attribute(reader, 'source')}. Its layout"
            f" ({layout or 'without a number'}) is incompatible with Halcyon {__version__}, which reads"
            f" layout {LAYOUT_NUMBER}. Resume with the version that wrote it, or start the run again without"
            " this file."
        )


def require_variables(path: Path, reader: Reader, missing: list[str]) -> None:
    """Raises ConfigError if a restart file lacks variables of the state of this version."""
    if missing:
        raise ConfigError(
            f"{path} was written by {_attribute(reader, 'source')}, without {' and '.join(missing)}, which"
            f" Halcyon {__version__} keeps from step to step. Resume with the version that wrote it, or start"
            " the run again without this file."
        )


def _attribute(reader: Reader, name: str) -> str | None:
    """A global text attribute of a file, or None."""
    try:
        return reader.text("", name)
    except InputError:
        return None


def require_same_run(path: Path, run_identity: Mapping[str, Any], file_identity: Mapping[str, Any]) -> None:
    """Raises ConfigError if the identity of this run differs from `file_identity`, that of the run in a
    restart file or folder. The end of the run may differ, and with it the number of forcing files."""
    identities = [dict(run_identity), dict(file_identity)]
    ends = [identity.pop("time.end", None) for identity in identities]
    if ends[0] != ends[1]:
        for name in [name for name in run_identity if name.endswith(".files")]:
            ours, theirs = (identity.get(name) or [] for identity in identities)
            if {*ours} <= {*theirs} or {*theirs} <= {*ours}:
                identities = [{**identity, name: None} for identity in identities]
    differing = differences(*identities)
    if differing:
        raise ConfigError(
            f"{path} belongs to another run: {'; '.join(differing)}. Resume that run with its own case and"
            " options (see run.json), or start a new run with --overwrite instead of --resume, or in another"
            " folder by --output."
        )


def require_later_end(case: RunCase, path: Path, state: Mapping[str, Any]) -> None:
    """Raises ConfigError if the run of the case ends before the state of a restart file, or at that time
    unless the state is that of the end of a run."""
    time = datetime.fromisoformat(state["time"])
    if time < case.time.end or (time == case.time.end and state.get(BEFORE_RECORD, False)):
        return
    raise ConfigError(
        f"{case.location('time', 'end')}: time.end = {case.time.end.isoformat()} is not after the state of"
        f" {path}, {time.isoformat()}. Give a later time.end, or start a new run with --overwrite instead of"
        " --resume, or in another folder by --output."
    )


def differences(run_identity: Mapping[str, Any], file_identity: Mapping[str, Any]) -> list[str]:
    """A text for each option that differs between this run and the run that wrote a restart file."""
    names = sorted(
        name
        for name in run_identity.keys() | file_identity.keys()
        if run_identity.get(name) != file_identity.get(name)
    )
    return [
        f"{name} = {_value_text(run_identity, name)} instead of {_value_text(file_identity, name)}"
        for name in names
    ]


def _value_text(identity: Mapping[str, Any], name: str) -> str:
    """The value of an option as in YAML."""
    omitted = ADDED_OPTIONS | {"equations.precision": OMITTED_PRECISION}
    value = identity.get(name, omitted.get(name, "unset"))
    return str(value).lower() if isinstance(value, bool) else str(value)


def require_compatible(
    case: RunCase,
    state: Mapping[str, Any],
    run_identity: Mapping[str, Any],
    file_identity: Mapping[str, Any],
    is_required: Callable[[str], bool],
    advice: str = "",
) -> None:
    """Raises ConfigError if the restart file `initial.file` is for another time than the start of the run, or
    differs in an option that is required to be equal.

    @param state state of the file
    @param is_required whether the option of this name must be equal
    @param advice end of the error text
    """
    differing = differences(
        *(
            {name: value for name, value in identity.items() if is_required(name)}
            for identity in (run_identity, file_identity)
        )
    )
    if state["time"] != case.time.start.isoformat():
        differing.append(f"time.start = {case.time.start.isoformat()} instead of {state['time']}")
    if differing:
        location = case.location("initial", "file")
        raise ConfigError(
            f"{location}: {case.initial.file} does not match this run: {'; '.join(differing)}.{advice}"
        )
