"""From a case file to a checked case."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from halcyon.base import ConfigError
from halcyon.config.air_checks import atmosphere_findings, spectral_findings
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.config.case import Case
from halcyon.config.checks import findings
from halcyon.config.error_texts import Finding, mistakes
from halcyon.config.initial import written_out
from halcyon.config.mesh import FileMesh, MadeMesh, Mesh
from halcyon.config.mesh_checks import mesh_findings
from halcyon.config.option import Group, option
from halcyon.config.run_case import RunCase
from halcyon.config.spectral import SpectralCase
from halcyon.config.yaml_source import Source, apply, location_of, read_source

Checked = TypeVar("Checked", bound=Group)


MODELS = {  # the case of each, and what finds its mistakes; the wave model's where none is named
    "atmosphere": (AtmosphereCase, atmosphere_findings),
    "spectral": (SpectralCase, spectral_findings),
    "wave": (Case, findings),
}


def load_case(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> RunCase:
    """Reads and checks a case of any model.

    @param overrides of single options, each `option=value`, such as `time.step=600`
    @raises ConfigError with one line a mistake, each naming file and line (or the override), the value that
        was given and what is allowed
    """
    path = Path(path)
    source = _source(path, overrides)
    model = source.data.get("model")
    kind, mistakes_of = MODELS.get(model if isinstance(model, str) else "wave", MODELS["wave"])
    case = checked(kind, path, source).placed_at(path.absolute(), source)
    require_none(mistakes_of(case), source)
    return case


def load_mesh(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> MadeMesh | None:
    """Reads and checks a file that has only `mesh:`; None where it has more, and so is a case.

    @raises ConfigError as `load_case`, and where the mesh is one that exists
    """
    path = Path(path)
    source = _source(path, overrides)
    if set(source.data) != {"mesh"}:
        return None
    mesh = checked(MeshFile, path, source).mesh
    require_none(mesh_findings(mesh), source)
    if isinstance(mesh, FileMesh):
        raise ConfigError(f"{path}: mesh.file exists already; `halcyon mesh info` says what it is like.")
    return mesh


class MeshFile(Group):
    """A file with nothing but a mesh."""

    mesh: Mesh = option("The mesh.", allowed="a group with 'spacing', 'level' or 'points'")


def _source(path: Path, overrides: Sequence[str]) -> Source:
    source = read_source(path, str(path))
    _write_out(source)
    for override in overrides:
        apply(source, override)
        _write_out(source)
    return source


def _write_out(source: Source) -> None:
    """Writes out what `equations: shallow_water` and `initial: FILE` stand for."""
    if source.data.get("model") not in ("atmosphere", "spectral"):
        return
    if isinstance(source.data.get("equations"), str):
        source.data["equations"] = {"set": source.data["equations"]}
    if "initial" in source.data:
        source.data["initial"] = written_out(source.data["initial"])


def checked(model: type[Checked], path: Path, source: Source) -> Checked:
    """The options of a file that has been read. Raises ConfigError with one line a mistake.

    It is raised where pydantic's error is gone: that keeps the frames of all callers, and Python's garbage
    collector does not see through it, so that whoever kept our error would never be freed."""
    try:
        return model.model_validate(source.data, context={"folder": path.absolute().parent})
    except ValidationError as error:
        lines = mistakes(error, model, source)
    raise _error(lines)


def require_none(found: Iterable[Finding], source: Source) -> None:
    """Raises ConfigError with one line a mistake, where any was found."""
    wrong = [f"{source.place(location_of(option, option))}: {text}" for option, text in found]
    if wrong:
        raise _error(wrong)


def _error(lines: list[str]) -> ConfigError:
    """One error for all mistakes, one a line."""
    head = [f"the case has {len(lines)} mistakes:"] if len(lines) > 1 else []
    return ConfigError("\n".join([*head, *lines]))
