"""Conversion of fields on latitudes and longitudes into fields on faces, one box per point."""

import numpy as np
import pytest
import xarray as xr

from halcyon.plot.cells import as_faces, cells_of, on_level

LAT = np.array([67.5, 22.5, -22.5, -67.5])
LON = np.arange(6) * 60.0


def dataset(lat):
    """Fields whose values encode latitude and longitude, one with levels as leading dimension."""
    values = xr.DataArray(lat, dims="lat") * 1000 + xr.DataArray(LON, dims="lon")
    levels = xr.DataArray([0.5, 0.25], dims="pressure", attrs={"axis": "Z", "units": "Pa"})
    return xr.Dataset(
        {
            "height": values.expand_dims(time=2),
            "wind": (values + levels).transpose("pressure", "lat", "lon").expand_dims(time=2),
            "mass": ("time", [1.0, 2.0]),
        },
        coords={"lat": lat, "lon": LON, "pressure": levels},
    )


def area(polygon):
    """The signed area, positive for counter-clockwise polygons."""
    x, y = polygon.T
    return (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2


@pytest.mark.parametrize("lat", [LAT, LAT[::-1]], ids=["from the north", "from the south"])
def test_boxes_are_around_their_points(lat):
    """The boxes cover the map, and each has its point in the middle."""
    cells = cells_of(as_faces(dataset(lat)))
    areas = [area(polygon) for polygon in cells.polygons]
    assert min(areas) > 0
    assert sum(areas) == pytest.approx(180 * 360)
    for polygon, lon, at in zip(cells.polygons, cells.longitude, cells.latitude, strict=True):
        assert polygon.mean(axis=0) == pytest.approx((lon, at))


@pytest.mark.parametrize("lat", [LAT, LAT[::-1]], ids=["from the north", "from the south"])
def test_values_stay_at_their_places(lat):
    """Each face has the value of its point, also with levels."""
    on_faces = as_faces(dataset(lat))
    assert on_faces.height.dims == ("time", "face")
    assert np.array_equal(on_faces.height[1], on_faces.lat * 1000 + on_faces.lon)
    assert on_faces.wind.dims == ("time", "pressure", "face")
    field, level_text = on_level(on_faces, "wind", 0.25)
    assert np.array_equal(field[0], on_faces.lat * 1000 + on_faces.lon + 0.25)
    assert level_text == "pressure 0.25 Pa"
    assert on_faces.mass.dims == ("time",)


def test_other_files_stay_as_they_are():
    unchanged = xr.Dataset({"lat": ("face", LAT), "lon": ("face", LAT)})
    assert as_faces(unchanged) is unchanged
