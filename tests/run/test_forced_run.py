"""Wave runs with gridded winds, a vortex added to gridded winds, boundary spectra and nests: the same bits on
any number of ranks and after a restart."""

import numpy as np
import pytest
from mpi4py import MPI

from halcyon.base import ConfigError, InputError
from halcyon.launch.errors import AgreedError
from tests.run import case, runs
from tests.wave import grids

pytestmark = pytest.mark.ranks(3)
FREQUENCY, DIRECTION = 0.045 * 1.15 ** np.arange(10), np.arange(0.0, 360.0, 20.0)
FORCED = case.CASE.replace(
    "{track: track.csv}",
    "{files: 'wind_*.nc'}\n  ice: {files: sea.nc}\n  current: {files: sea.nc}"
    "\n  water_level: {files: sea.nc}",
).replace(
    "output:\n",
    "boundary: {files: [sides.nc, sides_north.nc], distance: 1.5e6}\n"
    "output:\n  nests: [{name: inner, points: points.csv}]\n"
    "  variables: [significant_height, eastward_wind, northward_wind, water_level, eastward_current,"
    " northward_current, ice_fraction]\n",
)
NEST = "nest_inner.nc"


def write_inputs(folder):
    """Writes winds in two files, ice, current and water level, boundary spectra on the west side, and the
    points of a nest."""
    for hours in ((0, 1, 2), (3, 4, 5, 6)):
        lon, lat = np.arange(90.0, 186.0, 2.5), np.arange(-10.0, 61.0, 2.5)
        t, y, x = np.ix_(hours, lat, lon)
        fields = {
            "u10": 12 + 6 * np.sin(0.1 * x + 0.5 * t) + 0 * y,
            "v10": 5 * np.cos(0.1 * y - 0.3 * t) + 0 * x,
        }
        grids.write_grid(folder / f"wind_{hours[0]}.nc", fields, hours=hours, lat=lat[::1], lon=lon)
    write_sea(folder / "sea.nc")
    shape = np.exp(-(((FREQUENCY - 0.08) / 0.02) ** 2))[:, None]
    shape = shape * np.maximum(0, np.cos(np.radians(DIRECTION - 90))) ** 4
    density = np.array([[40, 20, 10], [60, 30, 15]])[:, :, None, None] * shape
    positions = {"lon": [104.0, 104.0, 104.0], "lat": [5.0, 20.0, 35.0]}
    bins = {"frequency": FREQUENCY, "direction": DIRECTION}
    grids.write_spectra(folder / "sides.nc", density, hours=(0, 6), **positions, **bins)
    bins = {"frequency": FREQUENCY[1:], "direction": DIRECTION[::2]}  # other bins and other times
    density = np.array([20, 40, 25])[:, None, None, None] * shape[1:, ::2]
    position = {"lon": [110.0], "lat": [48.0]}
    grids.write_spectra(folder / "sides_north.nc", density, hours=(-1, 3, 7), **position, **bins)
    (folder / "points.csv").write_text("longitude,latitude\n140,15\n141,15.5\n150,20\n160,-70\n")


def write_sea(path):
    """Ice in the north east, a current and a tide, with missing values over the island."""
    hours, lon, lat = (0, 2, 4, 6), np.arange(90.0, 186.0, 2.5), np.arange(-10.0, 61.0, 2.5)
    t, y, x = np.ix_(hours, lat, lon)
    fields = {
        "siconc": np.clip((x - 150) / 20 + 0.1 * t, 0, 1) * (y > 42),
        "uo": 0.8 * np.sin(0.1 * y + 0.2 * t) + 0 * x,
        "vo": 0.5 * np.cos(0.1 * x + 0.2 * t) + 0 * y,
        "zos": 2 * np.sin(0.05 * x + 0.5 * t) + 0 * y,
    }
    for field in fields.values():
        field[:, (np.abs(lat - 27) < 4)[:, None] & (np.abs(lon - 130) < 5)] = np.nan
    grids.write_grid(path, fields, hours=hours, lat=lat, lon=lon)
    from netCDF4 import Dataset

    with Dataset(path, "a") as file:
        file["siconc"].units, file["zos"].units = "1", "m"


@pytest.fixture(scope="module")
def path(comm, common_folder):
    """The path of the case, the same on all ranks."""
    if comm.rank == 0:
        case.write_case(common_folder, case=FORCED)
        write_inputs(common_folder)
    comm.barrier()
    return common_folder / "case.yaml"


@pytest.fixture(scope="module")
def whole(comm, path):
    """The output folder of an uninterrupted run."""
    folder = path.with_name("whole")
    assert runs.run(comm, path, folder, "restart.interval=none")
    return folder


def alone(comm, path, folder, *changes):
    """Collective. Runs the same case on rank 0 only."""
    if comm.rank == 0:
        assert runs.run(MPI.COMM_SELF, path, folder, "restart.interval=none", *changes)
    comm.barrier()
    return folder


def differing(ours, theirs):
    """The files and variables that differ between two output folders, including the nest."""
    return [*runs.differing(ours, theirs), *case.differing(ours / NEST, theirs / NEST)]


@pytest.mark.mpi
def test_any_ranks_leave_the_same_bytes(comm, path, whole):
    """One rank writes the same bits as all ranks."""
    assert differing(alone(comm, path, path.with_name("alone")), whole) == []
    result = runs.status(whole)
    names = [name.rsplit("/", 1)[-1] for name in result["files"]]
    assert names[-3:] == [NEST, "stations.csv", "stations.nc"]
    theirs = runs.status(path.with_name("alone"))
    assert result["figures"]["boundary"] == theirs["figures"]["boundary"]
    assert result["figures"]["boundary"]["records"] == 7


@pytest.mark.mpi
@pytest.mark.parametrize("steps", [1, 7])
def test_a_run_that_was_stopped_leaves_the_same_bytes(comm, path, whole, steps):
    """A run that stops after some steps and is resumed writes the bits of the whole run."""
    folder = path.with_name(f"stopped_{steps}")
    assert not runs.run(comm, path, folder, stop=runs.StopAfter(steps))
    assert runs.run(comm, path, folder, resume=True)
    assert differing(folder, whole) == []
    boundaries = [runs.status(each)["figures"]["boundary"] for each in (folder, whole)]
    assert boundaries[0] == boundaries[1]


def test_points_of_other_bins_and_times_serve_their_cells(whole):
    """The table of run.json has the points of both files; each side has the energy of its spectra."""
    boundary = runs.status(whole)["figures"]["boundary"]
    assert {part["latitude"] for part in boundary["parts"]} == {5, 20, 35, 48}
    for row in boundary["sides"]:
        height = row["significant_height_of_spectra_m"]
        assert row["significant_height_m"] == pytest.approx(height, rel=5e-3)


@pytest.mark.mpi
def test_a_killed_run_goes_on_behind_the_records_it_keeps(comm, path, whole):
    """A killed run that is resumed from its restart file, with unfinished files, writes the bits of the whole
    run."""
    folder = path.with_name("killed")
    every_hour = "restart.interval=3600"
    assert not runs.run(comm, path, folder, every_hour, stop=runs.KilledAfter(7))
    assert (folder / f"{NEST}.part").exists()
    assert runs.run(comm, path, folder, every_hour, resume=True)
    assert differing(folder, whole) == []


@pytest.mark.mpi
def test_a_storm_within_a_gridded_wind(comm, path):
    """A run that starts from the restart file of another run writes the bits of that run; the storm raises
    the gridded wind."""
    wind = "forcing.wind={track: track.csv, background: {files: 'wind_*.nc'}}"
    first = path.with_name("storm")
    assert not runs.run(comm, path, first, wind, stop=runs.StopAfter(4))
    restart = first / "restart_20220901T0200.nc"
    changes = [wind, "time.start=2022-09-01T02:00", f"initial={{type: restart, file: {restart}}}"]
    second = path.with_name("goes_on")
    assert runs.run(comm, path, second, *changes, "output.segment=14400")
    assert runs.run(comm, path, first, wind, resume=True)
    from netCDF4 import Dataset

    with Dataset(first / case.SEGMENTS[1]) as ours, Dataset(second / "fields_20220901T0200.nc") as theirs:
        for name in ("significant_height", "eastward_wind"):
            assert ours[name][:].tobytes() == theirs[name][1:].tobytes()
        assert (
            np.hypot(ours["eastward_wind"][:], ours["northward_wind"][:]).max() > 24
        )  # 19 without the storm
        assert np.abs(ours["eastward_wind"][:]).min() > 0


@pytest.mark.mpi
def test_a_wind_with_holes_is_one_error_on_all_ranks(comm, path):
    """The error names the cell with the lowest global id, whatever rank owns it."""
    if comm.rank == 0:
        lon, lat = np.arange(90.0, 186.0, 2.5), np.arange(-10.0, 61.0, 2.5)
        field = np.ones((2, len(lat), len(lon)))
        field[1, :, 20:] = np.nan
        grids.write_grid(
            path.with_name("holes.nc"), dict.fromkeys(("u10", "v10"), field), hours=(0, 6), lat=lat, lon=lon
        )
    comm.barrier()
    texts = []
    for ranks in (comm, MPI.COMM_SELF):
        folder = path.with_name(f"holes_{ranks.size}_{comm.rank if ranks.size == 1 else 'all'}")
        with pytest.raises(AgreedError) as caught:
            runs.run(ranks, path, folder, "forcing.wind.files=holes.nc")
        texts.append(caught.value.text)
    assert texts[0] == texts[1]
    assert "holes.nc: u10 at 2022-09-01 06:00 UTC: the eastward wind is missing at cell" in texts[0]


def test_records_have_the_medium_of_the_step_before(whole):
    """Records have ice, currents and water level of the middle of the update interval (one hour) before the
    record; the first record, of the interval after the start. Stations have currents too."""
    from netCDF4 import Dataset

    with Dataset(whole / case.SEGMENTS[0]) as file:
        x, y = file["lon"][:].data, file["lat"][:].data
        far = np.hypot(x - 130, y - 27) > 14
        for record, t in enumerate((0.5, 0.5, 1.5)):
            expected = {
                "water_level": 2 * np.sin(0.05 * x + 0.5 * t),
                "eastward_current": 0.8 * np.sin(0.1 * y + 0.2 * t),
                "northward_current": 0.5 * np.cos(0.1 * x + 0.2 * t),
            }
            for name, values in expected.items():
                slack = 0.3 if name == "water_level" else 0.05
                assert file[name][record].data[far] == pytest.approx(values[far], abs=slack), name
        ice = file["ice_fraction"][:]
        assert ice.max() > 0.5 and ice.min() == 0
        assert (file["significant_height"][:][ice > 0.5] == 0).all()
        assert "units" in file["ice_fraction"].ncattrs()
    with Dataset(whole / "stations.nc") as file:
        assert np.abs(file["eastward_current"][:]).max() > 0.05


def test_a_run_without_them_has_none_at_its_stations(path):
    """Variables of missing forcing are zero at stations if requested, else omitted."""
    from netCDF4 import Dataset

    plain = ["forcing={wind: {track: track.csv}}", "time.end=2022-09-01T01:00", "output.nests=[]"]
    folder = path.with_name("plain")
    assert runs.run(MPI.COMM_SELF, path, folder, *plain, "output.variables=[ice_fraction]")
    with Dataset(folder / "stations.nc") as file:
        assert "water_level" not in file.variables and "eastward_wind" in file.variables
        assert (file["ice_fraction"][:] == 0).all()


def test_files_name_the_source_terms_that_made_them(path, whole):
    """The attribute `references` of all files has the publications of the source terms of the run."""
    from netCDF4 import Dataset

    from halcyon.wave import physics_references

    folder = path.with_name("ard")
    assert runs.run(MPI.COMM_SELF, path, folder, "physics={set: ard}", "time.end=2022-09-01T01:00")
    for output_folder, name, files in ((folder, "ard", case.SEGMENTS[:1]), (whole, "wam3", case.SEGMENTS)):
        for file in (*files, "stations.nc", NEST):
            with Dataset(output_folder / file) as dataset:
                assert dataset.references == physics_references(name)
    assert "Ardhuin" in physics_references("ard") and "WAMDI" not in physics_references("ard")


def test_the_sides_bring_swell(path, whole):
    """Near the boundary points the significant height is within 15 % of 4 sqrt(m0) of their spectra."""
    from netCDF4 import Dataset

    with Dataset(whole / case.SEGMENTS[0]) as file:
        west = (file["lon"][:] < 105) & (file["lat"][:] < 12)
        assert west.any()
        heights = file["significant_height"][:, west]
    width = np.gradient(FREQUENCY)
    width[[0, -1]] /= 2
    shape = np.exp(-(((FREQUENCY - 0.08) / 0.02) ** 2))[:, None]
    shape = shape * np.maximum(0, np.cos(np.radians(DIRECTION - 90))) ** 4
    expected_height = 4 * np.sqrt(40 * (shape * width[:, None]).sum() * np.radians(20))
    assert heights.max() == pytest.approx(expected_height, rel=0.15)


def test_a_nest_holds_the_spectra_of_the_run(whole):
    """The spectra of a nest, read by Halcyon and, if installed, by the package wavespectra, have the wave
    heights of the fields."""
    from netCDF4 import Dataset

    from halcyon.wave.spectra import open_spectra

    result = open_spectra([str(whole / NEST)])
    assert len(result.times) == 7 and result.times[-1] == np.datetime64("2022-09-01T06:00")
    assert result.tail_of_last
    with Dataset(whole / case.SEGMENTS[1]) as file:
        lon, lat = file["lon"][:], file["lat"][:]
        cells = [
            int(np.argmin(np.hypot(lon - x, lat - y)))
            for x, y in zip(result.longitude, result.latitude, strict=True)
        ]
        heights = file["significant_height"][-1, cells]
    density = result.density(6, np.arange(len(cells)))
    width = np.gradient(result.frequency)
    width[[0, -1]] /= 2
    ours = 4 * np.sqrt((density * width[:, None]).sum(axis=(1, 2)) * np.radians(15))
    assert ours == pytest.approx(heights, rel=0.03)
    assert (ours <= heights).all()  # the fields include the tail beyond the last frequency
    wavespectra = pytest.importorskip("wavespectra", reason="wavespectra is not installed")
    theirs = wavespectra.read_ww3(str(whole / NEST))
    assert theirs.spec.hs(tail=False).values[-1] == pytest.approx(
        ours, rel=0.01
    )  # wavespectra gives the end frequencies full weight
    assert theirs.dir.values[0] == pytest.approx((7.5 + 180) % 360)


MISTAKES = {
    "no distance": (
        ["boundary={files: buoy.nc}"],
        r"the mesh has no region .* the spectra have one point: give boundary.distance",
    ),
    "no energy": (
        ["boundary={files: buoy.nc, distance: 1e7}"],
        r"the spectra of .*buoy.nc have no energy at the first, the middle and the last time",
    ),
    "far points": (
        ["boundary.distance=10"],
        r"case.yaml:\d+ with --set boundary.distance=10: no cell of the mesh lies at an open boundary within"
        r" 10 m of the points of .*sides.nc and 1 more: the nearest is \d+\.\d km away",
    ),
    "short spectra": (
        ["time.end=2022-09-01T09:00", "forcing={wind: none}"],
        r"sides.nc: the boundary is given from 2022-09-01 00:00 to 2022-09-01 06:00 UTC, the run goes",
    ),
    "short winds": (
        ["time.end=2022-09-01T09:00"],
        r"case.yaml:\d+: .*wind_0.nc and 1 more: the eastward wind is given from",
    ),
    "a nest on land": (
        ["output.nests=[{name: dry, points: dry.csv}]"],
        "no point of the nest 'dry' lies in the sea of this run",
    ),
    "no points": (
        ["output.nests=[{name: dry, points: case.yaml}]"],
        "must be CSV with the columns longitude",
    ),
}
DRY = "longitude,latitude\n0,-70\n"


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(path, name):
    """Invalid boundaries and nests raise the expected error."""
    path.with_name("dry.csv").write_text(DRY)
    bins = {"frequency": FREQUENCY, "direction": DIRECTION}
    zeros = np.zeros((2, 1, len(FREQUENCY), len(DIRECTION)))
    grids.write_spectra(path.with_name("buoy.nc"), zeros, hours=(0, 6), lon=[104.0], lat=[20.0], **bins)
    changes, text = MISTAKES[name]
    with pytest.raises((AgreedError, InputError), match=text):
        runs.run(MPI.COMM_SELF, path, path.with_name("mistake"), *changes)


def test_a_restart_of_another_time_or_sea_is_refused(path):
    """A restart file of another time or another spectral grid is no initial state."""
    folder = path.with_name("other")
    assert not runs.run(MPI.COMM_SELF, path, folder, stop=runs.StopAfter(1))
    restart = f"initial={{type: restart, file: {folder}/restart_20220901T0030.nc}}"
    with pytest.raises(
        ConfigError,
        match=r"does not match this run: time.start = 2022-09-01T00:00:00 instead of 2022-09-01T00:30",
    ):
        runs.run(MPI.COMM_SELF, path, path.with_name("late"), restart)
    with pytest.raises(ConfigError, match=r"mesh.spectrum.directions = 36 instead of 24"):
        changes = [restart, "mesh.spectrum.directions=36", "time.start=2022-09-01T00:30"]
        runs.run(MPI.COMM_SELF, path, path.with_name("fine"), *changes)


@pytest.mark.mpi
def test_two_storms_in_a_background_without_its_vortex(comm, path):
    """Two storms in a background whose own vortex is removed: the same bits on any number of ranks; the
    background's vortex, 300 km from the track, is gone."""
    lon, lat = np.arange(90.0, 186.0, 1.0), np.arange(-10.0, 61.0, 1.0)
    if comm.rank == 0:
        y, x = np.meshgrid(lat, lon, indexing="ij")
        east, north = (x - 147.6) * 104e3, (y - 20.4) * 111e3
        speed = 20 * np.hypot(east, north) / 150e3 * np.exp(1 - np.hypot(east, north) / 150e3)
        away = np.maximum(np.hypot(east, north), 1)
        for hours in (0, 6):
            u, v = 6 - speed * north / away, 1 + speed * east / away
            fields = {"u10": np.array([u]), "v10": np.array([v])}
            grids.write_grid(path.with_name(f"weak_{hours}.nc"), fields, hours=(hours,), lat=lat, lon=lon)
        other = "time,latitude,longitude,wind_kt\n2022-09-01T02:00,30,160,60\n2022-09-01T12:00,30,162,70\n"
        path.with_name("other.csv").write_text(other)
    comm.barrier()
    tracks = "tracks: [{track: track.csv}, {track: other.csv}], inner_radius: 1e4, outer_radius: 2e5"
    runs_of = {}
    for vortex in ("removed", "kept"):
        background = f"{{files: 'weak_*.nc', vortex: {vortex}, steady: true}}"
        wind = f"forcing.wind={{{tracks}, background: {background}}}"
        changes = [wind, "forcing.ice=null", "forcing.current=null", "forcing.water_level=null"]
        folder = path.with_name(f"storms_{vortex}")
        assert runs.run(comm, path, folder, *changes, "restart.interval=none")
        runs_of[vortex] = folder, changes
    folder, changes = runs_of["removed"]
    single = alone(comm, path, path.with_name("storms_alone"), *changes)
    assert runs.differing(single, folder) == []
    from netCDF4 import Dataset

    speeds = {}
    for vortex, (folder, _) in runs_of.items():
        with Dataset(folder / case.SEGMENTS[0]) as file:
            x, y = file["lon"][:].data, file["lat"][:].data
            speeds[vortex] = np.hypot(file["eastward_wind"][0], file["northward_wind"][0]).data
    at_vortex = (np.hypot((x - 147.6) * 0.94, y - 20.4) < 5) & (np.hypot((x - 150) * 0.93, y - 22) > 1.9)
    assert speeds["kept"][at_vortex].max() > 18
    assert np.abs(speeds["removed"][at_vortex] - np.hypot(6, 1)).max() < 3
