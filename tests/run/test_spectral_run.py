"""Runs of the spectral model by a case: records, integrals, restart, pictures, mistakes."""

import numpy as np
import pytest
import xarray as xr
from mpi4py import MPI

import case
import runs
from compliance import complaints
from halcyon.base import ConfigError
from halcyon.config import load_case
from halcyon.io.compare import compare
from halcyon.run.errors import AgreedError
from halcyon.run.prepare import check_partition, ranks_of
from sets import all_sets

CASES = {
    "barotropic": "{set: barotropic}\ninitial: {type: rossby_haurwitz}",
    "shallow_water": "{set: shallow_water, hyperdiffusion: {time_scale: 36000}}\ninitial: {type: mountain}",
    "primitive": "{set: primitive}\ninitial: {type: baroclinic_wave}\nphysics: held_suarez\n"
    "levels: {count: 6, top: 5000}",
}
CASE = """\
model: spectral
mesh: {{truncation: 21}}
time: {{start: 2000-01-01T00:00, end: 2000-01-01T12:00, step: 900}}
output:
  interval: 10800
  segment: 21600
  pictures: false
equations: {equations}
"""
SEGMENTS = ["fields_20000101T0000.nc", "fields_20000101T0600.nc"]
SERIES = ["integrals.nc", "integrals.csv"]


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spectral")
    for name, equations in CASES.items():
        (folder / f"{name}.yaml").write_text(CASE.format(equations=equations))
    return {name: folder / f"{name}.yaml" for name in CASES}


def run(path, folder, *changes, **rest):
    return runs.run(MPI.COMM_SELF, path, folder, *changes, **rest)


def differing(ours, theirs):
    """What two folders of results do not hold alike."""
    found = [
        (name, each) for name in (*SEGMENTS, SERIES[0]) for each in case.differing(ours / name, theirs / name)
    ]
    if (ours / SERIES[1]).read_bytes() != (theirs / SERIES[1]).read_bytes():
        found.append(SERIES[1])
    return found


def test_what_a_run_writes(paths, tmp_path):
    assert run(paths["shallow_water"], tmp_path / "out")
    with xr.open_dataset(tmp_path / "out" / SEGMENTS[1]) as found:
        assert found.height.dims == ("time", "lat", "lon")
        assert found.height.shape == (3, 32, 64)
        assert found.lat.attrs["standard_name"] == "latitude"
        assert found.lon.attrs["units"] == "degrees_east"
        assert found.lat.values[0] == pytest.approx(85.76, abs=0.01)
        assert found.eastward_wind.attrs["standard_name"] == "eastward_wind"
        assert "T21" in found.attrs["source"]
        assert 4900 < found.height.values.min() < found.height.values.max() < 6100
        assert found.topography.values.max() > 1500
        highest = found.topography.stack(point=("lat", "lon")).idxmax().item()
        assert highest == pytest.approx((30, 270), abs=6)
    with xr.open_dataset(tmp_path / "out" / "integrals.nc") as found:
        assert found.sizes["time"] == 5
        assert np.ptp(found.mass.values) / found.mass.values[0] < 1e-15
    assert runs.status(tmp_path / "out")["status"] == "finished"


@pytest.mark.parametrize(
    ("vertical", "axis", "values"),
    [("{pressure: [85000, 50000]}", "pressure", [85000, 50000]), ("model", "level", None)],
)
def test_what_a_run_of_the_air_writes(paths, tmp_path, vertical, axis, values):
    assert run(paths["primitive"], tmp_path / "out", f"output.vertical={vertical}")
    with xr.open_dataset(tmp_path / "out" / SEGMENTS[0]) as found:
        assert found.temperature.dims == ("time", axis, "lat", "lon")
        assert found.surface_pressure.dims == ("time", "lat", "lon")
        assert 180 < np.nanmin(found.temperature) < np.nanmax(found.temperature) < 320
        if values:
            assert found[axis].values.tolist() == values
            assert found.temperature.sel(pressure=85000).mean() > found.temperature.sel(pressure=50000).mean()
        else:
            assert found.level.attrs["formula_terms"].endswith("ps: surface_pressure")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("steps", [1, 12, 25])
def test_wherever_it_stops_it_goes_on(paths, tmp_path, name, steps):
    path, whole, folder = paths[name], tmp_path / "whole", tmp_path / "out"
    assert run(path, whole, "restart.interval=none")
    assert not run(path, folder, stop=runs.StopAfter(steps))
    assert len(runs.restarts(folder)) == 1
    assert run(path, folder, resume=True)
    assert differing(whole, folder) == []


def test_leapfrog_goes_on_with_both_times(paths, tmp_path):
    path, leapfrog = paths["shallow_water"], "time.scheme=semi_implicit"
    assert run(path, tmp_path / "whole", leapfrog, "restart.interval=none")
    assert not run(path, tmp_path / "out", leapfrog, stop=runs.StopAfter(7))
    with pytest.raises(ConfigError, match=r"time.scheme = auto, there semi_implicit"):
        run(path, tmp_path / "out", resume=True)
    assert run(path, tmp_path / "out", leapfrog, resume=True)
    assert differing(tmp_path / "whole", tmp_path / "out") == []


@pytest.mark.parametrize("change", ["mesh.truncation=20", "mesh.longitudes=80"])
def test_another_truncation_or_grid_does_not_go_on(paths, tmp_path, change):
    path = paths["barotropic"]
    assert not run(path, tmp_path / "out", stop=runs.StopAfter(7))
    with pytest.raises(ConfigError, match=r"is of another run: mesh\."):
        run(path, tmp_path / "out", change, resume=True)


def test_pictures(paths, tmp_path):
    assert run(paths["primitive"], tmp_path / "out", "output.pictures=true", "time.step=1800")
    for name in ("maps.png", "integrals.png"):
        assert (tmp_path / "out" / name).stat().st_size > 20_000


def test_an_auto_step_divides_the_interval_and_holds(paths, tmp_path):
    assert run(paths["primitive"], tmp_path / "out", "time.step=auto")
    step_s = runs.status(tmp_path / "out")["figures"]["step_s"]
    assert 10800 % step_s == 0
    assert 900 < step_s < 3000


def test_a_step_that_is_too_long_is_refused(paths, tmp_path):
    with pytest.raises(
        AgreedError, match=r"time.step = 10800 s is longer than the 2\d{3}.* Take at most 2700"
    ):
        run(paths["shallow_water"], tmp_path / "out", "time.step=10800")


def test_air_that_blows_up_says_where(paths, tmp_path):
    with pytest.raises(AgreedError, match=r" E .* N, level \d+, .*2000-01-01|start is nothing to go on from"):
        run(paths["primitive"], tmp_path / "out", "initial.speed=200", "initial.perturbation=-80")


def test_more_ranks_than_can_share_are_refused(paths):
    ((code, _, said),) = case.ended_all({67: case.program(paths["barotropic"], "-n", "67")}).values()
    assert code == 2
    assert said.startswith(f"error: {paths['barotropic']}:2: T21 on 32 x 64 points cannot be shared by 67")
    assert "Give -n 4 or less, or such a product." in said


def test_sets_of_a_case(paths):
    """As few V sets as can be, or those that are given."""
    loaded = load_case(paths["primitive"])
    found = {n: loaded.sets(n) for n in (1, 3, 4, 5, 6, 10, 256, 67, 257)}
    assert found == {
        1: (1, 1),
        3: (1, 3),
        4: (1, 4),
        5: (5, 1),
        6: (2, 3),
        10: (5, 2),
        256: (64, 4),
        67: None,
        257: None,
    }
    assert (ranks_of(loaded, 2), ranks_of(loaded, 40)) == (2, 4)
    given = load_case(paths["primitive"], ["exchange.sets=[3, 2]"])
    assert ranks_of(given, 2) == 6
    check_partition(given, 6, None)
    with pytest.raises(ConfigError, match=r"exchange.sets = \[3, 2\] are 6 ranks, but the run has 4"):
        check_partition(given, 4, None)


@pytest.mark.mpi
@pytest.mark.parametrize("name", CASES)
def test_any_sets_write_the_same_and_go_on(comm, common, name):
    path, whole = common / f"{name}.yaml", common / f"{name}_whole"
    if comm.rank == 0:
        path.write_text(CASE.format(equations=CASES[name]))
        assert run(path, whole, "restart.interval=none")
    comm.barrier()
    for v, w in all_sets(comm.size):
        folder = common / f"{name}_{v}_{w}"
        assert not runs.run(comm, path, folder, f"exchange.sets=[{v}, {w}]", stop=runs.StopAfter(17))
        fewer = comm.Split(0 if comm.rank < max(1, comm.size - 1) else 1, comm.rank)
        if comm.rank < max(1, comm.size - 1):
            assert runs.run(fewer, path, folder, resume=True)
        fewer.Free()
        comm.barrier()
        assert differing(whole, folder) == [], (v, w)


@pytest.mark.mpi
def test_what_transforms_took_and_hid_is_told(comm, common, capfd):
    path, folder = common / "told.yaml", common / "told"
    if comm.rank == 0:
        path.write_text(CASE.format(equations=CASES["primitive"]))
    comm.barrier()
    assert runs.run(comm, path, folder, f"exchange={{sets: [{comm.size}, 1], groups: 2, progress: poll}}")
    said, figures = capfd.readouterr().out, runs.status(folder)["figures"]
    assert {"Legendre", "Fourier", "computation", "exchange"} <= figures["parts_s"].keys()
    assert min(figures["parts_s"].values()) >= 0
    if comm.size == 1:
        assert "exchange_hidden" not in figures
        return
    assert figures["exchange"] == "2 groups, isend_irecv, burst, poll"
    assert figures["exchange_hidden"] < 1
    if comm.rank == 0:
        assert f"ranks      {comm.size}, {comm.size} x 1 sets, 2 groups, isend_irecv, burst, poll" in said
        assert "transforms exchanged in 2 groups, isend_irecv, burst, poll: " in said


@pytest.mark.mpi
def test_measured_exchanges_change_no_bits(comm, common):
    path, whole, folder = (common / f"measured{ending}" for ending in (".yaml", "_whole", "_out"))
    if comm.rank == 0:
        path.write_text(CASE.format(equations=CASES["primitive"]))
        assert run(path, whole)
    comm.barrier()
    assert runs.run(comm, path, folder, "exchange={groups: auto, progress: none, retune: 20}")
    assert differing(whole, folder) == []
    if comm.size > 1:
        groups, rest = runs.status(folder)["figures"]["exchange"].split(maxsplit=1)
        assert 1 <= int(groups) <= 4 and rest.endswith("isend_irecv, burst, none")


MISTAKES = {
    "initial={type: gravity_wave}": "does not go together with equations.set = 'shallow_water'",
    "initial={type: file, file: a.nc}": "does not go together",
    "mesh.longitudes=40": "mesh.longitudes = 40 cannot hold T21. Give 43 or more",
    "mesh.latitudes=16": "mesh.latitudes = 16 cannot hold T21. Give 22 or more",
    "mesh.truncation=0": "mesh.truncation",
    "levels={count: 9}": "levels does nothing with equations.set = 'shallow_water'",
    "time.filter=0.2": "time.filter does nothing with the scheme runge_kutta",
    "equations.hyperdiffusion={order: 3, time_scale: 100}": "order",
    "output.variables=[rain]": "unknown variable 'rain'",
    "time.step=7000": "must divide output.interval",
    "exchange.sets=[1, 5]": "exchange.sets = [1, 5]: T21 on 32 x 64 points can be shared by 64 V sets and 4",
    "exchange.sets=[2]": "exchange.sets = a list must be a list of two integers such as [2, 4], or 'auto'",
    "exchange.sets=[0, 2]": "exchange.sets",
    "exchange.groups=0": "exchange.groups = 0 must be an integer from 1 to 1000 or 'auto'",
    "exchange.algorithm=ring-0": "exchange.algorithm = 'ring-0' must be 'burst', 'bruck', 'ring' or 'ring-K'",
    "exchange.method=isend_recv": "exchange.method = 'isend_recv' must be",
    "exchange={retune: 10, groups: 3}": "exchange.retune does nothing where none of",
    "exchange.overlap=true": "unknown option 'exchange.overlap'",
}


@pytest.mark.parametrize("change", MISTAKES)
def test_mistakes_name_the_option(paths, change):
    with pytest.raises(ConfigError) as found:
        load_case(paths["shallow_water"], [change])
    assert MISTAKES[change] in str(found.value)


@pytest.mark.parametrize("name", ["shallow_water", "primitive"])
def test_the_compliance_checker_agrees(paths, tmp_path, name):
    """But for what it does not know: our checksums."""
    assert run(paths[name], tmp_path / "out")
    assert [text for text in complaints(tmp_path / "out" / SEGMENTS[0]) if "checksum" not in text] == []


def test_files_of_two_runs_are_the_same(paths, tmp_path):
    for name in ("one", "two"):
        assert run(paths["primitive"], tmp_path / name)
    found = compare(*(tmp_path / name / SEGMENTS[0] for name in ("one", "two")))
    assert {each.name for each in found.differences} >= {"temperature", "surface_pressure"}
    assert all(each.same_bits for each in found.differences)
