"""Runs of the spectral model that start from files of other runs on any grid, or from reanalyses."""

import json

import numpy as np
import pytest
import xarray as xr
from mpi4py import MPI

from halcyon.base import ConfigError, InputError
from halcyon.config import load_case
from halcyon.launch.errors import AgreedError
from halcyon.mesh.cf_file import open_netcdf
from halcyon.run.start.case_files import check_start
from halcyon.run.start.source_grid import FaceSourceGrid
from tests.run import case, runs
from tests.support import reanalyses
from tests.transform.sets import all_sets

STARTS = {
    "barotropic": "{type: rossby_haurwitz}",
    "shallow_water": "{type: mountain}",
    "primitive": "{type: baroclinic_wave}\nlevels: {count: 8, top: 2000}",
}
CASE = """\
model: spectral
mesh: {{truncation: 21}}
time: {{start: 2000-01-01T00:00, end: 2000-01-01T06:00, step: 900}}
output: {{interval: 10800, segment: 10800, pictures: false}}
equations: {equations}
initial: {start}
"""
LATER = "2000-01-01T03:00"
FIRST, SECOND = "fields_20000101T0000.nc", "fields_20000101T0300.nc"
FIELDS = {"barotropic": "vorticity", "shallow_water": "height", "primitive": "temperature"}


def write(folder, name):
    path = folder / f"{name}.yaml"
    path.write_text(CASE.format(equations=name, start=STARTS[name]))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with cases, a run of each case on two grids, and two reanalyses."""
    folder = tmp_path_factory.mktemp("spectral_files")
    for name in STARTS:
        vertical = ["output.vertical=model"] if name == "primitive" else []
        for grid in ("full", "octahedral"):
            assert run(write(folder, name), folder / f"{name}_{grid}", f"mesh.grid={grid}", *vertical)
    reanalyses.write(folder / "jw.nc", reanalyses.start(), 2.5, pressures=np.geomspace(5, 1013, 50))
    reanalyses.write(folder / "hills.nc", reanalyses.start("resting_mountain"), 2.0, fields=("orog",))
    return folder


def run(path, folder, *changes, **rest):
    return runs.run(MPI.COMM_SELF, path, folder, *changes, **rest)


def initial(file, **more):
    """The override of `initial` that starts from a file."""
    return f"initial={json.dumps({'file': str(file), **more})}"


def record(folder, file, index=0):
    """One record of a fields file; index: of the time."""
    with xr.open_dataset(folder / file) as found:
        return found.isel(time=index).load()


@pytest.mark.parametrize("grid", ["full", "octahedral"])
@pytest.mark.parametrize("name", STARTS)
def test_a_run_goes_on_from_the_fields_of_another(folder, tmp_path, name, grid):
    """A run that starts from the fields of another run agrees with that run three hours later: within 32-bit
    rounding, or, on another grid or with levels, within 1 % for the interpolation."""
    path, other = folder / f"{name}.yaml", folder / f"{name}_{grid}"
    vertical = ["output.vertical=model"] if name == "primitive" else []
    assert run(path, tmp_path / "out", f"time.start={LATER}", initial(other / SECOND), *vertical)
    folders = tmp_path / "out", folder / f"{name}_full"
    ours, theirs = (record(each, SECOND, -1)[FIELDS[name]].values for each in folders)
    difference = np.sqrt(((ours - theirs) ** 2).mean()) / np.ptp(theirs)
    same_places = grid == "full" and name != "primitive"
    assert difference < (1e-6 if same_places else 0.01)


def test_values_lie_linearly_between_boxes_also_over_the_poles(folder):
    """Interpolation from a grid of boxes is nearly exact for linear functions of the position, and exact at
    the centres."""
    points = np.random.default_rng(1).normal(size=(3000, 3))
    points = np.concatenate([points / np.linalg.norm(points, axis=1)[:, None], [[0, 0, 1], [0, 0, -1]]])
    path = folder / "barotropic_octahedral" / FIRST
    with open_netcdf(path) as file:
        grid = FaceSourceGrid(str(path), file)
        lon, lat = np.radians((file["lon"].values, file["lat"].values))
    centres = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
    found, _ = grid.stencil(points)
    for slope in np.eye(3):
        assert np.abs(found.interpolate(centres @ slope) - points @ slope).max() < 2e-3
    at_centres, _ = grid.stencil(centres)
    assert at_centres.interpolate(np.sin(5 * lon)) == pytest.approx(np.sin(5 * lon), abs=1e-9)


def test_a_reanalysis_is_the_start_that_it_was_made_of(folder, tmp_path):
    """A run from a reanalysis made of an analytic start stays near the run from that start."""
    path = folder / "primitive.yaml"
    assert run(path, tmp_path / "out", initial(folder / "jw.nc"), "output.vertical=model")
    ours, theirs = (
        record(output_folder, SECOND, -1) for output_folder in (tmp_path / "out", folder / "primitive_full")
    )
    assert abs(ours.surface_pressure - theirs.surface_pressure).max() < 60
    assert abs(ours.temperature - theirs.temperature).max() < 2
    assert abs(ours.eastward_wind - theirs.eastward_wind).max() < 2
    assert ours.topography.values == pytest.approx(theirs.topography.values, abs=20)


def test_the_air_of_a_file_on_the_ground_of_another(folder, tmp_path):
    """With another orography the surface pressure follows a scale height of 8 km."""
    path = folder / "primitive.yaml"
    ground = {"ground": str(folder / "hills.nc"), "smoothing": 1.5}
    assert run(path, tmp_path / "out", initial(folder / "jw.nc", **ground))
    begun = record(tmp_path / "out", FIRST)
    assert begun.topography.max() > 1000
    lam, phi = np.meshgrid(np.radians(begun.lon), np.radians(begun.lat))
    lifted = begun.topography - reanalyses.start().ground_geopotential(lam, phi) / reanalyses.GRAVITY
    assert begun.surface_pressure.values == pytest.approx(1e5 * np.exp(-lifted.values / 8000), rel=0.02)


def test_it_goes_on_to_the_bit_where_it_stopped(folder, tmp_path):
    """A stopped and resumed run writes the bits of the whole run."""
    path, initial_option = folder / "primitive.yaml", initial(folder / "jw.nc")
    assert run(path, tmp_path / "whole", initial_option)
    assert not run(path, tmp_path / "out", initial_option, stop=runs.StopAfter(7))
    assert run(path, tmp_path / "out", initial_option, resume=True)
    for name in (FIRST, SECOND, "integrals.nc"):
        assert case.differing(tmp_path / "whole" / name, tmp_path / "out" / name) == []


@pytest.mark.mpi
@pytest.mark.ranks(4)
@pytest.mark.parametrize("name", ["shallow_water", "primitive"])
def test_any_sets_start_with_the_same_bits(comm, common_folder, name):
    """All sets of ranks write the bits of one rank."""
    path, other = common_folder / f"{name}.yaml", common_folder / "other"
    if comm.rank == 0:
        write(common_folder, name)
        assert run(path, other, "mesh.grid=octahedral")
        reanalyses.write(common_folder / "jw.nc", reanalyses.start(), 5.0)
    comm.barrier()
    file = common_folder / "jw.nc" if name == "primitive" else other / FIRST
    whole = common_folder / f"{name}_whole"
    if comm.rank == 0:
        assert run(path, whole, initial(file), "mesh.grid=reduced")
    comm.barrier()
    for v, w in all_sets(comm.size):
        out = common_folder / f"{name}_{v}_{w}"
        sets = f"exchange.sets=[{v}, {w}]"
        assert runs.run(comm, path, out, initial(file), "mesh.grid=reduced", sets)
        assert case.differing(whole / SECOND, out / SECOND) == [], (v, w)


def check(folder, name, *changes):
    check_start(load_case(folder / f"{name}.yaml", list(changes)))


def test_files_that_do_not_serve_are_refused(folder, tmp_path):
    with pytest.raises(InputError, match=r"--set initial=nowhere.nc: the file .*nowhere.nc does not exist"):
        check(folder, "primitive", "initial=nowhere.nc")
    with pytest.raises(InputError, match="has no variable of the eastward wind"):
        check(folder, "barotropic", initial(folder / "hills.nc"))
    with pytest.raises(InputError, match="has no variable of the height of the fluid surface"):
        check(folder, "shallow_water", initial(folder / "barotropic_full" / FIRST))
    with pytest.raises(InputError, match="has no variable of temperature"):
        check(folder, "primitive", initial(folder / "shallow_water_full" / FIRST))
    with pytest.raises(InputError, match=r"no record of 1999-12-31.* Give one of them as initial.time"):
        check(folder, "barotropic", initial(folder / "barotropic_full" / FIRST, time="1999-12-31T00:00"))
    with pytest.raises(ConfigError, match=r"initial.ground does nothing with equations.set = .barotropic"):
        check(folder, "barotropic", initial(folder / "barotropic_full" / FIRST, ground="hills.nc"))
    assert not run(folder / "barotropic.yaml", tmp_path / "out", stop=runs.StopAfter(3))
    (restart,) = runs.restarts(tmp_path / "out")
    with pytest.raises(InputError, match="is a restart file, which has no orography for the spectral model"):
        check(folder, "barotropic", initial(tmp_path / "out" / restart))


def test_a_value_that_cannot_be_is_named(folder, tmp_path):
    def set_invalid(values):
        values["t"][3, 5, 5] = 5.0

    file = reanalyses.write(tmp_path / "bad.nc", reanalyses.start(), 5.0, change=set_invalid)
    with pytest.raises(AgreedError, match=r"bad.nc: t holds 5 K, outside the range of temperature"):
        run(folder / "primitive.yaml", tmp_path / "out", initial(file))


def test_moist_air_starts_from_the_humidity_of_a_file(tmp_path):
    """Temperature and vapour of the file return within interpolation, as in dry air; a file without humidity
    is refused."""
    equations = "{set: primitive, advection: semi_lagrangian, moist: true}"
    start = "{type: moist_baroclinic_wave, perturbation: 0}\nlevels: {count: 8, top: 2000}"
    path = tmp_path / "moist.yaml"
    path.write_text(CASE.format(equations=equations, start=start))
    names, options = "water_vapour,temperature,eastward_wind,northward_wind", ("output.vertical=model",)
    file = tmp_path / "whole" / FIRST
    assert run(path, tmp_path / "whole", f"output.variables=[{names}]", *options)
    assert run(path, tmp_path / "again", f"output.variables=[{names}]", initial(file), *options)
    whole, again = (record(tmp_path / each, FIRST) for each in ("whole", "again"))
    assert whole.water_vapour.max() > 0.01
    for name, error in (("water_vapour", 1e-4), ("temperature", 0.6)):
        assert np.abs(again[name] - whole[name]).max() < error, name
    assert run(
        path, tmp_path / "dry", "output.variables=[temperature,eastward_wind,northward_wind]", *options
    )
    with pytest.raises((AgreedError, InputError), match="humidity"):
        run(path, tmp_path / "none", initial(tmp_path / "dry" / FIRST), *options)
