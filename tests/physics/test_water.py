"""The schemes with water on single columns, against closed forms and another implementation in numpy."""

import numpy as np
import pytest

from halcyon.atmosphere import AirStart
from halcyon.base import ConfigError, InputError, RunError
from halcyon.physics import Columns, column_scheme

WATER = ("water_vapour", "cloud_water", "rain_water")
GRAVITY, R, CP, R_V, L = 9.80616, 287.0, 1004.5, 461.5, 2.5e6
N, LEVELS = 70, 20  # columns, more than a block; levels


def tetens(temperature, pressure):
    """Saturation mixing ratio of Kessler's scheme."""
    return 380 / pressure * np.exp(17.27 * (temperature - 273) / (temperature - 36))


def clausius(temperature, pressure):
    """Saturation specific humidity of Reed and Jablonowski's scheme."""
    return R / R_V * 610.78 / pressure * np.exp(-L / R_V * (1 / temperature - 1 / 273.16))


class Air:
    """Moist columns of random state in hydrostatic balance, with the order of halcyon's arrays."""

    def __init__(self, seed=1, cloud=3e-3, rain=3e-3):
        random = np.random.default_rng(seed)
        self.latitude = np.linspace(-1.5, 1.5, N)
        eta = np.linspace(0, 1, LEVELS + 1)[:, None] ** 1.5
        self.interface_pressure = 1000 + (random.uniform(97e3, 102e3, N) - 1000) * eta
        self.pressure = (self.interface_pressure[1:] + self.interface_pressure[:-1]) / 2
        self.temperature = 215 + 85 * self.pressure / 1e5 + random.uniform(-3, 3, (LEVELS, N))
        vapour = random.uniform(0.3, 1.3, (LEVELS, N)) * tetens(self.temperature, self.pressure)
        water = random.uniform(0, 1, (2, LEVELS, N)) * (random.uniform(0, 1, (2, LEVELS, N)) > 0.3)
        water = water * (self.pressure > 3e4)
        self.tracers = np.stack([vapour, cloud * water[0], rain * water[1]])
        self.eastward_wind, self.northward_wind = random.uniform(-25, 25, (2, LEVELS, N))

    def state(self):
        total = 1 + self.tracers.sum(axis=0)
        thickness = np.log(self.interface_pressure[1:] / self.interface_pressure[:-1])
        virtual = self.temperature * (1 + R_V / R * self.tracers[0]) / total
        below = np.cumsum((R * virtual * thickness)[::-1], axis=0)[::-1]
        self.interface_geopotential = 100.0 + np.vstack([below, np.zeros(N)])
        self.geopotential = (self.interface_geopotential[1:] + self.interface_geopotential[:-1]) / 2
        self.moist_mass = np.diff(self.interface_pressure, axis=0) / GRAVITY
        self.mass = self.moist_mass / total
        self.thickness = -np.diff(self.interface_geopotential, axis=0) / GRAVITY
        self.surface_pressure = self.interface_pressure[-1]
        self.surface_geopotential = self.interface_geopotential[-1]
        self.exner = (self.pressure / 1e5) ** (R / CP)
        return {name: values for name, values in vars(self).items() if name not in _OWN}

    def after(self, scheme, step, **options):
        """Temperature, tracers, winds and fields after a step of a scheme."""
        columns = Columns(
            [column_scheme(scheme, **options)],
            longitude=[0.0] * N,
            latitude=list(self.latitude),
            n_levels=LEVELS,
            tracers=list(WATER),
        )
        rates = columns.step(self.state(), step)
        result = Air.__new__(Air)
        result.temperature = self.temperature + step * rates["temperature_tendency"]
        result.tracers = self.tracers + step * rates["tracer_tendencies"].reshape(3, LEVELS, N)
        result.eastward_wind = self.eastward_wind + step * rates["eastward_wind_tendency"]
        result.northward_wind = self.northward_wind + step * rates["northward_wind_tendency"]
        result.fields = lambda name: columns.field(name)[:, 0]
        return result


_OWN = {"latitude", "moist_mass", "mass", "thickness"}


def kessler(air, step):
    """Kessler's scheme, column by column, of scalars: temperature, tracers and rain [kg m-2] after a step."""
    air.state()
    temperature, tracers, rain = air.temperature.copy(), air.tracers.copy(), np.zeros(N)
    density = air.mass / air.thickness
    for i in range(N):
        t, (v, c, r) = temperature[:, i], tracers[:, :, i]
        rho, mass, dz, p = density[:, i], air.mass[:, i], air.thickness[:, i], air.pressure[:, i] / 100

        def speed(r, rho=rho):
            return 36.34 * (1e-3 * rho * r) ** 0.1364 * np.sqrt(rho[-1] / rho)

        n = max(1, int(np.ceil((step * speed(r) / dz).max() / 0.8)))
        dt = step / n
        for _ in range(n):
            out = np.minimum(dt * rho * r * speed(r), mass * r)
            rain[i] += out[-1]
            sediment = (np.append(0, out[:-1]) - out) / mass
            for k in range(LEVELS):
                made = c[k] - (c[k] - dt * max(1e-3 * (c[k] - 1e-3), 0)) / (1 + 2.2 * dt * r[k] ** 0.875)
                made = min(made, c[k])
                c[k] -= made
                r[k] += made + sediment[k]
                q_vs = tetens(t[k], 100 * p[k])
                excess = (v[k] - q_vs) / (1 + L / CP * 17.27 * 237 * q_vs / (t[k] - 36) ** 2)
                x = 1e-3 * rho[k] * r[k]
                rate = (1.6 + 124.9 * x**0.2046) * x**0.525 / (2.55e6 / (p[k] * q_vs) + 5.4e5)
                rate *= max(q_vs - v[k], 0) / (1e-3 * rho[k] * q_vs)
                evaporated = min(dt * rate, max(-excess - c[k], 0), r[k])
                condensed = max(excess, -c[k])
                t[k] += L / CP * (condensed - evaporated)
                v[k] -= condensed - evaporated
                c[k] += condensed
                r[k] -= evaporated
    return temperature, tracers, rain


@pytest.mark.parametrize("step", [20.0, 900.0])
def test_kessler_agrees_with_another_implementation(step):
    air = Air()
    after = air.after("kessler", step)
    temperature, tracers, rain = kessler(air, step)
    np.testing.assert_allclose(after.temperature, temperature, rtol=1e-11)
    np.testing.assert_allclose(after.tracers, tracers, rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(after.fields("precipitation"), rain, rtol=1e-9)
    assert rain.max() > 0.1


@pytest.mark.parametrize("step", [20.0, 900.0])
def test_kessler_closes_water_and_enthalpy(step):
    """Air with its water loses what falls as rain, and c_p T + L q_v of the dry mass is constant."""
    air = Air()
    after = air.after("kessler", step)
    lost = (air.mass * (air.tracers - after.tracers).sum(axis=0)).sum(axis=0)
    np.testing.assert_allclose(lost, after.fields("precipitation"), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(after.fields("precipitation_rate") * step, lost, rtol=1e-12, atol=1e-12)
    change = CP * (after.temperature - air.temperature) + L * (after.tracers[0] - air.tracers[0])
    assert abs(change).max() < 1e-9 * CP
    heat = (CP * air.mass * (after.temperature - air.temperature)).sum(axis=0)
    np.testing.assert_allclose(after.fields("latent_heat"), heat, rtol=1e-11, atol=1e-5)
    assert after.tracers.min() > -1e-17


def test_condensation_leaves_no_supersaturation():
    """The adjustment is Newton's step of q_v - dq = q_vs(T + L/c_p dq), which ends just below saturation."""
    air = Air(cloud=0, rain=0)
    after = air.after("kessler", 1.0)
    before, now = (each.tracers[0] / tetens(each.temperature, air.pressure) for each in (air, after))
    wet = before > 1
    assert wet.any() and not wet.all()
    assert now[wet].max() < 1 + 1e-12 and now[wet].min() > 0.98
    np.testing.assert_allclose(after.tracers[0][~wet], air.tracers[0][~wet], rtol=1e-14)
    np.testing.assert_allclose(after.tracers[1], air.tracers[0] - after.tracers[0], atol=1e-16)


def test_rain_falls_at_its_terminal_speed():
    """In saturated air rain does not evaporate: a layer loses q_r V/dz, with V = 36.34 (rho q_r)^.1364
    (rho_s/rho)^.5 [g cm-3]: 8.2 m/s for 3 g/kg at the surface."""
    air = Air(cloud=0)
    air.tracers[0] = tetens(air.temperature, air.pressure) * (1 + 1e-13)
    air.tracers[2] = 0
    air.tracers[2, -1] = air.tracers[2, 8] = 3e-3
    after = air.after("kessler", 1.0)
    density = air.mass / air.thickness
    for k in (8, LEVELS - 1):
        speed = 36.34 * (3e-6 * density[k]) ** 0.1364 * np.sqrt(density[-1] / density[k])
        loss = (air.tracers[2] - after.tracers[2])[k] / 3e-3
        np.testing.assert_allclose(loss, speed / air.thickness[k], rtol=1e-5)
    assert speed == pytest.approx(36.34 * (3e-6 * density[-1]) ** 0.1364, rel=1e-12)
    np.testing.assert_allclose(after.fields("precipitation"), 3e-3 * density[-1] * speed, rtol=1e-5)


@pytest.mark.parametrize("scheme", ["kessler", "reed_jablonowski"])
def test_a_column_does_not_depend_on_others(scheme):
    air, turned = Air(), Air()
    for name, values in vars(turned).items():
        setattr(turned, name, values[..., ::-1].copy())
    after, other = air.after(scheme, 900.0), turned.after(scheme, 900.0)
    for name in ("temperature", "tracers", "eastward_wind"):
        assert (getattr(after, name) == getattr(other, name)[..., ::-1]).all()


ONLY = {"condensation": False, "surface_fluxes": False, "boundary_layer": "none"}


def test_large_scale_condensation():
    """dq = (q - q_sat) / (1 + L/c_p dq_sat/dT) of the specific humidity falls out and heats by L/c_p dq."""
    air = Air(rain=0, cloud=0)
    after = air.after("reed_jablonowski", 600.0, **{**ONLY, "condensation": True})
    moist = 1 + air.tracers.sum(axis=0)
    q, q_sat = air.tracers[0] / moist, clausius(air.temperature, air.pressure)
    dq = np.maximum(q - q_sat, 0) / (1 + L / CP * L * q_sat / (R_V * air.temperature**2))
    assert (dq > 0).any() and (dq == 0).any()
    np.testing.assert_allclose(after.temperature - air.temperature, L / CP * dq, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(air.tracers[0] - after.tracers[0], dq * moist, rtol=1e-9, atol=1e-17)
    lost = (air.mass * (air.tracers - after.tracers).sum(axis=0)).sum(axis=0)
    np.testing.assert_allclose(after.fields("large_scale_precipitation"), lost, rtol=1e-12, atol=1e-12)
    assert (after.eastward_wind == air.eastward_wind).all()
    np.testing.assert_allclose(air.after("reed_jablonowski", 600.0, **ONLY).tracers, air.tracers, rtol=1e-15)


@pytest.mark.parametrize(("speed", "drag"), [(10.0, 7e-4 + 6.5e-5 * 10), (30.0, 2e-3)])
def test_surface_fluxes(speed, drag):
    """Implicit bulk fluxes of the lowest layer, of a known wind."""
    air, step = Air(), 600.0
    air.eastward_wind[-1], air.northward_wind[-1] = 0.6 * speed, -0.8 * speed
    after = air.after(
        "reed_jablonowski", step, **{**ONLY, "surface_fluxes": True}, sea_surface_temperature=300
    )
    height = air.thickness[-1] / 2
    slow = 1 / (1 + drag * speed * step / height)
    np.testing.assert_allclose(after.eastward_wind[-1], 0.6 * speed * slow, rtol=1e-12)
    np.testing.assert_allclose(after.northward_wind[-1], -0.8 * speed * slow, rtol=1e-12)
    a = 0.0011 * speed * step / height
    np.testing.assert_allclose(after.temperature[-1], (air.temperature[-1] + a * 300) / (1 + a), rtol=1e-12)
    moist = (1 + air.tracers.sum(axis=0))[-1]
    q_s = clausius(300, air.surface_pressure)
    np.testing.assert_allclose(
        after.tracers[0, -1] / moist, (air.tracers[0, -1] / moist + a * q_s) / (1 + a), rtol=1e-12
    )
    gained = (air.mass * (after.tracers - air.tracers).sum(axis=0)).sum(axis=0)
    np.testing.assert_allclose(after.fields("evaporation"), gained, rtol=1e-11, atol=1e-13)
    assert (after.temperature[:-1] == air.temperature[:-1]).all()


def diffusivity(air, kind, transfer):
    """K at the interfaces between layers [m2 s-1] of a transfer coefficient of the surface."""
    wind = np.hypot(air.eastward_wind[-1], air.northward_wind[-1])
    if kind == "bryan":
        z = (air.interface_geopotential[1:-1] - air.surface_geopotential) / GRAVITY
        return 0.4 * np.sqrt(transfer) * wind * z * np.where(z < 1000, 1 - z / 1000, 0) ** 2
    taper = np.exp(-((np.maximum(85e3 - air.interface_pressure[1:-1], 0) / 1e4) ** 2))
    return transfer * wind * air.thickness[-1] / 2 * taper


@pytest.mark.parametrize("kind", ["reed_jablonowski", "bryan"])
def test_boundary_layer(kind):
    """The implicit diffusion solves its linear system, and conserves wind, theta and water."""
    air, step = Air(), 1800.0
    after = air.after("reed_jablonowski", step, **{**ONLY, "boundary_layer": kind})
    moist = 1 + air.tracers.sum(axis=0)
    wind = np.hypot(air.eastward_wind[-1], air.northward_wind[-1])
    virtual = air.temperature * (1 + (R_V / R - 1) * air.tracers[0] / moist)
    density = air.interface_pressure[1:-1] / R / ((virtual[1:] + virtual[:-1]) / 2)
    distance = -np.diff(air.geopotential, axis=0) / GRAVITY
    drag = np.where(wind < 20, 7e-4 + 6.5e-5 * wind, 2e-3)
    quantities = (
        (lambda each: each.eastward_wind, drag),
        (lambda each: each.northward_wind, drag),
        (lambda each: each.temperature / air.exner, 0.0011),
        (lambda each: each.tracers[0] / moist, 0.0011),
    )
    for quantity, transfer in quantities:
        exchange = step * density * diffusivity(air, kind, transfer) / distance
        before, now = quantity(air), quantity(after)
        for i in (0, 3, N - 1):
            matrix = np.diag(air.moist_mass[:, i])
            for k in range(LEVELS - 1):
                matrix[k : k + 2, k : k + 2] += exchange[k, i] * np.array([[1, -1], [-1, 1]])
            solution = np.linalg.solve(matrix, air.moist_mass[:, i] * before[:, i])
            np.testing.assert_allclose(now[:, i], solution, rtol=1e-10, atol=1e-13)
        assert abs(now - before).max() > 1e-4 * abs(before).max()
        gained, whole = ((air.moist_mass * each).sum(axis=0) for each in (now - before, abs(before)))
        assert abs(gained / whole).max() < 1e-14


@pytest.mark.parametrize("boundary_layer", ["none", "bryan"])
def test_energy_of_reed_jablonowski(boundary_layer):
    """The heat that the air gains is L times the rain, sensible heat of the sea and heat of mixing, and it
    loses the kinetic energy that friction dissipates [J m-2]."""
    air = Air(rain=0, cloud=0)
    after = air.after("reed_jablonowski", 900.0, boundary_layer=boundary_layer)

    def energy(each):
        kinetic = (each.eastward_wind**2 + each.northward_wind**2) / 2
        return [(air.moist_mass * part).sum(axis=0) for part in (CP * each.temperature, kinetic)]

    heat, kinetic = (now - before for now, before in zip(energy(after), energy(air), strict=True))
    parts = [after.fields(f"{name}_heat") for name in ("large_scale_latent", "sensible", "mixing")]
    np.testing.assert_allclose(sum(parts), heat, atol=1e-4)
    np.testing.assert_allclose(parts[0], L * after.fields("large_scale_precipitation"), atol=1e-4)
    np.testing.assert_allclose(after.fields("dissipation"), -kinetic, atol=1e-6)
    assert (after.fields("dissipation") > 0).all() and abs(parts[1]).max() > 1e4
    assert (abs(parts[2]).max() > 1e3) == (boundary_layer != "none")


def test_sea_of_the_baroclinic_wave():
    """Its temperature is that of Jablonowski and Williamson at the surface, less the effect of humidity."""
    air = Air()
    air.eastward_wind[-1], air.northward_wind[-1] = 10.0, 0.0
    options = {**ONLY, "surface_fluxes": True, "sea_surface": "baroclinic_wave"}
    after = air.after("reed_jablonowski", 600.0, **options)
    a = 0.0011 * 10 * 600 / (air.thickness[-1] / 2)
    sea = air.temperature[-1] + (after.temperature - air.temperature)[-1] * (1 + a) / a
    virtual = AirStart("baroclinic_wave").temperature(0.0, air.latitude, 1e5)
    humidity = 0.021 * np.exp(-((air.latitude / (2 * np.pi / 9)) ** 4))
    np.testing.assert_allclose(sea, virtual / (1 + (R_V / R - 1) * humidity), rtol=1e-9)
    assert sea.max() == pytest.approx(306.04, abs=0.01)


def test_mistakes_are_errors():
    here = {"longitude": [0.0], "latitude": [0.0], "n_levels": 2}
    for name in ("kessler", "reed_jablonowski"):
        with pytest.raises(
            ConfigError, match=f"'{name}' needs the tracer 'water_vapour'.*equations.moist: true"
        ):
            Columns([column_scheme(name)], **here, tracers=["rain_water"])
    with pytest.raises(ConfigError, match=r"'boundary_layer'.* none, reed_jablonowski"):
        column_scheme("reed_jablonowski", boundary_layer="louis")
    columns = Columns([column_scheme("held_suarez")], **here)
    level = np.ones((2, 1))
    state = {
        **{"pressure": 1e5 * level, "exner": level, "temperature": 300 * level},
        **{"surface_pressure": np.zeros(1), "surface_geopotential": np.zeros(1)},
    }
    for change, text in (
        ({"pressure": np.ones((3, 1))}, r"pressure has the shape \(3, 1\), not \(2, 1\)"),
        ({"pressure": np.ones(2)}, r"pressure has the shape \(2\), not \(2, 1\)"),
        ({"presure": level}, "no array 'presure'. There are surface_pressure, "),
    ):
        with pytest.raises(InputError, match=text):
            columns.step(state | change, 1.0)
    for name in state:
        with pytest.raises(InputError, match=rf"lacks '{name}', of shape \("):
            columns.step({each: values for each, values in state.items() if each != name}, 1.0)
    with pytest.raises(RunError, match=r"'held_suarez' failed: temperature_tendency = .*column 0, level 0"):
        columns.step(state, 1.0)


@pytest.mark.parametrize("name", ["interface_pressure", "eastward_wind", "tracers"])
def test_a_missing_array_of_a_scheme_is_an_error(name):
    """The values of the last call do not take its place."""
    columns = Columns(
        [column_scheme("reed_jablonowski")],
        longitude=[0.0] * N,
        latitude=[0.0] * N,
        n_levels=LEVELS,
        tracers=list(WATER),
    )
    state = Air().state()
    columns.step(state, 60.0)
    flat = {"tracers": (3 * LEVELS, N)}.get(name, (N, len(state[name])))
    with pytest.raises(InputError, match=rf"{name} has the shape "):
        columns.step(state | {name: state[name].reshape(flat)}, 60.0)
    del state[name]
    with pytest.raises(InputError, match=rf"lacks '{name}', of shape "):
        columns.step(state, 60.0)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("interface_geopotential", 0.01, "thickness of 0.001"),
        ("temperature", np.inf, "have inf K"),
        ("tracers", np.inf, "crosses -?nan times"),
        ("pressure", np.nan, "nan Pa"),
    ],
    ids=["thin", "temperature", "rain", "pressure"],
)
def test_kessler_ends_with_an_error_in_blown_up_air(name, value, text):
    """Rain that crosses a layer too often, and air that is not finite, end the call and name the place."""
    air = Air()
    air.tracers[2, 4, 66] = 1e-3
    state = air.state()
    place = (2, 4, 66) if name == "tracers" else (4, 66)
    state[name][place] = value + (state[name][5, 66] if name == "interface_geopotential" else 0)
    columns = Columns(
        [column_scheme("kessler")],
        longitude=[0.5] * N,
        latitude=list(air.latitude),
        n_levels=LEVELS,
        tracers=list(WATER),
    )
    column = rf"longitude 28.6479, latitude {np.degrees(air.latitude[66]):.4f} \[degree\], level 4 "
    with pytest.raises(RunError, match=f"'kessler' failed: {column}.*{text}"):
        columns.step(state, 600.0)
