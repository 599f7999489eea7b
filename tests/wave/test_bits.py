"""Results are bitwise the same on any number of ranks, with any exchange method and any partition."""

import functools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI

from halcyon import wave
from halcyon.wave.track import Radii, Track
from halcyon.wave.wind import constant_wind, vortex_wind
from halcyon.wave.wind.blend import WindAtCells
from halcyon.wave.wind.quadrature import CellPoints
from tests.support import sea_states

pytestmark = pytest.mark.mpi

SOURCE_STEP_S = 1200.0
CONFIGURATIONS = [
    {},
    {"method": "neighbor"},
    {"method": "ineighbor"},
    {"method": "isend_recv"},
    {"method": "persistent"},
    {"method": "neighbor_persistent"},
    {"method": "shared"},
    {"method": "auto", "layers": 3},
    {"method": "isend_irecv", "overlap": False},
    {"method": "neighbor", "overlap": False},
    {"method": "ineighbor", "overlap": False},
    {"layers": 3},
    {"method": "ineighbor", "layers": 3},
    {"partition": "recursive"},
    {"partition": "recursive", "seed": 7, "method": "neighbor"},
    {"seed": 3},
]


# Options of schemes and physics; each variant is compared with the same variant on one rank.
VARIANTS = {
    "upwind": {"scheme": "upwind", "layers": 1},
    "bands": {"bands": [(4, 3), (3, 2), (5, 1)]},
    "upwind in bands": {"scheme": "upwind", "bands": [(4, 2), (8, 1)], "method": "shared"},
    "no exchange of swell": {"swell_age": 0.0},
    "wam4": {"physics": "wam4"},
    "ard": {"physics": "ard"},
    "test471": {"physics": "test471"},
    "st6": {"physics": "st6"},
    "fvwam": {"physics": "fvwam"},
}


def storm():
    """A storm of 940 hPa that crosses the bay in half a day."""
    times = np.datetime64("2022-09-01T00:00:00") + np.array([0, 12]) * np.timedelta64(3600, "s")
    missing = np.full(2, np.nan)
    return Track(
        path=Path("storm.csv"),
        lines=[2, 3],
        times=times,
        latitude=np.array([20.0, 24.0]),
        longitude=np.array([145.0, 138.0]),
        pressure=np.array([94e3, 94e3]),
        wind=np.array([45.0, 45.0]),
        rmax=missing,
        radii=[],
    )


def storm_with_radii():
    """The same storm, weakening, with R and radii of 34 and 64 kt that differ by quadrant and in time."""
    nmi, kt = 1852.0, 1852 / 3600
    radii = [
        Radii(speed * kt, of_all.max(axis=1), of_all.min(axis=1), quadrants=of_all)
        for speed, of_all in (
            (64, nmi * np.array([[120.0, 100, 80, 90], [90, 60, 0, 50]])),
            (34, nmi * np.array([[300.0, 260, 200, 240], [280, 240, 150, 220]])),
        )
    ]
    return replace(storm(), wind=np.array([45.0, 36.0]), rmax=np.array([110e3, np.nan]), radii=radii)


@functools.cache
def mesh():
    """The mesh of all tests with land."""
    return sea_states.bay()


def winds():
    """Formulas of the wind by name."""
    return {
        "vortex": vortex_wind(storm(), start=np.datetime64("2022-09-01T00:00:00")),
        "radii": vortex_wind(storm_with_radii(), start=np.datetime64("2022-09-01T00:00:00")),
        "constant": constant_wind(speed=18.0, direction=200.0),
    }


def water(model):
    """A water level [m] and both components of a current [m s-1] on all local cells."""
    lat, lon = model.latitude, model.longitude
    fields = 2 * np.sin(3 * lon), np.cos(5 * lat) * np.sin(4 * lon), np.sin(3 * lat + lon)
    return [field.astype(np.float32) for field in fields]


def run(comm, wind, with_water=False, **options):
    """Action, products and winds (cell, ...) of all ranks after four source steps."""
    grid = sea_states.spectral_grid(frequencies=12, directions=24, first_frequency=0.045, ratio=1.15)
    model = sea_states.model(mesh(), grid, comm, **options)
    step_s = 0.8 * wave.cfl_limit(mesh(), grid)
    if with_water:
        assert model.set_water(*water(model)) == -1
        assert model.set_ice((model.latitude > 0.6).astype(np.float32)) == -1
    set_wind = wind_setter(model, wind, comm, **options)
    set_wind(0.0)
    model.set_fetch_law(2e5)
    for step in range(4):
        for _ in range(3):
            model.transport(step_s)
        set_wind((step + 0.5) * SOURCE_STEP_S)
        assert model.sources(SOURCE_STEP_S)[0] == -1
    values = {"action": model.action, **model.products(wave.product_names()), **model.surface()}
    values |= {"eastward_wind": model.eastward_wind, "northward_wind": model.northward_wind}
    return {name: sea_states.gathered(comm, model.owned_cells, value) for name, value in values.items()}


def wind_setter(model, name, comm, **options):
    """The function that sets a wind at a time [s]: with radii as means over the cells, as in a run."""
    wind = winds()[name]
    if name != "radii":
        return lambda time_s: model.set_wind(wind, time_s)
    parts = {key: options[key] for key in ("partition", "seed", "layers") if key in options}
    local = sea_states.local_mesh(mesh(), comm, **parts)
    means = WindAtCells(wind, CellPoints.of_cells(local.mesh, local.part.cells.n_owned))
    return lambda time_s: model.set_wind(*means.at(time_s))


@functools.cache
def on_one_rank(wind, variant="", with_water=False):
    """What `run` returns on one rank."""
    return run(MPI.COMM_SELF, wind, with_water, **VARIANTS.get(variant, {}))


def test_the_run_is_worth_comparing():
    """The run on one rank is finite, has waves above 2 m, and action in more than 70 % of its bins."""
    fields = on_one_rank("vortex")
    assert np.isfinite(fields["action"]).all()
    assert fields["significant_height"].max() > 2
    assert np.count_nonzero(fields["action"]) > 0.7 * fields["action"].size


@pytest.mark.parametrize(
    "options", CONFIGURATIONS, ids=lambda options: "-".join(map(str, options.values())) or "default"
)
def test_any_way_leaves_the_same_bytes(comm, options):
    """Every exchange method, halo width and partition gives the bits of one rank."""
    assert differing(run(comm, "vortex", **options), on_one_rank("vortex")) == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_any_scheme_and_physics_leave_the_same_bytes(comm, variant):
    """Every scheme and physics set gives the same bits on all numbers of ranks."""
    assert differing(run(comm, "vortex", **VARIANTS[variant]), on_one_rank("vortex", variant)) == []


@pytest.mark.parametrize("variant", ["", "upwind", "bands"], ids=["default", "upwind", "bands"])
def test_water_and_ice_leave_the_same_bytes(comm, variant):
    """Water level, currents and ice change the results, but not with the number of ranks."""
    at_rest, with_current = on_one_rank("vortex", variant), on_one_rank("vortex", variant, with_water=True)
    assert differing(at_rest, with_current) != []
    assert differing(run(comm, "vortex", with_water=True, **VARIANTS.get(variant, {})), with_current) == []


@pytest.mark.parametrize(
    "options",
    [{}, {"partition": "recursive", "seed": 7}, {"layers": 3, "method": "neighbor"}],
    ids=["kway", "recursive", "layers"],
)
def test_means_of_a_storm_with_radii_leave_the_same_bytes(comm, options):
    """The default wind of a track: radii in quadrants, inflow by azimuth, a storm that weakens, means over
    cells. It is not the wind without radii."""
    alone = on_one_rank("radii")
    assert differing(run(comm, "radii", **options), alone) == []
    assert np.hypot(alone["eastward_wind"], alone["northward_wind"]).max() > 15
    assert {"action", "eastward_wind"} <= set(differing(alone, on_one_rank("vortex")))


def test_a_constant_wind_leaves_the_same_bytes(comm):
    assert differing(run(comm, "constant"), on_one_rank("constant")) == []


@pytest.mark.parametrize("name", ["vortex", "constant"])
def test_a_wind_set_as_a_formula_has_the_bytes_of_its_values(comm, name):
    """Wind evaluated by the model has the bits of wind evaluated in Python."""
    model = sea_states.model(mesh(), sea_states.spectral_grid(), comm)
    owned = model.owned_cells
    formula = winds()[name]
    wind = WindAtCells(formula, CellPoints.centres(mesh().cell_latitude[owned], mesh().cell_longitude[owned]))
    wind_bytes = []
    for set_wind in (lambda: model.set_wind(formula, 5000.0), lambda: model.set_wind(*wind.at(5000.0))):
        assert set_wind() == -1
        wind_bytes.append(model.eastward_wind.tobytes() + model.northward_wind.tobytes())
        model.set_wind(np.zeros(len(owned)), np.zeros(len(owned)))
    assert wind_bytes[0] == wind_bytes[1]


@pytest.mark.parametrize("options", [{}, {"partition": "recursive", "seed": 3}], ids=["kway", "recursive"])
def test_transport_around_the_poles_leaves_the_same_bytes(comm, options):
    """Near the poles spectra are rotated by whole bins between cells."""
    assert transport_on_sphere(comm, **options).tobytes() == transport_on_sphere(MPI.COMM_SELF).tobytes()


def transport_on_sphere(comm, **options):
    """The action (cell, frequency, direction) after some steps from random spectra on a closed sphere."""
    sphere, grid = sea_states.sphere(3), sea_states.spectral_grid()
    model = sea_states.model(sphere, grid, comm, **options)
    start = np.random.default_rng(1).uniform(0, 1, (sphere.n_cells, *model.action.shape[1:]))
    model.action[: model.n_owned] = start[model.owned_cells]
    for _ in range(5):
        model.transport(0.9 * wave.cfl_limit(sphere, grid))
    return sea_states.gathered(comm, model.owned_cells, model.action[: model.n_owned])


def differing(fields, other):
    """The names of the fields whose bytes differ."""
    assert fields.keys() == other.keys()
    return [name for name in fields if fields[name].tobytes() != other[name].tobytes()]
