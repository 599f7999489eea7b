"""Options that must be equal in a resumed run, and options that may change."""

import pytest
import xarray as xr
from mpi4py import MPI

import halcyon.mesh
from halcyon.config import load_case
from halcyon.run.state.identity import identity
from halcyon.run.state.restart_state import differences
from halcyon.run.steps import wave_steps
from tests.run import case
from tests.support import sea_states
from tests.wave import grids


@pytest.fixture
def path(tmp_path):
    return case.write_case(tmp_path)


def identity_of(path, *changes):
    """The identity of a run with these overrides, which must be equal when the run is resumed."""
    loaded = load_case(path, changes)
    mesh = sea_states.local_mesh(halcyon.mesh.read_mpas(str(path.with_name(case.MESH))))
    return identity(loaded, mesh, 600.0, MPI.COMM_SELF)


def changed_options(path, *changes):
    """Names of the options whose change by overrides makes another run."""
    return [text.partition(" = ")[0] for text in differences(identity_of(path, *changes), identity_of(path))]


@pytest.mark.parametrize(
    "change",
    [
        "title=another name",
        "exchange.method=neighbor",
        "partition.seed=3",
        "io.layout=direct",
        "restart.interval=60",
        "output.folder=elsewhere",
        "output.pictures=true",
    ],
)
def test_what_is_free(path, change):
    """Options that may change in a resumed run."""
    assert changed_options(path, change) == []


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("time.source_step=600", "time.source_step"),
        ("time.end=2022-09-01T05:00", "time.end"),
        ("physics.lambda=0.2", "physics.lambda"),
        ("forcing.wind.inflow=10", "forcing.wind.inflow"),
        ("mesh.spectrum.directions=36", "mesh.spectrum.directions"),
        ("output.interval=1800", "output.interval"),
        ("output.variables=[peak_period]", "output.variables"),
        ("output.stations.0.name=Socotra", "output.stations"),
    ],
)
def test_what_is_not(path, change, name):
    """Options that must be equal in a resumed run."""
    assert changed_options(path, change) == [name]


def test_files_count_by_what_they_hold(path):
    """A track file with another name and equal content is the same; with other content it is not."""
    before = identity_of(path)
    path.with_name("other.csv").write_text(case.TRACK)
    assert differences(identity_of(path, "forcing.wind.track=other.csv"), before) == []
    path.with_name("track.csv").write_text(case.TRACK.replace("940", "941"))
    assert [text[:19] for text in differences(identity_of(path), before)] == ["forcing.wind.track "]


def test_a_folder_counts_by_its_files(path):
    """A Zarr store is a folder of files."""
    store = path.with_name("winds.zarr")
    path.write_text(case.CASE.replace("{track: track.csv}", "{files: winds.zarr}"))
    identities = []
    for offset in (0.0, 0.0, 1.0):
        fields = grids.winds((0, 3, 6), grids.LATITUDE, grids.LONGITUDE)
        grids.write_grid(path.with_name("winds.nc"), {k: v + offset for k, v in fields.items()})
        with xr.open_dataset(path.with_name("winds.nc")) as file:
            file.to_zarr(store, mode="w", zarr_format=2)
        identities.append(identity_of(path))
    assert differences(identities[1], identities[0]) == []
    assert [text.split(" ")[0] for text in differences(identities[2], identities[0])] == [
        "forcing.wind.files"
    ]


def test_the_mesh_counts_by_its_cells(path):
    before = identity_of(path)
    mesh = sea_states.bay()
    mesh.bottom_depth = mesh.bottom_depth + 1
    halcyon.mesh.write_mpas(str(path.with_name(case.MESH)), mesh)
    assert [text[:7] for text in differences(identity_of(path), before)] == ["mesh = "]


@pytest.mark.parametrize(
    ("interval", "due"),
    [
        (1800.0, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        (5000.0, [3, 6, 9, 12]),
        (7200.0, [4, 8, 12]),
        ("none", []),
    ],
)
def test_restarts_are_due_at_the_first_step_that_reaches_their_time(path, interval, due):
    steps = wave_steps(load_case(path), [700.0, 900.0])
    assert [n for n in range(1, steps.n_steps + 1) if steps.restart_is_due(n, interval)] == due


def test_steps_that_are_done_are_left_out(path):
    """With hourly output and source steps of half an hour, records are due after every second step."""
    steps = wave_steps(load_case(path), [700.0, 900.0])
    assert [steps.record_is_due(number) for number in (10, 11, 12)] == [True, False, True]
