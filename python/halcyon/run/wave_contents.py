"""What the files of a run of the wave model hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halcyon import wave
from halcyon.config.case import Case
from halcyon.io.fields_file import OwnedMesh
from halcyon.run.assemble import Parts
from halcyon.run.held import Held
from halcyon.run.record import Contents
from halcyon.run.spectra_records import SpectraRecords, spectra_places
from halcyon.run.station_series import StationSeries

if TYPE_CHECKING:
    from mpi4py import MPI

DEPTH = "depth"
# Of the medium, by the group of forcing that they come from.
MEDIUM = {
    "water_level": "water_level",
    "eastward_current": "current",
    "northward_current": "current",
    "ice_fraction": "ice",
}


def wave_contents(case: Case, parts: Parts, model: wave.Model, comm: MPI.Comm, core_comm: Any) -> Contents:
    """Collective."""
    table = {variable.name: variable for variable in wave.wave_variables()}
    known = [v for v in table.values() if v.output and v.name != DEPTH]
    at_stations = [v for v in known if v.name in case.output.variables or _has(case, v)]
    return Contents(
        part=OwnedMesh.of(parts.mesh),
        fixed=table[DEPTH],
        variables=[table[name] for name in case.output.variables if name != DEPTH],
        series=StationSeries(case, parts, model, comm, at_stations),
        spectra=[
            SpectraRecords(case, each, parts, model, comm, core_comm)
            for each in spectra_places(case, parts, comm)
        ],
        title="Waves",
    )


def wave_state(case: Case, model: wave.Model, comm: MPI.Comm) -> Held:
    """Collective."""
    spectrum = case.mesh.spectrum
    return Held(
        variables=[v for v in wave.wave_variables() if v.restart and _is_held(v, case)],
        sizes=[
            ("cell", comm.allreduce(model.n_owned)),
            ("frequency", spectrum.frequencies),
            ("direction", spectrum.directions),
        ],
        owned={"cell": model.owned_cells},
        array=lambda name: getattr(model, name),
    )


def _has(case: Case, variable: Any) -> bool:
    """Whether a run has a variable at any rate: not what is gathered for files that ask for it, nor what no
    forcing gives."""
    group = MEDIUM.get(variable.name)
    return not variable.restart and (group is None or getattr(case.forcing, group) is not None)


def _is_held(variable: Any, case: Case) -> bool:
    """Whether a run of the case has a variable of a restart: what is gathered for files, only for files."""
    return not variable.output or variable.name in case.output.variables
