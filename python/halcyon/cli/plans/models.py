"""The models of `halcyon plan`, from command-line options."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from halcyon.atmosphere import EQUATION_SETS
from halcyon.base import ConfigError
from halcyon.choices import names
from halcyon.mesh.named import is_named_mesh, level_and_ratio
from halcyon.plan.atmosphere import AtmosphereModel, SemiImplicitModel, longest_step
from halcyon.plan.described import DescribedModel
from halcyon.plan.model import Model
from halcyon.plan.probes.atmosphere_cost import LEVELS, AtmosphereSetup
from halcyon.plan.probes.spectral_cost import SpectralSetup
from halcyon.plan.probes.wave_cost import WaveSetup
from halcyon.plan.spectral import ADVECTIONS, GcrSpectralModel, SpectralModel, truncation_of
from halcyon.plan.spectral import longest_step as spectral_step
from halcyon.plan.wave import PHYSICS, SCHEMES, WaveModel
from halcyon.simulate.mesh_volumes import cells_of
from halcyon.simulate.spectral_exchanges import gaussian_grid

OPTIONS = {  # options of some models only
    "wave": ("source_step", "scheme", "physics"),
    "atmosphere": ("equations", "levels", "bits", "time_scheme", "iterations"),
    "spectral": ("levels", "bits", "truncation", "grid", "advection", "solver"),
}
SOLVERS = {"direct": SpectralModel, "gcr": GcrSpectralModel}  # of semi-Lagrangian steps
TIME_SCHEMES = ("runge_kutta", "semi_implicit")
CUTS = ("estimate", "metis")  # how communication volumes are obtained: estimated, or from METIS partitions
MAX_LEVELS = 1000
MAX_TRUNCATION = 8000


def planned_models(models: str, mesh: str, cells: int | None, given: Mapping[str, Any]) -> list[Model]:
    """The planned models: one, or several separated by commas, for comparison. `given`: options by name, None
    if not given; `speed` is the ratio of the core speed of the planned machine to that of this machine.

    Raises ConfigError for invalid options, and for options of other models."""
    makers = {"wave": _wave, "atmosphere": _atmosphere, "spectral": _spectral}
    chosen = models.split(",")
    for name in chosen:
        if name not in makers and not _is_file(name):
            raise ConfigError(
                f"--model {name}: there is no such model, nor a file that ends in .yaml. There are: "
                f"{', '.join(OPTIONS)}."
            )
    if len(set(chosen)) < len(chosen):
        raise ConfigError(f"--model {models}: give each model once.")
    options = {name: value for name, value in given.items() if value is not None}
    for name, value in options.items():
        others = [other for other, own in OPTIONS.items() if name in own]
        if others and not set(others) & set(chosen):
            raise ConfigError(
                f"{_option(name)} {value} is an option of --model {' or '.join(others)}, but the model is "
                f"{models}. Leave it out."
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
    if "step" in options and len(chosen) > 1:
        raise ConfigError(f"--step {options['step']:g}: models have steps of their own. Leave it out.")
    if "step" in options and _is_file(models):
        raise ConfigError(f"--step {options['step']:g}: {models} has the step. Leave it out.")
    return [
        DescribedModel.read(name, options["speed"]) if _is_file(name) else makers[name](mesh, cells, options)
        for name in chosen
    ]


def _is_file(model: str) -> bool:
    return model.endswith((".yaml", ".yml"))


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


def _bits(options: Mapping[str, Any]) -> int:
    bits = options.get("bits", 64)
    _require_one("bits", "precision", bits, (32, 64))
    return bits


def _atmosphere(mesh: str, cells: int | None, options: Mapping[str, Any]) -> Model:
    equations = options.get("equations", "hydrostatic")
    _require_one("equations", "set", equations, EQUATION_SETS)
    bits = _bits(options)
    max_levels = MAX_LEVELS if EQUATION_SETS[equations].has_levels else 1
    levels = options.get("levels", min(LEVELS, max_levels))
    if not 1 <= levels <= max_levels:
        name = equations.replace("_", " ").capitalize()
        allowed = f"{name} has 1" if max_levels == 1 else f"Give 1 to {max_levels:,}"
        raise ConfigError(f"--levels {levels}: {allowed}.")
    common = {"mesh": mesh, "cells": _cells(mesh, cells), "cut": options["cut"], "speed": options["speed"]}
    scheme, iterations = options.get("time_scheme", "runge_kutta"), options.get("iterations")
    _require_one("time_scheme", "scheme", scheme, TIME_SCHEMES)
    if scheme == "semi_implicit":
        return _semi_implicit(AtmosphereSetup(equations, bits, levels), options, common)
    if iterations is not None:
        raise ConfigError(f"--iterations {iterations:g}: they are of --time-scheme semi_implicit.")
    step_s = options.get("step") or _stable_step(mesh, equations)
    return AtmosphereModel(air=AtmosphereSetup(equations, bits, levels), step_s=step_s, **common)


def _semi_implicit(air: AtmosphereSetup, options: Mapping[str, Any], common: Mapping[str, Any]) -> Model:
    iterations = options.get("iterations")
    if air.equations != "shallow_water":
        raise ConfigError(
            f"--time-scheme semi_implicit is for shallow_water, but --equations is {air.equations}."
        )
    if iterations is not None and not 1 <= iterations <= 900:
        raise ConfigError(f"--iterations {iterations:g}: give 1 to 900 per step of three solutions.")
    if "step" not in options:
        raise ConfigError(
            "--step is missing: the longest semi-implicit step depends on the wind. Give it, such as 1964 s "
            "on G5 and half as much on each finer mesh."
        )
    return SemiImplicitModel(air=air, step_s=options["step"], iterations=iterations, **common)


def _spectral(mesh: str, cells: int | None, options: Mapping[str, Any]) -> Model:
    grid, advection = options.get("grid", "octahedral"), options.get("advection", "semi_lagrangian")
    _require_one("grid", "grid", grid, names("gaussian grids"))
    _require_one("advection", "advection", advection, ADVECTIONS)
    solver = options.get("solver", "direct")
    _require_one("solver", "solver", solver, SOLVERS)
    if solver == "gcr" and advection == "eulerian":
        raise ConfigError("--solver gcr: it is for semi-Lagrangian steps. Leave it out, or --advection.")
    levels = options.get("levels", LEVELS)
    if not 2 <= levels <= MAX_LEVELS:
        raise ConfigError(f"--levels {levels}: Give 2 to {MAX_LEVELS:,}.")
    truncation = options.get("truncation") or truncation_of(_cells(mesh, cells), grid)
    if truncation > MAX_TRUNCATION:
        raise ConfigError(f"--truncation {truncation}: Give 1 to {MAX_TRUNCATION:,}.")
    return SOLVERS[solver](
        mesh=f"T{truncation}, {grid} grid",
        cells=gaussian_grid(truncation, grid).core.n_points,
        step_s=options.get("step") or spectral_step(truncation, advection),
        speed=options["speed"],
        setup=SpectralSetup(levels, ADVECTIONS[advection], solver, _bits(options)),
        truncation=truncation,
        grid=grid,
        advection=advection,
    )


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
