"""The models of `halcyon plan`, from command-line options."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from halcyon.atmosphere import EQUATION_SETS
from halcyon.base import ConfigError
from halcyon.mesh.named import is_named_mesh, level_and_ratio
from halcyon.plan.atmosphere import AtmosphereModel, longest_step
from halcyon.plan.model import Model
from halcyon.plan.probes.atmosphere_cost import LEVELS, AtmosphereSetup
from halcyon.plan.probes.wave_cost import WaveSetup
from halcyon.plan.wave import PHYSICS, SCHEMES, WaveModel
from halcyon.simulate.mesh_volumes import cells_of

OPTIONS = {"wave": ("source_step", "scheme", "physics"), "atmosphere": ("equations", "levels", "bits")}
CUTS = ("estimate", "metis")  # how communication volumes are obtained: estimated, or from METIS partitions
MAX_LEVELS = 1000


def planned_model(model: str, mesh: str, cells: int | None, given: Mapping[str, Any]) -> Model:
    """The planned model. `given`: options by name, None if not given; `speed` is the ratio of the core speed
    of the planned machine to that of this machine.

    Raises ConfigError for invalid options, and for options of another model."""
    if model not in OPTIONS:
        raise ConfigError(f"--model {model}: there is no such model. There are: {', '.join(OPTIONS)}.")
    options = {name: value for name, value in given.items() if value is not None}
    foreign_options = [(name, other) for other, names in OPTIONS.items() for name in names if other != model]
    for name, other in foreign_options:
        if name in options:
            raise ConfigError(
                f"{_option(name)} {options[name]} is an option of --model {other}, but the model is {model}. "
                "Leave it out."
            )
    _require_one("cut", "way to obtain volumes", options["cut"], CUTS)
    if options["cut"] == "metis" and cells is not None:
        raise ConfigError(
            f"--cells {cells}: METIS partitions the mesh of --mesh, whose number of cells is fixed. Leave "
            "out --cells, or use --cut estimate."
        )
    for name in ("step", "source_step", "speed"):
        if name in options and not (options[name] > 0 and math.isfinite(options[name])):
            raise ConfigError(f"{_option(name)} {options[name]:g}: give a number above 0.")
    return (_wave if model == "wave" else _atmosphere)(mesh, cells, options)


def _wave(mesh: str, cells: int | None, options: Mapping[str, Any]) -> Model:
    sea = WaveSetup(options.get("scheme", "second_order"), options.get("physics", "ard"))
    _require_one("scheme", "scheme", sea.scheme, SCHEMES)
    _require_one("physics", "set", sea.physics, PHYSICS)
    step_s, source_step_s = options.get("step", 60.0), options.get("source_step", 1200.0)
    if source_step_s < step_s:
        raise ConfigError(
            f"--source-step {source_step_s:g}: give at least the time step of transport, {step_s:g} s."
        )
    common = {"mesh": mesh, "cells": _cells(mesh, cells), "cut": options["cut"], "speed": options["speed"]}
    steps = {"step_s": step_s, "source_step_s": source_step_s}
    return WaveModel(sea=sea, layers=SCHEMES[sea.scheme], **steps, **common)


def _atmosphere(mesh: str, cells: int | None, options: Mapping[str, Any]) -> Model:
    equations = options.get("equations", "hydrostatic")
    _require_one("equations", "set", equations, EQUATION_SETS)
    bits = options.get("bits", 64)
    _require_one("bits", "precision", bits, (32, 64))
    max_levels = MAX_LEVELS if EQUATION_SETS[equations].has_levels else 1
    levels = options.get("levels", min(LEVELS, max_levels))
    if not 1 <= levels <= max_levels:
        name = equations.replace("_", " ").capitalize()
        allowed = f"{name} has 1" if max_levels == 1 else f"Give 1 to {max_levels:,}"
        raise ConfigError(f"--levels {levels}: {allowed}.")
    common = {"mesh": mesh, "cells": _cells(mesh, cells), "cut": options["cut"], "speed": options["speed"]}
    step_s = options.get("step") or _stable_step(mesh, equations)
    return AtmosphereModel(air=AtmosphereSetup(equations, bits, levels), step_s=step_s, **common)


def _stable_step(mesh: str, equations: str) -> float:
    """Returns the longest stable time step [s] on a uniform mesh. Raises ConfigError for other meshes."""
    level, ratio = level_and_ratio(mesh) if is_named_mesh(mesh) else (None, None)
    if level is None or ratio is not None:
        raise ConfigError(
            f"--mesh {mesh}: the stable time step is known only for uniform meshes, such as G10. Give --step."
        )
    return longest_step(equations, level)


def _require_one(name: str, noun: str, value: Any, allowed: Any) -> None:
    if value not in allowed:
        raise ConfigError(
            f"{_option(name)} {value}: there is no such {noun}. There are: {', '.join(map(str, allowed))}."
        )


def _cells(mesh: str, cells: int | None) -> int:
    try:
        return cells_of(mesh, cells)
    except ConfigError as error:
        raise ConfigError(f"--mesh {mesh}: {error}") from None


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
