"""An analytic wind on each kind of grid: speed within interpolation error, direction within 0.1 degree."""

import numpy as np
import pyproj
import pytest
from netCDF4 import Dataset

from halcyon.base import InputError
from halcyon.mesh.sphere import fibonacci, to_lonlat, to_points
from halcyon.wave.gridded import (
    WIND,
    Catalogue,
    Curvilinear,
    ReducedRows,
    Scattered,
    Series,
    catalogue,
)
from tests.wave import grids

START = np.datetime64("2022-09-01T00:00")
SPHERE = {"earth_radius": 6371229.0}
PROJ = {  # PROJ's own spelling of the mappings below
    "lambert_conformal_conic": "+proj=lcc +lat_1=25 +lat_2=50 +lat_0=40 +lon_0=-95",
    "polar_stereographic 90.0": "+proj=stere +lat_0=90 +lat_ts=60 +lon_0=-45",
    "polar_stereographic -90.0": "+proj=stere +lat_0=-90 +lat_ts=-60 +lon_0=-45",
    "mercator": "+proj=merc +lon_0=180 +lat_ts=20",
}
LAMBERT = SPHERE | {
    "grid_mapping_name": "lambert_conformal_conic",
    "standard_parallel": [25.0, 50.0],
    "longitude_of_central_meridian": -95.0,
    "latitude_of_projection_origin": 40.0,
}
POLAR = SPHERE | {
    "grid_mapping_name": "polar_stereographic",
    "straight_vertical_longitude_from_pole": -45.0,
    "latitude_of_projection_origin": 90.0,
    "standard_parallel": 60.0,
}
SOUTH = POLAR | {"latitude_of_projection_origin": -90.0, "standard_parallel": -60.0}
MERCATOR = SPHERE | {
    "grid_mapping_name": "mercator",
    "longitude_of_projection_origin": 180.0,
    "standard_parallel": 20.0,
}
ROTATED = {
    "grid_mapping_name": "rotated_latitude_longitude",
    "grid_north_pole_latitude": 30.0,
    "grid_north_pole_longitude": 10.0,
}


def wind(lon, lat):
    """Eastward and northward components of a smooth wind without a singular point [m/s]."""
    x, y, z = np.moveaxis(to_points(lon, lat), -1, 0)
    vector = np.stack([10 + 4 * y, 5 - 6 * z, -17 + 5 * x], axis=-1)
    lon = np.radians(lon)
    east = np.stack([-np.sin(lon), np.cos(lon), 0 * lon], axis=-1)
    north = np.cross(np.stack([x, y, z], axis=-1), east)
    return (vector * east).sum(axis=-1), (vector * north).sum(axis=-1)


def from_rotated(x, y, pole_lon=10.0, pole_lat=30.0):
    """Longitude and latitude of rotated coordinates, by two rotations of the sphere."""
    points = to_points(x, y)
    tilt, turn = np.radians(90 - pole_lat), np.radians(pole_lon + 180)
    about_y = [[np.cos(tilt), 0, -np.sin(tilt)], [0, 1, 0], [np.sin(tilt), 0, np.cos(tilt)]]
    about_z = [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]
    turned = points.reshape(-1, 3) @ np.array(about_y).T @ np.array(about_z).T
    return (each.reshape(np.shape(x)) for each in to_lonlat(turned))


def to_degrees(mapping, x, y):
    if mapping is ROTATED:
        return from_rotated(x, y)
    name = mapping["grid_mapping_name"]
    name = f"{name} {mapping['latitude_of_projection_origin']}" if mapping in (POLAR, SOUTH) else name
    return pyproj.Proj(f"{PROJ[name]} +R={SPHERE['earth_radius']}")(x, y, inverse=True)


def along_grid(mapping, x, y):
    """The wind along the axes of a projection, whose angle follows from two positions close to each other."""
    step = 1e-4 if mapping is ROTATED else 10.0
    (west, south), (east, north) = (to_degrees(mapping, x + sign * step, y) for sign in (-1, 1))
    lon, lat = to_degrees(mapping, x, y)
    angle = np.arctan2(north - south, ((east - west + 180) % 360 - 180) * np.cos(np.radians(lat)))
    u, v = wind(lon, lat)
    return u * np.cos(angle) + v * np.sin(angle), v * np.cos(angle) - u * np.sin(angle)


def write(path, components, positions, dimensions, *, names=("u10", "v10"), **attributes):
    """Writes the components of a wind, one record, on dimensions. positions: the coordinate variables, name:
    (dimensions, values, attributes); attributes: of the components."""
    with Dataset(path, "w") as file:
        file.createDimension("time", 1)
        file.createVariable("time", "f8", ("time",))[:] = 0
        file["time"].units = grids.HOURS
        for name, (on, values, of_variable) in positions.items():
            for dimension, size in zip(on, np.shape(values), strict=True):
                if dimension not in file.dimensions:
                    file.createDimension(dimension, size)
            file.createVariable(name, "f8" if on else "i4", on)[...] = values
            file[name].setncatts(of_variable)
        on_each = dimensions if isinstance(dimensions, list) else [dimensions] * 2
        for i, (name, values, on) in enumerate(zip(names, components, on_each, strict=True)):
            file.createVariable(name, "f8", ("time", *on))[0] = values
            each = {key: value[i] if isinstance(value, tuple) else value for key, value in attributes.items()}
            file[name].setncatts({"units": "m s-1"} | each)
    return path


def vectors(catalogues, lon, lat):
    """The components at positions, and whether they are covered."""
    total, covered = 0, True
    for axis, each in enumerate(catalogues):
        scalar = each.grid.interpolation(lon, lat)
        component = scalar.component(axis, relative_to_grid=each.relative_to_grid)
        (variable, record), *_ = each.records[0].parts
        total = total + component(variable.read(record, component.window))
        covered &= scalar.covered
    return total, covered


def require_wind(found, lon, lat, *, speed=0.02, degrees=0.1):
    """Requires the analytic wind in `vectors`, at all positions."""
    (u, v), covered = found
    assert covered.all()
    expected = np.array(wind(lon, lat))
    assert np.hypot(u, v) == pytest.approx(np.hypot(*expected), abs=speed)
    angle = np.degrees(np.angle((u + 1j * v) / (expected[0] + 1j * expected[1])))
    strong = np.hypot(*expected) > 3
    assert strong.mean() > 0.7 and np.abs(angle[strong]).max() < degrees


X = {"standard_name": "projection_x_coordinate", "units": "m"}
Y = {"standard_name": "projection_y_coordinate", "units": "m"}
EAST, NORTH = {"units": "degrees_east"}, {"units": "degrees_north"}
GRID_WIND = {"standard_name": ("x_wind", "y_wind")}
# Mapping, x, y; the poles and the date line are inside of some.
PROJECTIONS = {
    "lambert": (LAMBERT, np.arange(-2.5e6, 2.6e6, 50e3), np.arange(-1.5e6, 1.6e6, 50e3)),
    "coarse": (LAMBERT, np.arange(-2.4e6, 2.5e6, 160e3), np.arange(-1.6e6, 1.7e6, 160e3)),
    "fine": (LAMBERT, np.arange(1e6, 1.05e6, 1e3), np.arange(5e5, 5.5e5, 1e3)),
    "north pole": (POLAR, np.arange(-2e6, 2e6, 60e3) + 7e3, np.arange(-2e6, 2e6, 60e3)),
    "south pole, rows from the top": (SOUTH, np.arange(-2e6, 2e6, 60e3) + 7e3, np.arange(2e6, -2e6, -60e3)),
    "columns from the right": (LAMBERT, np.arange(2.5e6, -2.6e6, -50e3), np.arange(-1.5e6, 1.6e6, 50e3)),
    "date line": (MERCATOR, np.arange(-2e6, 2.1e6, 80e3), np.arange(-3e6, 3.1e6, 80e3)),
    "rotated": (ROTATED, np.arange(-20.0, 20.1, 0.5), np.arange(-15.0, 15.1, 0.5)),
}


def positions_in(mapping, x, y, n=300):
    rng = np.random.default_rng(1)
    return to_degrees(mapping, rng.uniform(x.min(), x.max(), n), rng.uniform(y.min(), y.max(), n))


@pytest.mark.parametrize("with_mapping", [False, True], ids=["positions", "mapping"])
@pytest.mark.parametrize("name", PROJECTIONS)
def test_winds_along_a_grid_are_turned(tmp_path, name, with_mapping):
    """Components along the grid, on positions in the file or computed from its CF grid mapping."""
    mapping, x, y = PROJECTIONS[name]
    mesh = np.meshgrid(x, y)
    components = along_grid(mapping, *mesh)
    if with_mapping:
        of_x, of_y = (
            {"standard_name": f"grid_{each}", "units": "degrees"} for each in ("longitude", "latitude")
        )
        of_x, of_y = (of_x, of_y) if mapping is ROTATED else (X, Y)
        coordinates = {"x": (("x",), x, of_x), "y": (("y",), y, of_y), "crs": ((), 0, mapping)}
        attributes = GRID_WIND | {"grid_mapping": "crs"}
    else:
        if x[0] > x[-1]:
            pytest.skip("positions alone do not tell the direction of x")
        lon, lat = to_degrees(mapping, *mesh)
        coordinates = {"gridlat": (("y", "x"), lat, NORTH), "gridlon": (("y", "x"), lon, EAST)}
        attributes = GRID_WIND
    path = write(tmp_path / "w.nc", components, coordinates, ("y", "x"), **attributes)
    lon, lat = positions_in(mapping, x, y)
    require_wind(vectors(catalogue([path], WIND), lon, lat), lon, lat)


def test_grid_points_have_the_values_of_the_file():
    """Nothing is interpolated at a grid point: the same bits, next to missing values too."""
    mapping, x, y = PROJECTIONS["coarse"]
    lon, lat = to_degrees(mapping, *np.meshgrid(x, y))
    values = np.random.default_rng(8).normal(size=lon.shape)
    values[::3, ::2] = np.nan
    is_value = np.isfinite(values)
    at_points = Curvilinear.of("c.nc", lat, lon).interpolation(lon[is_value], lat[is_value])
    assert at_points.window.n_columns == len(x)
    assert at_points(values[: at_points.window.last_row + 1]).tobytes() == values[is_value].tobytes()


def test_eastward_components_are_not_turned(tmp_path):
    """Standard names that say so, also at the pole, where east is everywhere."""
    mapping, x, y = PROJECTIONS["north pole"]
    lon, lat = to_degrees(mapping, *np.meshgrid(x, y))
    coordinates = {"lat": (("y", "x"), lat, NORTH), "lon": (("y", "x"), lon, EAST)}
    attributes = {"standard_name": ("eastward_wind", "northward_wind")}
    path = write(tmp_path / "w.nc", wind(lon, lat), coordinates, ("y", "x"), **attributes)
    at = positions_in(mapping, x, y)
    require_wind(vectors(catalogue([path], WIND), *at), *at)


def test_unknown_components_are_refused(tmp_path):
    """Without a standard name, the case states the directions of the components."""
    mapping, x, y = PROJECTIONS["coarse"]
    mesh = np.meshgrid(x, y)
    lon, lat = to_degrees(mapping, *mesh)
    coordinates = {"lat": (("y", "x"), lat, NORTH), "lon": (("y", "x"), lon, EAST)}
    at = positions_in(mapping, x, y)
    for components, values in (("grid", along_grid(mapping, *mesh)), ("east_north", wind(lon, lat))):
        path = write(tmp_path / f"{components}.nc", values, coordinates, ("y", "x"))
        with pytest.raises(InputError, match=r"u10 and v10 are on two-dim.* Set components: grid or comp"):
            catalogue([path], WIND)
        require_wind(vectors(catalogue([path], WIND, components=components), *at), *at)


def test_columns_of_grib_may_go_backwards(tmp_path):
    """The components are along the axes of the projection, not in the direction in which a message scans."""
    mapping, x, y = PROJECTIONS["columns from the right"]
    mesh = np.meshgrid(x, y)
    lon, lat = to_degrees(mapping, *mesh)
    coordinates = {"latitude": (("y", "x"), lat, NORTH), "longitude": (("y", "x"), lon, EAST)}
    flags = {"GRIB_uvRelativeToGrid": 1, "GRIB_iScansNegatively": 1}
    attributes = {"standard_name": ("eastward_wind", "northward_wind")} | flags
    path = write(tmp_path / "w.nc", along_grid(mapping, *mesh), coordinates, ("y", "x"), **attributes)
    at = positions_in(mapping, x, y)
    require_wind(vectors(catalogue([path], WIND), *at), *at)


def test_columns_may_come_first(tmp_path):
    mapping, x, y = PROJECTIONS["lambert"]
    mesh = np.meshgrid(x, y, indexing="ij")
    lon, lat = to_degrees(mapping, *mesh)
    coordinates = {"latitude": (("x", "y"), lat, NORTH), "longitude": (("x", "y"), lon, EAST)}
    path = write(tmp_path / "w.nc", along_grid(mapping, *mesh), coordinates, ("x", "y"), **GRID_WIND)
    at = positions_in(mapping, x, y)
    require_wind(vectors(catalogue([path], WIND), *at), *at)


def test_components_on_the_sides_of_boxes(tmp_path):
    """As ROMS writes them: u and v at points of their own, along the grid, with other names of positions."""
    mapping, x, y = PROJECTIONS["lambert"]
    values, coordinates, dimensions = [], {}, []
    for i, (letter, half) in enumerate((("u", (25e3, 0)), ("v", (0, 25e3)))):
        mesh = np.meshgrid(x + half[0], y + half[1])
        on = (f"eta_{letter}", f"xi_{letter}")
        for name, each in zip(("lon", "lat"), to_degrees(mapping, *mesh), strict=True):
            coordinates[f"{name}_{letter}"] = (
                on,
                each,
                {"units": f"degree_{'east' if name == 'lon' else 'north'}"},
            )
        values.append(along_grid(mapping, *mesh)[i])
        dimensions.append(on)
    attributes = {"coordinates": ("lon_u lat_u time", "lon_v lat_v time")}
    path = write(tmp_path / "r.nc", values, coordinates, dimensions, names=("Uwind", "Vwind"), **attributes)
    eastward, northward = catalogue([path], WIND, names=("Uwind", "Vwind"))
    assert eastward.relative_to_grid and not eastward.grid.same_as(northward.grid)
    lon, lat = positions_in(mapping, x[2:-2], y[2:-2])
    require_wind(vectors((eastward, northward), lon, lat), lon, lat)


def tripolar(n_rows=60, n_columns=120):
    """Positions of an ocean model's grid whose two northern poles are on land: circles of latitude to 50 N;
    north of them, ellipses that shrink to a line between the poles (Murray 1996). The last row is on both
    sides of this line."""
    lat = np.linspace(-75, 50, n_rows)
    i = (np.arange(n_columns) + 0.5) * 2 * np.pi / n_columns
    radius = np.tan(np.radians(90 - 50) / 2)
    south = [
        np.broadcast_to(np.tan(np.radians(90 - lat) / 2)[:, None], (n_rows, n_columns)) * f(i)
        for f in (np.cos, np.sin)
    ]
    share = 1 - (np.arange(20) + 0.5) / 20  # the last row is half a step from the line
    north = radius * np.cos(i) * np.ones((20, 1)), radius * share[:, None] * np.sin(i)
    px, py = (np.concatenate(each) for each in zip(south, north, strict=True))
    return np.degrees(np.arctan2(py, px)), 90 - 2 * np.degrees(np.arctan(np.hypot(px, py)))


@pytest.mark.parametrize("halo", [False, True])
def test_tripolar_grids_have_no_seam(tmp_path, halo):
    """Across the line between the northern poles and around the last column, with or without NEMO's copies
    of columns; points at 0 E 0 N are missing, as where processors have only land."""
    lon, lat = tripolar()
    if halo:
        lon, lat = (np.concatenate([x[:, -1:], x, x[:, :1]], axis=1) for x in (lon, lat))
    components = wind(lon, lat)
    lon[38:42, 3:7] = lat[38:42, 3:7] = 0.0
    coordinates = {"nav_lat": (("y", "x"), lat, {}), "nav_lon": (("y", "x"), lon, {})}
    attributes = {"standard_name": ("eastward_wind", "northward_wind")}
    path = write(tmp_path / "n.nc", components, coordinates, ("y", "x"), **attributes)
    rng = np.random.default_rng(2)
    at = rng.uniform(-180, 180, 3000), np.degrees(np.arcsin(rng.uniform(-0.96, 1, 3000)))
    (u, v), covered = vectors(catalogue([path], WIND), *at)
    expected = wind(*at)
    assert 0.985 < covered.mean() < 1  # all but the missing points
    assert (
        np.hypot(u - expected[0], v - expected[1])[covered].max() < 0.8
    )  # next to missing points, the nearest value
    assert np.hypot(u - expected[0], v - expected[1])[covered & (at[1] > 50)].max() < 0.05


def columns(interpolation):
    """The points of a list of points that are in the window of an interpolation."""
    first = interpolation.window.first_column
    return slice(first, first + interpolation.window.n_columns)


def test_reduced_rows_reach_the_poles():
    lat = np.linspace(89.4, -89.4, 150)
    counts = np.maximum(18, (300 * np.cos(np.radians(lat))).astype(int))
    counts[3] = 0  # a row without points
    grid = ReducedRows.of("reduced.grib", lat, counts)
    ids, at = np.arange(grid.size), to_lonlat(fibonacci(3000))
    at[1][:3] = (90, -90, 89.7)
    scalar = grid.interpolation(*at)
    of_each = [scalar.component(axis, relative_to_grid=False) for axis in (0, 1)]
    components = wind(grid.longitudes(ids), grid.latitudes(ids))
    found = sum(each(values[columns(scalar)]) for each, values in zip(of_each, components, strict=True))
    require_wind((found, scalar.covered), *at)
    # A part of the circle, from 350 to 20 E: one step outside is covered.
    part = ReducedRows.of("p.grib", [30, 20, 10], [13, 16, 31], first_longitudes=350, steps=[2.5, 2, 1])
    lon, lat = np.array([349.0, 20.5, 5.0, 30.0, 5.0]), np.array([20.0, 20.0, 15.0, 20.0, 45.0])
    assert part.interpolation(lon, lat).covered.tolist() == [True, True, True, False, False]
    inner, of_lon = part.interpolation(lon[2:3], lat[2:3]), part.longitudes(np.arange(part.size))
    assert inner(of_lon[columns(inner)]) == pytest.approx([365.0])
    with pytest.raises(InputError, match=r"x.grib: the rows of the reduced grid are not in the order"):
        ReducedRows.of("x.grib", [30, 10, 20], [13, 16, 31])


def test_points_of_icosahedral_grids(tmp_path):
    """As ICON writes them: positions in radians, all of the globe and a region."""
    lon, lat = to_lonlat(fibonacci(20000))
    rng = np.random.default_rng(4)
    for region in (np.full(len(lon), True), (lon > -80) & (lon < -30) & (lat > 10) & (lat < 50)):
        order = rng.permutation(np.flatnonzero(region))
        coordinates = {
            "clon": (("ncells",), np.radians(lon[order]), {"units": "radian", "standard_name": "longitude"}),
            "clat": (("ncells",), np.radians(lat[order]), {"units": "radian", "standard_name": "latitude"}),
        }
        path = write(
            tmp_path / "i.nc", wind(lon[order], lat[order]), coordinates, ("ncells",), coordinates="clat clon"
        )
        at = to_lonlat(fibonacci(997))
        if not region.all():
            at = rng.uniform(-78, -32, 300), rng.uniform(12, 48, 300)
        require_wind(vectors(catalogue([path], WIND), *at), *at)
    far = catalogue([path], WIND)[0].grid.interpolation(
        np.array([-80.5, -85, 125]), np.array([20.0, 20, -30])
    )
    assert far.covered.tolist() == [True, False, False]
    hole = (np.abs(lon + 55) < 6) & (np.abs(lat - 30) < 6)  # far from all points, although between them
    with_hole = Scattered.of("h.nc", lat[region & ~hole], lon[region & ~hole])
    at = np.array([-55.0, -55, -49.5]), np.array([30.0, 20, 30])
    assert with_hole.interpolation(*at).covered.tolist() == [False, True, True]


def test_vectors_keep_their_length():
    """On great circles to a position that is 20 degrees from the nearest point."""
    grid = Scattered.of("s.nc", [0.0, 0, 20, -20, 20], [0.0, 30, 15, 15, 45])
    outside = grid.interpolation(np.array([-18.0]), np.array([9.0]))
    eastward, northward = (outside.component(axis, relative_to_grid=False)(np.ones(5)) for axis in (0, 1))
    assert outside.covered.all() and np.hypot(*eastward) == pytest.approx([1], abs=1e-12)
    assert eastward.ravel() @ northward.ravel() == pytest.approx(0, abs=1e-12)


def test_faces_without_positions(tmp_path):
    """UGRID: the middles of faces follow from their corners."""
    lat, lon = np.meshgrid(np.arange(20.0, 41, 1), np.arange(170.0, 191, 1), indexing="ij")
    row, column = np.divmod(np.arange(400), 20)
    first = row * 21 + column
    corners = np.stack([first, first + 1, first + 22, first + 21], axis=1) + 1
    topology = {
        "cf_role": "mesh_topology",
        "topology_dimension": 2,
        "node_coordinates": "node_x node_y",
        "face_node_connectivity": "corners",
    }
    coordinates = {
        "mesh": ((), 0, topology),
        "node_x": (("node",), lon.ravel(), EAST | {"standard_name": "longitude"}),
        "node_y": (("node",), lat.ravel(), NORTH | {"standard_name": "latitude"}),
        "corners": (("face", "four"), corners, {"start_index": 1}),
    }
    middle = lon.ravel()[first] + 0.5, lat.ravel()[first] + 0.5
    path = write(tmp_path / "u.nc", wind(*middle), coordinates, ("face",), mesh="mesh", location="face")
    at = np.random.default_rng(5).uniform([[171], [21]], [[189], [39]], (2, 200))
    require_wind(vectors(catalogue([path], WIND), *at), *at)
    path = write(tmp_path / "n.nc", wind(lon.ravel(), lat.ravel()), coordinates, ("node",))
    require_wind(vectors(catalogue([path], WIND), *at), *at)


def test_a_nest_that_follows_a_storm(shared):
    """WRF's hurricane Katrina, whose nest moves: each record has its own positions, and the file's values."""
    path = shared / "data" / "fixtures" / "wrf" / "xwrf_mercator_sample.nc"
    eastward, northward = catalogue([path], WIND)
    assert eastward.relative_to_grid and [str(record.time)[11:13] for record in eastward.records] == [
        "12",
        "15",
        "18",
        "21",
    ]
    with Dataset(path) as file:
        for i, record in enumerate(eastward.records):
            lon, lat = (file[name][i][10:40:7, 5:45:9].ravel().astype(float) for name in ("XLONG", "XLAT"))
            (u, v), covered = vectors(
                [Catalogue(q.quantity, q.records[i].grid, q.records[i:]) for q in (eastward, northward)],
                lon,
                lat,
            )
            assert covered.all() and len({id(r.grid) for r in eastward.records}) == 4
            for found, name in ((u, "U10"), (v, "V10")):
                stored = file[name][i][10:40:7, 5:45:9].ravel().astype(float)
                assert found == pytest.approx(stored, abs=1e-4)
            series = Series(eastward, lambda grid, at=(lon, lat): grid.interpolation(*at), record.time)
            assert (
                series.read(i, 0.0).tobytes()
                == file["U10"][i][10:40:7, 5:45:9].ravel().astype(float).tobytes()
            )


def test_reduced_grids_as_points(tmp_path):
    """Points in rows of equidistant longitudes are a reduced grid; the same values in another order are not,
    and have nearly the same wind."""
    lat = np.linspace(88.5, -88.5, 60)
    counts = np.maximum(20, (120 * np.cos(np.radians(lat))).astype(int))
    rows = ReducedRows.of("r", lat, counts)
    ids = np.arange(rows.size)
    lon, lat = np.round(rows.longitudes(ids), 3), rows.latitudes(ids)
    at = to_lonlat(fibonacci(500))
    for order in (ids, np.random.default_rng(7).permutation(ids)):
        positions = {
            "longitude": (("values",), lon[order], EAST),
            "latitude": (("values",), lat[order], NORTH),
        }
        path = write(tmp_path / "r.nc", wind(lon[order], lat[order]), positions, ("values",))
        found = catalogue([path], WIND)
        assert isinstance(found[0].grid, ReducedRows) == (order is ids)
        require_wind(vectors(found, *at), *at, speed=0.05, degrees=0.2)
    lon[500] += 0.3
    assert ReducedRows.from_points("r.nc", lat, lon) is None


def test_times_of_wrf_without_units(tmp_path):
    """The times of WRF are texts; with another text, the file is refused."""
    lon, lat = np.meshgrid(np.arange(120.0, 131), np.arange(20.0, 31))
    positions = {"XLAT": (("y", "x"), lat, NORTH), "XLONG": (("y", "x"), lon, EAST)}
    path = write(tmp_path / "w.nc", wind(lon, lat), positions, ("y", "x"), MemoryOrder="XY ")
    for text in ("2022-09-01_03:00:00", "2022-09-01_3h"):
        with Dataset(path, "a") as file:
            file.renameVariable("time", "step") if "time" in file.variables else None
            file["step"].units = "hours"
            if "Times" not in file.variables:
                file.createDimension("DateStrLen", 19)
                file.createVariable("Times", "S1", ("time", "DateStrLen"))
            file["Times"][0] = np.array(list(text.ljust(19)), "S1")
        if text.endswith("h"):
            with pytest.raises(InputError, match=r"w.nc: Times cannot be read: .*2022-09-01T3h"):
                catalogue([path], WIND)
        else:
            eastward, _ = catalogue([path], WIND)
            assert eastward.records[0].time == np.datetime64("2022-09-01T03:00")
            assert eastward.grid.is_plain  # the latitude depends on the row only


PLAIN = np.meshgrid(np.arange(120.0, 131), np.arange(20.0, 31))
# By name: further variables, attributes of the wind, text of the error.
MISTAKES = {
    "two positions": (
        {
            "TLAT": (("y", "x"), PLAIN[1], {}),
            "ULAT": (("y", "x"), PLAIN[1], {}),
            "TLON": (("y", "x"), PLAIN[0], {}),
        },
        GRID_WIND,
        "w.nc: TLAT, ULAT, TLON may be the positions of u10. Name one .*ncatted -a coordinates,u10",
    ),
    "unknown mapping": (
        {
            "x": (("x",), PLAIN[0][0], X),
            "y": (("y",), PLAIN[1][:, 0], Y),
            "crs": ((), 0, {"grid_mapping_name": "flat"}),
        },
        GRID_WIND | {"grid_mapping": "crs"},
        "w.nc: the grid mapping crs is not valid: .*flat.* Correct its attributes",
    ),
    "units": (
        {
            "x": (("x",), PLAIN[0][0], X | {"units": "feet"}),
            "y": (("y",), PLAIN[1][:, 0], Y),
            "crs": ((), 0, MERCATOR),
        },
        GRID_WIND | {"grid_mapping": "crs"},
        "w.nc: the grid mapping crs needs x in m or km, but its units are 'feet'. Correct",
    ),
    "points along a grid": (
        {"lat": (("y",), PLAIN[1][:, 0], {}), "lon": (("y",), PLAIN[0][0] + np.arange(11) ** 2, {})},
        GRID_WIND,
        "w.nc: u10 and v10 are along the axes of a grid, but the points of the file have no rows",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_of_grids_are_named(tmp_path, name):
    positions, attributes, text = MISTAKES[name]
    on = ("y",) if "lat" in positions else ("y", "x")
    path = write(tmp_path / "w.nc", [np.zeros((11,) * len(on))] * 2, positions, on, **attributes)
    with pytest.raises(InputError, match=text):
        catalogue([path], WIND)


def test_winds_of_nam_are_turned(shared):
    """GRIB on a Lambert grid: at its points, the vector of the file turned by PROJ's meridian convergence."""
    path = shared / "data" / "fixtures" / "grib" / "cfgrib_nam.t00z.awp21100.tm00.grib2"
    pair = catalogue([path], WIND)
    grid = pair[0].grid
    lon, lat = (each[::7, ::9].ravel() for each in (grid.longitude, grid.latitude))
    (u, v), covered = vectors(pair, lon, lat)
    scalar, stored = grid.interpolation(lon, lat), []
    for each in pair:
        (variable, record), *_ = each.records[0].parts
        stored.append(scalar(variable.read(record, scalar.window)))
    lambert = pyproj.Proj("+proj=lcc +lat_1=25 +lat_2=25 +lat_0=25 +lon_0=-95 +R=6371229")
    convergence = np.radians(lambert.get_factors(lon, lat).meridian_convergence)
    angle = np.degrees(np.angle((u + 1j * v) / (stored[0] + 1j * stored[1]) * np.exp(1j * convergence)))
    assert covered.all() and np.abs(convergence).max() > 0.2 and np.abs(angle).max() < 0.01
    assert np.hypot(u, v) == pytest.approx(np.hypot(*stored), rel=1e-12)
