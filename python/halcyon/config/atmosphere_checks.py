"""What must hold between options of a case of the atmosphere, and between them and the files they name."""

from __future__ import annotations

from collections.abc import Iterator

from halcyon.base import ConfigError
from halcyon.config.atmosphere import HALO_LAYERS, AtmosphereCase
from halcyon.config.checks import divides, partition_findings, variable_findings
from halcyon.config.globe import GlobeFile
from halcyon.config.mesh_checks import Finding, file_findings
from halcyon.config.option import figure


def atmosphere_findings(case: AtmosphereCase) -> Iterator[Finding]:
    """Every mistake of a case whose options are right one by one: the option, and the text."""
    from halcyon._core.atmosphere import shallow_water_variables

    yield from _time(case)
    yield from _mesh(case)
    yield from variable_findings(case, shallow_water_variables(), fixed=("topography",))
    yield from partition_findings(case)
    yield from _layers(case)


def _time(case: AtmosphereCase) -> Iterator[Finding]:
    start, end, step = case.time.start, case.time.end, case.time.step
    interval, segment = case.output.interval, case.output.segment
    if end <= start:
        yield ("time", "end"), f"time.end = {end.isoformat()} must be after time.start = {start.isoformat()}."
    elif not divides(interval, case.duration_s):
        text = f"the run lasts {figure(case.duration_s)} s, which is not a multiple of"
        yield ("time", "end"), f"{text} output.interval = {figure(interval)} s. Move the end, or change it."
    if step != "auto" and not divides(step, interval):
        text = f"time.step = {figure(step)} s must divide output.interval = {figure(interval)} s."
        yield ("time", "step"), f"{text} Take another, or 'auto'."
    if not divides(interval, segment):
        text = f"output.segment = {figure(segment)} s must be a multiple of"
        yield ("output", "segment"), f"{text} output.interval = {figure(interval)} s."


def _mesh(case: AtmosphereCase) -> Iterator[Finding]:
    if isinstance(case.mesh, GlobeFile):
        yield from file_findings(("mesh", "file"), case.mesh.file)
        return
    try:
        case.mesh.spec()
    except ConfigError as error:
        yield ("mesh",), f"mesh: {error}"


def _layers(case: AtmosphereCase) -> Iterator[Finding]:
    layers = case.exchange.layers
    if layers != "auto" and layers < HALO_LAYERS:
        text = f"exchange.layers = {layers}, but the atmosphere needs {HALO_LAYERS}."
        yield ("exchange", "layers"), f"{text} Give {HALO_LAYERS} or 'auto'."
