"""Depth from netCDF files with various conventions."""

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon.base import ConfigError, InputError
from halcyon.mesh.depth import depth_at, relief_at
from halcyon.mesh.spec import ETOPO5

needs_etopo5 = pytest.mark.skipif(not ETOPO5.is_file(), reason="ferret-datasets is not installed")


def plane(lon, lat):
    """Depth [m] of the files, linear in longitude and latitude [degrees]."""
    return 1000 + 10 * lon + 5 * lat


def write(
    path, *, step=1.0, name="depth", sign=1, attributes=None, axes=("lat", "lon"), flip=False, turn=0, **more
):
    """Writes a file with the depth of `plane` over 0..40E, 0..30N.

    sign: -1 for elevations; flip: from north to south; turn: added to the longitudes [degrees]; more: names
    and signs of further variables.
    """
    lon, lat = np.arange(0, 40 + step / 2, step), np.arange(0, 30 + step / 2, step)
    values = sign * plane(*np.meshgrid(lon, lat))
    with Dataset(path, "w") as file:
        for axis, numbers in zip(axes, (lat[::-1] if flip else lat, lon + turn), strict=True):
            file.createDimension(axis, len(numbers))
            file.createVariable(axis, "f8", (axis,))[:] = numbers
        made = file.createVariable(name, "f8", axes, fill_value=-9e33)
        made.setncatts(attributes or {})
        made[:] = values[::-1] if flip else values
        for other, other_sign in more.items():
            file.createVariable(other, "f8", axes)[:] = other_sign * values
    return path


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"name": "elevation", "sign": -1},
        {"name": "z", "sign": -1, "attributes": {"positive": "up"}},
        {"name": "z", "attributes": {"positive": "down"}},
        {"name": "h", "attributes": {"standard_name": "sea_floor_depth_below_geoid"}},
        {"name": "h", "sign": -1, "attributes": {"standard_name": "height_above_reference_ellipsoid"}},
        {"flip": True},
        {"axes": ("latitude", "longitude")},
        {"turn": 360},
        {"turn": -360},
    ],
)
def test_signs_names_and_directions(tmp_path, options):
    """Depths are linear between grid points, whatever the sign, name, order and range of longitudes of the
    file."""
    path = write(tmp_path / "depth.nc", **options)
    lon, lat = np.array([0.0, 10.25, 39.5]), np.array([0.0, 20.5, 30.0])
    np.testing.assert_allclose(depth_at(path, lon, lat, 5), plane(lon, lat), rtol=1e-12)


def test_transposed_field(tmp_path):
    path = tmp_path / "depth.nc"
    lon, lat = np.arange(10.0), np.arange(5.0)
    with Dataset(path, "w") as file:
        for name, values in (("lon", lon), ("lat", lat)):
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = values
        file.createVariable("depth", "f8", ("lon", "lat"))[:] = plane(*np.meshgrid(lon, lat)).T
    assert depth_at(path, [3.5], [2.5], 5) == pytest.approx(plane(3.5, 2.5))


def test_seam_of_a_global_grid(tmp_path):
    path = tmp_path / "depth.nc"
    lon, lat = np.arange(0.0, 360.0, 2.0), np.arange(-10.0, 11.0, 2.0)
    with Dataset(path, "w") as file:
        for name, values in (("lon", lon), ("lat", lat)):
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = values
        file.createVariable("depth", "f8", ("lat", "lon"))[:] = np.tile(
            2000 + np.abs(180 - lon), (len(lat), 1)
        )
    longitudes = np.array([-1.0, 359.0, 0.5, -180.0, 179.0])
    np.testing.assert_allclose(
        depth_at(path, longitudes, longitudes * 0, 5), [2179, 2179, 2179.5, 2000, 2001]
    )


def test_mean_over_the_sea_of_a_neighbourhood(tmp_path):
    """With a radius, the depth is the mean of the sea points within it, and at least the minimum, 5 m."""
    path = write(tmp_path / "depth.nc", step=0.1)
    with Dataset(path, "a") as file:
        values = file["depth"][:]
        values[:, :200] = 0  # land west of 20E
        file["depth"][:] = values
    assert depth_at(path, [10.0], [15.0], 5, radius=50e3) == 5
    assert depth_at(path, [30.0], [15.0], 5, radius=50e3) == pytest.approx(plane(30, 15), rel=1e-4)
    assert plane(20, 15) < depth_at(path, [20.0], [15.0], 5, radius=50e3) < plane(20.5, 15)
    assert depth_at(path, [19.99], [15.0], 5) == pytest.approx(0.9 * plane(20, 15), rel=1e-3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "h"}, ["whether h is positive up or down", "ncatted"]),
        ({"other": -1.0}, ["2 variables", "depth, other", "mesh.depth.variable"]),
        ({"axes": ("a", "b")}, ["variables of latitude", "a, b"]),
    ],
)
def test_unclear_files(tmp_path, options, words):
    path = write(tmp_path / "depth.nc", **options)
    with pytest.raises(InputError) as caught:
        depth_at(path, [1.0], [1.0], 5)
    for word in (str(path), *words):
        assert word in str(caught.value)


def test_named_variable(tmp_path):
    path = write(tmp_path / "depth.nc", elevation=-1.0)
    for name in ("depth", "elevation"):
        assert depth_at(path, [1.0], [1.0], 5, variable=name) == pytest.approx(plane(1, 1))
    with pytest.raises(InputError, match=r"no variable 'deep'.*depth, elevation"):
        depth_at(path, [1.0], [1.0], 5, variable="deep")


@pytest.mark.parametrize("place", [(60.0, 10.0), (-20.0, 10.0), (10.0, 40.0), (10.0, -5.0)])
def test_places_outside(tmp_path, place):
    path = write(tmp_path / "depth.nc")
    with pytest.raises(InputError, match=r"does not cover .* from 0E 0N to 40E 30N"):
        depth_at(path, [10.0, place[0]], [10.0, place[1]], 5)


def test_missing_values_are_named(tmp_path):
    path = write(tmp_path / "depth.nc")
    with Dataset(path, "a") as file:
        file["depth"][10, 12] = np.ma.masked
        file["depth"][20, 22] = np.nan
    depth_at(path, [5.0], [5.0], 5)
    for lon, lat in ((12.0, 10.0), (22.0, 20.0)):
        for radius in (0, 300e3):
            with pytest.raises(InputError, match=f"no value near {lon:.2f} E {lat:.2f} N"):
                depth_at(path, [lon], [lat], 5, radius=radius)


def test_files_that_are_no_depth(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        depth_at(tmp_path / "none.nc", [1.0], [1.0], 5)
    text = tmp_path / "text.nc"
    text.write_text("deep")
    with pytest.raises(InputError, match="cannot be read as netCDF"):
        depth_at(text, [1.0], [1.0], 5)
    with pytest.raises(ConfigError, match="minimum depth is 0"):
        depth_at(text, [1.0], [1.0], 0)


@needs_etopo5
def test_etopo5_spots():
    strait, sea = depth_at("etopo5", [129.5, 125.0], [34.8, 30.0], 5, radius=20e3)
    assert strait == pytest.approx(100, abs=20)
    assert sea == pytest.approx(68, abs=3)
    assert depth_at("etopo5", [179.99, -179.99], [0.0, 0.0], 5).min() > 5000


def test_real_half_degree_file(shared):
    path = shared / "data/bathy_nwpac_0p5deg.nc"
    depth = depth_at(path, [129.5, 125.0, 140.0], [34.8, 30.0, 20.0], 5, radius=20e3)
    assert depth[0] == pytest.approx(100, abs=20)
    assert depth[1] == pytest.approx(68, abs=10)
    assert depth[2] > 4000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda file: file["depth"].__setitem__((3, 2), 12000.0), "the depth of depth is 12000 at"),
        (lambda file: file["depth"].__setitem__((3, 2), -32768.0), "the depth of depth is -32768 at"),
        (lambda file: file["lat"].__setitem__(-1, 91.0), "lat is 91 at index"),
        (lambda file: file["lon"].__setitem__(-1, 730.0), "lon is 730 at index"),
    ],
)
def test_values_that_the_earth_has_not(tmp_path, change, words):
    path = tmp_path / "depth.nc"
    with Dataset(path, "w") as file:
        for name, values in (("lat", np.arange(60.0, 90.1, 5.0)), ("lon", np.arange(0.0, 31.0, 5.0))):
            file.createDimension(name, 7)
            file.createVariable(name, "f8", (name,))[:] = values
        file.createVariable("depth", "f8", ("lat", "lon"))[:] = 100.0
        change(file)
    with pytest.raises(InputError, match=rf"depth\.nc: {words}.*, but must be from"):
        relief_at(path, [12.0], [75.0])
