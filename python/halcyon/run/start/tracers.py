"""Tracers of a file: which of its variables they are."""

from __future__ import annotations

from collections.abc import Iterable

from halcyon.base import InputError
from halcyon.config.air_checks import CONSTANT_TRACER
from halcyon.mesh.cf_file import plain_unit
from halcyon.run.start.levels import Levels
from halcyon.run.start.quantities import mixing_ratio
from halcyon.run.start.source import Source, Variable
from halcyon.wave.gridded import Quantity

_NOT_BY_MASS = ("mole_", "volume_")


def tracers_of(source: Source, names: Iterable[str], levels: Levels) -> dict[str, Variable]:
    """The variables of a file, on its levels, that the tracers of a case name; that which is 1 everywhere is
    none. Raises InputError where one is missing or is no mixing ratio on these levels."""
    return {name: _tracer(source, name, levels) for name in names if name != CONSTANT_TRACER}


def _tracer(source: Source, name: str, levels: Levels) -> Variable:
    quantity = mixing_ratio(name)
    found = source.variable(quantity, levels)
    if found is None:
        raise InputError(_missing(source, quantity, name, levels))
    standard_name = str(found.data.attrs.get("standard_name", ""))
    if standard_name.startswith(_NOT_BY_MASS):
        raise InputError(
            f"{found.place} is a {standard_name}, but tracers are mixing ratios by mass. Bring it to kg kg-1,"
            f" with a standard_name that says so, or leave '{name}' out of tracers."
        )
    return found


def _missing(source: Source, quantity: Quantity, name: str, levels: Levels) -> str:
    wanted = {levels.dimension, *source.places.dimensions}
    variables = source.file.variables.items()
    for own, each in variables:
        if name in (own, each.attrs.get("standard_name")):
            lacking = ", ".join(sorted(wanted - {*each.dims}))
            return (
                f"{source.path}: {own} ({', '.join(each.dims)}) lacks {lacking}, on which the tracer '{name}'"
                " must be. Mend the file, or leave it out of tracers."
            )
    others = [own for own, each in variables if wanted <= {*each.dims} and plain_unit(each) in quantity.units]
    remedy = f"Name one of {', '.join(others)}" if others else "Add it to the file"
    return (
        f"{source.path} has no variable of the name or standard_name '{name}', which tracers name. {remedy},"
        f" or leave '{name}' out of tracers."
    )
