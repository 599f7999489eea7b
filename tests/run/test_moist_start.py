"""Runs of moist air that start from files of moist runs: fields files on model levels, and restart files."""

import re

import numpy as np
import pytest
import xarray as xr

import halcyon.mesh
from halcyon.base import ConfigError
from halcyon.launch.errors import AgreedError
from halcyon.run.start import on_mesh
from halcyon.run.state.restart_state import open_restart
from tests.run import case, runs
from tests.support import meshes

pytestmark = pytest.mark.ranks(2)
CASE = """\
model: atmosphere
mesh: {file: mesh.nc}
equations: {set: nonhydrostatic, moist: true}
levels: {count: 6, top: 5000}
time: {start: 2000-01-01T00:00, end: 2000-01-01T02:00, step: 600}
initial: {type: moist_baroclinic_wave}
exchange: {method: neighbor}
restart: {interval: 3600}
output:
  {interval: 3600, segment: 3600, vertical: model, pictures: false,
   variables: [temperature, eastward_wind, northward_wind, water_vapour, upward_wind]}
"""
FIRST, SECOND = "fields_20000101T0000.nc", "fields_20000101T0100.nc"
RESTART, LATE = "restart_20000101T0100.nc", "time.start=2000-01-01T01:00"
DRY = ("equations.moist=false", "output.variables=[temperature,eastward_wind,northward_wind]")
VISCOUS = ("equations.scalar_viscosity=1e6",)


@pytest.fixture(scope="module")
def path(comm, common_folder):
    if comm.rank == 0:
        halcyon.mesh.write_mpas(str(common_folder / "mesh.nc"), meshes.globe(2))
        (common_folder / "case.yaml").write_text(CASE)
    comm.barrier()
    return common_folder / "case.yaml"


@pytest.fixture(scope="module")
def whole(comm, path):
    """The output folder of a run, whose restart file is of its middle."""
    folder = path.with_name("whole")
    assert runs.run(comm, path, folder, "restart.keep=9")
    return folder


def records(folder, name):
    with xr.open_dataset(folder / name) as found:
        return found.load()


@pytest.mark.mpi
def test_a_file_on_model_levels_claims_no_formula(whole, path, comm):
    """Moist air has numbered levels and their pressure; dry air has the formula of its levels."""
    found = records(whole, FIRST)
    assert found.level.attrs["standard_name"] == "model_level_number"
    assert found.level.attrs["comment"] == "The pressure of the levels is the variable pressure."
    assert found.level.values.tolist() == [*range(1, 7)] and found.level.attrs["positive"] == "down"
    assert not {"formula_terms", "computed_standard_name"} & {*found.level.attrs, *found.level.encoding}
    assert found.pressure.standard_name == "air_pressure" and not {"ap", "b"} & {*found.variables}
    assert re.search("global atmosphere model, moist nonhydrostatic$", found.attrs["source"])


@pytest.mark.mpi
def test_a_file_on_model_levels_keeps_the_temperature_of_moist_air(comm, path, whole):
    """A start from a file of the same mesh and levels keeps the temperature of moist air as well as that of
    dry air, and the pressure of its levels."""
    errors = []
    for name, changes in (("moist", ()), ("dry", DRY)):
        exact = whole if name == "moist" else path.with_name(f"{name}.exact")
        if name == "dry":
            assert runs.run(comm, path, exact, *changes)
        again = path.with_name(f"{name}.again")
        short = "time.end=2000-01-01T01:00", "restart.interval=none"
        assert runs.run(comm, path, again, f"initial={exact / FIRST}", *changes, *short)
        ours, theirs = (records(each, FIRST).isel(time=0) for each in (again, exact))
        between = abs(ours.temperature - theirs.temperature).isel(level=slice(1, 5))
        errors.append(float(between.mean()))
        if name == "moist":
            assert abs(ours.pressure / theirs.pressure - 1).max() < 1e-3
            assert abs(ours.water_vapour - theirs.water_vapour).max() < 2e-3
    # The pressure without water, a + b ps, makes the error 1.145 times that of dry air.
    assert errors[0] < 1.08 * errors[1]


@pytest.mark.mpi
def test_a_restart_file_goes_on_with_its_reference_temperature(comm, path, whole, monkeypatch):
    """A start from the restart file of moist nonhydrostatic air has the bits of its run; without the
    reference temperature of the file it has not."""
    assert differs(comm, path, whole, "kept") == []

    def without_reference(*arguments):
        reader, state, identity = open_restart(*arguments)
        assert len(state.pop("reference_temperature")) > 0
        return reader, state, identity

    monkeypatch.setattr(on_mesh, "open_restart", without_reference)
    assert "upward_wind" in differs(comm, path, whole, "lost")


def differs(comm, path, whole, name):
    """Collective. The names of the variables that differ after an hour from the restart file."""
    again = path.with_name(name)
    assert runs.run(comm, path, again, f"initial={whole / RESTART}", LATE, "restart.interval=none")
    ours, theirs = records(again, SECOND).isel(time=-1), records(whole, SECOND).isel(time=-1)
    return [name for name in ours.data_vars if ours[name].values.tobytes() != theirs[name].values.tobytes()]


@pytest.mark.mpi
def test_viscosity_acts_on_deviations_from_the_restart_file(comm, path, whole):
    """At the start from a restart file there are no deviations: the first step does not diffuse water, and
    diffuses only the change of temperature within the step. Later there are deviations, and the run resumes
    with the bits of the whole run."""
    results, start = {}, (f"initial={whole / RESTART}", LATE)
    for name, changes in (("inviscid", ()), ("viscous", VISCOUS)):
        folder, short = path.with_name(name), ("time.end=2000-01-01T01:10", "output.interval=600")
        assert runs.run(comm, path, folder, *start, *changes, *short)
        results[name] = records(folder, SECOND)
    viscous, inviscid = results["viscous"], results["inviscid"]
    assert viscous.water_vapour.values.tobytes() == inviscid.water_vapour.values.tobytes()
    difference = abs(viscous.temperature - inviscid.temperature)[1].max()
    assert 0 < difference < abs(inviscid.temperature[1] - inviscid.temperature[0]).max()
    stopped, complete = path.with_name("stopped"), path.with_name("complete")
    assert runs.run(comm, path, complete, *start, *VISCOUS)
    assert not runs.run(comm, path, stopped, *start, *VISCOUS, stop=runs.StopAfter(4))
    assert runs.run(comm, path, stopped, *start, *VISCOUS, resume=True)
    assert case.differing(stopped / SECOND, complete / SECOND) == []
    last = [records(folder, SECOND).isel(time=-1) for folder in (complete, whole)]
    assert abs(last[0].water_vapour - last[1].water_vapour).max() > 1e-6


@pytest.mark.mpi
def test_fields_of_new_schemes_start_from_zero(comm, path, whole):
    """A restart file of a run without schemes starts one with them; other equations are refused in words."""
    folder, start = path.with_name("rain"), (f"initial={whole / RESTART}", LATE)
    rain = "physics=[kessler]", "output.variables=[temperature, precipitation]"
    assert runs.run(comm, path, folder, *start, *rain)
    found = records(folder, SECOND).precipitation
    assert (found[0] == 0).all() and np.isfinite(found).all()
    with pytest.raises((AgreedError, ConfigError), match=r"equations.moist = false instead of true\. Make"):
        runs.run(comm, path, path.with_name("refused"), *start, *DRY)
