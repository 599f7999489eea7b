"""The identity of a run: the options and the checksums of input files that determine its results. A run can
be resumed only with an equal identity."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.base import InputError
from halcyon.config.atmosphere import AirCase, AtmosphereCase
from halcyon.config.case import Case, FromRestart
from halcyon.config.forcing import CellWind, Storms
from halcyon.config.initial import FromFile
from halcyon.config.physics import PhysicsScheme
from halcyon.config.run_case import RunCase
from halcyon.config.spectral import SpectralCase
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import from_root
from halcyon.physics import function_text, source_files
from halcyon.run.input.boundary_source import boundary_sources
from halcyon.run.input.forcing import forcing_files
from halcyon.run.start.case_files import check_start
from halcyon.run.state.restart_state import ADDED_OPTIONS, OMITTED_PRECISION

if TYPE_CHECKING:
    from mpi4py import MPI

# Options without effect on the results; the name of a group means all its options.
_WITHOUT_EFFECT = (
    *("exchange", "partition", "io", "restart", "title", "ensemble", "preset"),
    *("output.folder", "output.pictures"),
)


def identity(case: RunCase, mesh: LocalMesh | None, step_s: float, comm: MPI.Comm) -> dict[str, Any]:
    """Collective. The values of the options, by name; files and the mesh are represented by checksums.

    @param mesh None if the case fully determines the mesh or grid
    @param step_s the model step [s], also if `time.step` is auto
    """
    options = from_root(comm, lambda: options_of(case)) | {"time.step": step_s}
    if mesh is not None:
        options["mesh"] = f"{comm.allreduce(mesh.checksum) % 2**64:016x}"
    return {name: options[name] for name in sorted(options)}


def options_of(case: RunCase) -> dict[str, Any]:
    """The part of the identity that depends only on the case and the files that it names."""
    options = dict(_flattened(case.model_dump(mode="json", by_alias=True, exclude={"mesh"})))
    options["output.segment"] = case.output.segment_s
    if isinstance(case, Case):
        spectrum = case.mesh.spectrum.model_dump(mode="json")
        options |= {f"mesh.spectrum.{name}": value for name, value in spectrum.items()}
    if isinstance(case, SpectralCase):
        options |= {"mesh.truncation": case.mesh.truncation, "mesh.grid": case.mesh.grid_identity}
        if case.time.solver == "direct":  # as in restart files from before there were other solvers
            del options["time.tolerance"]
        if case.equations.precision == OMITTED_PRECISION:  # as in those from before there were others
            del options["equations.precision"]
        if not case.tracers:  # as in restart files from before the spectral model had tracers
            del options["tracers"]
    if isinstance(case, AtmosphereCase):
        options |= {f"equations.{name}": value for name, value in case.equations.automatic.items()}
    if isinstance(case, AirCase):
        options["physics"] = _physics(case.physics, case)
    if isinstance(case, Case) and case.physics.schemes:
        options["physics.schemes"] = _physics(case.physics.schemes, case)
    files = checked_input_files(case)
    options |= {name: [_file_checksum(path) for path in paths] for name, paths in files.items()}
    if case.time.step == "auto":
        del options["time.step"]
    for name, value in ADDED_OPTIONS.items():
        if options.get(name) == value:
            del options[name]
    return {name: value for name, value in options.items() if not _has_no_effect(name)}


def checked_input_files(case: RunCase) -> dict[str, list[Path]]:
    """Input files by the option that names the files; of the forcing only files with records that the run
    needs.

    Raises ConfigError or InputError for unsuitable files."""
    if not isinstance(case, Case):
        return _start_files(case)
    files = forcing_files(case)
    if isinstance(case.forcing.wind, CellWind):
        files["forcing.wind.cells"] = [case.forcing.wind.cells]
    if isinstance(case.forcing.wind, Storms):
        for location, storm in case.forcing.wind.storms.items():
            name = ".".join(map(str, ("forcing", "wind", *location)))
            files[f"{name}.track"] = [storm.track]
            if storm.best is not None:
                files[f"{name}.best"] = [storm.best]
    if case.boundary is not None:
        files["boundary.files"] = sorted({path for source in boundary_sources(case) for path in source.paths})
    if isinstance(case.initial, FromRestart):
        files["initial.file"] = [case.initial.file]
    for i, nest in enumerate(case.output.nests):
        files[f"output.nests[{i}]"] = [nest.source] if isinstance(nest.source, Path) else []
    return files


def _start_files(case: RunCase) -> dict[str, list[Path]]:
    if not isinstance(case.initial, FromFile):
        return {}
    assert isinstance(case, AtmosphereCase | SpectralCase)
    check_start(case)
    files = {"initial.file": [case.initial.file]}
    if case.initial.ground is not None:
        files["initial.ground"] = [case.initial.ground]
    return files


def _physics(given: Sequence[PhysicsScheme], case: RunCase) -> Any:
    """The schemes of the physics, with the checksums of their files or functions; one built-in scheme by its
    name."""
    schemes = [
        scheme.model_dump(mode="json", exclude_none=True)
        | {"scheme": ":".join([*_scheme_checksums(scheme.scheme, case), scheme.label])}
        for scheme in given
    ]
    if not schemes:
        return "none"
    return schemes[0]["scheme"] if [*map(len, schemes)] == [1] else schemes


def _scheme_checksums(name: str, case: RunCase) -> list[str]:
    """The checksum of the file, or of the text, of a scheme's function, if it has either."""
    if name in case.functions:
        return [hashlib.sha256(function_text(case.functions[name]).encode()).hexdigest()[:16]]
    return [*map(_file_checksum, source_files(name))]


def _file_checksum(path: Path) -> str:
    """The checksum of the bytes of a file, or of the names and bytes of all files in a folder (Zarr)."""
    try:
        if path.is_dir():
            files = sorted(each for each in path.rglob("*") if each.is_file())
            lines = (f"{each.relative_to(path).as_posix()} {_file_checksum(each)}\n" for each in files)
            return hashlib.sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()[:16]
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None


def _flattened(options: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the dotted name and the value of each option in nested groups."""
    for name, value in options.items():
        if isinstance(value, dict):
            yield from _flattened(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _has_no_effect(name: str) -> bool:
    return any(name == option or name.startswith(f"{option}.") for option in _WITHOUT_EFFECT)
