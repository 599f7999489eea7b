"""The air against the tests of DCMIP-2012, Jablonowski and Williamson (2006), Held and Suarez (1994)."""

from __future__ import annotations

from functools import partial

import numpy as np

from halcyon import atmosphere
from halcyon.atmosphere.levels import interfaces
from halcyon.base import EARTH_RADIUS
from halcyon_validation import mountain_theory
from halcyon_validation.check import Check, Outcome, by_name
from halcyon_validation.figures import lines, maps
from halcyon_validation.globe_runs import DAY_S, SETS, advance, air_core, climate, globe, product
from halcyon_validation.noise import growth, rotating_air

ROUNDING = 1e-13
_DCMIP = "DCMIP-2012 (Ullrich et al. 2012)"
_JW = "Jablonowski and Williamson (2006)"
_TIDES = "linear theory on the sphere"
_AIR, _GRAVITY = atmosphere.Air(), atmosphere.Planet().gravity
_SCALE_HEIGHT = _AIR.gas_constant * 300 / _GRAVITY  # [m] of air of 300 K


def resting_mountain(level: int = 4, count: int = 20, days: int = 6) -> Outcome:
    """Test 2-0: air at rest over a range of rings, with and without the reference atmosphere."""
    found = {}
    for name, equations, reference in (
        ("hydrostatic", "hydrostatic", True),
        ("nonhydrostatic", "nonhydrostatic", True),
        ("plain", "hydrostatic", False),
    ):
        layers = {"count": count, "top": 20544.0, "spacing": "height"}
        core = air_core(level, "resting_mountain", equations=equations, reference=reference, **layers)
        advance(core, days * DAY_S)
        winds = core.products(["eastward_wind", "northward_wind"])
        found[name] = np.hypot(winds["eastward_wind"], winds["northward_wind"]).max()
    checks = [Check(f"fastest wind, {each}", found[each], 0, 0.05, "m s-1", _DCMIP) for each in SETS]
    gain = found["plain"] / found["hydrostatic"]
    checks.append(Check("that of the plain pressure gradient over it", gain, 10, np.inf))
    return Outcome(checks)


def mountain_waves(
    level: int = 4, count: int = 30, duration_s: float = 750.0, factor: float = 1000.0
) -> Outcome:
    """Test 2-1: waves over ridges 4 km apart, which only hydrostatic air lets up; against linear theory.

    On a planet of half the test's radius, so that a quarter of its cells are as near to each other."""
    height, top, radius = 2000.0, 3000.0, EARTH_RADIUS / factor
    a, b = interfaces(count, top, spacing="height")
    at_interfaces = _SCALE_HEIGHT * np.log(_AIR.reference_pressure / (a + b * _AIR.reference_pressure))
    k = int(np.abs((at_interfaces[1:] + at_interfaces[:-1]) / 2 - height).argmin())
    checks, drawn, amplitude = [], {}, {}
    for equations in SETS:
        air = {"equations": equations, "sponge_pressure": 10000.0, "sponge_rate": 0.05}
        layers = {"count": count, "top": top, "spacing": "height"}
        core = air_core(level, "mountain_waves", radius=radius, **layers, **air)
        advance(core, duration_s)
        drawn[equations] = product(core, "upward_wind")[:, k]
        near, theory = _linear_waves(level, radius, at_interfaces[k : k + 2], equations == "hydrostatic")
        ours = drawn[equations][near]
        amplitude[equations] = ours.std()
        if level < 4:
            continue  # cells too far apart for the ridges
        alike, size = float(np.corrcoef(ours, theory)[0, 1]), ours.std() / theory.std()
        checks += [
            Check(f"{equations}: correlation of w with theory", alike, 0.9, 1, source=_TIDES),
            Check(f"{equations}: its size over theory's", size, 0.8, 1.2, source="the same"),
        ]
    share = amplitude["nonhydrostatic"] / amplitude["hydrostatic"]
    checks.append(Check("w of nonhydrostatic over hydrostatic", share, 0.2, 0.85, source="Smith (1980)"))
    shown = maps(globe(level), drawn, "m s-1", (-60, 60))
    return Outcome(checks, {f"Upward wind near {height:g} m after {duration_s:g} s": shown})


def _linear_waves(
    level: int, radius: float, heights: np.ndarray, hydrostatic: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The cells around the mountain, and w [m s-1] in them by linear theory: the mean of some heights."""
    mesh = globe(level)
    longitude = (mesh.cell_longitude - np.pi / 4 + np.pi) % (2 * np.pi) - np.pi
    latitude = np.asarray(mesh.cell_latitude)
    near = (np.abs(latitude) < 4000 / radius) & (longitude > -4000 / radius) & (longitude < 8000 / radius)

    def ground(longitude: np.ndarray, latitude: np.ndarray) -> np.ndarray:
        distance = radius * np.arccos(np.clip(np.cos(latitude) * np.cos(longitude), -1, 1))
        return 250 * np.exp(-((distance / 5000) ** 2)) * np.cos(np.pi * distance / 4000) ** 2

    steady = {"wind": 20.0, "buoyancy_frequency": _GRAVITY / np.sqrt(_AIR.heat_capacity * 300)}
    layer = {"scale_height": _SCALE_HEIGHT, "hydrostatic": hydrostatic}
    waves = mountain_theory.vertical_wind(ground, radius, heights, **steady, **layer)
    return near, mountain_theory.sampled(waves.mean(axis=0), longitude[near], latitude[near])


def gravity_wave(
    level: int = 5, count: int = 10, factor: float = 125.0, duration_s: float = 3600.0
) -> Outcome:
    """Test 3-1: how the potential temperature of a spot spreads, on a small planet and on the Earth."""
    large_level = min(level, 3)  # smooth there
    small = {each: _spread(level, count, each, factor, duration_s) for each in SETS}
    large = {each: _spread(large_level, count, each, 1.0, duration_s * factor) for each in SETS}
    checks = []
    for each in SETS if duration_s == 3600 else ():  # the time of the test's figures
        checks += [
            Check(f"{each}: largest change", small[each].max(), 0.05, 0.15, "K", _DCMIP),
            Check(f"{each}: lowest change", small[each].min(), -0.15, -0.04, "K", _DCMIP),
        ]
    # The front of a hydrostatic wave, L_z = 20 km and twice as deep as the air, goes at N L_z / (2 pi).
    front = _front(level, small["hydrostatic"], factor, duration_s)
    apart = [
        abs(f["nonhydrostatic"] - f["hydrostatic"]).max() / abs(f["hydrostatic"]).max()
        for f in (small, large)
    ]
    checks += [
        Check("speed of the eastern front over N L_z/2 pi", front, 0.85, 1.1, source="linear theory"),
        Check("sets apart on the small planet", apart[0], 0.2, np.inf),
        Check("sets apart on the Earth", apart[1], 0, 0.02),
    ]
    middle = {each: values[:, count // 2] for each, values in small.items()}
    shown = maps(globe(level), middle, "K", (-60, 60))
    return Outcome(checks, {f"Change of potential temperature after {duration_s:g} s": shown})


def _spread(level: int, count: int, equations: str, factor: float, duration_s: float) -> np.ndarray:
    """What the spot changes [K] (cell, level): the run with it less that without. The radius is that of the
    Earth over a factor, and the spot as large a part of it."""
    found = []
    for perturbation in (1.0, 0.0):
        spot = {"perturbation": perturbation, "half_width": 5000 * 125 / factor}
        how = {"equations": equations, "options": spot, "radius": EARTH_RADIUS / factor}
        core = air_core(level, "gravity_wave", count=count, top=27391.9, spacing="height", **how)
        advance(core, duration_s)
        found.append(product(core, "potential_temperature"))
    return found[0] - found[1]


def _front(level: int, change: np.ndarray, factor: float, duration_s: float) -> float:
    """The speed of the largest change east of the flow's way from 120 E, over that of linear theory."""
    mesh, radius, wind = globe(level), EARTH_RADIUS / factor, 20.0
    middle = np.degrees(2 * np.pi / 3 + wind * duration_s / radius)
    east = (np.degrees(mesh.cell_longitude) - middle) % 360
    there = (np.abs(np.degrees(mesh.cell_latitude)) < 10) & (east < 180)
    bins = (east[there] // 5).astype(int)
    total = np.bincount(bins, change[there, change.shape[1] // 2]) / np.maximum(np.bincount(bins), 1)
    away = np.radians(5 * (total.argmax() + 0.5)) * radius
    return float(away / duration_s / (0.01 * 20000 / (2 * np.pi)))


def steady_jets(level: int = 4, count: int = 18, days: int = 9) -> Outcome:
    """The balanced jets without a gust: how far the wind goes from what it was."""
    core = air_core(level, "baroclinic_wave", count=count, options={"perturbation": 0})
    area = np.asarray(globe(level).area_cell)
    before, start, course = product(core, "eastward_wind"), core.integrals(), []
    for _ in range(days):
        advance(core, DAY_S)
        change = product(core, "eastward_wind") - before
        course.append(float(np.sqrt((area[:, None] * change**2).mean() / area.mean())))
    change = np.abs(core.integrals() / start - 1)
    checks = [
        Check("mass", change[0], 0, ROUNDING),
        Check("energy", change[1], 0, 2e-5),
        *(
            Check(f"l2 of the eastward wind, day {day}", course[day - 1], 0, most, "m s-1", _JW)
            for day, most in ((1, 0.5), (days, 3.0))
        ),
    ]
    return Outcome(checks)


def tracers(level: int = 3, count: int = 10, days: int = 10) -> Outcome:
    """What air carries through the wave: one that is the same everywhere, and one that is not."""
    checks = []
    for equations in SETS:
        air = {"equations": equations, "tracers": ["passive_tracer", "constant_tracer"]}
        core = air_core(level, "baroclinic_wave", count=count, **air)
        start = core.integrals()
        advance(core, days * DAY_S)
        change = np.abs(core.integrals() / start - 1)
        apart = abs(core.prognostic("constant_tracer") - 1).max()
        checks += [
            Check(f"{equations}: mass", change[0], 0, ROUNDING),
            Check(f"{equations}: mass of the tracer", change[-2], 0, 1e-12),
            Check(f"{equations}: a constant tracer's change", apart, 0, ROUNDING),
        ]
    return Outcome(checks)


def energy(level: int = 3, count: int = 10, days: int = 10) -> Outcome:
    """Of the wave, where only steps change it: those of 300 s and those of 1200 s."""
    checks = []
    for equations in SETS:
        changes = []
        for step_s in (1200.0, 300.0):
            how = {"scheme": {"vertex_energy": 0.0}, "off_centring": 0.5, "keep_energy": True}
            core = air_core(level, "baroclinic_wave", equations=equations, count=count, **how)
            start, course = core.integrals()[1], []
            for _ in range(days):
                advance(core, DAY_S, step_s=step_s)
                course.append(abs(core.integrals()[1] / start - 1))
            changes.append(course)
        long, short = changes
        half = days // 2
        checks += [
            Check(f"{equations}: energy, worst of {days} days, steps of 300 s", max(short), 0, 5e-9),
            Check(f"{equations}: that of steps four times as long over it, day {half}",
                  long[half - 1] / short[half - 1], 8, 128),
        ]  # fmt: skip
    return Outcome(checks)


def baroclinic_wave(level: int = 4, count: int = 18, days: int = 9) -> Outcome:
    """The wave that a gust makes of the jets: the lowest surface pressure, and that both sets agree."""
    last, lowest = {}, {}
    for equations in SETS:
        core = air_core(level, "baroclinic_wave", equations=equations, count=count)
        course = []
        for _ in range(days):
            advance(core, DAY_S)
            last[equations] = product(core, "surface_pressure") / 100
            course.append(float(last[equations].min()))
        lowest[equations] = course
    apart = abs(last["nonhydrostatic"] - last["hydrostatic"]).max()
    checks = [Check(f"sets apart on day {days}", apart, 0, 1.0, "hPa")]
    if days >= 9:  # 940 to 950 hPa in the paper's fine models; coarse meshes deepen less
        for equations, course in lowest.items():
            checks.append(Check(f"{equations}: lowest pressure, day 9", course[8], 935, 970, "hPa", _JW))
    shown = maps(globe(level), last, "hPa", (0, 90))
    return Outcome(checks, {f"Surface pressure on day {days}": shown})


def held_suarez(level: int = 4, count: int = 20, spin_up_days: int = 200, mean_days: int = 200) -> Outcome:
    """The climate of the forcing: a jet in each hemisphere near 45 degrees, and both alike."""
    core = air_core(
        level, "held_suarez", count=count, top=2000.0, held_suarez=True, scheme={"hyperdiffusion": 0.05}
    )
    step_s = 0.75 * core.longest_step()
    advance(core, spin_up_days * DAY_S, step_s=step_s)
    edges = np.linspace(-90, 90, 31)
    wind = np.zeros((len(edges) - 1, count))
    for _ in range(mean_days):
        advance(core, DAY_S, step_s=step_s)
        wind += _zonal(level, product(core, "eastward_wind"), edges) / mean_days
    return Outcome(climate((edges[1:] + edges[:-1]) / 2, wind, 20, 40))


def hollingsworth(
    level: int = 4, count: int = 20, days: int = 24, factor: float = 1.0, hyperdiffusion: float = 0.025
) -> Outcome:
    """Hollingsworth's instability: noise on air in solid rotation, which is stable, grows with the energy of
    edges alone through as much hyperdiffusion as lets it decay with a quarter from vertices."""
    found = {}
    for name, share in (("edges alone", 0.0), ("a quarter from vertices", 0.25)):
        scheme = {"vertex_energy": share, "hyperdiffusion": hyperdiffusion}
        found[name] = growth(rotating_air(level, scheme, count=count, factor=factor), days, share=0.8)
    edges, quarter = found.values()
    source = "Hollingsworth et al. (1983), Peixoto et al. (2018); our bounds"
    checks = [
        Check("edges alone fail: growth", edges.rate, 0.03, 0.5, "day-1", source),
        Check("a quarter from vertices passes: growth", quarter.rate, -0.2, 0, "day-1", source),
        Check("its noise at the end over that at the start", quarter.sizes[-1], 0, 1, "", source),
    ]
    sizes = {name: each.sizes for name, each in found.items()}
    shown = lines(sizes, width=7, yscale="log", xlabel="days", ylabel="noise over what it was")
    return Outcome(checks, {"Noise on air in solid rotation": shown})


def _zonal(level: int, values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Means (band, level) of values (cell, level) over bands of latitude [degrees]."""
    mesh = globe(level)
    band = np.clip(np.digitize(np.degrees(mesh.cell_latitude), edges) - 1, 0, len(edges) - 2)
    area, found = np.asarray(mesh.area_cell), np.zeros((len(edges) - 1, values.shape[1]))
    np.add.at(found, band, area[:, None] * values)
    return found / np.maximum(np.bincount(band, area, len(edges) - 1), 1e-300)[:, None]


CASES = by_name(
    resting_mountain,
    mountain_waves,
    gravity_wave,
    steady_jets,
    tracers,
    energy,
    baroclinic_wave,
    hollingsworth,
)
LONG = {
    "held_suarez": held_suarez,
    "finer_baroclinic_wave": partial(baroclinic_wave, level=5, count=26),
}
