"""Validation of moist air: the tests of DCMIP2016 (Ullrich et al. 2016)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from halcyon import atmosphere
from halcyon.physics import column_scheme
from halcyon_validation.atmosphere_runs import AIR_SCHEME, DAY_S, advance, air_core, product, uniform_mesh
from halcyon_validation.check import Check, Outcome, by_name
from halcyon_validation.figures import lines, maps

ROUNDING = 1e-13
LATENT_HEAT = 2.5e6  # of the schemes [J kg-1]
OURS = "bounds of Halcyon"


def moist_baroclinic_wave(level: int = 4, count: int = 30, days: int = 10) -> Outcome:
    """Test 1-1: a baroclinic wave with Kessler's rain against the same wave without: budgets, the lowest
    pressure, and where it rains."""
    wet = moist_core(level, "moist_baroclinic_wave", count=count, top=226.0)
    dry = air_core(level, "moist_baroclinic_wave", count=count, top=226.0)
    before, lowest = integrals_of(wet), {"moist": [], "dry": []}
    for _ in range(days):
        for name, core in (("moist", wet), ("dry", dry)):
            advance(core, DAY_S)
            lowest[name].append(float(product(core, "surface_pressure").min()) / 100)
    rain = product(wet, "precipitation")
    checks = budgets(wet, before, "moist_baroclinic_wave")
    if days == 10:
        deeper = lowest["dry"][-1] - lowest["moist"][-1]
        latitude = np.degrees(np.asarray(uniform_mesh(level).cell_latitude)[rain.argmax()])
        checks += [
            Check("lowest pressure, day 10", lowest["moist"][-1], 925, 960, "hPa", OURS),
            Check("lowest pressure without water less that with it, day 10", deeper, 1, 25, "hPa", OURS),
            Check("most rain of 10 days", rain.max(), 10, 150, "kg m-2", OURS),
            Check("latitude of the most rain", latitude, 30, 60, "degrees", OURS),
        ]
    shown = {"surface pressure": product(wet, "surface_pressure") / 100}
    return Outcome(
        checks,
        {
            f"Surface pressure on day {days}": maps(uniform_mesh(level), shown, "hPa", (0, 90)),
            f"Rain of {days} days": maps(uniform_mesh(level), {"rain": rain}, "kg m-2", (0, 90)),
            "Lowest pressure": lines(
                {name: np.array(each) for name, each in lowest.items()},
                np.arange(1, days + 1),
                xlabel="days",
                ylabel="hPa",
            ),
        },
    )


def supercell(level: int = 4, count: int = 40, duration_s: float = 7200.0) -> Outcome:
    """Test 1-3: a supercell on a planet 120 times smaller than the Earth, with constant viscosity: budgets,
    the fastest updraught, and rain on both sides of the equator, as the storm splits."""
    every_s = 300.0
    scheme = AIR_SCHEME | {"viscosity": 500.0, "scalar_viscosity": 1500.0, "hyperdiffusion": 0.0}
    core = moist_core(
        level,
        "supercell",
        equations="nonhydrostatic",
        count=count,
        top=5700.0,
        spacing="height",
        scheme=scheme,
    )
    before, mesh, updraughts = integrals_of(core), uniform_mesh(level), []
    for _ in range(round(duration_s / every_s)):
        advance(core, every_s)
        updraughts.append(float(product(core, "upward_wind").max()))
    rain = product(core, "precipitation")
    checks = budgets(core, before, "supercell")
    if duration_s == 7200:
        north = np.asarray(mesh.cell_latitude) > 0
        share = (mesh.area_cell * rain)[north].sum() / (mesh.area_cell * rain).sum()
        checks += [
            Check("fastest updraught", max(updraughts), *_UPDRAUGHTS[level], "m s-1", OURS),
            Check("share of the rain north of the equator", share, 0.35, 0.65, source="symmetry"),
        ]
    minutes = every_s / 60 * np.arange(1, len(updraughts) + 1)
    history = {f"G{level}": np.array(updraughts)}
    return Outcome(
        checks,
        {
            "Fastest updraught": lines(history, minutes, xlabel="minutes", ylabel="m s-1"),
            f"Rain of {duration_s:g} s": maps(mesh, {"rain": rain}, "kg m-2", (-60, 60)),
        },
    )


def moist_core(level: int, start: str, **settings: Any) -> atmosphere.Core:
    """A core of moist air with Kessler's rain. settings: of `air_core`."""
    return air_core(level, start, moist=True, physics=[column_scheme("kessler")], **settings)


def integrals_of(core: Any) -> dict[str, float]:
    """Global integrals by name."""
    return dict(zip((row.name for row in core.integral_variables), core.integrals(), strict=True))


def budgets(core: Any, before: dict[str, float], start: str, prefix: str = "") -> list[Check]:
    """Checks of the masses of dry air and water, of which the rain has left the air, and of the heat of
    condensation: L times the vapour that is missing."""
    now = integrals_of(core)
    gained = (now["water_mass"] - before["water_mass"] + now["precipitation_mass"]) / before["water_mass"]
    dry = now["dry_air_mass"] / before["dry_air_mass"] - 1
    condensed = before["water_vapour_mass"] - now["water_vapour_mass"]
    heat = now["latent_heat_energy"] - LATENT_HEAT * condensed
    lowest = {name: float(product(core, name).min()) for name in atmosphere.WATER_TRACERS}
    vapour = lowest.pop(atmosphere.WATER_TRACERS[0])
    return [
        Check(f"{prefix}mass of dry air", abs(dry), 0, ROUNDING),
        Check(f"{prefix}mass of water and of the rain", abs(gained), 0, 1e-12),
        Check(f"{prefix}latent heat", abs(heat) / (LATENT_HEAT * before["water_vapour_mass"]), 0, 1e-12),
        Check(f"{prefix}lowest mixing ratio of cloud and rain", min(lowest.values()), -1e-15, 1, "kg kg-1"),
        Check(f"{prefix}lowest mixing ratio of vapour", vapour, _LOWEST_VAPOUR[start], 1, "kg kg-1"),
    ]


# Viscosity of the deviations from the initial state takes vapour also from air that has none left.
_LOWEST_VAPOUR = {"moist_baroclinic_wave": -1e-15, "supercell": -1e-4}
_UPDRAUGHTS = {4: (5.0, 40.0), 5: (10.0, 45.0)}  # bounds by mesh [m s-1]
CASES = by_name(moist_baroclinic_wave, supercell)
LONG = {
    "finer_moist_baroclinic_wave": partial(moist_baroclinic_wave, level=5),
    "finer_supercell": partial(supercell, level=5),
}
