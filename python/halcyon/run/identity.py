"""What makes a run the run that it is: a restart file goes on with the same one only."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.base import ConfigError, InputError
from halcyon.config.case import Case
from halcyon.config.run_case import RunCase
from halcyon.config.spectral import SpectralCase
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import from_root
from halcyon.run.inputs import input_files

if TYPE_CHECKING:
    from mpi4py import MPI

# Groups and options that change how a run is made or shown, never its results.
_FREE = ("exchange", "partition", "io", "restart", "title", "output.folder", "output.pictures")


def identity(case: RunCase, mesh: LocalMesh | None, step_s: float, comm: MPI.Comm) -> dict[str, Any]:
    """Collective. Names of options, and what they have; files and the mesh by a checksum.

    @param mesh None where the case tells all of it
    @param step_s the step [s], which the case may leave to us
    """
    options = from_root(comm, lambda: options_of(case)) | {"time.step": step_s}
    if mesh is not None:
        options["mesh"] = f"{comm.allreduce(mesh.checksum) % 2**64:016x}"
    return {name: options[name] for name in sorted(options)}


def options_of(case: RunCase) -> dict[str, Any]:
    """The part of the identity that the case alone tells."""
    options = dict(_flat(case.model_dump(mode="json", by_alias=True, exclude={"mesh"})))
    if isinstance(case, Case):
        spectrum = case.mesh.spectrum.model_dump(mode="json")
        options |= {f"mesh.spectrum.{name}": value for name, value in spectrum.items()}
    if isinstance(case, SpectralCase):
        options |= {"mesh.truncation": case.mesh.truncation, "mesh.grid": case.mesh.named}
    options |= {name: [_file_checksum(p) for p in paths] for name, paths in input_files(case).items()}
    if case.time.step == "auto":
        del options["time.step"]
    return {name: value for name, value in options.items() if not _is_free(name)}


def require_same(place: Path, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Raises ConfigError where the identity of this run and of the one at a place differ."""
    found = differences(ours, theirs)
    if found:
        raise ConfigError(
            f"{place} is of another run: {'; '.join(found)}. Resume it with the case and the options that it"
            " had (run.json names them), or start anew without --resume."
        )


def differences(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Texts for all that differs between this run and the one of a restart file."""
    names = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    said = "not given"
    return [f"{name} = {ours.get(name, said)}, there {theirs.get(name, said)}" for name in names]


def _file_checksum(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None


def _flat(options: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in options.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _is_free(name: str) -> bool:
    return any(name == free or name.startswith(f"{free}.") for free in _FREE)
