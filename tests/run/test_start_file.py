"""Atmosphere runs that start from reanalyses, from files of other runs, and from files on other meshes."""

import functools
import shutil

import numpy as np
import pytest
import xarray as xr

import halcyon.mesh
from halcyon.base import ConfigError, InputError
from halcyon.config import load_case
from halcyon.launch.errors import AgreedError
from halcyon.run.start.case_files import check_start
from tests.run import case, runs
from tests.support import meshes, reanalyses

pytestmark = pytest.mark.ranks(3)
CASE = """\
model: atmosphere
mesh: {file: mesh.nc}
equations: {set: hydrostatic}
levels: {count: 12, top: 1000}
time: {start: 2000-01-01T00:00, end: 2000-01-02T00:00, step: 900}
initial: FILE
restart: {interval: none}
output: {interval: 43200, segment: 43200, vertical: model, pictures: false}
"""
WATER = """\
model: atmosphere
mesh: {file: mesh.nc}
equations: shallow_water
time: {start: 2000-01-01T00:00, end: 2000-01-02T00:00, step: 600}
initial: {type: mountain}
restart: {interval: none}
output: {interval: 43200, segment: 43200, variables: [height, eastward_wind, vorticity], pictures: false}
"""
SECOND = "fields_20000101T1200.nc"
LATER = "restart_20000101T1200.nc"
SETS = {
    "hydrostatic": {},
    "nonhydrostatic": {"equations.set": "nonhydrostatic"},
    "in 32 bits": {"equations.precision": 32},
}


@pytest.fixture(scope="module")
def path(comm, common_folder):
    """A case with its mesh and input files, the same on all ranks."""
    if comm.rank == 0:
        halcyon.mesh.write_mpas(str(common_folder / "mesh.nc"), meshes.globe(3))
        halcyon.mesh.write_mpas(str(common_folder / "fine.nc"), meshes.globe(4))
        reanalyses.write(
            common_folder / "jw.nc", reanalyses.start(), 2.5, pressures=np.geomspace(5, 1013, 50), times=TIMES
        )
        reanalyses.write(common_folder / "rest.nc", reanalyses.start("resting_mountain"), 2.5)
        reanalyses.write(
            common_folder / "hills.nc", reanalyses.start("resting_mountain"), 2.0, fields=("orog",)
        )
        reanalyses.write(common_folder / "wind.nc", reanalyses.start(), 10.0, fields=("u",))
        (common_folder / "case.yaml").write_text(CASE.replace("FILE", "jw.nc"))
        (common_folder / "water.yaml").write_text(WATER)
    comm.barrier()
    return common_folder / "case.yaml"


@pytest.fixture(scope="module")
def exact(comm, path):
    """The output folder of a run from the formula of the baroclinic wave."""
    folder = path.with_name("exact")
    assert runs.run(comm, path, folder, "initial={type: baroclinic_wave}")
    return folder


@pytest.fixture(scope="module")
def fine(comm, path):
    """A collective function that returns the fields file, with these surfaces, of a run on G4 that ends at
    the start of the other runs."""

    @functools.cache
    def run(surfaces):
        folder = path.with_name(f"fine_{surfaces}")
        assert runs.run(
            comm,
            path,
            folder,
            *changes(initial="{type: baroclinic_wave}", **{"mesh.file": "fine.nc", "time.step": 450}),
            *changes(**{"time.start": "1999-12-31T18:00", "time.end": "2000-01-01T00:00"}),
            *changes(**{"output.interval": 21600, "output.segment": 21600}),
            f"output.vertical={SURFACES[surfaces]}",
        )
        return folder / "fields_19991231T1800.nc"

    return run


TIMES = ("1999-12-31T12:00", "2000-01-01T00:00")


def changes(**overrides):
    """Overrides of options from keyword arguments {name: value}."""
    return [f"{name}={value}" for name, value in overrides.items()]


def last(folder, name=SECOND):
    """The last record of a file."""
    with xr.open_dataset(folder / name) as found:
        return found.isel(time=-1).load()


@pytest.mark.mpi
def test_a_reanalysis_runs_as_the_start_that_it_was_made_of(comm, path, folder, exact):
    """A run from a reanalysis made of the baroclinic wave stays near the run from the formula for a day."""
    assert runs.run(comm, path, folder)
    ours, theirs = last(folder), last(exact)
    assert theirs.surface_pressure.min() < 99900
    assert abs(ours.surface_pressure.min() - theirs.surface_pressure.min()) < 40
    assert ours.topography.values == pytest.approx(theirs.topography.values, abs=20)
    assert abs(ours.temperature - theirs.temperature).max() < 1


@pytest.mark.mpi
def test_air_at_rest_over_mountains_stays_near_rest(comm, path, folder):
    """Spurious winds after a day are below 0.1 m/s from the formula and 0.3 m/s from the file."""
    overrides = changes(initial="rest.nc", **{"equations.rotation": 0})
    assert runs.run(comm, path, folder, *overrides)
    exact = path.with_name("resting")
    overrides[0] = "initial={type: resting_mountain}"
    assert runs.run(comm, path, exact, *overrides)
    ours, theirs = (float(abs(last(each).eastward_wind).max()) for each in (folder, exact))
    assert last(folder).topography.max() > 1000  # cell means
    assert theirs < 0.1 and ours < 0.3  # from the formula, and from the file


@pytest.mark.mpi
@pytest.mark.parametrize("file", ["reanalysis", "other ground", "other mesh"])
def test_any_ranks_leave_the_same_bytes(comm, path, folder, fine, file):
    """One rank with another partition writes the same bits as all ranks."""
    initial = "initial=jw.nc"
    if file == "other ground":
        initial = "initial={file: jw.nc, ground: hills.nc, smoothing: 1.5}"
    if file == "other mesh":
        initial = f"initial={fine('height')}"
    assert runs.run(comm, path, folder, initial)
    alone = folder.with_name(f"{folder.name}.alone")
    ours = comm.Split(comm.rank, 0)
    if comm.rank == 0:
        assert runs.run(ours, path, alone, initial, "partition.method=recursive")
        assert case.differing(folder / SECOND, alone / SECOND) == []
    comm.barrier()
    ours.Free()


@pytest.mark.mpi
@pytest.mark.parametrize("kind", [*SETS, "shallow water"])
def test_a_restart_file_starts_what_the_run_would_have_gone_on_with(comm, path, folder, kind):
    """A run that starts from a restart file writes the bits of the run that wrote the file."""
    overrides = changes(**SETS.get(kind, {}))
    path = path if kind in SETS else path.with_name("water.yaml")
    assert runs.run(comm, path, folder, *overrides, "restart.interval=43200")
    again = folder.with_name(f"{folder.name}.again")
    file = folder / LATER
    assert runs.run(comm, path, again, *overrides, f"initial={file}", "time.start=2000-01-01T12:00")
    ours, theirs = last(again), last(folder)
    for name in ours.data_vars:
        assert ours[name].values.tobytes() == theirs[name].values.tobytes(), name


@pytest.mark.mpi
def test_the_air_of_a_file_on_the_ground_of_another(comm, path, folder):
    """With another orography the surface pressure follows a scale height of 8 km."""
    assert runs.run(
        comm, path, folder, "initial={file: jw.nc, ground: hills.nc}", "time.end=2000-01-01T12:00"
    )
    with xr.open_dataset(folder / "fields_20000101T0000.nc") as found:
        initial_record = found.isel(time=0).load()
    assert initial_record.topography.max() > 1000 and initial_record.topography.min() > -1e-9
    place = np.radians(initial_record.lon), np.radians(initial_record.lat)
    lifted = initial_record.topography - reanalyses.start().ground_geopotential(*place) / reanalyses.GRAVITY
    assert initial_record.surface_pressure.values == pytest.approx(
        1e5 * np.exp(-lifted.values / 8000), rel=0.02
    )


SURFACES = {
    "pressure": "{pressure: [100000, 92500, 85000, 70000, 50000, 40000, 30000, 20000, 10000, 5000, 2000]}",
    "height": f"{{height: {[100, 500, 1000, 2000, 3500, 5000, *range(7500, 25001, 2500)]}}}",
    "model": "model",
}


@pytest.mark.mpi
@pytest.mark.parametrize("surfaces", SURFACES)
def test_a_fields_file_starts_a_run_on_another_mesh(comm, path, folder, fine, exact, surfaces):
    """The initial state from a fields file on G4 is near that of the formula on G3."""
    assert runs.run(comm, path, folder, f"initial={fine(surfaces)}", "time.end=2000-01-01T12:00")
    initial_record = last(folder, "fields_20000101T0000.nc")
    first = last(exact, "fields_20000101T0000.nc")
    known = abs(initial_record.temperature - first.temperature).isel(
        level=slice(1, None)
    )  # the top level is above the data of the files
    assert known.max() < 4
    assert abs(initial_record.eastward_wind - first.eastward_wind).max() < 3
    assert abs(initial_record.surface_pressure - first.surface_pressure).max() < 400


@pytest.mark.mpi
def test_shallow_water_starts_from_a_fields_file(comm, path, folder):
    """A run from the fields of another mesh has the same lowest height within 20 m, and the mountain."""
    path, earlier = path.with_name("water.yaml"), folder.with_name(f"{folder.name}.earlier")
    winds = "output.variables=[height, eastward_wind, northward_wind]"
    assert runs.run(comm, path, earlier, "mesh.file=fine.nc", "time.step=300", winds)
    file = earlier / "fields_20000101T0000.nc"
    assert runs.run(comm, path, folder, f"initial={file}")
    ours, theirs = last(folder), last(earlier)
    assert ours.height.values.min() == pytest.approx(theirs.height.values.min(), abs=20)
    assert ours.topography.max() > 1500


@pytest.mark.mpi
def test_files_of_other_runs_are_refused(comm, path, folder):
    """A restart file of another time, mesh, set or number of levels is refused; options for reanalyses are
    refused with it."""
    assert runs.run(comm, path, folder, "restart.interval=43200")
    file, later = folder / LATER, "time.start=2000-01-01T12:00"
    for others, text in (
        (
            [later, "levels.count=13"],
            "does not match this run: levels.count = 13 instead of 12. Make them equal",
        ),
        ([later, "mesh.file=fine.nc", "time.step=450"], "does not match this run: mesh = "),
        ([later, "equations.set=nonhydrostatic"], "equations.set = nonhydrostatic instead of hydrostatic"),
        ([], "time.start = 2000-01-01T00:00:00 instead of 2000-01-01T12:00:00"),
    ):
        with pytest.raises((AgreedError, ConfigError), match=text) as error:
            runs.run(comm, path, folder.with_name("refused"), f"initial={file}", *others)
        assert "initial" in str(error.value) and str(file) in str(error.value)
    for idle in ("ground: hills.nc", "smoothing: 2"):
        with pytest.raises(
            InputError, match=f"initial.{idle.split(':')[0]} has no effect with .*, a restart"
        ):
            check_start(load_case(path, [f"initial={{file: {file}, {idle}}}", later]))


def test_the_time_of_the_file(comm, path):
    """`initial.time` chooses a record of the file, and must exist there."""
    loaded = load_case(path, ["initial={file: jw.nc, time: 1999-12-31T12:00}"])
    check_start(loaded)
    with pytest.raises(InputError, match=r"has no record of 2000-01-03 .* has 1999-12-31 12:00, 2000"):
        check_start(load_case(path, ["initial={file: jw.nc, time: 2000-01-03}"]))
    with pytest.raises(InputError, match=r"initial=none.nc: the file .*none.nc does not exist"):
        check_start(load_case(path, ["initial=none.nc"]))


def test_mistakes_in_the_ground_are_said_before_the_run(comm, path):
    with pytest.raises(InputError, match=r"ground.*: the file .*none.nc does not exist"):
        check_start(load_case(path, ["initial={file: jw.nc, ground: none.nc}"]))
    with pytest.raises(InputError, match=r"wind.nc has no variable of the height of the orography"):
        check_start(load_case(path, ["initial={file: jw.nc, ground: wind.nc}"]))
    with pytest.raises(ConfigError, match=r"initial.smoothing = 5 must be a number from 1 to 4"):
        load_case(path, ["initial={file: jw.nc, smoothing: 5}"])


def test_what_names_a_file(path):
    """Three ways to name a start file."""
    for text in ("initial=jw.nc", "initial={file: jw.nc}", "initial={type: file, file: jw.nc}"):
        assert load_case(path, [text]).initial.file == path.with_name("jw.nc")
    with pytest.raises(ConfigError, match="initial = 'held_suarez' must be the name of a file, or a group"):
        load_case(path, ["initial=held_suarez"])


def test_another_file_is_another_run(path):
    """The identity of a run has the checksum of the start file, not its name."""
    from halcyon.run.state.identity import options_of

    ours = options_of(load_case(path))
    assert len(ours["initial.file"][0]) == 16
    copied = path.with_name("copied.nc")
    shutil.copy(path.with_name("jw.nc"), copied)
    assert options_of(load_case(path, ["initial=copied.nc"]))["initial.file"] == ours["initial.file"]
