"""xarray support: dimensions by name, coordinates of coefficients and values, mismatches."""

import numpy as np
import pytest
import xarray as xr

from halcyon.base import ConfigError, InputError
from halcyon.transform import Bifourier, Grid, Plane, Transform

FULL, REDUCED = Grid.full(32, 64), Grid.reduced(32, 21)


@pytest.fixture(scope="module")
def transform():
    return Transform(FULL, 21)


@pytest.fixture(scope="module")
def heat(transform):
    """Values (level, latitude, longitude) that T21 resolves, with coordinates and attributes."""
    values = np.random.default_rng(1).normal(size=(3, 32, 64))
    return xr.DataArray(
        transform.synthesis(transform.analysis(values)),
        dims=("level", "latitude", "longitude"),
        coords={"level": [1, 5, 9], "latitude": FULL.latitude, "longitude": FULL.longitude, "time": 7},
        name="heat",
        attrs={"units": "K"},
    )


def test_there_and_back(transform, heat):
    """An analysis keeps other dimensions, names and attributes, and a synthesis returns the values."""
    coefficients = transform.analysis(heat)
    assert coefficients.dims == ("level", "coefficient") and coefficients.name == "heat"
    assert np.array_equal(coefficients.wavenumber, transform.wavenumbers)
    assert np.array_equal(coefficients.degree, transform.degrees)
    assert coefficients.attrs == {"units": "K"} and coefficients.time == 7
    assert np.array_equal(coefficients.level, [1, 5, 9])
    assert np.array_equal(coefficients.values, transform.analysis(heat.values))
    back = transform.synthesis(coefficients)
    assert back.dims == heat.dims and back.name == "heat" and set(back.coords) == set(heat.coords)
    assert np.array_equal(back.values, transform.synthesis(coefficients.values))
    assert back.latitude.attrs == {"standard_name": "latitude", "units": "degrees_north"}
    assert float(np.abs(back - heat).max()) < 1e-13


def test_dimensions_stand_anywhere(transform, heat):
    """Results depend neither on the order of dimensions, nor on lat and lon as short names."""
    transposed = heat.transpose("longitude", "level", "latitude").rename(latitude="lat", longitude="lon")
    found = transform.analysis(values=transposed)
    assert found.identical(transform.analysis(heat))
    assert transform.synthesis(found.transpose()).dims == ("level", "latitude", "longitude")


def test_winds(transform, heat):
    """Winds and gradients have CF names and units, and the values that plain arrays give."""
    vorticity = 1e-5 * transform.analysis(heat)
    u, v = transform.winds(vorticity, 0 * vorticity)
    assert (u.name, u.attrs["standard_name"]) == ("u", "eastward_wind")
    assert (v.name, v.attrs["units"]) == ("v", "m s-1")
    back, divergence = transform.vorticity_divergence(u, v)
    assert back.name == "vorticity" and divergence.attrs["standard_name"] == "divergence_of_wind"
    assert np.array_equal(u.values, transform.winds(vorticity.values, 0 * vorticity.values)[0])
    east, north = transform.gradient(transform.inverse_laplacian(vorticity))
    assert east.dims == u.dims and not east.attrs
    assert float(np.abs(u + north).max()) < 1e-12 * float(np.abs(u).max())


def test_two_arrays_are_matched_by_the_names_of_their_dimensions(transform, heat):
    """The numbers of times and levels are equal, so that shapes alone are ambiguous."""
    u = xr.concat([heat, 2 * heat, heat + 1], dim="time").assign_coords(time=[0, 6, 12])
    v = -3 * u + 1
    expected = transform.vorticity_divergence(u, v)
    found = transform.vorticity_divergence(u, v.transpose("latitude", "level", "longitude", "time"))
    assert all(one.identical(other) for one, other in zip(found, expected, strict=True))
    plain = transform.vorticity_divergence(u.values, v.values)
    assert np.array_equal(found[0].values, plain[0]) and found[0].dims[:2] == u.dims[:2]
    winds = transform.winds(*expected)
    transposed = transform.winds(expected[0], expected[1].transpose("coefficient", "level", "time"))
    assert all(one.identical(other) for one, other in zip(transposed, winds, strict=True))
    mixed = transform.vorticity_divergence(u.values, v)
    assert np.array_equal(mixed[0].values, plain[0])


def test_two_arrays_of_other_places_are_refused(transform, heat):
    """Two arrays with different coordinates or dimensions raise errors that name the difference."""
    spectrum = transform.analysis(heat)
    for other, text in (
        (heat.assign_coords(level=[9, 5, 1]), r"level of v differs from that of u.*v\.sel\(level=u"),
        (heat.rename(level="time_step"), "u has the dimension level, and v does not"),
        (heat[:2], "level has 3 values in u, and 2 in v"),
        (heat.expand_dims("member"), "v has the dimension member, and u does not"),
    ):
        with pytest.raises(ConfigError, match=text):
            transform.vorticity_divergence(heat, other)
    with pytest.raises(ConfigError, match="level of divergence differs from that of vorticity"):
        transform.winds(spectrum, spectrum.assign_coords(level=[1, 5, 8]))
    transform.winds(spectrum, spectrum.drop_vars("level"))


def test_points(heat):
    """On a reduced grid the last dimension is that of points, whatever its name."""
    transform = Transform(REDUCED, 21)
    values = xr.DataArray(np.ones((2, REDUCED.n_points)), dims=("time", "cell"))
    coefficients = transform.analysis(values)
    assert float(np.abs(coefficients[:, 0] - 1).max()) < 1e-14
    back = transform.synthesis(coefficients)
    assert back.dims == ("time", "point")
    assert np.array_equal(back.latitude, REDUCED.latitude) and back.longitude.dims == ("point",)


def test_planes():
    """On a plane, dimensions are found by their names x and y; derivatives drop the attributes."""
    plane = Plane(20, 16, length_x=2e6, length_y=1e6)
    transform = Bifourier(plane, (6, 5))
    heat = xr.DataArray(
        np.random.default_rng(1).normal(size=(20, 3, 16)),
        dims=("x", "level", "y"),
        coords={"x": plane.x, "y": plane.y},
        attrs={"units": "K"},
    )
    coefficients = transform.analysis(heat)
    assert coefficients.dims == ("level", "coefficient")
    assert np.array_equal(coefficients.m, transform.m) and np.array_equal(coefficients.n, transform.n)
    assert np.array_equal(coefficients.values, transform.analysis(heat.values.transpose(1, 2, 0)))
    slope = transform.synthesis(transform.x_derivative(coefficients))
    assert slope.dims == ("level", "y", "x") and slope.x.attrs["units"] == "m" and not slope.attrs


def test_what_does_not_fit_is_told(transform, heat):
    """Coordinates that are not those of the transform raise errors that say how to mend them."""
    with pytest.raises(
        InputError, match=r"latitude\[0\] of values is -85\.\d+, and that of the .*isel\(latitude"
    ):
        transform.analysis(heat.isel(latitude=slice(None, None, -1)))
    with pytest.raises(InputError, match=r"longitude\[0\] of values is 1, .* 0\. Give values on its grid"):
        transform.analysis(heat.assign_coords(longitude=heat.longitude + 1))
    with pytest.raises(InputError, match="latitude of values has 30 values, and the transform 32"):
        transform.analysis(heat[:, 1:-1])
    with pytest.raises(
        InputError, match=r"dimensions level, row, longitude. Give it a dimension named latitude or"
    ):
        transform.analysis(heat.rename(latitude="row"))
    with pytest.raises(InputError, match="named coefficient"):
        transform.synthesis(heat)
    coefficients = transform.analysis(heat)
    with pytest.raises(InputError, match=r"degree\[0\] of coefficients is 1, "):
        transform.synthesis(coefficients.assign_coords(degree=coefficients.degree + 1))
    with pytest.raises(InputError, match=r"isel\(coefficient=slice"):
        transform.synthesis(coefficients.isel(coefficient=slice(None, None, -1)))
    with pytest.raises(InputError, match=r"values is a Dataset\. Give one of its variables: heat"):
        transform.analysis(heat.to_dataset())
    with pytest.raises(InputError, match=r"latitude\[3\] of values is nan"):
        latitude = np.where(np.arange(32) == 3, np.nan, FULL.latitude)
        transform.analysis(heat.assign_coords(latitude=latitude))
    with pytest.raises(InputError, match=r"latitude of values is of <U3. Give numbers"):
        transform.analysis(heat.assign_coords(latitude=["55N"] * 32))


@pytest.mark.parametrize("name", ["coefficient", "wavenumber", "degree"])
def test_names_that_results_need_are_refused(transform, heat, name):
    message = f"values has a {name}, a name reserved for coefficients. Rename or drop it"
    with pytest.raises(InputError, match=message):
        transform.analysis(heat.rename(level=name))
    with pytest.raises(InputError, match=message):
        transform.analysis(heat.rename(time=name))


@pytest.mark.mpi
def test_labels_that_do_not_fit_on_one_rank_are_told_on_all(comm):
    shared = Transform(FULL, 21, comm=comm)
    values = xr.DataArray(np.zeros((2, *shared.shape)), dims=("level", "point"))
    if comm.rank == comm.size - 1:
        values = values.rename(level="degree")
    with pytest.raises(InputError, match="values has a degree"):
        shared.analysis(values)
