"""Validation of shallow water: discrete identities, Williamson et al. (1992) and later published tests."""

from __future__ import annotations

from functools import cache

import numpy as np

from halcyon import atmosphere
from halcyon.operators import Operators
from halcyon_validation.atmosphere_runs import Run, local_mesh, run, uniform_mesh
from halcyon_validation.check import Check, Outcome, by_name, conserved
from halcyon_validation.figures import maps
from halcyon_validation.noise_growth import growth, layer_core

ROUNDING = 1e-14
_MPAS = "MPAS shallow water on these meshes"
_WILLIAMSON = "Williamson et al. (1992)"
# l1, l2 and l-infinity of the height after 5 days with MPAS, by mesh level; on G6 only l2 is known.
_NORMS = "l1", "l2", "l-infinity"
_BELL = {4: 0.4, 5: 0.08}
_STEADY = {
    4: {"l1": 4.0e-4, "l2": 5.2e-4, "l-infinity": 1.35e-3},
    5: {"l1": 1.0e-4, "l2": 1.3e-4, "l-infinity": 5.9e-4},
    6: {"l2": 3.8e-5},
}


def operator_identities(level: int = 4) -> Outcome:
    """Discrete identities of the TRiSK operators: residuals relative to the sum of absolute terms."""
    mesh, operators = uniform_mesh(level), Operators(local_mesh(level), atmosphere.Planet().radius)
    generator = np.random.default_rng(1)
    phi, u, psi = (generator.uniform(-1, 1, (n, 1)) for n in (mesh.n_cells, mesh.n_edges, mesh.n_vertices))
    cells = np.asarray(mesh.area_cell)[:, None] * atmosphere.Planet().radius ** 2
    edges = (np.asarray(mesh.dv_edge) * np.asarray(mesh.dc_edge))[:, None] * atmosphere.Planet().radius ** 2
    rotational = operators.tangential_gradient(psi)  # nondivergent wind of the stream function psi
    balance = operators.tangential(-rotational), operators.gradient(operators.at_cells(psi))
    dual = operators.curl(operators.tangential(u)), operators.at_vertices(operators.divergence(u))
    adjoint = cells * phi * operators.divergence(u), edges * u * operators.gradient(phi)
    work = edges * u * operators.vorticity_flux(u, np.cos(u))
    residuals = {
        "gradient and divergence are adjoint": _relative_sum(*adjoint),
        "curl of a gradient": _relative_max(
            operators.curl(operators.gradient(phi)), operators.curl(rotational)
        ),
        "divergence of a nondivergent wind": _relative_max(
            operators.divergence(rotational), operators.divergence(u)
        ),
        "divergence of tangential winds on dual cells": _relative_max(sum(dual), dual[0]),
        "work of the flux of potential vorticity": _relative_sum(work),
        "stationary geostrophic modes": _relative_max(balance[0] - balance[1], balance[1]),
    }
    source = "Thuburn et al. (2009), Ringler et al. (2010)"
    return Outcome([Check(name, value, 0, ROUNDING, source=source) for name, value in residuals.items()])


def _relative_sum(*terms: np.ndarray) -> float:
    """Sum of the terms over the sum of their absolute values."""
    return abs(sum(each.sum() for each in terms)) / sum(abs(each).sum() for each in terms)


def _relative_max(values: np.ndarray, scale: np.ndarray) -> float:
    """Maximum of |values| over the sum of the maxima of |values| and |scale|."""
    return float(abs(values).max() / (abs(values).max() + abs(scale).max()))


def carried_bell(levels: tuple[int, ...] = (4, 5)) -> Outcome:
    """Case 1: advection of a cosine bell around the sphere in 12 days, along the equator and nearly over the
    poles."""
    checks, l2 = [], {}
    for level in levels:
        for tilt in (0.0, np.pi / 2 - 0.05):
            result = run(level, "cosine_bell", 12, options={"tilt": tilt})
            l2[level, tilt] = result.norms("height")[1]
            name = f"G{level}, tilt {tilt:.2f} rad"
            checks += [
                Check(f"{name}: l2 of the height", l2[level, tilt], 0, _BELL[level], source=_WILLIAMSON),
                *conserved(result.changes, f"{name}: ", mass=ROUNDING),
            ]
    if len(levels) > 1:
        order = min(float(np.log2(l2[levels[0], tilt] / l2[levels[1], tilt])) for _, tilt in l2)
        checks.append(Check(f"order of l2, G{levels[0]} to G{levels[1]}", order, 1.9, 3.5))
    return Outcome(checks)


@cache
def _steady(level: int) -> Run:
    return run(level, "solid_rotation", 5)


def steady_flow(levels: tuple[int, ...] = (4, 5, 6)) -> Outcome:
    """Case 2: steady geostrophic flow, 5 days."""
    checks, l2 = [], {}
    for level in levels:
        norms = dict(zip(_NORMS, _steady(level).norms("height"), strict=True))
        l2[level] = norms["l2"]
        for name, bound in _STEADY[level].items():
            checks.append(Check(f"G{level}: {name} of the height", norms[name], 0, bound, source=_MPAS))
    if len(levels) > 1:
        order = float(np.log2(l2[levels[0]] / l2[levels[1]]))
        checks.append(Check(f"order of l2, G{levels[0]} to G{levels[1]}", order, 1.9, 2.5))
    error = {f"G{n}": _steady(n).last["height"] - _steady(n).first["height"] for n in levels}
    shown = maps({f"G{n}": uniform_mesh(n) for n in levels}, error, "m")
    return Outcome(checks, {"Error of the height after 5 days": shown})


def flow_over_a_mountain(level: int = 5, days: int = 15) -> Outcome:
    """Case 5: extreme heights after 15 days within 2 m of other models; mass and energy."""
    result = run(level, "mountain", days)
    height = result.last["height"]
    checks = conserved(result.changes, mass=ROUNDING, energy=2e-6, potential_enstrophy=2e-3)
    if (level, days) == (5, 15):
        checks += [
            Check("lowest height", height.min(), 5033.5, 5037.5, "m", _MPAS),
            Check("highest height", height.max(), 5950.3, 5954.3, "m", _MPAS),
        ]
    shown = maps(uniform_mesh(level), {"height": height}, "m")
    return Outcome(checks, {f"Height after {days} days": shown})


def rossby_haurwitz_wave(level: int = 5, days: int = 5) -> Outcome:
    """Case 6: phase speed relative to the nondivergent wave; mass and energy."""
    result = run(level, "rossby_haurwitz", days)
    angular_speed = _phase_shift(level, result, wavenumber=4) / (days * 86400)
    rate, rotation, n = 7.848e-6, atmosphere.Planet().rotation, 4  # omega, Omega and R of the paper
    speed = angular_speed / ((n * (3 + n) * rate - 2 * rotation) / ((1 + n) * (2 + n)))
    check = Check("phase speed over that of the nondivergent wave", speed, 0.85, 1.0, source=_WILLIAMSON)
    return Outcome([*conserved(result.changes, mass=ROUNDING, energy=1e-6), check])


def _phase_shift(level: int, result: Run, wavenumber: int) -> float:
    """Eastward displacement of a wave during a run [rad], at most one wavelength, from its phases between 30
    and 60 degrees north."""
    mesh = uniform_mesh(level)
    cells = np.abs(np.degrees(mesh.cell_latitude) - 45) < 15
    wave = np.exp(-1j * wavenumber * mesh.cell_longitude[cells]) * np.asarray(mesh.area_cell)[cells]
    phases = [np.angle((wave * state["vorticity"][cells]).sum()) for state in (result.first, result.last)]
    return float(((phases[0] - phases[1]) % (2 * np.pi)) / wavenumber)


def barotropic_instability(level: int = 5) -> Outcome:
    """Jet of Galewsky et al. (2004): vortices at day 6; steady without perturbation."""
    result = run(level, "barotropic_jet", 6)
    quiet = run(level, "barotropic_jet", 1, options={"perturbation": 0})
    vorticity = result.last["vorticity"]
    source = "Galewsky et al. (2004), figure 4"
    checks = [
        *conserved(result.changes, mass=ROUNDING, energy=2e-6),
        Check("highest vorticity at day 6", vorticity.max(), 7e-5, 1.8e-4, "s-1", source),
        Check("lowest vorticity at day 6", vorticity.min(), -1.5e-4, -5e-5, "s-1", source),
        Check("l2 of the height of the balanced jet, 1 day", quiet.norms("height")[1], 0, 1e-3),
    ]
    shown = maps(uniform_mesh(level), {"day 6": vorticity}, "s-1", (0, 90))
    return Outcome(checks, {"Vorticity at day 6": shown})


def colliding_modons(level: int = 5, days: int = 6) -> Outcome:
    """Colliding vortex pairs on a non-rotating sphere: symmetry of the hemispheres."""
    result = run(level, "modons", days, rotation=0.0)
    vorticity, area = result.last["vorticity"], result.areas
    north, strength = uniform_mesh(level).cell_latitude > 0, np.abs(vorticity) * area
    total = float((vorticity * area).sum() / strength.sum())
    symmetry = strength[north].sum() / strength[~north].sum()
    checks = [
        *conserved(result.changes, mass=ROUNDING),
        Check("global circulation", abs(total), 0, 1e-12),
        Check("absolute vorticity, northern over southern hemisphere", symmetry, 0.97, 1.03),
    ]
    shown = maps(uniform_mesh(level), {"end": vorticity}, "s-1", (-40, 40))
    return Outcome(checks, {f"Vorticity after {days} days": shown})


def thin_layer(level: int = 4, days: int = 8, thickness: float = 10.0) -> Outcome:
    """Thin layer in solid-body rotation: the option vertex_energy reduces the error of the balance."""
    errors = {
        weight: run(
            level, "thin_layer", days, options={"thickness": thickness}, scheme={"vertex_energy": weight}
        ).norms("vorticity")[1]
        for weight in (0.0, 0.25, 0.5)
    }
    source, name = "Gassmann (2013), Bell et al. (2017)", "vorticity error, vertex_energy 0.25 over"
    over_none, over_half = errors[0.25] / errors[0.0], errors[0.25] / errors[0.5]
    return Outcome(
        [
            Check(f"{name} 0", over_none, 0, 0.8, source=source),
            Check(f"{name} 0.5", over_half, 0, 0.8),
        ]
    )


def noise_on_thin_layers(level: int = 4, days: int = 60) -> Outcome:
    """Growth of noise on thin layers in solid-body rotation for vertex_energy 0 and 0.25: 0.25 reduces it in
    a layer of 1 m and increases it in a layer of 10 m, where hyperdiffusion suppresses it."""
    source = "Peixoto et al. (2018); bounds of Halcyon"

    def rate(thickness: float, **scheme: float) -> float:
        return growth(layer_core(level, thickness, scheme), days).rate

    thin = {weight: rate(1.0, vertex_energy=weight) for weight in (0.0, 0.25)}
    thicker = {weight: rate(10.0, vertex_energy=weight) for weight in (0.0, 0.25)}
    damped = rate(10.0, vertex_energy=0.25, hyperdiffusion=0.1)
    return Outcome(
        [
            Check("growth, 1 m, vertex_energy 0", thin[0.0], 0.6, 1.2, "day-1", source),
            Check("growth, 1 m, vertex_energy 0.25 over 0", thin[0.25] / thin[0.0], 0, 0.8, "", source),
            Check("growth, 10 m, vertex_energy 0", thicker[0.0], 0, 0.1, "day-1", source),
            Check("growth, 10 m, vertex_energy 0.25", thicker[0.25], 0, 0.25, "day-1", source),
            Check("growth, 10 m, vertex_energy 0.25 and hyperdiffusion", damped, 0, 0.1, "day-1", source),
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
