"""Runs of cases of the spectral model: records, integrals, restart, pictures, errors."""

import numpy as np
import pytest
import xarray as xr
import yaml
from mpi4py import MPI

from halcyon.base import ConfigError
from halcyon.cli.convert import write_as as convert
from halcyon.config import load_case
from halcyon.io.compare import compare
from halcyon.launch.errors import AgreedError
from halcyon.plot.cells import open_files
from halcyon.remap import Conservative, Faces, regular_grid
from halcyon.remap.grid import globe
from halcyon.run.models.spectral import model_of
from halcyon.run.prepare import check_partition, default_rank_count
from tests.run import case, runs
from tests.run.runs import SEGMENTS, differing_air
from tests.run.spectral_cases import CASE, CASES
from tests.support.compliance import complaints


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """The path of a case file for each set of equations."""
    folder = tmp_path_factory.mktemp("spectral")
    for name, equations in CASES.items():
        (folder / f"{name}.yaml").write_text(CASE.format(equations=equations))
    return {name: folder / f"{name}.yaml" for name in CASES}


def run(path, folder, *changes, **rest):
    return runs.run(MPI.COMM_SELF, path, folder, *changes, **rest)


def test_what_a_run_writes(paths, tmp_path):
    """Fields of shallow water are plausible, with the mountain in its place and metadata; mass is
    conserved."""
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
    """Fields of the primitive equations are on pressure levels or on model levels."""
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


def check_resume(path, whole, folder, steps, *changes):
    """Checks that a run that stops after some steps and is resumed writes the bits of the whole run."""
    assert run(path, whole, "restart.interval=none", *changes)
    assert not run(path, folder, *changes, stop=runs.StopAfter(steps))
    assert len(runs.restarts(folder)) == 1
    assert run(path, folder, *changes, resume=True)
    assert differing_air(whole, folder) == []


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("steps", [1, 12, 25])
def test_wherever_it_stops_it_goes_on(paths, tmp_path, name, steps):
    """A stopped and resumed run writes the bits of the whole run."""
    check_resume(paths[name], tmp_path / "whole", tmp_path / "out", steps)


@pytest.mark.parametrize("grid", ["reduced", "octahedral"])
@pytest.mark.parametrize("name", CASES)
def test_it_goes_on_where_rows_differ(paths, tmp_path, name, grid):
    """A stopped and resumed run on a grid with rows of different lengths writes the bits of the whole run."""
    check_resume(paths[name], tmp_path / "whole", tmp_path / "out", 17, f"mesh.grid={grid}")


def test_a_run_does_not_go_on_in_another_precision(paths, tmp_path):
    bits = "equations.precision=32"
    assert not run(paths["semi_lagrangian"], tmp_path / "single", bits, stop=runs.StopAfter(5))
    with pytest.raises(ConfigError, match=r"equations.precision = 64 instead of 32"):
        run(paths["semi_lagrangian"], tmp_path / "single", resume=True)
    assert not run(paths["semi_lagrangian"], tmp_path / "double", stop=runs.StopAfter(5))
    with pytest.raises(ConfigError, match=r"equations.precision = 32 instead of 64"):
        run(paths["semi_lagrangian"], tmp_path / "double", bits, resume=True)


def test_leapfrog_goes_on_with_both_times(paths, tmp_path):
    """A stopped and resumed run with two time levels writes the bits of the whole run, and cannot resume with
    another scheme."""
    path, leapfrog = paths["shallow_water"], "time.scheme=semi_implicit"
    assert run(path, tmp_path / "whole", leapfrog, "restart.interval=none")
    assert not run(path, tmp_path / "out", leapfrog, stop=runs.StopAfter(7))
    with pytest.raises(ConfigError, match=r"time.scheme = auto instead of semi_implicit"):
        run(path, tmp_path / "out", resume=True)
    assert run(path, tmp_path / "out", leapfrog, resume=True)
    assert differing_air(tmp_path / "whole", tmp_path / "out") == []


def test_a_run_with_gcr_goes_on_and_counts_its_iterations(paths, tmp_path):
    """It cannot be resumed with the other solver, nor a run of that with gcr."""
    path, gcr = paths["semi_lagrangian"], "time.solver=gcr"
    check_resume(path, tmp_path / "whole", tmp_path / "out", 7, gcr)
    counts = runs.status(tmp_path / "whole")["figures"]["solver"]
    assert 3 < counts["iterations"] < 9 and counts["allreduces"] == counts["iterations"] + 2
    assert not run(path, tmp_path / "stopped", gcr, stop=runs.StopAfter(7))
    with pytest.raises(ConfigError, match=r"time.solver = direct instead of gcr"):
        run(path, tmp_path / "stopped", resume=True)
    assert not run(path, tmp_path / "direct", stop=runs.StopAfter(7))
    text = r"time.solver = gcr instead of direct; time.tolerance = 1e-08 instead of unset"
    with pytest.raises(ConfigError, match=text):
        run(path, tmp_path / "direct", gcr, resume=True)


@pytest.mark.parametrize("change", ["mesh.truncation=20", "mesh.longitudes=80"])
def test_another_truncation_or_grid_does_not_go_on(paths, tmp_path, change):
    path = paths["barotropic"]
    assert not run(path, tmp_path / "out", stop=runs.StopAfter(7))
    with pytest.raises(ConfigError, match=r"belongs to another run: mesh\."):
        run(path, tmp_path / "out", change, resume=True)


ROWS = {"octahedral": (44, 20, 104), "reduced": (32, 48, 64)}


@pytest.mark.parametrize("grid", ROWS)
def test_where_rows_differ_files_have_boxes_around_points(paths, tmp_path, grid, capfd):
    """Files on grids with rows of different lengths have one box per point; the mean height agrees with the
    mass."""
    path, (rows, shortest, longest) = paths["shallow_water"], ROWS[grid]
    assert run(path, tmp_path / "out", f"mesh.grid={grid}", "output.pictures=true")
    printed = capfd.readouterr().out
    assert f"grid       T21, {grid}, {rows} rows of {shortest} to {longest} points" in printed
    assert (tmp_path / "out" / "maps.png").stat().st_size > 20_000
    gaussian = load_case(path, [f"mesh.grid={grid}"]).mesh.gaussian_grid
    with xr.open_dataset(tmp_path / "out" / SEGMENTS[0]) as found:
        assert found.height.dims == ("time", "face")
        assert found.height.attrs["location"] == "face"
        assert found.mesh.attrs["long_name"] == "boxes around the points of a Gaussian grid"
        np.testing.assert_array_equal(found.lat, gaussian.latitude)
        np.testing.assert_array_equal(found.lon, gaussian.longitude)
        highest = int(np.argmax(found.topography.values))
        assert (found.lat[highest], found.lon[highest]) == pytest.approx((30, 270), abs=6)
        mean = (found.height[0] - found.topography).values @ gaussian.areas
    with xr.open_dataset(tmp_path / "out" / "integrals.nc") as found:
        assert np.ptp(found.mass.values) / found.mass.values[0] < 1e-15
        globe = 4 * np.pi * 6371220.0**2
        assert found.mass.values[0] / globe == pytest.approx(mean, rel=1e-6)


def means_of(file, name):
    """Means of the last record over boxes of 10 x 10 degrees in longitude and latitude."""
    dataset = open_files(file)[0]
    faces = Faces.of_table(dataset.node_lon, dataset.node_lat, dataset.face_nodes)
    return Conservative(faces, regular_grid(globe(180.0), resolution=10)).mean(dataset[name].values[-1])


@pytest.mark.parametrize("grid", ROWS)
@pytest.mark.parametrize("name", ["height", "surface_pressure"])
def test_all_grids_have_the_same_weather(paths, tmp_path, grid, name):
    """Means over boxes after half a day differ little between grids with equal truncation."""
    path = paths["shallow_water" if name == "height" else "primitive"]
    for kind in (grid, "full"):
        assert run(path, tmp_path / kind, f"mesh.grid={kind}")
    ours, theirs = (means_of(tmp_path / kind / SEGMENTS[1], name) for kind in (grid, "full"))
    assert np.abs(ours - theirs).max() < 0.02 * np.ptp(theirs)
    assert np.abs(ours - theirs).mean() < 0.004 * np.ptp(
        theirs
    )  # each grid resolves the mountain differently


def test_boxes_are_converted_to_latitudes_and_longitudes(paths, tmp_path):
    """`halcyon convert` gives the conservative means over boxes of 10 x 10 degrees."""
    options = dict.fromkeys(["resolution", "grid", "region", "variables", "coverage"])
    assert run(paths["primitive"], tmp_path / "out", "mesh.grid=octahedral")
    convert([tmp_path / "out" / SEGMENTS[0]], str(tmp_path / "a.nc"), "latlon", options | {"grid": "36x18"})
    with xr.open_dataset(tmp_path / "a.nc") as found:
        assert found.temperature.sizes["pressure"] == 3
        due = means_of(tmp_path / "out" / SEGMENTS[0], "surface_pressure")
        np.testing.assert_allclose(found.surface_pressure[-1], due, rtol=1e-6)


def test_other_rows_do_not_go_on(paths, tmp_path):
    """A run cannot resume on another grid."""
    path = paths["barotropic"]
    assert not run(path, tmp_path / "out", "mesh.grid=reduced", stop=runs.StopAfter(7))
    with pytest.raises(ConfigError, match=r"mesh\.grid = \['octahedral', 44\] instead of \['reduced', 32\]"):
        run(path, tmp_path / "out", "mesh.grid=octahedral", resume=True)


def test_pictures(paths, tmp_path):
    assert run(paths["primitive"], tmp_path / "out", "output.pictures=true", "time.step=1800")
    for name in ("maps.png", "integrals.png"):
        assert (tmp_path / "out" / name).stat().st_size > 20_000


def test_pictures_of_few_levels_and_of_no_fields(paths, tmp_path):
    """Maps are drawn although 85000 Pa lies below the lowest of two levels; without variables, only the
    integrals are drawn."""
    changes = ["output.pictures=true", "time.step=1800", "time.end=2000-01-01T03:00"]
    assert run(
        paths["primitive"], tmp_path / "two", *changes, "levels.count=2", "output.variables=[vorticity]"
    )
    assert {each.name for each in (tmp_path / "two").glob("*.png")} == {"maps.png", "integrals.png"}
    assert run(paths["barotropic"], tmp_path / "none", *changes, "output.variables=[]")
    assert {each.name for each in (tmp_path / "none").glob("*.png")} == {"integrals.png"}


def test_an_auto_step_divides_the_interval_and_holds(paths, tmp_path):
    """The automatic step divides the interval of output, is plausible for T21, and the run completes with
    it."""
    assert run(paths["primitive"], tmp_path / "out", "time.step=auto")
    step_s = runs.status(tmp_path / "out")["figures"]["step_s"]
    assert 10800 % step_s == 0
    assert 900 < step_s < 3000


def test_a_step_that_is_too_long_is_refused(paths, tmp_path):
    with pytest.raises(
        AgreedError,
        match=r"time.step = 10800 s is longer than the longest stable step of 2\d{3}.* Give at most 2700",
    ):
        run(paths["shallow_water"], tmp_path / "out", "time.step=10800")


def test_air_that_blows_up_says_where(paths, tmp_path):
    with pytest.raises(AgreedError, match=r" [EW] .* [NS], level \d+, .*2000-01-01|initial state is invalid"):
        run(paths["primitive"], tmp_path / "out", "initial.speed=200", "initial.perturbation=-80")


def test_more_ranks_than_can_share_are_refused(paths):
    """The error gives a possible number of ranks."""
    ((code, _, err),) = case.run_all({67: case.program(paths["barotropic"], "-n", "67")}).values()
    assert code == 2
    assert err.startswith(
        f"error: {paths['barotropic']}:2: T21 on 32 x 64 points cannot be distributed over 67"
    )
    assert "Give -n 4 or less, or another such product." in err


def test_more_ranks_than_share_rows_that_differ_are_refused(paths):
    loaded = load_case(paths["primitive"], ["mesh.grid=octahedral"])
    assert loaded.max_v_and_w == (24, 6)
    check_partition(loaded, 24 * 6, None)
    with pytest.raises(
        ConfigError, match=r"T21 on 44 rows of 20 to 104 points cannot be distributed over 29 ranks"
    ):
        check_partition(loaded, 29, None)
    with pytest.raises(ConfigError, match="allows at most V = 24 and W = 6"):
        load_case(paths["primitive"], ["mesh.grid=octahedral", "exchange.sets=[25, 1]"])


def test_sets_of_a_case(paths):
    """Default sets (V, W) by number of ranks have the smallest possible V; sets given in the case fix the
    number of ranks."""
    loaded = load_case(paths["primitive"])
    found = {n: loaded.sets_for(n) for n in (1, 3, 4, 5, 6, 10, 256, 67, 257)}
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
    assert (default_rank_count(loaded, 2), default_rank_count(loaded, 40)) == (2, 4)
    given = load_case(paths["primitive"], ["exchange.sets=[3, 2]"])
    assert default_rank_count(given, 2) == 6
    check_partition(given, 6, None)
    with pytest.raises(ConfigError, match=r"exchange.sets = \[3, 2\] needs 6 ranks, but the run has 4"):
        check_partition(given, 4, None)


MISTAKES = {
    "initial={type: gravity_wave}": "does not go together with equations.set = 'shallow_water'",
    "mesh.grid=hexagonal": "mesh.grid = 'hexagonal' must be 'full', 'reduced' or 'octahedral'",
    "mesh={truncation: 21, grid: reduced, longitudes: 64}": "mesh.longitudes does nothing with mesh.grid",
    "mesh={truncation: 21, grid: reduced, latitudes: 21}": "21 is too small for truncation T21. Give 22",
    "mesh={truncation: 21, grid: octahedral, latitudes: 45}": "45 is odd, but an octahedral grid has no",
    "mesh={truncation: 42, grid: octahedral, latitudes: 44}": (
        "mesh.latitudes = 44 makes octahedral rows next to the poles too short for truncation T42. Give 86 or"
    ),
    "mesh={truncation: 21, grid: octahedral, latitudes: 20}": "20 is too small for truncation T21. Give 44",
    "mesh.longitudes=40": "mesh.longitudes = 40 is too small for truncation T21. Give 43 or more",
    "mesh.latitudes=16": "mesh.latitudes = 16 is too small for truncation T21. Give 22 or more",
    "mesh.truncation=0": "mesh.truncation",
    "mesh.points_per_wave=2": "makes the products of Eulerian advection alias",
    "{equations.advection: semi_lagrangian, initial: {type: solid_rotation, tilt: 90}, time.step: 10800,"
    " time.end: '2000-01-06'}": "initial.tilt = 90: the Coriolis force of a tilted axis",
    "mesh={truncation: 21, grid: octahedral, points_per_wave: 2}": "mesh.points_per_wave does nothing with",
    "levels={count: 9}": "levels does nothing with equations.set = 'shallow_water'",
    "time.filter=0.2": "time.filter does nothing with the scheme runge_kutta",
    "equations.hyperdiffusion={order: 3, time_scale: 100}": "order",
    "output.variables=[rain]": "unknown variable 'rain'",
    "time.step=7000": "must divide output.interval",
    "exchange.sets=[1, 5]": "[V, W] = [1, 5]: T21 on 32 x 64 points allows at most V = 64 and W = 4",
    "exchange.sets=[2]": "exchange.sets = a list must be a list of two integers such as [2, 4], or 'auto'",
    "exchange.sets=[0, 2]": "exchange.sets",
    "exchange.groups=0": "exchange.groups = 0 must be an integer from 1 to 1000 or 'auto'",
    "exchange.algorithm=ring-0": "exchange.algorithm = 'ring-0' must be 'burst', 'bruck', 'ring' or 'ring-K'",
    "exchange.method=isend_recv": "exchange.method = 'isend_recv' must be",
    "exchange={retune: 10, groups: 3}": "exchange.retune does nothing where none of exchange.groups, ahead",
    "exchange.core=3": "exchange.core does nothing with exchange.progress = 'poll'. Leave it out, or take",
    "exchange={progress: thread, core: here}": "exchange.core = 'here' must be 'auto', 'shared', a number",
    "mesh.memory=-1": "mesh.memory = -1 must be an integer from 0",
    "exchange.overlap=true": "unknown option 'exchange.overlap'",
    "equations.monotone=true": "equations.monotone does nothing with Eulerian advection",
    "exchange.halo=on_demand": "exchange.halo does nothing with Eulerian advection",
    "{equations.advection: semi_lagrangian, time.scheme: semi_implicit}": "'semi_implicit' is Eulerian",
    "{equations.advection: semi_lagrangian, exchange.level_groups: 2}": "there is one level. Give at most 1",
    "{equations: primitive, tracers: [passive_tracer]}": "tracers does nothing with Eulerian advection",
    "{equations.advection: semi_lagrangian, tracers: [passive_tracer]}": "tracers does nothing with",
    "{equations: {set: primitive, advection: semi_lagrangian}, tracers: [smoke]}": "unknown tracer 'smoke'",
    "{equations: {set: primitive, moist: true}}": "equations.moist does nothing with Eulerian advection",
    "{equations: {advection: semi_lagrangian, moist: true}}": "equations.moist does nothing with",
    "{equations: primitive, physics: kessler}": "Set equations.moist: true with equations.advection: semi_l",
    "{equations: {set: primitive, advection: semi_lagrangian, moist: true}, tracers: [water_vapour]}": (
        "'water_vapour' is a tracer of equations.moist: true. Leave it out of tracers."
    ),
    "{equations: primitive, output: {interval: 10800, variables: [relative_humidity]}}": "only moist air has",
    "{equations.advection: semi_lagrangian, time.filter: 0.2}": "time.filter does nothing with",
    "time.solver=gcr": "time.solver does nothing with Eulerian advection",
    "{equations.advection: semi_lagrangian, time.solver: multigrid}": "must be 'direct' or 'gcr'",
    "{equations.advection: semi_lagrangian, time.tolerance: 1.0e-6}": "time.tolerance does nothing with",
    "{equations.advection: semi_lagrangian, time.solver: gcr, time.tolerance: 0.1}": "time.tolerance",
    "{equations.advection: semi_lagrangian, equations.set: barotropic}": "is not for equations.set",
}


def test_a_run_has_the_same_bits_on_any_budget_of_memory(paths, tmp_path):
    """The memory for Legendre functions does not change the results, and is used to at least 80 %."""
    for budget, kept in {"0": 0, "20000": 20000}.items():
        model = model_of(load_case(paths["shallow_water"], [f"mesh.memory={budget}"]), MPI.COMM_SELF)
        assert 0.8 * kept <= model.kept_bytes <= kept
    assert run(paths["shallow_water"], tmp_path / "kept")
    path, folder = paths["shallow_water"], tmp_path / "recomputed"
    assert not run(path, folder, "mesh.memory=0", stop=runs.StopAfter(17))
    assert run(path, folder, resume=True)
    assert differing_air(tmp_path / "kept", folder) == []


def changes_of(text):
    """`option=value`, or several as `{option: value, ...}`."""
    pairs = yaml.safe_load(text) if text.startswith("{") else {}
    return [f"{name}={value}" for name, value in pairs.items()] or [text]


@pytest.mark.parametrize("change", MISTAKES)
def test_mistakes_name_the_option(paths, change):
    with pytest.raises(ConfigError) as found:
        load_case(paths["shallow_water"], changes_of(change))
    assert MISTAKES[change] in str(found.value)


def test_waves_that_the_truncation_does_not_hold(paths):
    """The default wavenumber of the initial state must be resolved by the truncation."""
    assert load_case(paths["barotropic"], ["mesh.truncation=5"]).initial.wavenumber == 4
    with pytest.raises(
        ConfigError, match=r"initial.wavenumber = 4 needs harmonics of degree 5, .* truncation T4\."
    ):
        load_case(paths["barotropic"], ["mesh.truncation=4"])


@pytest.mark.parametrize("grid", ["full", "octahedral"])
@pytest.mark.parametrize("name", ["shallow_water", "primitive"])
def test_the_compliance_checker_agrees(paths, tmp_path, name, grid):
    """The CF compliance checker has no complaints, except for checksums and UGRID's cf_role, which are
    unknown to the checker."""
    assert run(paths[name], tmp_path / "out", f"mesh.grid={grid}")
    found = complaints(tmp_path / "out" / SEGMENTS[0])
    assert [text for text in found if "checksum" not in text and "cf_role" not in text] == []


def test_files_of_two_runs_are_the_same(paths, tmp_path):
    """`compare` finds equal bits in the files of two equal runs."""
    for name in ("one", "two"):
        assert run(paths["primitive"], tmp_path / name)
    found = compare(*(tmp_path / name / SEGMENTS[0] for name in ("one", "two")))
    assert {each.name for each in found.differences} >= {"temperature", "surface_pressure"}
    assert all(each.same_bits for each in found.differences)
