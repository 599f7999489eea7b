"""Forcing interpolated to the cells of a rank, and the cells at open boundaries."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from mpi4py import MPI
from netCDF4 import Dataset

import halcyon.mesh
from halcyon.base import InputError
from halcyon.config.mesh import Region
from halcyon.launch.errors import AgreedError
from halcyon.run.input.boundary import open_cells
from halcyon.run.input.cell_fields import CellFields
from halcyon.run.input.forcing import Forcing
from halcyon.wave.gridded import CURRENT, ICE, LEVEL, Axes, catalogue, select_period
from tests.support import sea_states
from tests.wave import grids

START, END = np.datetime64("2022-09-01T00:00"), np.datetime64("2022-09-01T06:00")
LAT, LON = np.arange(-20.0, 71.0, 2.5), np.arange(80.0, 201.0, 2.5)


class Recorder:
    """A mock model that records its calls."""

    def __init__(self):
        self.calls = []

    def set_ice(self, fraction):
        self.calls.append(("ice", fraction))

    def set_water(self, level, eastward, northward):
        self.calls.append(("water", level, eastward, northward))


@pytest.fixture(scope="module")
def local():
    return sea_states.local_mesh(sea_states.bay())


def fields_of(local, path, quantities, **options):
    """The forcing that files give on the cells of this rank."""
    found = [select_period(each, START, END) for each in catalogue([str(path)], quantities)]
    return CellFields(found, local, local.mesh.n_cells, START, MPI.COMM_SELF, **options)


def write_fields(path, fields, units):
    """Writes gridded fields at 0, 3 and 6 hours on the grid of LAT and LON."""
    return grids.write_grid(path, fields, hours=(0, 3, 6), lat=LAT, lon=LON, units=units)


@pytest.fixture
def forcing(local, tmp_path):
    """Ice, a current and a water level from files, each linear in space and time (ice and level are clipped
    or in other units)."""
    hours, degrees = (0, 3, 6), (LAT, LON)
    ice = 100 * np.clip(grids.linear(hours, *degrees) / 25, 0, 1)
    u = grids.linear(hours, *degrees) / 20
    return Forcing(
        None,
        fields_of(local, write_fields(tmp_path / "i.nc", {"siconc": ice}, "%"), [ICE]),
        fields_of(local, write_fields(tmp_path / "c.nc", {"uo": u, "vo": -u}, "m/s"), CURRENT),
        fields_of(local, write_fields(tmp_path / "z.nc", {"zos": u * 100}, "cm"), [LEVEL]),
        functions=SimpleNamespace(has=lambda _: False, change=lambda *_: ""),
        n_cells=local.mesh.n_cells,
        source_step_s=900.0,
        storms=[],
        update_s=3600.0,
        duration_s=21600.0,
    )


def expected(local, time_s):
    """The field of `grids.linear` at the cells."""
    lat, lon = np.degrees(local.mesh.cell_latitude), np.degrees(local.mesh.cell_longitude) % 360
    return 0.1 * lon - 0.2 * lat + 0.5 * time_s / 3600


def test_the_medium_changes_with_its_updates_alone(local, forcing):
    """Ice, currents and level are set once per update interval, with the exact values of the middle of the
    interval."""
    model = Recorder()
    times_s = (0.0, 1200.0, 2400.0, 3600.0, 4800.0)
    assert [forcing.set_ice_and_water(model, time_s) for time_s in times_s] == [
        True,
        False,
        False,
        True,
        False,
    ]
    assert [call[0] for call in model.calls] == ["ice", "water", "ice", "water"]
    for (_, fraction), (_, level, u, v), middle in zip(
        model.calls[::2], model.calls[1::2], (1800.0, 5400.0), strict=True
    ):
        exact = expected(local, middle)
        assert fraction == pytest.approx(np.clip(exact / 25, 0, 1), abs=2e-3)
        assert u == pytest.approx(exact / 20, abs=1e-5) and v == pytest.approx(-exact / 20, abs=1e-5)
        assert level == pytest.approx(exact / 20, abs=1e-5) and level.dtype == np.float32
        assert len(level) == local.mesh.n_cells


def test_the_last_update_does_not_ask_beyond_the_run(local, forcing):
    """The last update interval, which the end of the run cuts, uses the values at the end."""
    model = Recorder()
    forcing.update_s = 7200.0 * 2
    forcing.set_ice_and_water(model, 21000.0)
    assert model.calls[1][2] == pytest.approx(expected(local, 21600.0) / 20, abs=1e-5)


def test_a_grid_that_ends_within_the_mesh_is_refused(local, tmp_path):
    path = grids.write_grid(
        tmp_path / "z.nc", {"zos": np.zeros((3, 5, len(LON)))}, lat=LAT[:5], lon=LON, units="m"
    )
    text = (
        r"case.yaml:7: .*z.nc does not cover cell \d+ \(\d+.\d\d E .* N\): it reaches from 80 to 200 E"
        r" and from -20 to -10"
        r" N, the mesh from .* E and from .* N. Give files that cover the mesh, or"
    )
    with pytest.raises(AgreedError, match=text):
        fields_of(local, path, [LEVEL], location="case.yaml:7")


@pytest.mark.parametrize(
    ("value", "options", "text"),
    [
        (
            np.nan,
            {},
            r"z.nc: zos at 2022-09-01 03:00 UTC: the water level is missing at cell \d+ .*Give files",
        ),
        pytest.param(
            np.nan,
            {"reach": 1000.0},
            r"is missing at cell .*There is no value within 1000 m",
            id="nan-options1-is missing at cell .*Nor is there a value within 1000 m",
        ),
        pytest.param(
            1e4,
            {},
            r"the water level is 10000 at cell .* It must be from -30 to 30: check units",
            id="10000.0-options2-the water level is 10000 at cell .* "
            "It must be from -30 to 30: look at units",
        ),
    ],
)
def test_values_that_are_none_are_named(local, tmp_path, value, options, text):
    """A missing or impossible value is an error when its time is reached, with file, time and cell."""
    field = np.zeros((3, len(LAT), len(LON)))
    field[1] = value
    found = fields_of(local, write_fields(tmp_path / "z.nc", {"zos": field}, "m"), [LEVEL], **options)
    assert (found.at(0.0)[0] == 0).all()
    with pytest.raises(AgreedError, match=text):
        found.at(3600.0)


def test_open_cells_lie_at_the_box_not_at_the_coast():
    """In a region with an island, cells at the sides of the region are open, cells that only touch the island
    are not."""
    whole = halcyon.mesh.voronoi_mesh(sea_states.triangulation(5))
    lat, lon = np.degrees(whole.cell_latitude), np.degrees(whole.cell_longitude)
    keep = (lat > 0) & (lat < 40) & (lon > 100) & (lon < 150)
    keep &= (np.abs(lat - 20) > 6) | (np.abs(lon - 125) > 7)
    mesh = sea_states.with_depth(halcyon.mesh.cut(whole, keep.astype(np.uint8)), 1000.0)
    local = sea_states.local_mesh(mesh)
    lat, lon = np.degrees(mesh.cell_latitude), np.degrees(mesh.cell_longitude)
    at_any_edge = open_cells(local, None).cells
    found = open_cells(local, Region(west=100, east=150, south=0, north=40)).cells
    assert set(found) < set(at_any_edge)
    at_coast = set(at_any_edge) - set(found)
    assert len(at_coast) > 8 and len(found) > 40
    assert all(abs(lat[cell] - 20) < 10 and abs(lon[cell] - 125) < 12 for cell in at_coast)
    near_sides = np.minimum.reduce([lat, 40 - lat, lon - 100, 150 - lon])
    assert near_sides[found].max() < 4.0


def test_a_run_s_model_takes_ice_currents_and_levels(local, forcing):
    """The wave model has no waves under ice of more than half of the area, and the currents change the
    transport."""
    grid = sea_states.spectral_grid()
    model = sea_states.model(sea_states.bay(), grid)
    model.action[:] = 1.0
    forcing.set_ice_and_water(model, 0.0)
    (fraction,) = forcing.ice.at(1800.0)
    iced = fraction[: model.n_owned] > 0.5
    assert iced.any() and not iced.all()
    assert (np.asarray(model.action)[iced] == 0).all() and (np.asarray(model.action)[~iced] == 1).all()
    without_forcing = sea_states.model(sea_states.bay(), grid)
    for each in (model, without_forcing):
        each.action[:] = 1.0
        each.transport(300.0)
    assert not np.array_equal(model.action, without_forcing.action)


@pytest.mark.parametrize("options", [{}, {"scheme": "second_order", "bands": [(3, 4), (5, 1)]}])
def test_held_cells_keep_what_they_have(options):
    """Held cells are constant in all substeps of all bands; waves propagate from them into other cells."""
    model = sea_states.model(sea_states.bay(), sea_states.spectral_grid(), layers=2, **options)
    cells = np.array([0, 5, 40], np.int32)
    model.hold_cells(cells)
    for _ in range(3):
        model.action[cells] = 2.0
        model.transport(600.0)
        assert (np.asarray(model.action)[cells] == 2).all()
    others = np.setdiff1d(np.arange(model.n_owned), cells)
    assert np.asarray(model.action)[others].max() > 1e-3
    with pytest.raises(
        InputError, match=f"Cell {model.n_owned} is not one of the {model.n_owned} owned cells"
    ):
        model.hold_cells(np.array([model.n_owned], np.int32))


def test_winds_are_set_as_arrays(local):
    """`set_wind` stores the arrays, returns the first cell whose wind is not a number, or -1, and refuses
    arrays of another length."""
    model = sea_states.model(sea_states.bay(), sea_states.spectral_grid())
    eastward, northward = np.linspace(-5, 5, model.n_owned), np.linspace(3, 9, model.n_owned)
    assert model.set_wind(eastward, northward) == -1
    assert model.eastward_wind == pytest.approx(eastward) and model.northward_wind == pytest.approx(northward)
    northward[[7, 30]] = np.nan
    assert model.set_wind(eastward, northward) == 7
    with pytest.raises(
        InputError, match=f"The wind has 3 values on this rank, which owns {model.n_owned} cells"
    ):
        model.set_wind(np.zeros(3), np.zeros(3))


@pytest.mark.parametrize("value", [9.96921e36, -999.0, 16.0])
def test_one_value_beyond_the_limits_is_refused(local, tmp_path, value):
    """Also where the interpolation, the filling of gaps or the mean of a climatology would hide it."""
    current = np.zeros((3, len(LAT), len(LON)))
    row, column = np.abs(LAT - 20).argmin(), np.abs(LON - 130).argmin()
    current[1, row, column] = value
    fields = fields_of(
        local, write_fields(tmp_path / "c.nc", {"uo": current, "vo": 0 * current}, "m/s"), CURRENT
    )
    number = re.escape(f"{value:g}")
    with pytest.raises(
        AgreedError, match=rf"uo at .*03:00.* is {number} at cell \d+ .* from -15 to 15: .*_FillValue"
    ):
        fields.at(5400.0)


@pytest.mark.mpi
def test_turned_winds_have_the_same_bits_on_all_ranks(comm, common_folder):
    """Winds along the rows of a two-dimensional grid, with missing values that are filled."""
    lon, lat = np.meshgrid(np.arange(85.0, 200.0, 2.0), np.arange(-25.0, 75.0, 2.0))
    lon, lat = lon + 0.1 * lat, lat + 0.05 * (lon - 140)
    if comm.rank == 0:
        u = np.cos(np.radians(lon)) * 0.5
        u[20:24, 20:24] = np.nan
        with Dataset(common_folder / "c.nc", "w") as file:
            for name, size in (("time", 3), ("y", len(lat)), ("x", lon.shape[1])):
                file.createDimension(name, size)
            file.createVariable("time", "f8", ("time",))[:] = (0, 3, 6)
            file["time"].units = grids.HOURS
            for name, values in (("lat", lat), ("lon", lon)):
                file.createVariable(name, "f8", ("y", "x"))[:] = values
            for name, axis in (("uo", "x"), ("vo", "y")):
                file.createVariable(name, "f8", ("time", "y", "x"), fill_value=1e20)[:] = (
                    np.ma.masked_invalid(u)
                )
                file[name].setncatts({"units": "m s-1", "standard_name": f"sea_water_{axis}_velocity"})
    comm.barrier()
    catalogues = [select_period(each, START, END) for each in catalogue([common_folder / "c.nc"], CURRENT)]
    mesh, found = sea_states.bay(), []
    for ranks in (comm, MPI.COMM_SELF):
        local = sea_states.local_mesh(mesh, ranks)
        n_owned, cells = local.part.cells.n_owned, local.part.cells.to_global
        fields = CellFields(catalogues, local, local.mesh.n_cells, START, ranks, reach=400e3).at(5400.0)
        found.append([sea_states.gathered(ranks, cells[:n_owned], values[:n_owned]) for values in fields])
    assert np.isfinite(found[0]).all() and np.abs(found[0][0] - found[0][1]).max() > 0.05
    assert np.array(found[0]).tobytes() == np.array(found[1]).tobytes()


def test_grids_that_are_added_at_the_same_time():
    """The components of a grid are those of that grid, also if a thread adds another one then."""

    class Interrupted(CellFields):
        def __setattr__(self, name, value):
            is_interrupted = name == "_interpolations" and value
            super().__setattr__(name, [*value, (None, None, {})] if is_interrupted else value)

    fields = Interrupted.__new__(Interrupted)
    fields._longitude, fields._latitude, fields._reach = np.array([100.0]), np.array([20.0]), 0.0
    fields._interpolations = []
    grid = Axes.of("x.nc", LAT, LON)
    interpolation, components = fields._interpolation(grid)
    assert fields._interpolations[0][1] is interpolation and fields._interpolations[0][2] is components
