"""Runs with physics schemes of the case: the examples, the same bits on any ranks, restart, errors."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import xarray as xr
import yaml
from mpi4py import MPI

import halcyon.mesh
from halcyon.base import ConfigError
from halcyon.config import load_case
from halcyon.launch.errors import AgreedError
from halcyon.physics.fields import built_in_fields
from tests.physics import schemes
from tests.run import case, runs
from tests.support import meshes

PHYSICS = """\
physics:
  - held_suarez
  - {scheme: libradiation.so:radiation, step: 2400, time_scale: 2}
  - {scheme: heating.py:tropics, rate: 5}
  - {scheme: schemes.py:everything, step: 1200}
  - {scheme: schemes.py:counting, rate: 0.1}
"""
END = """\
time: {start: 2000-01-01T00:00, end: 2000-01-01T03:00, step: 600}
initial: {type: baroclinic_wave}
levels: {count: 6, top: 5000}
output:
  interval: 3600
  variables: [temperature, eastward_wind, surface_pressure, outgoing_energy_flux, heat]
  vertical: model
  pictures: false
"""
CASES = {
    "air": "model: atmosphere\nmesh: {file: mesh.nc}\nequations: nonhydrostatic\ntracers: [passive_tracer]\n",
    "spectral": "model: spectral\nmesh: {truncation: 10}\nequations: primitive\n",
}
RAIN = """\
model: atmosphere
mesh: {file: mesh.nc}
equations: {set: nonhydrostatic, moist: true}
physics:
  - kessler
  - {scheme: reed_jablonowski, condensation: false, step: 1200}
time: {start: 2000-01-01T00:00, end: 2000-01-01T03:00, step: 600}
initial: {type: tropical_cyclone}
levels: {count: 6, top: 5000}
output:
  interval: 3600
  variables: [rain_water, eastward_wind, surface_pressure, precipitation, evaporation]
  vertical: model
  pictures: false
"""
WIND = """\
model: atmosphere
mesh: {file: mesh.nc}
equations: hydrostatic
physics: [{scheme: schemes.py:accelerating, rate: 50}, {scheme: schemes.py:counting, step: 1800}]
time: {start: 2000-01-01T00:00, end: 2000-01-01T05:00, step: auto}
restart: {interval: 4550}
initial: {type: baroclinic_wave}
levels: {count: 6, top: 5000}
output:
  interval: 3600
  variables: [eastward_wind, surface_pressure, calls]
  vertical: model
  pictures: false
"""
WAVES = """\
model: wave
mesh: {file: sea.nc, spectrum: {frequencies: 8, first_frequency: 0.06, ratio: 1.2, directions: 12}}
time: {start: 2022-09-01T00:00, end: 2022-09-01T03:00, source_step: 1800}
forcing: {wind: {constant: {speed: 20, direction: 200}}}
physics: {set: ard, schemes: [{scheme: schemes.py:damping, rate: 1e-4}]}
initial: {type: fetch_law, fetch: 200000}
output:
  interval: 3600
  pictures: false
  variables: [significant_height, damped_density]
"""
pytestmark = pytest.mark.ranks(2)
each_model = pytest.mark.parametrize("model", CASES)
OTHERS = {"waves": WAVES, "rain": RAIN, "wind": WIND}
each_case = pytest.mark.parametrize("model", [*CASES, *OTHERS])


@pytest.fixture(scope="module")
def folder(comm, common_folder):
    """The folder with a case of each model, and their schemes."""
    if comm.rank == 0:
        schemes.compiled(common_folder, "radiation")
        shutil.copy(schemes.EXAMPLES / "heating.py", common_folder)
        shutil.copy(schemes.__file__, common_folder / "schemes.py")
        halcyon.mesh.write_mpas(str(common_folder / "mesh.nc"), meshes.globe(3))
        for name, head in CASES.items():
            (common_folder / f"{name}.yaml").write_text(head + PHYSICS + END)
        for name, text in OTHERS.items():
            (common_folder / f"{name}.yaml").write_text(text)
        shutil.copy(Path(__file__).parent / "data/sea.nc", common_folder)
    comm.barrier()
    return common_folder


@pytest.fixture(scope="module")
def whole(comm, folder):
    """Output folders of uninterrupted runs."""
    for name in (*CASES, *OTHERS):
        assert runs.run(comm, folder / f"{name}.yaml", folder / f"{name}.whole")
    return {name: folder / f"{name}.whole" for name in (*CASES, *OTHERS)}


def differing(folder, other):
    names = [file.name for file in other.glob("*.nc") if not file.name.startswith("restart")]
    assert any(name.startswith("fields") for name in names)
    return [(name, texts) for name in names if (texts := case.differing(folder / name, other / name))]


@pytest.mark.mpi
@each_model
def test_a_run_writes_the_fields_of_schemes(whole, model):
    (path,) = whole[model].glob("fields_*.nc")
    with xr.open_dataset(path) as found:
        assert found.outgoing_energy_flux.attrs["units"] == "W m-2"
        assert found.outgoing_energy_flux.sizes.keys() == found.surface_pressure.sizes.keys()
        flux = found.outgoing_energy_flux.values
        assert (flux[0] == 0).all() and np.isfinite(flux).all() and abs(flux[1:]).max() > 10
        heat = found.heat.values[-1]  # of calls 1 to 18, at 0.1 K/day times the number of the call
        assert heat == pytest.approx(18 * 19 / 2 * 0.1 * 600 / 86400, rel=1e-6)


@pytest.mark.mpi
def test_a_run_writes_the_fields_of_source_terms(whole):
    (path,) = whole["waves"].glob("fields_*.nc")
    with xr.open_dataset(path) as found:
        damped = found.damped_density.values
        assert (damped[0] == 0).all() and (damped[1:] > 0).all()
        assert (damped[2] > damped[1]).all()


def test_fields_of_built_in_schemes_have_cf_standard_names():
    rows = [row for rows in built_in_fields().values() for row in rows if row.standard_name]
    names = {row.standard_name: row for row in rows}
    assert names["rainfall_flux"].name == "precipitation_rate"
    table = (
        Path(pytest.importorskip("compliance_checker").__file__).parent / "data/cf-standard-name-table.xml"
    )
    units = {
        entry.get("id"): entry.findtext("canonical_units") for entry in ElementTree.parse(table).iter("entry")
    }
    assert {name: units[name] for name in names} == {name: row.units for name, row in names.items()}


@pytest.mark.mpi
def test_a_run_writes_rain_and_evaporation(whole):
    (path,) = whole["rain"].glob("fields_*.nc")
    with xr.open_dataset(path) as found:
        assert found.precipitation.attrs["units"] == "kg m-2"
        assert found.precipitation.attrs["standard_name"] == "rainfall_amount"
        assert found.evaporation.attrs["standard_name"] == "water_evapotranspiration_amount"
        assert "cell_methods" not in found.precipitation.attrs  # a sum since the start
        assert "time: point" in found.rain_water.attrs["cell_methods"]
        evaporation = found.evaporation.values
        assert (evaporation[0] == 0).all() and evaporation[-1].max() > 0.1
        assert found.rain_water.values.min() >= 0


@pytest.mark.mpi
def test_automatic_steps_shorten_as_winds_grow(whole):
    """A scheme with a step of its own keeps it."""
    figures = json.loads((whole["wind"] / "run.json").read_text())["figures"]
    assert figures["step_s"] < 900
    assert (whole["wind"] / "restart_20000101T040000.nc").exists()  # due between the last two steps of 900 s
    (path,) = whole["wind"].glob("fields_*.nc")
    with xr.open_dataset(path) as found:
        assert found.eastward_wind.max() > 150
        assert found.calls.values.max(axis=1) == pytest.approx([0, 2, 4, 6, 8, 10])


@pytest.mark.mpi
@each_case
def test_one_rank_writes_the_same(comm, folder, whole, model):
    ours = comm.Split(comm.rank, 0)
    if comm.rank == 0:
        assert runs.run(ours, folder / f"{model}.yaml", folder / f"{model}.one")
        assert differing(folder / f"{model}.one", whole[model]) == []
    ours.Free()


@pytest.mark.mpi
@each_case
@pytest.mark.parametrize("steps", [4, 11])
def test_it_goes_on_from_a_restart_file(comm, folder, whole, model, steps):
    """A run that stops between two calls of a scheme with a step of its own resumes with the same bits, on
    one rank fewer."""
    if steps == 11:
        steps = {"waves": 5, "wind": 18}.get(model, steps)  # of 6; 2 steps after they have been shortened
    stopped = folder / f"{model}.stopped{steps}"
    assert not runs.run(comm, folder / f"{model}.yaml", stopped, stop=runs.StopAfter(steps))
    fewer = comm.Split(0 if comm.rank < max(1, comm.size - 1) else 1, comm.rank)
    if comm.rank < max(1, comm.size - 1):
        assert runs.run(fewer, folder / f"{model}.yaml", stopped, resume=True)
    fewer.Free()
    comm.barrier()
    assert differing(stopped, whole[model]) == []


@pytest.mark.mpi
def test_another_scheme_is_another_run(comm, folder, whole):
    with pytest.raises(
        (ConfigError, AgreedError), match=r"belongs to another run: .*physics = held_suarez instead of \["
    ):
        changes = ["physics=held_suarez", "output.variables=[temperature]"]
        runs.run(comm, folder / "air.yaml", whole["air"], *changes, resume=True)


MISTAKES = [
    ("schemes.py:failing", r"'failing' failed in step 1, from 2000-01-01 00:00:00 UTC: ZeroDivisionError"),
    (
        "schemes.py:wrong_shape",
        r"'wrong_shape' failed in step 1.*temperature_tendency has the shape \(level, column\) = \(6, 64\)",
    ),
    (
        "schemes.py:not_finite",
        r"'not_finite' computed temperature_tendency = nan at cell .*, level 4, in step 1,",
    ),
    ("schemes.py:nothing", r"air.yaml:\d+: .*schemes.py has no function 'nothing'"),
    ("nothing.py:x", r"air.yaml:\d+: There is no file .*nothing.py of the physics scheme"),
    ("libnothing.so:x", r"air.yaml:\d+: .*'x' cannot be loaded: .*libnothing.so: cannot open shared object"),
    ("held", r"air.yaml:\d+: There is no physics scheme 'held'. Use held_suarez, kessler"),
    ("{scheme: held_suarez, frction: 2}", r"air.yaml:\d+: .*'held_suarez' has no option 'frction'"),
    ("{scheme: held_suarez, step: 1000}", r"air.yaml:\d+: the step .* is 1000 s, not a multiple of .* 600 s"),
]


@pytest.mark.mpi
@pytest.mark.parametrize(("scheme", "text"), MISTAKES)
def test_a_mistake_is_one_error_on_all_ranks(comm, folder, scheme, text):
    out = folder / f"mistake{MISTAKES.index((scheme, text))}"
    if comm.rank == 0:
        (folder / f"{out.name}.yaml").write_text(CASES["air"] + f"physics: [{scheme}]\n" + END)
    comm.barrier()
    path = folder / f"{out.name}.yaml"
    changes = ["output.variables=[temperature]", "output.interval=600"]
    with pytest.raises((AgreedError, ConfigError), match=text.replace("air.yaml", path.name)):
        runs.run(comm, path, out, *changes)


@pytest.mark.mpi
@pytest.mark.parametrize("name", ["topography", "normal_wind", "counting_temperature_tendency", "coutns"])
def test_a_variable_that_output_does_not_have_is_an_error_with_its_line(comm, folder, name):
    path = folder / f"variable_{name}.yaml"
    if comm.rank == 0:
        heating = "physics: [{scheme: schemes.py:counting, step: 1200}]\n"
        path.write_text(CASES["air"] + heating + END)
    comm.barrier()
    with pytest.raises((AgreedError, ConfigError), match=f"variables.*: unknown variable '{name}'"):
        runs.run(comm, path, folder / name, f"output.variables=[{name}]")


WAVE_MISTAKES = [
    ("schemes.py:failing", r"'failing' failed in step 1, from 2022-09-01 00:00:00 UTC: ZeroDivisionError"),
    (
        "schemes.py:not_finite_source",
        r"computed source = inf at cell .*, frequency 2, direction 3, in step 1,",
    ),
    ("damping", r"yaml:\d+: There is no physics scheme 'damping'. Use LIBRARY"),
    ("{scheme: schemes.py:damping, step: 1800}", r"yaml:\d+: a source term is called in each source step"),
]


@pytest.mark.mpi
@pytest.mark.parametrize(("scheme", "text"), WAVE_MISTAKES)
def test_a_mistake_of_a_source_term_is_one_error_on_all_ranks(comm, folder, scheme, text):
    out = folder / f"wave_mistake{WAVE_MISTAKES.index((scheme, text))}"
    path = folder / f"{out.name}.yaml"
    if comm.rank == 0:
        start, end = WAVES.index("schemes: ["), WAVES.index("]}\ninitial")
        path.write_text(f"{WAVES[:start]}schemes: [{scheme}{WAVES[end:]}")
    comm.barrier()
    with pytest.raises((AgreedError, ConfigError), match=text):
        runs.run(comm, path, out, "output.variables=[significant_height]", "output.interval=1800")


EXAMPLES = {"case": ("mesh.level=3", "levels.count=6"), "spectral": ("mesh.truncation=21", "levels.count=6")}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(tmp_path, name):
    """The case runs with the schemes next to it, after the command of its Makefile."""
    for path in schemes.EXAMPLES.iterdir():
        if path.suffix in (".py", ".yaml"):
            shutil.copy(path, tmp_path)
    load_case(schemes.EXAMPLES / f"{name}.yaml")
    schemes.compiled(tmp_path, "radiation")
    start = yaml.safe_load((tmp_path / f"{name}.yaml").read_text())["time"]["start"]
    changes = (f"time.end={start.date()}T06:00" if hasattr(start, "date") else f"time.end={start[:11]}06:00",)
    changes += ("output.interval=21600", "output.pictures=false", *EXAMPLES[name])
    assert runs.run(MPI.COMM_SELF, tmp_path / f"{name}.yaml", tmp_path / "out", *changes)
    (fields,) = (tmp_path / "out").glob("fields_*.nc")
    with xr.open_dataset(fields) as found:
        assert 150 < found.temperature.min() < found.temperature.max() < 330
        assert abs(found.outgoing_energy_flux[-1]).max() > 10
