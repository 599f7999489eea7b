"""Consistency checks of the tracers of a case of the spectral model."""

from __future__ import annotations

from collections.abc import Iterator

from halcyon.config.error_texts import Finding, suggestion
from halcyon.config.initial import FromFile
from halcyon.config.spectral import STARTS, SpectralCase

INITIAL_TRACER = "passive_tracer"  # its values are part of an analytic initial state
CONSTANT_TRACER = "constant_tracer"  # 1 everywhere
TRACERS = (INITIAL_TRACER, CONSTANT_TRACER)


def spectral_tracers_findings(case: SpectralCase) -> Iterator[Finding]:
    """Checks the tracers of a case of the spectral model."""
    from halcyon.atmosphere import AirStart

    for i, name in enumerate(case.tracers if case.equations.has_levels else ()):
        option = f"tracers.{i}"
        if name in case.tracers[:i]:
            yield option, f"the tracer '{name}' is named twice."
        elif name not in TRACERS:
            yield option, f"unknown tracer '{name}'. {suggestion(name, TRACERS)}"
        elif isinstance(case.initial, FromFile):
            text = "initial.file: the spectral model reads no tracers from files."
            yield option, f"{text} Leave out tracers, or take an initial.type."
        elif case.initial.type not in STARTS[case.equations.set]:
            return  # an error of its own
        elif name == INITIAL_TRACER and not AirStart(case.initial.type).has_tracer:
            text = f"initial.type = '{case.initial.type}' has no '{name}'."
            yield option, f"{text} Take 'constant_tracer', or another initial.type."
