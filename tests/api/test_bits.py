"""A simulation has the bits of `halcyon run` on any number of ranks, however it is advanced, looked at,
saved and resumed."""

import json

import numpy as np
import pytest
from mpi4py import MPI

import halcyon as hc
import halcyon.mesh
from tests.run import case, runs
from tests.support import meshes

STATIONS = "stations.nc"
CASES = {
    "wave": case.CASE.replace("physics: {set: wam3}", "physics: {set: wam4}"),
    "air": """\
model: atmosphere
mesh: {file: globe.nc}
equations: hydrostatic
time: {start: 2000-01-01T00:00, end: 2000-01-01T03:00, step: auto}
initial: {type: baroclinic_wave}
physics: held_suarez
levels: {count: 6, top: 5000}
output: {interval: 3600, segment: 7200, pictures: false}
""",
    "spectral": """\
model: spectral
mesh: {truncation: 10}
equations: primitive
time: {start: 2000-01-01T00:00, end: 2000-01-01T03:00, step: 600}
initial: {type: baroclinic_wave}
levels: {count: 6, top: 5000}
output: {interval: 3600, segment: 7200, pictures: false}
""",
}
LOOKS = {"wave": ("swell_1_height", "eastward_stress"), "air": ("vorticity",), "spectral": ("temperature",)}
pytestmark = pytest.mark.mpi
each_model = pytest.mark.parametrize("model", CASES)


@pytest.fixture(scope="module")
def paths(comm, common_folder):
    """The cases, and the folders of runs of them on one rank by `halcyon run`."""
    if comm.rank == 0:
        case.write_case(common_folder)
        halcyon.mesh.write_mpas(str(common_folder / "globe.nc"), meshes.globe(3))
        for name, text in CASES.items():
            (common_folder / f"{name}.yaml").write_text(text)
            runs.run(MPI.COMM_SELF, common_folder / f"{name}.yaml", common_folder / f"{name}.whole")
    comm.barrier()
    return {name: common_folder / f"{name}.yaml" for name in CASES}


def differing(comm, folder, whole):
    """The files and variables that differ between two folders, on all ranks."""
    names = sorted(file.name for file in whole.glob("*.nc") if not file.name.startswith("restart"))
    assert any(name.startswith("fields") for name in names)
    found = [(name, texts) for name in names if (texts := case.differing(folder / name, whole / name))]
    comm.barrier()
    return found


@pytest.mark.ranks(2, 4)
@each_model
def test_it_writes_what_halcyon_run_writes(comm, paths, model):
    """Also if fields are looked at between records, and the run is saved on the way."""
    whole, saved = paths[model].with_suffix(".whole"), paths[model].with_name(f"{model}.saved")
    run = hc.Simulation(paths[model], progress=False)
    run.step(steps=1)
    for name in LOOKS[model]:
        assert run[name].notnull().any()
    run.step(minutes=61)
    run.save(saved, overwrite=True)
    assert hc.open(saved).fields.sizes["time"] in (2, 3)
    run.run()
    run.save(saved, overwrite=True)
    assert differing(comm, saved, whole) == []
    assert json.loads((saved / "run.json").read_text())["status"] == "finished"


@pytest.mark.ranks(2)
@each_model
def test_a_saved_run_goes_on(comm, paths, model):
    """In Python, and by `halcyon run --resume`, from a time between two records."""
    whole, saved = paths[model].with_suffix(".whole"), paths[model].with_name(f"{model}.half")
    run = hc.Simulation(paths[model], progress=False)
    run.step(steps=3)
    run.save(saved)
    again = hc.Simulation(saved, progress=False)
    assert again.time == run.time
    again.run()
    again.save(paths[model].with_name(f"{model}.again"))
    assert differing(comm, paths[model].with_name(f"{model}.again"), whole) == []
    assert runs.run(comm, saved / "case.yaml", saved, resume=True)
    assert differing(comm, saved, whole) == []


@pytest.mark.ranks(2)
def test_a_finished_run_is_extended(comm, paths):
    begun, end = paths["wave"].with_name("wave.begun"), paths["wave"].with_name("wave.extended")
    run = hc.Simulation(paths["wave"], end="2022-09-01T03:00", progress=False)
    run.run()
    run.save(begun)
    later = hc.Simulation(begun, end="2022-09-01T06:00", progress=False)
    later.run()
    later.save(end)
    assert differing(comm, end, paths["wave"].with_suffix(".whole")) == []


@pytest.mark.ranks(2)
def test_a_field_is_that_of_the_record(comm, paths):
    for model, name in (("wave", "peak_period"), ("air", "temperature"), ("spectral", "surface_pressure")):
        run = hc.Simulation(paths[model], progress=False)
        run.step(hours=2)
        field = run[name]
        recorded = hc.open(paths[model].with_suffix(".whole"))[name].isel(time=2)
        assert recorded.dims == field.dims and recorded.time == field.time
        np.testing.assert_array_equal(recorded.values, field.values.astype("float32"))
        assert recorded.attrs["standard_name"] == field.attrs["standard_name"]
