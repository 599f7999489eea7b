"""The files besides the mesh that a run reads, and that make it the run that it is."""

from __future__ import annotations

from pathlib import Path

from halcyon.config.atmosphere import AtmosphereCase
from halcyon.config.case import Case, FromRestart
from halcyon.config.forcing import TrackWind
from halcyon.config.initial import FromFile
from halcyon.config.run_case import RunCase
from halcyon.config.spectral import SpectralCase
from halcyon.run.boundary import spectra_of
from halcyon.run.forcing_files import files_of


def input_files(case: RunCase) -> dict[str, list[Path]]:
    """By the option that names them; of the files of fields those alone whose records the run needs.

    Raises ConfigError and InputError for files that do not serve the run."""
    if not isinstance(case, Case):
        return _of_start(case)
    found = files_of(case)
    if isinstance(case.forcing.wind, TrackWind):
        found["forcing.wind.track"] = [case.forcing.wind.track]
    if case.boundary is not None:
        found["boundary.files"] = spectra_of(case).paths
    if isinstance(case.initial, FromRestart):
        found["initial.file"] = [case.initial.file]
    for i, nest in enumerate(case.output.nests):
        found[f"output.nests[{i}]"] = [nest.points or nest.mesh]
    return found


def _of_start(case: AtmosphereCase | SpectralCase) -> dict[str, list[Path]]:
    if not isinstance(case.initial, FromFile):
        return {}
    from halcyon.run.start_file import check_start

    check_start(case)
    found = {"initial.file": [case.initial.file]}
    if case.initial.ground is not None:
        found["initial.ground"] = [case.initial.ground]
    return found
