"""Consistency checks of the built-in physics schemes of a case, with each other and with the model, and of
tracers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from halcyon.choices import choices
from halcyon.config.atmosphere import AirCase
from halcyon.config.error_texts import Finding, suggestion, unused_option
from halcyon.config.initial import FromFile
from halcyon.config.physics import PhysicsScheme
from halcyon.config.spectral import STARTS, SpectralCase

INITIAL_TRACER = "passive_tracer"  # its values are part of an analytic initial state
CONSTANT_TRACER = "constant_tracer"  # 1 everywhere
TRACERS = (INITIAL_TRACER, CONSTANT_TRACER)
_NEEDS = "needs "  # beginning of the trait of a scheme that needs a tracer
_SEA = ("sea_surface", "sea_surface_temperature")  # options of the sea, of which surface fluxes come


def physics_findings(
    schemes: Sequence[PhysicsScheme], tracers: Collection[str] = (), remedy: str = ""
) -> Iterator[Finding]:
    """Yields schemes without a tracer that they need, a second scheme that condenses vapour, and options
    without effect.

    @param tracers names of the tracers of the model
    @param remedy change of the case that gives it the tracers, in words; empty: there is none
    """
    traits = {each.name: each.traits for each in choices("physics schemes")}
    condensing: list[PhysicsScheme] = []
    for i, scheme in enumerate(schemes):
        option, own = f"physics.{i}", traits.get(scheme.scheme, ())
        needed = [trait.removeprefix(_NEEDS) for trait in own if trait.startswith(_NEEDS)]
        missing = [name for name in needed if name not in tracers]
        if missing:
            text = (
                f"the physics scheme '{scheme.scheme}' needs the tracer '{missing[0]}', which the model does"
            )
            advice = f"{remedy}, or leave it out" if remedy else "Leave it out"
            yield option, f"{text} not have. {advice}."
        if "condenses" in own and scheme.options.get("condensation", True) is not False:
            condensing.append(scheme)
            if len(condensing) == 2 and condensing[0].scheme != scheme.scheme:
                yield option, _double_text(condensing)
        yield from _unused_findings(option, scheme)


def _double_text(schemes: Sequence[PhysicsScheme]) -> str:
    """The error of two schemes that condense the same vapour, as all schemes see the same state."""
    first, second = (scheme.scheme for scheme in schemes)
    text = f"'{first}' and '{second}' both condense the vapour above saturation, which would heat and dry"
    return f"{text} the air twice. Set condensation: false of 'reed_jablonowski', or leave out one."


def _unused_findings(option: str, scheme: PhysicsScheme) -> Iterator[Finding]:
    """Yields options of `reed_jablonowski` without effect."""
    if scheme.scheme != "reed_jablonowski":
        return
    given = [name for name in _SEA if name in scheme.options]
    if scheme.options.get("surface_fluxes", True) is False:
        for name in given:
            yield unused_option(f"{option}.{name}", "with surface_fluxes: false", "take surface_fluxes: true")
    elif _SEA[1] in given and scheme.options.get("sea_surface") == "baroclinic_wave":
        yield unused_option(
            f"{option}.{_SEA[1]}", "with sea_surface: baroclinic_wave", "take sea_surface: constant"
        )


def wrong_name_text(case: AirCase, index: int) -> str:
    """The error of a tracer that is named twice, or that moist air has; empty for others."""
    from halcyon.atmosphere import WATER_TRACERS

    name = case.tracers[index]
    if name in case.tracers[:index]:
        return f"the tracer '{name}' is named twice."
    if (water := name.replace("vapor", "vapour")) not in WATER_TRACERS:
        return ""
    text = f"'{water}' is a tracer of equations.moist: true."
    remedy = "" if case.equations.moist else ", and set that option"
    return f"{text} Leave {'it' if name == water else repr(name)} out of tracers{remedy}."


def output_tracers_findings(case: AirCase) -> Iterator[Finding]:
    """Checks for output variables of tracers, and of moist air, that the case does not have."""
    from halcyon.atmosphere import needs_moist_air

    for i, name in enumerate((case.output.variables or ()) if case.equations.has_levels else ()):
        if name in TRACERS and name not in case.tracers:
            text = f"the tracer '{name}' is not in the list 'tracers' of this case."
            yield f"output.variables.{i}", f"{text} Add it there, or leave it out."
        if needs_moist_air(name) and not case.equations.moist:
            text = f"only moist air has the variable '{name}'."
            yield f"output.variables.{i}", f"{text} Set equations.moist: true, or leave it out."


def spectral_tracers_findings(case: SpectralCase) -> Iterator[Finding]:
    """Checks the tracers of a case of the spectral model."""
    from halcyon.atmosphere import AirStart

    for i, name in enumerate(case.tracers if case.equations.has_levels else ()):
        option = f"tracers.{i}"
        if text := wrong_name_text(case, i):
            yield option, text
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
