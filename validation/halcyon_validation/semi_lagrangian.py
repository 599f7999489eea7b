"""Validation of semi-Lagrangian steps of the spectral model: analytic solutions, published tests, and
Eulerian steps of the same model."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from halcyon.physics import column_scheme
from halcyon.semi_lagrangian import RADIUS, Advection
from halcyon.transform import Grid
from halcyon_validation.atmosphere_runs import DAY_S, product
from halcyon_validation.atmosphere_runs import advance as advance_core
from halcyon_validation.check import Check, Outcome, Table, by_name, conserved, near
from halcyon_validation.figures import lines, maps
from halcyon_validation.moist_air import OURS, budgets, integrals_of, moist_core
from halcyon_validation.spectral import ROUNDING, air_model, held_suarez
from halcyon_validation.spectral_runs import advance, l2, make_model, run

SCHEME = "semi_lagrangian"
_EULERIAN = "Eulerian steps, the same truncation"
_WILLIAMSON = "Williamson et al. (1992)"
# Step [s], tilt [rad] and options; with tilt, steps of 7200 s are too long for the direct solver.
_TILTED = ((1200.0, 1, {}), (1200.0, 1, {"interpolation": "quasi_cubic"}), (7200.0, 1, {"solver": "gcr"}))


def lagrangian_steady_flow(
    truncation: int = 42, days: int = 5, steps: tuple[float, ...] = (1800, 7200)
) -> Outcome:
    """Case 2: steady geostrophic flow, along the equator, and tilted."""
    checks = []
    for step_s, tilt, settings in (*((step_s, 0.0, {}) for step_s in steps), *_TILTED):
        model, options = (truncation, "shallow_water", "solid_rotation"), {"tilt": tilt}
        result = run(make_model(*model, options=options, scheme=SCHEME, **settings), days, step_s, ["height"])
        name, details = f"steps of {step_s:g} s", settings.values() or ("cubic",)
        name += ", ".join((f", tilt {np.degrees(tilt):.0f} degrees", *details)) if tilt else ""
        most = 1e-3 if tilt else 1e-5
        checks += [
            Check(f"{name}: l2 of the height", result.l2("height"), 0, most, source=_WILLIAMSON),
            *conserved(result.changes, f"{name}: ", mass=ROUNDING, energy=most),
        ]
    return Outcome(checks)


def lagrangian_shallow_water(
    truncation: int = 42, days: int = 15, step_s: float = 3600, max_errors: tuple[float, float] = (2e-3, 0.02)
) -> Outcome:
    """Cases 5 and 6, flow over a mountain and a Rossby-Haurwitz wave, against semi-implicit Eulerian steps of
    an eighth of the length."""
    checks, figures = [], {}
    for start, name, most in (
        ("mountain", "case 5", max_errors[0]),
        ("rossby_haurwitz", "case 6", max_errors[1]),
    ):
        models = {
            scheme: make_model(truncation, "shallow_water", start, scheme=scheme)
            for scheme in (SCHEME, "semi_implicit")
        }
        result = run(models[SCHEME], days, step_s, ["height"])
        twin = run(models["semi_implicit"], days, step_s / 8, ["height"])
        height, expected = result.last["height"], twin.last["height"]
        grid = models[SCHEME].grid
        checks += [
            Check(
                f"{name}: l2 of the height against the twin",
                l2(grid, height, expected),
                0,
                most,
                source=_EULERIAN,
            ),
            near(f"{name}: lowest height", height.min(), expected.min(), 0.03, unit="m", source=_EULERIAN),
            near(f"{name}: highest height", height.max(), expected.max(), 0.03, unit="m", source=_EULERIAN),
            *conserved(result.changes, f"{name}: ", mass=ROUNDING, energy=1e-2),
        ]
        figures[f"{name}: height after {days} days"] = maps(grid, {"height": height}, "m")
    return Outcome(checks, figures)


def lagrangian_baroclinic_wave(
    truncation: int = 42,
    count: int = 26,
    days: int = 9,
    steps: tuple[float, ...] = (3600, 5400),
    twin_step_s: float = 1200,
    max_energy: float = 1e-4,
) -> Outcome:
    """Baroclinic wave with long steps, without diffusion, and Eulerian steps with del^4 of 50,000 s:
    lowest pressure, mass, energy, angular momentum, noise of the southern hemisphere, and CPU time."""
    settings = {"eulerian": (twin_step_s, {"diffusion": (4, 50000.0)})}
    settings |= {f"{step_s:g} s": (step_s, {"scheme": SCHEME}) for step_s in steps}
    lowest, rows, checks, shown = {}, [], [], {}
    for name, (step_s, options) in settings.items():
        model = air_model(truncation, "baroclinic_wave", count, **options)
        first, begin_s = model.integrals(), time.process_time()
        advance(model, days, step_s)
        cpu_s = time.process_time() - begin_s
        pressure = product(model, "surface_pressure").reshape(model.grid.shape) / 100
        change = model.integrals() / first - 1
        south = 1000 - pressure[model.grid.latitude < 0].min()
        lowest[name], shown[name] = pressure.min(), pressure.ravel()
        rows.append((name, f"{pressure.min():.1f}", f"{south:.2f}", f"{change[1]:.1e}", f"{cpu_s:.1f}"))
        if name == "eulerian":
            continue
        checks += [
            Check(f"{name}: mass", abs(change[0]), 0, 1e-13),
            Check(f"{name}: energy", abs(change[1]), 0, max_energy),
            Check(f"{name}: angular momentum", abs(change[3]), 0, max_energy / 10),
            Check(f"{name}: depth of the southern lows", south, 0, 1, "hPa"),
            Check(
                f"{name}: minimum pressure, day {days}, less that of the twin",
                lowest[name] - lowest["eulerian"], -5, 5, "hPa", _EULERIAN,
            ),
        ]  # fmt: skip
    heads = ("steps", "lowest pressure, hPa", "southern lows, hPa", "change of energy", "CPU time, s")
    figure = maps(model.grid, shown, "hPa", (0, 90))
    return Outcome(
        checks, {f"Surface pressure on day {days}": figure}, {"Steps and costs": Table(heads, rows)}
    )


def lagrangian_moist_wave(
    truncation: int = 42,
    count: int = 30,
    days: int = 10,
    steps: tuple[float, ...] = (4800, 5760),
    level: int = 4,
) -> Outcome:
    """Test 1-1 of DCMIP2016, a baroclinic wave with Kessler's rain, with steps of 4 and 4.8 times the
    length of Eulerian ones, and in the grid-point model: budgets, the lowest pressure, and the rain."""
    start = "moist_baroclinic_wave"
    models = {"grid-point": moist_core(level, start, count=count, top=226.0)}
    for step_s in steps:
        models[f"{step_s:g} s"] = air_model(
            truncation, start, count, top=226.0, scheme=SCHEME, moist=True, physics=[column_scheme("kessler")]
        )
    lowest, checks, rows = {}, [], []
    for (name, model), step_s in zip(models.items(), (None, *steps), strict=True):
        before, pressures, begin_s = integrals_of(model), [], time.process_time()
        for _ in range(days):
            advance_core(model, DAY_S) if step_s is None else advance(model, 1, step_s)
            pressures.append(float(product(model, "surface_pressure").min()) / 100)
        cpu_s, rain = time.process_time() - begin_s, product(model, "precipitation")
        lowest[name] = np.array(pressures)
        total = integrals_of(model)["precipitation_mass"]
        rows.append((name, f"{pressures[-1]:.1f}", f"{rain.max():.1f}", f"{total:.2e}", f"{cpu_s:.0f}"))
        if step_s is None:
            continue
        checks += budgets(model, before, start, f"{name}: ")
        if days < 10:
            continue
        latitude = np.repeat(model.grid.latitude, model.grid.row_lengths)[rain.argmax()]
        difference = pressures[-1] - lowest["grid-point"][-1]
        twin = f"grid-point model, G{level}"
        checks += [
            Check(f"{name}: lowest pressure, day 10", pressures[-1], 925, 960, "hPa", OURS),
            Check(f"{name}: lowest pressure less that of the twin", difference, -12, 12, "hPa", twin),
            Check(f"{name}: most rain of 10 days", rain.max(), 10, 150, "kg m-2", OURS),
            Check(f"{name}: latitude of the most rain", latitude, 30, 60, "degrees", OURS),
        ]
    grid, shown = model.grid, {f"T{truncation}": product(model, "surface_pressure") / 100}
    heads = ("steps", "lowest pressure, hPa", "most rain, kg m-2", "rain, kg", "CPU time, s")
    return Outcome(
        checks,
        {
            f"Surface pressure on day {days}, steps of {steps[-1]:g} s": maps(grid, shown, "hPa", (0, 90)),
            "Lowest pressure": lines(lowest, np.arange(1, days + 1), xlabel="days", ylabel="hPa"),
        },
        {"Steps and costs": Table(heads, rows)},
    )


def lagrangian_rest(truncation: int = 42, count: int = 26, days: int = 6, step_s: float = 3600) -> Outcome:
    """Air at rest over a mountain of 2 km: winds, also with Eulerian steps."""
    checks = []
    for rate, most in ((0.0, 1e-6), (0.003, 1.0), (0.0065, 1.5)):
        fastest = {}
        for scheme, dt in ((SCHEME, step_s), ("semi_implicit", step_s / 4)):
            options = {"lapse_rate": rate}
            model = air_model(truncation, "resting_mountain", count, scheme=scheme, options=options)
            advance(model, days, dt)
            fastest[scheme] = max(
                abs(product(model, name)).max() for name in ("eastward_wind", "northward_wind")
            )
        text = f"{1000 * rate:g} K/km: fastest wind (Eulerian steps: {fastest['semi_implicit']:.2g} m s-1)"
        checks.append(Check(text, fastest[SCHEME], 0, most, "m s-1"))
    return Outcome(checks)


def deformational_flow(
    sizes: tuple[int, ...] = (60, 120),
    period_days: float = 12,
    max_error: float = 0.15,
    least_order: float = 1.8,
) -> Outcome:
    """Two Gaussian hills in the deformational flow with a zonal wind (Nair and Lauritzen 2010, case 4), after
    a period, at which they are where they were: errors of cubic and quasi-cubic interpolation at 3 and 1.5
    degrees, and their order."""
    from mpi4py import MPI

    checks, source = [], "Nair and Lauritzen (2010), case 4"
    for interpolation in ("quasi_cubic", "cubic"):
        errors = [deformation_error(MPI.COMM_SELF, size, interpolation, period_days) for size in sizes]
        checks += [
            Check(
                f"{interpolation}, {180 / size:g} degrees: l2",
                error,
                0,
                max_error * (sizes[0] / size),
                source=source,
            )
            for size, error in zip(sizes, errors, strict=True)
        ]
        checks.append(
            Check(f"{interpolation}: order", float(np.log2(errors[0] / errors[-1])), least_order, 4)
        )
    return Outcome(checks)


def deformation_error(comm, n_rows: int, interpolation: str, period_days: float) -> float:
    """The relative l2 error of two Gaussian hills (Lauritzen et al. 2012, equation 14) on n_rows x 2 n_rows
    points after a period in 2 n_rows steps."""
    grid, n_steps, period_s = Grid.full(n_rows, 2 * n_rows), 2 * n_rows, period_days * DAY_S
    advection = Advection(comm, grid, halo="on_demand", interpolation=interpolation)
    lon, lat = np.radians(advection.longitude), np.radians(advection.latitude)
    points = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
    hills = sum(
        0.95 * np.exp(-5 * ((points.T - [np.cos(centre), np.sin(centre), 0]) ** 2).sum(axis=1))
        for centre in (5 * np.pi / 6, 7 * np.pi / 6)
    )
    values, step_s = hills.reshape(-1, 1).copy(), period_s / n_steps
    for number in range(n_steps):
        phase = (number + 0.5) / n_steps  # the middle of the step
        moved, strength = lon - 2 * np.pi * phase, 10 * RADIUS / period_s * np.cos(np.pi * phase)
        u = strength * np.sin(moved) ** 2 * np.sin(2 * lat) + 2 * np.pi * RADIUS / period_s * np.cos(lat)
        v = strength * np.sin(2 * moved) * np.cos(lat)
        advection.step(u.reshape(-1, 1), v.reshape(-1, 1), step_s, values)
    return l2(grid, values.ravel(), hills)


def lagrangian_held_suarez(
    truncation: int = 42,
    count: int = 20,
    spin_up_days: int = 200,
    mean_days: int = 1000,
    step_s: float = 4800,
    folder: Path | None = None,
) -> Outcome:
    """Climate of the Held-Suarez forcing, without diffusion. folder: as in `held_suarez`."""
    settings = {"scheme": SCHEME, "diffusion": None}
    return held_suarez(truncation, count, spin_up_days, mean_days, step_s, folder, **settings)


CASES = by_name(
    lagrangian_steady_flow,
    lagrangian_shallow_water,
    lagrangian_baroclinic_wave,
    lagrangian_moist_wave,
    lagrangian_rest,
    deformational_flow,
)
LONG = by_name(lagrangian_held_suarez)
