"""Spectra at stations and accumulated variables: the same on any number of ranks and after a restart."""

import json

import numpy as np
import pytest

from tests.run import case, runs
from tests.support.compliance import complaints

pytestmark = pytest.mark.ranks(2)
NAMES = ["significant_height", "largest_significant_height", "swell_1_height", "eastward_stokes_drift"]
NAMES += ["friction_velocity", "northward_stress"]
CHANGES = (
    f"output.variables={json.dumps(NAMES)}",
    "output.stations.0.spectrum=true",
    "output.stations.1.spectrum=true",
)
FILES = [*case.SEGMENTS, "stations.nc", "spectra.nc"]


@pytest.fixture(scope="module")
def path(comm, common_folder):
    """The path of the case, the same on all ranks."""
    if comm.rank == 0:
        case.write_case(common_folder)
    comm.barrier()
    return common_folder / "case.yaml"


@pytest.fixture(scope="module")
def whole(comm, path):
    """The output folder of an uninterrupted run."""
    folder = path.with_name("whole")
    assert runs.run(comm, path, folder, *CHANGES, "restart.interval=none")
    return folder


@pytest.fixture
def folder(path, request):
    return path.with_name(request.node.name.replace("/", "_"))


def differing(ours, theirs):
    """The files and variables that differ between two output folders."""
    return [(name, each) for name in FILES for each in case.differing(ours / name, theirs / name)]


def dataset(folder, name="spectra.nc"):
    """A file of an output folder."""
    import xarray as xr

    return xr.open_dataset(folder / name, decode_timedelta=False)


@pytest.mark.mpi
def test_all_ranks_write_what_one_writes(comm, path, whole, folder):
    """One rank writes the same bits as all ranks."""
    from mpi4py import MPI

    if comm.rank == 0:
        assert runs.run(MPI.COMM_SELF, path, folder, *CHANGES, "restart.interval=none")
        assert differing(whole, folder) == []
    comm.barrier()


@pytest.mark.mpi
@pytest.mark.parametrize("steps", [5, 8])
def test_a_stopped_run_goes_on_to_the_bit(comm, path, whole, folder, steps):
    """A run that stops after some steps and is resumed writes the bits of the whole run."""
    assert not runs.run(comm, path, folder, *CHANGES, stop=runs.StopAfter(steps))
    assert runs.run(comm, path, folder, *CHANGES, resume=True)
    assert differing(whole, folder) == []
    assert runs.status(folder)["files"][-3:] == [
        str(folder / name) for name in ("spectra.nc", "stations.csv", "stations.nc")
    ]


@pytest.mark.mpi
def test_a_killed_run_goes_on_to_the_bit(comm, path, whole, folder):
    """A killed run that is resumed, with an unfinished file of spectra, writes the bits of the whole run."""
    changes = (*CHANGES, "restart.interval=7200", "io.background=false")
    assert not runs.run(comm, path, folder, *changes, stop=runs.KilledAfter(7))
    assert (folder / "spectra.nc.part").exists()
    assert runs.run(comm, path, folder, *changes, resume=True)
    assert differing(whole, folder) == []


def test_spectra_have_the_heights_of_the_stations(whole):
    """4 sqrt(m0) of the spectra, with a tail f^-5, is the significant height of the station; wind, depth and
    position agree."""
    with dataset(whole) as spectra, dataset(whole, "stations.nc") as stations:
        assert json.loads(spectra["station"].names) == ["West", "East"]
        assert spectra["efth"].dims == ("time", "station", "frequency", "direction")
        f = spectra["frequency"].values
        width = np.gradient(f) * np.where(np.isin(f, f[[0, -1]]), 0.5, 1)
        width[-1] += f[-1] / 4  # the tail
        variance = (spectra["efth"].sum("direction") * 2 * np.pi / 24 * width[:, None].T).sum("frequency")
        heights = stations["significant_height"].transpose("time", "station").values
        assert 4 * np.sqrt(variance.values) == pytest.approx(heights, rel=1e-5, abs=1e-3)
        wind = np.hypot(stations["eastward_wind"], stations["northward_wind"]).transpose("time", "station")
        assert spectra["wnd"].values == pytest.approx(wind.values, rel=1e-5)
        assert np.all(spectra["dpt"] > 0)
        assert spectra["longitude"].values == pytest.approx(stations["cell_lon"].values)


def test_the_largest_height_is_at_least_that_of_every_record(whole):
    """The accumulated maximum starts with the first record, never decreases, and exceeds the records
    somewhere."""
    with dataset(whole, case.SEGMENTS[0]) as first, dataset(whole, case.SEGMENTS[1]) as second:
        heights = np.concatenate([each["significant_height"] for each in (first, second)])
        largest = np.concatenate([each["largest_significant_height"] for each in (first, second)])
    assert np.all(largest >= np.maximum.accumulate(heights))
    assert np.any(largest[-1] > heights.max(axis=0))  # between two records
    assert np.array_equal(largest[0], heights[0])
    assert np.all(np.diff(largest, axis=0) >= 0)


def test_stations_have_the_surface_of_the_fields(whole):
    """Station series equal the fields at the station's cell; stress over friction velocity squared is the
    density of air."""
    with dataset(whole, case.SEGMENTS[0]) as fields, dataset(whole, "stations.nc") as stations:
        distance = np.hypot(
            fields["lon"] - float(stations["cell_lon"][1]), fields["lat"] - float(stations["cell_lat"][1])
        )
        cell = int(distance.argmin())
        for name in NAMES:
            assert np.array_equal(fields[name][:, cell], stations[name][1, :3]), name
        assert 0.5 < float(stations["friction_velocity"].max()) < 4
        speed = np.hypot(stations["eastward_stress"], stations["northward_stress"])
        ratio = speed / stations["friction_velocity"] ** 2  # the density of the air
        assert ratio.values[1] == pytest.approx(1.2, rel=0.1)


def test_wavespectra_reads_them(whole):
    """The package wavespectra reads the file, with wave heights within 3 % and mean directions within 3
    degrees."""
    pytest.importorskip("wavespectra")
    from wavespectra import read_ww3

    spectra = read_ww3(str(whole / "spectra.nc"))
    with dataset(whole, "stations.nc") as stations:
        heights = stations["significant_height"].transpose("time", "station").values
        directions = stations["mean_direction"].transpose("time", "station").values
    assert spectra.spec.hs().values == pytest.approx(heights, rel=0.03, abs=1e-3)
    difference = (spectra.spec.dm().values - directions + 180) % 360 - 180
    assert np.abs(difference[:, 1]).max() < 3


def test_the_file_follows_cf(whole):
    assert complaints(whole / "spectra.nc") == []
    assert complaints(whole / "stations.nc") == []
    with dataset(whole, "stations.nc") as stations:
        assert stations["largest_significant_height"].cell_methods == "time: maximum"


def test_without_asking_there_is_none(comm, path, tmp_path):
    """Without stations that ask for spectra there is no spectra.nc."""
    assert runs.run(comm, path, tmp_path / "none", "time.end=2022-09-01T01:00")
    assert not (tmp_path / "none/spectra.nc").exists()
