"""Tracers from files, interpolated to the cells and layers of a mesh."""

from datetime import datetime

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon import atmosphere
from halcyon._core.atmosphere import means_by_mass
from halcyon.atmosphere.levels import interfaces
from halcyon.base import ConfigError, InputError, InternalError
from halcyon.mesh.ugrid import write_ugrid
from halcyon.run.start.air import air_state
from halcyon.run.start.source import SourceInterpolator, open_source
from halcyon.run.start.target import TargetMesh
from tests.support import meshes, reanalyses, sea_states

R, G = reanalyses.GAS_CONSTANT, reanalyses.GRAVITY
A, B = interfaces(12, 2000.0)  # a [Pa] and b of 12 levels
HUMIDITY = "specific_humidity"
FIELDS = ("t", "u", "v", "sp", "orog", "q")
DEEP = np.geomspace(5, 1100, 40)  # [hPa], from above the top layer to below the lowest layer


def air(path, *tracers, level=3):
    """The arguments of `Core.set_state` on mesh G<level>, with tracers of the file by name."""
    local = sea_states.local_mesh(meshes.globe(level))
    with open_source(path, datetime(2000, 1, 1)) as source:
        return air_state(source, TargetMesh.of(local, (A, B)), R, G, tracers=tracers)


def write_humid_air(path, q, step=5.0, **options):
    """Writes a file with humidity q(lon, lat, p), lon and lat [rad] (lat, lon), p [Pa] (level, lat, lon);
    step of the grid [degrees]; options of `reanalyses.write`."""
    lat, lon = reanalyses.axes(step)

    def change(values):
        a, b = (
            reanalyses.hybrid_terms(options["hybrid"])
            if "hybrid" in options
            else (100 * pressures, 0 * pressures)
        )
        p = a[:, None, None] + b[:, None, None] * values["sp"]
        values["q"] = q(*np.meshgrid(np.radians(lon), np.radians(lat)), p) + 0 * p

    pressures = options.get("pressures", reanalyses.PRESSURES)
    return reanalyses.write(path, reanalyses.start(), step, fields=FIELDS, change=change, **options)


@pytest.mark.parametrize(
    "options", [{}, {"hybrid": 9}, {"pressures": DEEP}], ids=["pressure", "hybrid", "deep"]
)
def test_a_constant_stays_what_it_is_to_the_bit(tmp_path, options):
    path = write_humid_air(tmp_path / "q.nc", lambda lon, lat, p: 0.0123, **options)
    humidity = air(path, HUMIDITY)["tracers"]
    assert humidity.shape == (1, meshes.globe(3).n_cells, 12)
    assert np.all(humidity == 0.0123)


def test_what_is_linear_in_ln_p_gives_the_means_by_mass(tmp_path):
    """Layer values of humidity linear in ln p are its exact means over p."""
    path = write_humid_air(
        tmp_path / "q.nc", lambda lon, lat, p: 0.02 + 2e-3 * np.log(p / 1e5), pressures=DEEP
    )
    state = air(path, HUMIDITY)
    p = A + B * state["surface"][:, None]
    integral = 0.02 * p + 2e-3 * (p * np.log(p / 1e5) - p)
    exact = np.diff(integral) / np.diff(p)
    assert state["tracers"][0] == pytest.approx(exact, rel=1e-11)


def test_beyond_the_levels_stays_the_nearest(tmp_path):
    """Layers above the file's highest level, 500 hPa, or below its lowest, 700 hPa, have that level's
    value."""
    pressures = np.array([500.0, 600, 700])
    state = air(
        write_humid_air(tmp_path / "q.nc", lambda lon, lat, p: 1e-7 * p, pressures=pressures), HUMIDITY
    )
    p = A + B * state["surface"][:, None]
    humidity = state["tracers"][0]
    above, below = p[:, 1:] <= 5e4, p[:, :-1] >= 7e4
    assert above.any() and below.any()
    assert np.all(humidity[above] == 1e-7 * 5e4) and np.all(humidity[below] == 1e-7 * 7e4)


def test_means_by_mass_are_those_of_a_fine_sum():
    """For layers that contain several levels, one or none, and levels without values."""
    rng = np.random.default_rng(5)
    x = np.log(np.sort(rng.uniform(1e3, 1e5, (20, 15))))
    q = rng.uniform(0, 1, x.shape)
    q[::3, 4] = np.nan
    interfaces_x = np.log(np.sort(rng.uniform(500, 1.2e5, (20, 9))))
    means = means_by_mass(x, q, interfaces_x)
    for i in range(20):
        valid = ~np.isnan(q[i])
        for k in range(8):
            edges = np.exp(np.linspace(interfaces_x[i, k], interfaces_x[i, k + 1], 20001))
            midpoints = (edges[1:] + edges[:-1]) / 2
            values = np.interp(np.log(midpoints), x[i, valid], q[i, valid])
            assert means[i, k] == pytest.approx(np.average(values, weights=np.diff(edges)), abs=1e-7)


@pytest.mark.parametrize("thickness", [1e-12, 1e-6, 0.049, 0.051, 3.0])
def test_thin_and_thick_layers(thickness):
    """The mean over p = exp(x) of q = x is (x2 p2 - x1 p1) / (p2 - p1) - 1, or x1 + h/2 + h^2/12 for a thin
    layer of thickness h."""
    x = np.array([[0.0, 1.0, 4.0]])
    (mean,) = means_by_mass(x, x, np.array([[1.0, 1.0 + thickness]]))[0]
    h = thickness
    exact = 1 + (h / 2 + h * h / 12 if h < 1e-3 else h / -np.expm1(-h) - 1)
    assert mean == pytest.approx(exact, rel=1e-14)


def test_no_new_extremes(tmp_path):
    """A field of two values is bounded by them to the bit, and the mean of a layer by the values of the
    levels in the layer and next to it."""
    rng = np.random.default_rng(3)
    low, high = 0.1, 0.7
    path = write_humid_air(
        tmp_path / "q.nc", lambda lon, lat, p: np.where(rng.uniform(size=p.shape) < 0.5, low, high)
    )
    humidity = air(path, HUMIDITY, level=4)["tracers"]
    assert humidity.min() == low and humidity.max() == high  # some interpolation stencils are uniform
    x = np.log(np.linspace(1e4, 1e5, 12))[None]
    q = rng.uniform(0, 1, x.shape)
    interfaces_x = np.linspace(x[0, 0] - 0.1, x[0, -1] + 0.1, 30)[None]
    means = means_by_mass(x, q, interfaces_x)[0]
    for mean, top, bottom in zip(means, interfaces_x[0], interfaces_x[0, 1:], strict=False):
        upper_level = max(np.searchsorted(x[0], top, "right") - 1, 0)
        adjacent = q[0, upper_level : np.searchsorted(x[0], bottom, "right") + 1]
        assert adjacent.min() <= mean <= adjacent.max()


def smooth(lon, lat, p):
    """A smooth humidity [kg kg-1]; lon, lat [rad], p [Pa]."""
    return 0.01 * (1 + np.sin(3 * lon) * np.cos(lat) ** 3) * p / 1e5


def test_the_interpolation_across_is_of_second_order(tmp_path):
    """Halving the grid spacing divides the largest error by more than 3."""
    mesh, errors = meshes.globe(3), []
    for step in (10, 5):
        state = air(write_humid_air(tmp_path / "q.nc", smooth, step, pressures=DEEP), HUMIDITY)
        p = A + B * state["surface"][:, None]
        exact = smooth(mesh.cell_longitude[:, None], mesh.cell_latitude[:, None], (p[:, 1:] + p[:, :-1]) / 2)
        errors.append(
            np.abs(state["tracers"][0] - exact)[:, :-1].max()
        )  # without the lowest layer, where levels are sparse
    assert errors[1] < errors[0] / 3 and errors[1] < 2e-4


def test_the_core_carries_what_the_file_has(tmp_path):
    """The core starts from the file's humidity and advects it; a constant tracer stays 1."""
    path = write_humid_air(tmp_path / "q.nc", smooth)
    state = air(path, "constant_tracer", HUMIDITY)
    for single in (False, True):
        options = atmosphere.AirOptions(a=A, b=B, tracers=["constant_tracer", HUMIDITY])
        core = meshes.core(meshes.globe(3), air=options, single=single, layers=3)
        core.set_state(**state)
        real = np.float32 if single else np.float64
        assert np.array_equal(core.prognostic(HUMIDITY), state["tracers"][1].astype(real))
        assert np.all(core.prognostic("constant_tracer") == 1)
        row = next(row for row in core.variables if row.name == HUMIDITY)
        assert (row.units, row.standard_name, row.restart) == ("1", HUMIDITY, True)
        core.step(300.0)
        humidity = core.prognostic(HUMIDITY)
        assert 0 < np.abs(humidity - state["tracers"][1]).max() < 5e-3
        assert np.all(core.prognostic("constant_tracer") == 1)


def test_a_core_wants_the_tracers_that_it_carries(tmp_path):
    """States with too few or no tracers, starts without the tracer, and names given twice are refused."""
    state = air(write_humid_air(tmp_path / "q.nc", smooth), HUMIDITY)
    core = meshes.core(
        meshes.globe(3), air=atmosphere.AirOptions(a=A, b=B, tracers=[HUMIDITY, "dust"]), layers=3
    )
    with pytest.raises(ConfigError, match="The tracer 'dust' is there twice"):
        meshes.core(meshes.globe(3), air=atmosphere.AirOptions(a=A, b=B, tracers=["dust"] * 2), layers=3)
    with pytest.raises(InternalError, match="sizes of the given state differ"):
        core.set_state(**state)
    del state["tracers"]
    with pytest.raises(InternalError, match=f"The given state has no tracer '{HUMIDITY}'"):
        core.set_state(**state)
    with pytest.raises(ConfigError, match=f"The start 'baroclinic_wave' has no tracer '{HUMIDITY}'. Give"):
        core.set("baroclinic_wave", {})


def test_fields_on_cells_are_bounded_too(tmp_path):
    """Bounded interpolation between cell centres keeps a constant to the bit."""
    mesh = meshes.globe(3)
    write_ugrid(str(tmp_path / "cells.nc"), mesh)
    with open_source(tmp_path / "cells.nc") as source:
        interpolator = SourceInterpolator(source, np.asarray(meshes.globe(4).cell_points))
        stencil = interpolator._stencil
    values = np.full(mesh.n_cells, 0.3)
    assert np.any(stencil.interpolate(values) != 0.3)  # the weights sum to 1 up to rounding
    assert np.all(stencil.interpolate_bounded(values) == 0.3)
    values[::5] = np.nan
    assert np.array_equal(
        np.isnan(stencil.interpolate_bounded(values)), np.isnan(stencil.interpolate(values))
    )


def damaged_file(tmp_path, change):
    """Writes a file of humid air and applies `change` to it."""
    path = write_humid_air(tmp_path / "spoilt.nc", smooth, 10.0)
    with Dataset(path, "a") as file:
        change(file)
    return path


def test_variables_are_found_by_name_and_by_standard_name(tmp_path):
    """The dimensions of a variable may have any order, and its units are converted."""

    def add_tracers(file):
        file.renameVariable("q", "hum")
        tracer = file.createVariable("Dust", "f4", ("longitude", "level", "time", "latitude"))
        tracer.units = "mg kg-1"
        tracer[:] = 7.0

    path = damaged_file(tmp_path, add_tracers)
    tracers = air(path, "Dust", "hum", HUMIDITY)["tracers"]
    assert tracers[0] == pytest.approx(7e-6, rel=1e-15) and np.ptp(tracers[0]) == 0
    assert np.array_equal(tracers[1], tracers[2])


def _remove_levels(file):
    file.renameVariable("q", "old")
    file["old"].delncattr("standard_name")
    file.createVariable("q", "f8", ("time", "latitude", "longitude")).units = "1"


def _add_members(file):
    file.createDimension("number", 2)
    file.createVariable("dust", "f8", ("number", *file["q"].dimensions)).units = "kg kg-1"


def _add_second_humidity(file):
    tracer = file.createVariable("q2", "f8", file["q"].dimensions)
    tracer.standard_name, tracer.units = HUMIDITY, "1"


def _remove_one_value(file):
    file["q"][0, 5, 9, 20] = np.nan


def _set_infinite(file):
    file["q"][0, 5, 9, 20] = np.inf


# By name: a function that changes the file, the tracer, text of the error.
MISTAKES = {
    "missing": (
        lambda file: None,
        "dust",
        r"spoilt.nc has no variable of the name or standard_name 'dust', .* Name one of q, or leave 'dust'",
    ),
    "missing, and no other": (
        lambda file: file["q"].setncattr("units", "K"),
        "dust",
        r"'dust', which the option tracers names. Add it to the file, or leave 'dust' out of tracers.",
    ),
    "no levels": (
        _remove_levels,
        "q",
        r"q \(time, latitude, longitude\) lacks the dimensions level, which the tracer 'q' needs",
    ),
    "members": (_add_members, "dust", "dust has 2 values along the dimension number. Give a file with one"),
    "units": (
        lambda file: file["q"].setncattr("units", "Pa"),
        HUMIDITY,
        "q has the units 'Pa', which are not units of the tracer 'specific_humidity'. Convert it to kg kg-1",
    ),
    "no units": (
        lambda file: file["q"].delncattr("units"),
        HUMIDITY,
        "q has the units '', which are not units",
    ),
    "scale": (
        lambda file: file["q"].__setitem__(slice(None), 1e3 * file["q"][:]),
        "q",
        "q holds .* kg kg-1, outside the range of the tracer 'q' .* attribute units",
    ),
    "hole": (_remove_one_value, "q", r"spoilt.nc: q has no value near .* [EW] .* [NS]. Fill the gap"),
    "infinite": (_set_infinite, "q", "q holds inf kg kg-1"),
    "two": (
        _add_second_humidity,
        HUMIDITY,
        "has 2 variables that may be the tracer 'specific_humidity': q, q2. Leave",
    ),
    "moles": (
        lambda file: file["q"].setncattr("standard_name", "mole_fraction_of_ozone_in_air"),
        "q",
        "spoilt.nc: q is a mole_fraction_of_ozone_in_air, but tracers are mixing ratios by mass.",
    ),
    "temperature": (lambda file: None, "t", "t has the units 'K', which are not units of the tracer 't'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_name_file_variable_and_remedy(tmp_path, mistake):
    change, tracer, text = MISTAKES[mistake]
    with pytest.raises(InputError, match=text):
        air(damaged_file(tmp_path, change), tracer)
