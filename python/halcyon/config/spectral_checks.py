"""What must hold between options of a case of the spectral model."""

from __future__ import annotations

from collections.abc import Iterator

from halcyon.config.atmosphere_checks import level_findings, time_findings
from halcyon.config.checks import differs, io_findings, variable_findings
from halcyon.config.initial import FromFile
from halcyon.config.mesh_checks import Finding
from halcyon.config.registry import listed
from halcyon.config.spectral import MEASURED, STARTS, SpectralCase

_NEEDS_LEVELS = (("levels",), ("physics",), ("output", "vertical"))
_NEEDS_LEAPFROG = (("time", "filter"), ("time", "filter_share"))


def spectral_findings(case: SpectralCase) -> Iterator[Finding]:
    """Every mistake of a case whose options are right one by one: the option, and the text."""
    from halcyon.spectral import variables_of

    yield from time_findings(case)
    yield from _grid(case)
    yield from _start(case)
    yield from level_findings(case)
    yield from _scheme(case)
    yield from _idle(case)
    yield from _sets(case)
    yield from variable_findings(case, variables_of(case.equations.set), fixed=("topography",))
    yield from io_findings(case)


def _grid(case: SpectralCase) -> Iterator[Finding]:
    mesh, last = case.mesh, case.mesh.truncation
    if mesh.grid != "full" and mesh.longitudes != "auto":
        text = f"mesh.longitudes does nothing with mesh.grid = '{mesh.grid}', whose rows differ."
        yield ("mesh", "longitudes"), f"{text} Leave it out, or take grid: full."
    elif mesh.grid == "full" and mesh.n_longitudes < 2 * last + 1:
        text = f"mesh.longitudes = {mesh.n_longitudes} cannot hold T{last}."
        yield ("mesh", "longitudes"), f"{text} Give {2 * last + 1} or more, or 'auto'."
    elif mesh.n_latitudes <= last:
        least = 2 * last + 2 if mesh.grid == "octahedral" else last + 1
        text = f"mesh.latitudes = {mesh.n_latitudes} cannot hold T{last}."
        yield ("mesh", "latitudes"), f"{text} Give {least} or more, or 'auto'."
    elif mesh.grid == "octahedral" and mesh.n_latitudes % 2:
        text = (
            f"mesh.latitudes = {mesh.n_latitudes} is odd, but an octahedral grid has no row at the equator."
        )
        yield ("mesh", "latitudes"), f"{text} Give {mesh.n_latitudes + 1}, or 'auto'."
    elif mesh.grid == "octahedral" and not mesh.made.holds(last):
        text = f"mesh.latitudes = {mesh.n_latitudes} makes octahedral rows next to the poles too short for"
        yield ("mesh", "latitudes"), f"{text} T{last}. Give {2 * last + 2} or more, or 'auto'."


def _start(case: SpectralCase) -> Iterator[Finding]:
    if isinstance(case.initial, FromFile):
        yield from _idle_beside_file(case)
        return
    name, fitting = case.initial.type, STARTS[case.equations.set]
    if name not in fitting:
        text = f"initial.type = '{name}' does not go together with equations.set = '{case.equations.set}',"
        yield ("initial", "type"), f"{text} which starts from {listed(fitting)}. Change one of them."
    elif name == "rossby_haurwitz" and case.initial.wavenumber + 1 > case.mesh.truncation:
        degree, last = case.initial.wavenumber + 1, case.mesh.truncation
        text = f"initial.wavenumber = {degree - 1} makes harmonics of degree {degree}, which T{last} does not"
        yield (
            ("initial", "wavenumber"),
            f"{text} hold. Give mesh.truncation = {degree} or more, or fewer waves.",
        )


def _idle_beside_file(case: SpectralCase) -> Iterator[Finding]:
    for name in ("ground", "smoothing") if case.equations.set == "barotropic" else ():
        if name in case.initial.model_fields_set:
            text = f"initial.{name} does nothing with equations.set = 'barotropic', which has no ground."
            yield ("initial", name), f"{text} Leave it out."


def _scheme(case: SpectralCase) -> Iterator[Finding]:
    if case.equations.set == "barotropic" and case.is_semi_implicit:
        text = "time.scheme = 'semi_implicit' does nothing for equations.set = 'barotropic',"
        yield ("time", "scheme"), f"{text} which has no gravity waves. Leave it out."
    if case.physics == "held_suarez" and case.is_semi_implicit and case.time.filter == 0:
        text = "time.filter = 0 lets physics = 'held_suarez' part the two times of semi_implicit."
        yield ("time", "filter"), f"{text} Leave it out, or give more than 0."


def _idle(case: SpectralCase) -> Iterator[Finding]:
    """Options that were given and would do nothing beside others."""
    for option in () if case.equations.has_levels else _NEEDS_LEVELS:
        if differs(case, option):
            text = f"{'.'.join(option)} does nothing with equations.set = '{case.equations.set}'."
            yield option, f"{text} Leave it out, or take set: primitive."
    for option in () if case.is_semi_implicit else _NEEDS_LEAPFROG:
        if differs(case, option):
            text = f"{'.'.join(option)} does nothing with the scheme runge_kutta."
            yield option, f"{text} Leave it out, or take scheme: semi_implicit."


def _sets(case: SpectralCase) -> Iterator[Finding]:
    if case.exchange.retune and not case.exchange.is_measured:
        text = f"exchange.retune does nothing where none of exchange.{', '.join(MEASURED)} is 'auto'."
        yield ("exchange", "retune"), f"{text} Leave it out, or take 'auto' for one."
    if case.exchange.core != "auto" and case.exchange.progress not in ("thread", "auto"):
        text = f"exchange.core does nothing with exchange.progress = '{case.exchange.progress}'."
        yield ("exchange", "core"), f"{text} Leave it out, or take thread."
    if case.exchange.sets == "auto":
        return
    sets, most = case.exchange.sets, case.most_sets
    if sets[0] > most[0] or sets[1] > most[1]:
        text = f"exchange.sets = {sets}: T{case.mesh.truncation} on {case.mesh.words} can be"
        text += f" shared by {most[0]} V sets and {most[1]} W sets at most."
        yield ("exchange", "sets"), f"{text} Give no more, or 'auto'."
