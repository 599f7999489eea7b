"""Loads case files and validates their options."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from halcyon.base import ConfigError
from halcyon.config.air_checks import atmosphere_findings, spectral_findings
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.config.case import Case
from halcyon.config.checks import wave_findings
from halcyon.config.error_texts import Finding, error_lines, numbers_as_texts
from halcyon.config.initial import expand_file_name
from halcyon.config.mesh import FileMesh, GeneratedMesh, Mesh
from halcyon.config.mesh_checks import mesh_findings
from halcyon.config.option import Group, option
from halcyon.config.physics import expand_schemes
from halcyon.config.presets import apply_preset
from halcyon.config.run_case import RunCase
from halcyon.config.spectral import SpectralCase
from halcyon.config.yaml_source import Source, apply_override, parse_location, read_source

Options = TypeVar("Options", bound=Group)


MODELS: dict[
    str, tuple[type[RunCase], Callable[[Any], Iterator[Finding]]]
] = {  # for each value of `model`: the class of the case, and the function that finds its mistakes
    "atmosphere": (AtmosphereCase, atmosphere_findings),
    "spectral": (SpectralCase, spectral_findings),
    "wave": (Case, wave_findings),
}


def load_case(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> RunCase:
    """Reads and validates the case of any model.

    @param overrides values of single options, each `option=value`, such as `time.step=600`
    @raises ConfigError with one line per mistake, which names the file and line (or the override), the given
        value and the allowed values
    """
    path = Path(path)
    return case_of(path, read_case(path, overrides))


def case_of(path: Path, source: Source) -> RunCase:
    """Validates the options of a case, read by `read_case` or given as a `Source`.

    @param path file of the case, which gives it its name and to which names of files are relative
    @raises ConfigError as `load_case`
    """
    expand_shorthands(source)
    model = source.data.get("model")
    if model == "wave":
        apply_preset(source.data)
    case_type, find_mistakes = MODELS.get(model if isinstance(model, str) else "wave", MODELS["wave"])
    case = validated(case_type, path, source).with_location(path.absolute(), source)
    raise_findings(find_mistakes(case), source)
    return case


def load_mesh(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> GeneratedMesh | None:
    """Reads and validates a file with only the group `mesh`. Returns None if the file has other options.

    @raises ConfigError as `load_case`, and if the option mesh.file is given
    """
    path = Path(path)
    source = read_case(path, overrides)
    if set(source.data) != {"mesh"}:
        return None
    mesh = validated(MeshFile, path, source).mesh
    raise_findings(mesh_findings(mesh), source)
    if isinstance(mesh, FileMesh):
        raise ConfigError(
            f"{path}: mesh.file names an existing mesh. `halcyon mesh info` shows its properties."
        )
    return mesh


class MeshFile(Group):
    """A file with only the group `mesh`."""

    mesh: Mesh = option("The mesh.", allowed="a group with 'spacing', 'level' or 'points'")


def read_case(path: Path, overrides: Sequence[str] = ()) -> Source:
    """Reads the options of a file, which are not validated, and applies overrides. Raises ConfigError."""
    source = read_source(path, str(path))
    expand_shorthands(source)
    for override in overrides:
        apply_override(source, override)
        expand_shorthands(source)
    return source


def expand_shorthands(source: Source) -> None:
    """Replaces the shorthands `equations: shallow_water`, `initial: FILE` and those of physics schemes."""
    physics = source.data.get("physics")
    if source.data.get("model") not in ("atmosphere", "spectral"):
        if isinstance(physics, dict) and "schemes" in physics:
            physics["schemes"] = expand_schemes(physics["schemes"])
        return
    if isinstance(source.data.get("equations"), str):
        source.data["equations"] = {"set": source.data["equations"]}
    if "physics" in source.data:
        source.data["physics"] = expand_schemes(source.data["physics"])
    if "initial" in source.data:
        source.data["initial"] = expand_file_name(source.data["initial"])


def validated(group: type[Options], path: Path, source: Source) -> Options:
    """Validates the options of a file as a `group`. Raises ConfigError with one line per mistake.

    The ConfigError is raised after pydantic's error has been released: pydantic's error holds the stack
    frames of all callers, hidden from the garbage collector, and would keep the objects there in memory."""
    try:
        return group.model_validate(source.data, context={"folder": path.absolute().parent})
    except ValidationError as error:
        lines = [] if numbers_as_texts(error, group, source) else error_lines(error, group, source)
    if not lines:
        return validated(group, path, source)
    raise _combined_error(lines)


def raise_findings(findings: Iterable[Finding], source: Source) -> None:
    """Raises ConfigError with one line per finding, if there is any."""
    lines = [f"{source.position(parse_location(option, option))}: {text}" for option, text in findings]
    if lines:
        raise _combined_error(lines)


def _combined_error(lines: list[str]) -> ConfigError:
    """One error for all mistakes, with one line each."""
    head = [f"the case has {len(lines)} mistakes:"] if len(lines) > 1 else []
    return ConfigError("\n".join([*head, *lines]))
