"""Consistency checks of the built-in physics schemes of a case, with each other and with the model."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from halcyon.choices import choices
from halcyon.config.error_texts import Finding, unused_option
from halcyon.config.physics import PhysicsScheme

_NEEDS = "needs "  # beginning of the trait of a scheme that needs a tracer
_SEA = ("sea_surface", "sea_surface_temperature")  # options of the sea, of which surface fluxes come


def physics_findings(
    schemes: list[PhysicsScheme], tracers: Collection[str] = (), remedy: str = ""
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


def _double_text(schemes: list[PhysicsScheme]) -> str:
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
