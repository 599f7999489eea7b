"""Atmosphere runs with tracers from files: reanalyses, fields files of runs on other meshes, and restart
files."""

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
levels: {count: 8, top: 2000}
tracers: [TRACERS]
time: {start: 2000-01-01T00:00, end: 2000-01-01T12:00, step: 900}
initial: FILE
restart: {interval: none}
output:
  {interval: 21600, segment: 43200, vertical: model, pictures: false, variables: [temperature, TRACERS]}
"""
FIRST = "fields_20000101T0000.nc"
LATER = "restart_20000101T0600.nc"
HUMIDITY = "specific_humidity"


def moist(values):
    """Adds the humidity `q` to a reanalysis: moist in a tropical band, less upwards, dry at the poles."""
    lat, lon = (np.radians(each) for each in reanalyses.axes(5.0))
    vertical = (100 * reanalyses.PRESSURES / 1e5)[:, None, None] ** 3
    values["q"] = 0.02 * vertical * np.maximum(np.cos(2 * lat), 0)[:, None] * (1 + 0.3 * np.sin(4 * lon))


@pytest.fixture(scope="module")
def path(comm, common_folder):
    """A case with its mesh and input files, the same on all ranks."""
    if comm.rank == 0:
        halcyon.mesh.write_mpas(str(common_folder / "mesh.nc"), meshes.globe(3))
        halcyon.mesh.write_mpas(str(common_folder / "fine.nc"), meshes.globe(4))
        fields = ("t", "u", "v", "sp", "orog", "q")
        reanalyses.write(common_folder / "moist.nc", reanalyses.start(), fields=fields, change=moist)
        for name, file, tracers in (
            ("case", "moist.nc", HUMIDITY),
            ("wave", "{type: baroclinic_wave}", "passive_tracer"),
        ):
            (common_folder / f"{name}.yaml").write_text(
                CASE.replace("FILE", file).replace("TRACERS", tracers)
            )
    comm.barrier()
    return common_folder / "case.yaml"


def records(folder, name=FIRST):
    with xr.open_dataset(folder / name) as dataset:
        return dataset.load()


@pytest.mark.mpi
def test_a_run_carries_the_humidity_of_a_reanalysis(comm, path, folder):
    """Humidity stays within the range of the file, is advected, and its mass is conserved to 1e-12."""
    assert runs.run(comm, path, folder)
    dataset = records(folder)[HUMIDITY]
    assert (dataset.units, dataset.standard_name) == ("1", HUMIDITY)
    assert dataset.min() >= 0 and dataset.max() <= np.float32(0.026)  # the range of the file
    assert dataset[0].max() > 0.015 and abs(dataset[-1] - dataset[0]).max() > 3e-4
    mass = xr.open_dataset(folder / "integrals.nc")[f"{HUMIDITY}_mass"].values
    assert mass[0] > 0 and mass == pytest.approx(mass[0], rel=1e-12)


@pytest.mark.mpi
@pytest.mark.parametrize("file", ["reanalysis", "other mesh"])
@pytest.mark.parametrize("bits", [64, 32])
def test_any_ranks_leave_the_same_bytes(comm, path, folder, file, bits):
    """One rank with another partition writes the same bits as all ranks."""
    overrides = [f"equations.precision={bits}"]
    if file == "other mesh":
        path, overrides = path.with_name("wave.yaml"), [*overrides, f"initial={fine(comm, path)}"]
    assert runs.run(comm, path, folder, *overrides)
    alone = folder.with_name(f"{folder.name}.alone")
    ours = comm.Split(comm.rank, 0)
    if comm.rank == 0:
        assert runs.run(ours, path, alone, *overrides, "partition.method=recursive")
        assert case.differing(folder / FIRST, alone / FIRST) == []
    comm.barrier()
    ours.Free()


def fine(comm, path):
    """Collective. A fields file of a run with `passive_tracer` on G4, at the start time of the other runs."""
    folder = path.with_name("fine")
    changes = "mesh.file=fine.nc", "time.step=450", "time.end=2000-01-01T06:00", "output.segment=21600"
    if not comm.bcast((folder / FIRST).exists()):
        winds = "output.variables=[temperature, eastward_wind, northward_wind, passive_tracer]"
        assert runs.run(comm, path.with_name("wave.yaml"), folder, *changes, winds)
    return folder / FIRST


@pytest.mark.mpi
def test_the_tracer_of_a_run_on_another_mesh(comm, path, folder):
    """A tracer from a fields file on G4 stays in its range on G3, and is close to the tracer of the
    formula."""
    path, file = path.with_name("wave.yaml"), fine(comm, path)
    assert runs.run(comm, path, folder, f"initial={file}")
    exact = path.with_name("exact")
    assert runs.run(comm, path, exact)
    ours, theirs = (records(each).passive_tracer for each in (folder, exact))
    assert ours.min() >= 0 and ours.max() <= records(file.parent).passive_tracer.max()
    assert theirs[0].max() > 0.5
    assert abs(ours[0] - theirs[0]).max() < 0.25 and abs(ours[0] - theirs[0]).mean() < 2e-3


@pytest.mark.mpi
@pytest.mark.parametrize("equations", ["hydrostatic", "nonhydrostatic"])
def test_a_restart_file_goes_on_with_its_tracers(comm, path, folder, equations):
    """A run that starts from a restart file writes the bits of the run that wrote the file; a tracer that the
    file lacks is refused."""
    path, overrides = (
        path.with_name("wave.yaml"),
        [f"equations.set={equations}", "tracers=[passive_tracer,constant_tracer]"],
    )
    assert runs.run(comm, path, folder, *overrides, "restart.interval=21600")
    again = folder.with_name(f"{folder.name}.again")
    late = "time.start=2000-01-01T06:00"
    assert runs.run(comm, path, again, *overrides, late, f"initial={folder / LATER}")
    ours, theirs = records(again, "fields_20000101T0600.nc"), records(folder)
    for name in ("temperature", "passive_tracer"):
        assert ours[name][-1].values.tobytes() == theirs[name][-1].values.tobytes(), name
    with pytest.raises(
        (AgreedError, ConfigError), match=r"tracers=\[dust\]: .* has no tracer 'dust'. It has: passive"
    ) as caught:
        runs.run(
            comm,
            path,
            folder.with_name("refused"),
            *overrides[:1],
            late,
            f"initial={folder / LATER}",
            "tracers=[dust]",
            "output.variables=[temperature]",
        )
    assert str(folder / LATER) in str(caught.value)


def test_a_tracer_that_the_file_lacks_is_said_before_the_run(comm, path):
    with pytest.raises(InputError, match=r"moist.nc has no variable .* 'dust', .* Name one of q, or"):
        check_start(load_case(path, ["tracers=[dust]", "output.variables=[temperature]"]))


def test_the_command(tmp_path):
    """`halcyon run` with a tracer from a file writes the same bits on one and two ranks, and refuses a tracer
    that the file lacks."""
    halcyon.mesh.write_mpas(str(tmp_path / "mesh.nc"), meshes.globe(3))
    fields = ("t", "u", "v", "sp", "orog", "q")
    reanalyses.write(tmp_path / "moist.nc", reanalyses.start(), fields=fields, change=moist)
    path = tmp_path / "case.yaml"
    path.write_text(CASE.replace("FILE", "moist.nc").replace("TRACERS", HUMIDITY))
    short = "--set", "time.end=2000-01-01T01:00", "--set", "output.interval=3600"
    results = case.run_on_each(path, *short, ranks=(1, 2))
    for code, _, errors, _ in results.values():
        assert code == 0, errors
    (*_, one), (*_, two) = results.values()
    assert case.differing(one / FIRST, two / FIRST) == []
    assert records(one)[HUMIDITY].max() > 0.015
    (code, _, errors, _), *_ = case.run_on_each(
        path, "--set", "tracers=[ozone]", "--set", "output.variables=[temperature]", ranks=(2,)
    ).values()
    assert code != 0 and "no variable of the name or standard_name 'ozone'" in errors
    assert "case.yaml" in errors and "Traceback" not in errors
