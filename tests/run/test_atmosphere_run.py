"""Runs of atmosphere cases: records, integrals, restart, errors."""

import json

import numpy as np
import pytest
import xarray as xr

import halcyon.mesh
from halcyon.base import ConfigError, RunError
from halcyon.config import load_case
from halcyon.launch.errors import AgreedError
from halcyon.run.steps import core_steps, shortened
from tests.run import runs
from tests.run.runs import SEGMENTS, differing_air
from tests.support import meshes

pytestmark = pytest.mark.ranks(3)
CASE = """\
model: atmosphere
mesh: {file: mesh.nc}
equations: {set: shallow_water, hyperdiffusion: 0.01}
time: {start: 2000-01-01T00:00, end: 2000-01-01T12:00}
initial: {type: mountain}
output:
  interval: 10800
  segment: 21600
  variables: [height, thickness, eastward_wind, northward_wind, vorticity, potential_vorticity, divergence]
  pictures: false
"""
AIR = """\
model: atmosphere
mesh: {file: mesh.nc}
equations: {set: hydrostatic, sponge: {pressure: 20000, rate: 1e-5}, hyperdiffusion: 0.01}
levels: {count: 9, top: 5000}
physics: held_suarez
time: {start: 2000-01-01T00:00, end: 2000-01-01T12:00}
initial: {type: baroclinic_wave}
output:
  interval: 10800
  segment: 21600
  variables: [temperature, upward_wind, eastward_wind, northward_wind]
  vertical: model
  pictures: false
"""
EVAPORATION = """\
def evaporation(columns):
    columns.tracer_tendencies[:] = 0
    columns.tracer_tendencies[0] = 5e-7 * (columns.pressure / columns.surface_pressure) ** 4
"""
SETS = ("hydrostatic", "nonhydrostatic")
STEP_S = 1350  # divides the interval and is stable on G3


@pytest.fixture(scope="module")
def path(comm, common_folder):
    """The path of the case of shallow water, the same on all ranks; air.yaml is in the same folder."""
    if comm.rank == 0:
        halcyon.mesh.write_mpas(str(common_folder / "mesh.nc"), meshes.globe(3))
        (common_folder / "case.yaml").write_text(CASE)
        (common_folder / "air.yaml").write_text(AIR)
    comm.barrier()
    return common_folder / "case.yaml"


@pytest.fixture(scope="module")
def whole(comm, path):
    """The output folder of an uninterrupted run."""
    folder = path.with_name("whole")
    assert runs.run(comm, path, folder, "restart.interval=none")
    return folder


@pytest.fixture
def folder(comm, tmp_path):
    return comm.bcast(tmp_path, root=0) / "out"


@pytest.mark.mpi
def test_what_a_run_writes(whole):
    """Fields of shallow water are plausible and have metadata; mass is conserved; run.json has the expected
    figures."""
    with xr.open_dataset(whole / SEGMENTS[1]) as found:
        assert found.sizes["time"] == 3
        assert found.height.attrs["units"] == "m"
        assert found.eastward_wind.attrs["standard_name"] == "eastward_wind"
        assert "atmosphere" in found.attrs["source"]
        height = found.height.values
        assert np.isfinite(height).all() and 4900 < height.min() < height.max() < 6100
        assert found.topography.values.max() > 1500
        ground = np.broadcast_to(found.topography.values, height.shape)
        assert height - found.thickness.values == pytest.approx(ground, abs=0.01)
    with xr.open_dataset(whole / "integrals.nc") as found:
        assert found.sizes["time"] == 5
        assert found.mass.values == pytest.approx(found.mass.values[0], rel=1e-14)
        assert np.ptp(found.energy.values) > 0
    status = runs.status(whole)
    assert status["status"] == "finished"
    assert status["figures"]["step_s"] == STEP_S
    assert "max_significant_height_m" not in status["figures"]


@pytest.mark.mpi
def test_integrals_have_all_digits(whole):
    """integrals.csv and integrals.nc hold the same double."""
    rows = (whole / "integrals.csv").read_text().splitlines()
    assert rows[0].startswith("time [UTC],mass [m3],energy [m5 s-2]")
    assert len(rows) == 6
    with xr.open_dataset(whole / "integrals.nc") as found:
        assert float(rows[-1].split(",")[2]) == found.energy.values[-1]


@pytest.mark.mpi
def test_one_rank_writes_the_same(comm, path, whole, folder):
    """One rank without overlap writes the same bits as all ranks."""
    ours = comm.Split(comm.rank, 0)
    if comm.rank == 0:
        assert runs.run(ours, path, folder, "restart.interval=none", "exchange.overlap=false")
        assert differing_air(whole, folder) == []
    ours.Free()


@pytest.mark.mpi
@pytest.mark.parametrize("steps", [1, 8, 13, 31])
def test_wherever_it_stops_it_goes_on(comm, path, whole, folder, steps):
    """A run that stops after some steps and resumes with another exchange method writes the bits of the whole
    run."""
    assert not runs.run(comm, path, folder, stop=runs.StopAfter(steps))
    assert len(runs.restarts(folder)) == 1
    assert runs.run(comm, path, folder, "exchange.method=neighbor", resume=True)
    assert differing_air(whole, folder) == []
    assert runs.status(folder)["status"] == "finished"


@pytest.mark.mpi
def test_it_goes_on_with_fewer_ranks(comm, path, whole, folder):
    """A run that resumes on one rank fewer, with another partition, writes the bits of the whole run."""
    assert not runs.run(comm, path, folder, "restart.interval=5400", stop=runs.StopAfter(11))
    fewer = comm.Split(0 if comm.rank < max(1, comm.size - 1) else 1, comm.rank)
    if comm.rank < max(1, comm.size - 1):
        assert runs.run(fewer, path, folder, "partition={method: recursive, seed: 7}", resume=True)
    fewer.Free()
    comm.barrier()
    assert differing_air(whole, folder) == []


@pytest.mark.mpi
def test_32_bits_go_on_too(comm, path, folder):
    """A run in 32 bits that stops and resumes writes the bits of the whole run, and cannot resume in 64
    bits."""
    bits = "equations.precision=32"
    assert runs.run(comm, path, folder.with_name("narrow"), bits)
    assert not runs.run(comm, path, folder, bits, stop=runs.StopAfter(9))
    with pytest.raises(ConfigError, match=r"equations.precision = 64 instead of 32"):
        runs.run(comm, path, folder, resume=True)
    assert runs.run(comm, path, folder, bits, resume=True)
    assert differing_air(folder.with_name("narrow"), folder) == []


@pytest.mark.mpi
@pytest.mark.parametrize("steps", [1, 4, 11])
def test_semi_implicit_steps_go_on_with_fewer_ranks(comm, path, folder, steps):
    """A semi-implicit run has longer steps than an explicit one; resumed on one rank fewer, it writes the
    bits of the whole run. It cannot resume explicitly."""
    semi, whole = "time.scheme=semi_implicit", folder.with_name("long")
    assert runs.run(comm, path, whole, semi, "restart.interval=none")
    assert runs.status(whole)["figures"]["step_s"] > 2 * STEP_S
    assert not runs.run(comm, path, folder, semi, stop=runs.StopAfter(steps))
    assert len(runs.restarts(folder)) == 1
    with pytest.raises(ConfigError, match=r"time.scheme = runge_kutta instead of semi_implicit"):
        runs.run(comm, path, folder, resume=True)
    fewer = comm.Split(0 if comm.rank < max(1, comm.size - 1) else 1, comm.rank)
    if comm.rank < max(1, comm.size - 1):
        changes = "partition={method: recursive, seed: 7}", "exchange.method=neighbor"
        assert runs.run(fewer, path, folder, semi, *changes, resume=True)
    fewer.Free()
    comm.barrier()
    assert differing_air(whole, folder) == []
    with xr.open_dataset(folder / "integrals.nc") as found:
        assert found.mass.values == pytest.approx(found.mass.values[0], rel=1e-14)


@pytest.mark.mpi
def test_waves_that_are_not_solved_for_end_the_run(comm, path, folder):
    """A semi-implicit solution that does not converge ends the run with advice. Here the light wind does not
    limit the step, gravity waves are fast, the step is ten days, and the tolerance is near rounding."""
    changes = (
        "time={start: 2000-01-01, end: 2000-01-11, step: 864000, scheme: semi_implicit, tolerance: 1e-12}",
        "output.interval=864000",
        "output.segment=864000",
        "initial={type: modons, speed: 0.1}",
        "equations.rotation=0",
        "equations.gravity=1000",
        "equations.hyperdiffusion=0",
    )
    with pytest.raises(
        AgreedError,
        match=r"waves did not converge in step 1, ending at 2000-01-11.*Shorten time.step, or raise",
    ):
        runs.run(comm, path, folder, *changes)


@pytest.mark.mpi
@pytest.mark.parametrize("equations", SETS)
def test_the_air_goes_on_with_fewer_ranks(comm, path, folder, equations):
    """A run with levels that resumes on one rank fewer, with another partition, writes the bits of the whole
    run, also with a sponge layer, which depends on the initial state."""
    require_the_same_with_fewer_ranks(comm, path.with_name("air.yaml"), folder, f"equations.set={equations}")
    with xr.open_dataset(folder / SEGMENTS[1]) as found:
        assert found.temperature.shape[0] == 3 and 9 in found.temperature.shape
        assert 180 < found.temperature.values.min() < found.temperature.values.max() < 320
        assert abs(found.upward_wind.values).max() > 1e-4
    with xr.open_dataset(folder / "integrals.nc") as found:
        assert found.mass.values == pytest.approx(found.mass.values[0], rel=1e-14)


def require_the_same_with_fewer_ranks(comm, air, folder, *changes):
    """Collective. Runs a case whole, and in two parts, the second on one rank fewer."""
    whole = folder.with_name("whole")
    assert runs.run(comm, air, whole, *changes, "restart.interval=none")
    assert not runs.run(comm, air, folder, *changes, stop=runs.StopAfter(11))
    assert len(runs.restarts(folder)) == 1
    fewer = comm.Split(0 if comm.rank < max(1, comm.size - 1) else 1, comm.rank)
    if comm.rank < max(1, comm.size - 1):
        assert runs.run(fewer, air, folder, *changes, "partition={method: recursive, seed: 7}", resume=True)
    fewer.Free()
    comm.barrier()
    assert differing_air(whole, folder) == []


@pytest.mark.mpi
@pytest.mark.parametrize("kind", ["stretch", "zoom"])
def test_the_air_goes_on_on_a_mesh_of_variable_spacing(comm, path, folder, kind):
    mesh = f"mesh={{points: 400, {kind}: {{ratio: 2}}, tolerance: 1e-3}}"
    require_the_same_with_fewer_ranks(comm, path.with_name("air.yaml"), folder, mesh)


@pytest.mark.mpi
@pytest.mark.parametrize("equations", SETS)
def test_moist_air_goes_on_with_fewer_ranks(comm, path, folder, equations):
    """Air that a scheme moistens writes the bits of the whole run after it resumes."""
    air, whole = path.with_name("moist.yaml"), folder.with_name("whole")
    if comm.rank == 0:
        air.with_name("sea.py").write_text(EVAPORATION)
        air.write_text(AIR.replace("physics: held_suarez", "physics: sea.py:evaporation"))
    comm.barrier()
    chosen = (f"equations.set={equations}", "equations.moist=true", "output.variables=[water_vapour]")
    assert runs.run(comm, air, whole, *chosen, "restart.interval=none")
    assert not runs.run(comm, air, folder, *chosen, stop=runs.StopAfter(11))
    fewer = comm.Split(0 if comm.rank < max(1, comm.size - 1) else 1, comm.rank)
    if comm.rank < max(1, comm.size - 1):
        assert runs.run(fewer, air, folder, *chosen, resume=True)
    fewer.Free()
    comm.barrier()
    assert differing_air(whole, folder) == []
    with xr.open_dataset(folder / SEGMENTS[1]) as found:
        assert found.water_vapour.values.max() > 0.01 and found.water_vapour.values.min() >= 0
        assert found.surface_pressure.values.mean() > 100050  # with the weight of the vapour
        assert found.pressure.shape == found.water_vapour.shape
    with xr.open_dataset(folder / "integrals.nc") as found:
        gain = found.mass.values - found.mass.values[0]
        assert found.water_mass.values - found.water_mass.values[0] == pytest.approx(gain, abs=1e-14 * 5e18)
        assert found.dry_air_mass.values == pytest.approx(found.dry_air_mass.values[0], rel=1e-14)


@pytest.mark.mpi
@pytest.mark.parametrize("equations", SETS)
def test_air_that_blows_up_says_where(comm, path, folder, equations):
    """A run that becomes unstable, since the wind exceeds the stable step, ends with the cell, step and
    time."""
    air = path.with_name("air.yaml")
    changes = (
        f"equations.set={equations}",
        "initial={type: baroclinic_wave, speed: -500}",
        "time.end=2000-01-05",
    )
    with pytest.raises(AgreedError, match=r"cell \d+ \(.* [EW] .* [NS]\).*after step \d+, 2000-01-0"):
        runs.run(comm, air, folder, *changes)


@pytest.mark.mpi
@pytest.mark.parametrize("equations", SETS)
def test_a_start_that_is_no_air_is_said_to_be_one(comm, path, folder, equations):
    """A jet with negative balanced temperature is reported as an invalid initial state, not as an unstable
    step."""
    changes = f"equations.set={equations}", "initial={type: baroclinic_wave, speed: 400}"
    with pytest.raises(AgreedError, match=r"^The initial state is invalid: potential_temperature is -\d+"):
        runs.run(comm, path.with_name("air.yaml"), folder, *changes)


@pytest.mark.mpi
def test_mountains_above_the_levels_are_refused(comm, path, folder):
    """Mountains with a surface pressure below what the levels need are refused, with the pressure that they
    need."""
    changes = "initial={type: resting_mountain, height: 8000}", "levels.top=40000"
    expected = r"^--set initial=.*: the lowest surface pressure is 36\d+ Pa.* need at least 80000 Pa"
    with pytest.raises(AgreedError, match=expected):
        runs.run(comm, path.with_name("air.yaml"), folder, *changes, "equations.sponge=null")


@pytest.mark.mpi
def test_a_run_that_blows_up_says_where(comm, path, folder):
    """A run of shallow water that becomes unstable (500 m/s on 20 m of fluid) ends with the cell, step and
    time."""
    changes = ("initial={type: modons, speed: 500, depth: 20}", "equations.anticipation=0")
    with pytest.raises(AgreedError, match=r"cell \d+ \(.* [EW] .* [NS]\).*after step \d+, 2000-01-01"):
        runs.run(comm, path, folder, *changes)


@pytest.mark.mpi
def test_a_step_that_is_too_long_is_refused(comm, path, folder):
    with pytest.raises(AgreedError, match=r"time.step = 3600 s is longer than the"):
        runs.run(comm, path, folder, "time.step=3600")
    with pytest.raises(AgreedError, match=r"time.step = 10800 s is longer than the"):
        long = "time.scheme=semi_implicit", "time.step=10800", "initial.type=rossby_haurwitz"
        runs.run(comm, path, folder, *long)


def test_the_step_is_of_whole_seconds_where_it_can_be(tmp_path):
    """The step divides the interval of output, is shorter than the stable step, and has whole seconds where
    possible."""
    (tmp_path / "mesh.nc").touch()
    (tmp_path / "case.yaml").write_text(CASE)
    loaded = load_case(tmp_path / "case.yaml")
    assert core_steps(loaded, 500.0).step_s == 450.0
    assert core_steps(loaded, 1600.0).step_s == STEP_S
    assert core_steps(loaded, 1e6).step_s == 10800.0
    fine = core_steps(loaded, 0.7)
    assert fine.step_s <= 0.63 and fine.n_steps * fine.step_s == pytest.approx(43200)


@pytest.mark.parametrize(
    ("scheme_s", "longest_s", "step_s"),
    [(1800, 700, 600), (675, 600, 337.5), (675, 800, 675), (300, 1600, 300)],
)
def test_automatic_steps_divide_those_of_schemes(tmp_path, scheme_s, longest_s, step_s):
    (tmp_path / "mesh.nc").touch()
    (tmp_path / "case.yaml").write_text(AIR)
    case = load_case(
        tmp_path / "case.yaml",
        [f"physics=[{{scheme: held_suarez, step: {scheme_s}}}]", "time.step=auto", "output.interval=10800"],
    )
    assert core_steps(case, longest_s).step_s == step_s


def test_automatic_steps_do_not_shorten_without_end(tmp_path):
    (tmp_path / "mesh.nc").touch()
    (tmp_path / "case.yaml").write_text(CASE)
    loaded = load_case(tmp_path / "case.yaml")
    assert shortened(loaded, longest_s=500.0, first_s=1350.0).step_s == 450.0
    with pytest.raises(RunError, match=r"Winds have grown until steps of 0.0001 s are too long.* 1350 s"):
        shortened(loaded, longest_s=1e-4, first_s=1350.0)


def test_restarts_are_due_at_the_first_step_that_reaches_their_time(tmp_path):
    (tmp_path / "mesh.nc").touch()
    (tmp_path / "case.yaml").write_text(CASE)
    steps = core_steps(load_case(tmp_path / "case.yaml"), 1600.0)
    due = [n for n in range(1, steps.n_steps + 1) if steps.restart_is_due(n, 5000)]
    assert due == [4, 8, 12, 15, 19, 23, 26, 30]
    assert not any(steps.restart_is_due(n, "none") for n in range(1, 33))


def test_identity_is_in_the_restart(tmp_path):
    from halcyon.run.state.identity import options_of

    (tmp_path / "mesh.nc").touch()
    (tmp_path / "case.yaml").write_text(CASE)
    options = options_of(load_case(tmp_path / "case.yaml"))
    assert options["initial.type"] == "mountain"
    assert "exchange.method" not in options and "time.step" not in options
    assert json.dumps(options)
