"""Shallow water against closed forms, and the published tests of Williamson et al. (1992) and after them."""

from __future__ import annotations

from functools import cache

import numpy as np

from halcyon import atmosphere
from halcyon.operators import Operators
from halcyon_validation.check import Check, Outcome, by_name, conserved
from halcyon_validation.figures import maps
from halcyon_validation.globe_runs import Course, course, globe, local_globe
from halcyon_validation.noise import growth, layer_core

ROUNDING = 1e-14
_MPAS = "MPAS shallow water on such meshes"
_WILLIAMSON = "Williamson et al. (1992)"
# l1, l2 and l-infinity of the height after 5 days, by level, of that peer; on G6 its l2 alone is known.
_NORMS = "l1", "l2", "l-infinity"
_BELL = {4: 0.4, 5: 0.08}
_STEADY = {
    4: {"l1": 4.0e-4, "l2": 5.2e-4, "l-infinity": 1.35e-3},
    5: {"l1": 1.0e-4, "l2": 1.3e-4, "l-infinity": 5.9e-4},
    6: {"l2": 3.8e-5},
}


def operator_identities(level: int = 4) -> Outcome:
    """What makes TRiSK conserve: each sum that should be zero over that of its absolute terms."""
    mesh, operators = globe(level), Operators(local_globe(level), atmosphere.Planet().radius)
    generator = np.random.default_rng(1)
    phi, u, psi = (generator.uniform(-1, 1, (n, 1)) for n in (mesh.n_cells, mesh.n_edges, mesh.n_vertices))
    cells = np.asarray(mesh.area_cell)[:, None] * atmosphere.Planet().radius ** 2
    edges = (np.asarray(mesh.dv_edge) * np.asarray(mesh.dc_edge))[:, None] * atmosphere.Planet().radius ** 2
    along = operators.tangential_gradient(psi)
    balance = operators.tangential(-along), operators.gradient(operators.at_cells(psi))
    turned = operators.curl(operators.tangential(u)), operators.at_vertices(operators.divergence(u))
    adjoint = cells * phi * operators.divergence(u), edges * u * operators.gradient(phi)
    work = edges * u * operators.vorticity_flux(u, np.cos(u))
    found = {
        "gradient and divergence are adjoint": _share(*adjoint),
        "curl of a gradient": _least(operators.curl(operators.gradient(phi)), operators.curl(along)),
        "divergence of a wind along streamlines": _least(
            operators.divergence(along), operators.divergence(u)
        ),
        "divergence of tangential winds beside that of cells": _least(sum(turned), turned[0]),
        "work of the flux of potential vorticity": _share(work),
        "stationary geostrophic modes": _least(balance[0] - balance[1], balance[1]),
    }
    source = "Thuburn et al. (2009), Ringler et al. (2010)"
    return Outcome([Check(name, value, 0, ROUNDING, source=source) for name, value in found.items()])


def _share(*terms: np.ndarray) -> float:
    """A sum that should be zero over that of the absolute terms."""
    return abs(sum(each.sum() for each in terms)) / sum(abs(each).sum() for each in terms)


def _least(values: np.ndarray, scale: np.ndarray) -> float:
    return float(abs(values).max() / (abs(values).max() + abs(scale).max()))


def carried_bell(levels: tuple[int, ...] = (4, 5)) -> Outcome:
    """Case 1: a bell around the globe in 12 days, along the equator and nearly over the poles."""
    checks, l2 = [], {}
    for level in levels:
        for tilt in (0.0, np.pi / 2 - 0.05):
            found = course(level, "cosine_bell", 12, options={"tilt": tilt})
            l2[level, tilt] = found.norms("height")[1]
            where = f"G{level}, tilted by {tilt:.2f}"
            checks += [
                Check(f"{where}: l2 of the height", l2[level, tilt], 0, _BELL[level], source=_WILLIAMSON),
                *conserved(found.changes, f"{where}: ", mass=ROUNDING),
            ]
    if len(levels) > 1:
        order = min(float(np.log2(l2[levels[0], tilt] / l2[levels[1], tilt])) for _, tilt in l2)
        checks.append(Check(f"order of l2, G{levels[0]} to G{levels[1]}", order, 1.9, 3.5))
    return Outcome(checks)


@cache
def _steady(level: int) -> Course:
    return course(level, "solid_rotation", 5)


def steady_flow(levels: tuple[int, ...] = (4, 5, 6)) -> Outcome:
    """Case 2: solid rotation in balance, 5 days."""
    checks, l2 = [], {}
    for level in levels:
        norms = dict(zip(_NORMS, _steady(level).norms("height"), strict=True))
        l2[level] = norms["l2"]
        for name, most in _STEADY[level].items():
            checks.append(Check(f"G{level}: {name} of the height", norms[name], 0, most, source=_MPAS))
    if len(levels) > 1:
        order = float(np.log2(l2[levels[0]] / l2[levels[1]]))
        checks.append(Check(f"order of l2, G{levels[0]} to G{levels[1]}", order, 1.9, 2.5))
    error = {f"G{n}": _steady(n).last["height"] - _steady(n).first["height"] for n in levels}
    shown = maps({f"G{n}": globe(n) for n in levels}, error, "m")
    return Outcome(checks, {"Error of the height after 5 days": shown})


def flow_over_a_mountain(level: int = 5, days: int = 15) -> Outcome:
    """Case 5: the height after 15 days within 2 m of the peers', mass and energy."""
    found = course(level, "mountain", days)
    height = found.last["height"]
    checks = conserved(found.changes, mass=ROUNDING, energy=2e-6, potential_enstrophy=2e-3)
    if (level, days) == (5, 15):
        checks += [
            Check("lowest height", height.min(), 5033.5, 5037.5, "m", _MPAS),
            Check("highest height", height.max(), 5950.3, 5954.3, "m", _MPAS),
        ]
    shown = maps(globe(level), {"height": height}, "m")
    return Outcome(checks, {f"Height after {days} days": shown})


def rossby_haurwitz_wave(level: int = 5, days: int = 5) -> Outcome:
    """Case 6: the speed of the wave against that of the barotropic one, mass and energy."""
    found = course(level, "rossby_haurwitz", days)
    angular = _turn(level, found, wavenumber=4) / (days * 86400)
    rate, rotation, n = 7.848e-6, atmosphere.Planet().rotation, 4
    speed = angular / ((n * (3 + n) * rate - 2 * rotation) / ((1 + n) * (2 + n)))
    beside = Check("angular speed over that without divergence", speed, 0.85, 1.0, source=_WILLIAMSON)
    return Outcome([*conserved(found.changes, mass=ROUNDING, energy=1e-6), beside])


def _turn(level: int, found: Course, wavenumber: int) -> float:
    """How far east a wave has gone [rad], from its phase at 30 to 60 degrees north: less than once."""
    mesh = globe(level)
    there = np.abs(np.degrees(mesh.cell_latitude) - 45) < 15
    wave = np.exp(-1j * wavenumber * mesh.cell_longitude[there]) * np.asarray(mesh.area_cell)[there]
    phases = [np.angle((wave * state["vorticity"][there]).sum()) for state in (found.first, found.last)]
    return float(((phases[0] - phases[1]) % (2 * np.pi)) / wavenumber)


def barotropic_instability(level: int = 5) -> Outcome:
    """The jet of Galewsky et al. (2004): rolled up into vortices at day 6; without the bump it stays."""
    found = course(level, "barotropic_jet", 6)
    quiet = course(level, "barotropic_jet", 1, options={"perturbation": 0})
    vorticity = found.last["vorticity"]
    source = "Galewsky et al. (2004), figure 4"
    checks = [
        *conserved(found.changes, mass=ROUNDING, energy=2e-6),
        Check("highest vorticity at day 6", vorticity.max(), 7e-5, 1.8e-4, "s-1", source),
        Check("lowest vorticity at day 6", vorticity.min(), -1.5e-4, -5e-5, "s-1", source),
        Check("l2 of the height of the balanced jet, 1 day", quiet.norms("height")[1], 0, 1e-3),
    ]
    shown = maps(globe(level), {"day 6": vorticity}, "s-1", (0, 90))
    return Outcome(checks, {"Vorticity at day 6": shown})


def colliding_modons(level: int = 5, days: int = 6) -> Outcome:
    """Two gusts on a sphere that does not turn: pairs of vortices that stay alike, north and south."""
    found = course(level, "modons", days, rotation=0.0)
    vorticity, area = found.last["vorticity"], found.areas
    north, size = globe(level).cell_latitude > 0, np.abs(vorticity) * area
    total = float((vorticity * area).sum() / size.sum())
    alike = size[north].sum() / size[~north].sum()
    checks = [
        *conserved(found.changes, mass=ROUNDING),
        Check("circulation of the globe", abs(total), 0, 1e-12),
        Check("vorticity of the north over that of the south", alike, 0.97, 1.03),
    ]
    shown = maps(globe(level), {"end": vorticity}, "s-1", (-40, 40))
    return Outcome(checks, {f"Vorticity after {days} days": shown})


def thin_layer(level: int = 4, days: int = 8, thickness: float = 10.0) -> Outcome:
    """Solid rotation of a thin layer, which vertices' kinetic energy keeps nearer to its balance."""
    errors = {
        share: course(
            level, "thin_layer", days, options={"thickness": thickness}, scheme={"vertex_energy": share}
        ).norms("vorticity")[1]
        for share in (0.0, 0.25, 0.5)
    }
    source, what = "Gassmann (2013), Bell et al. (2017)", "error of the vorticity over that of"
    over_none, over_half = errors[0.25] / errors[0.0], errors[0.25] / errors[0.5]
    alone = Check(f"{what} edges alone", over_none, 0, 0.8, source=source)
    return Outcome([alone, Check(f"{what} twice the share", over_half, 0, 0.8)])


def noise_on_thin_layers(level: int = 4, days: int = 60) -> Outcome:
    """How fast noise grows on solid rotation of thin layers, with the energy of edges alone and with a
    quarter from vertices: less with it in a layer of 1 m, more in one of 10 m, little with hyperdiffusion."""
    source = "Peixoto et al. (2018); our bounds"

    def rate(thickness: float, **scheme: float) -> float:
        return growth(layer_core(level, thickness, scheme), days).rate

    thin = {share: rate(1.0, vertex_energy=share) for share in (0.0, 0.25)}
    thicker = {share: rate(10.0, vertex_energy=share) for share in (0.0, 0.25)}
    damped = rate(10.0, vertex_energy=0.25, hyperdiffusion=0.1)
    return Outcome(
        [
            Check("1 m, edges alone", thin[0.0], 0.6, 1.2, "day-1", source),
            Check("1 m, with a quarter, over that", thin[0.25] / thin[0.0], 0, 0.8, "", source),
            Check("10 m, edges alone", thicker[0.0], 0, 0.1, "day-1", source),
            Check("10 m, with a quarter", thicker[0.25], 0, 0.25, "day-1", source),
            Check("10 m, with a quarter and hyperdiffusion", damped, 0, 0.1, "day-1", source),
        ]
    )


CASES = by_name(
    operator_identities,
    carried_bell,
    steady_flow,
    flow_over_a_mountain,
    rossby_haurwitz_wave,
    barotropic_instability,
    colliding_modons,
    thin_layer,
    noise_on_thin_layers,
)
