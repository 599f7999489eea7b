"""Simulations in one process: what they show, their fields, functions and forcings, and mistakes."""

import inspect
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr

import halcyon as hc
from halcyon.api.options import case_options, keywords
from halcyon.api.picture import Picture
from halcyon.config.case import Case
from halcyon.config.option import options_of
from halcyon.launch.mpirun import rank_environment

SEA = {
    "region": {"west": 0, "east": 40, "south": -20, "north": 20},
    "spacing": {"background": 600e3},
    "sea": False,
    "depth": {"minimum": 1000},
    "spectrum": {"frequencies": 8, "first_frequency": 0.06, "ratio": 1.2, "directions": 12},
    "start": "2022-09-01",
    "end": "2022-09-01T06:00",
    "source_step": 1800,
    "wind": {"constant": {"speed": 15, "direction": 200}},
    "stations": [{"name": "Middle", "longitude": 20, "latitude": 0}],
}
AIR = {
    "set": "hydrostatic",
    "level": 2,
    "start": "2000-01-01",
    "end": "2000-01-02",
    "step": 1800,
    "initial": {"type": "baroclinic_wave"},
    "levels": {"count": 6, "top": 5000},
}


@pytest.fixture(scope="module", autouse=True)
def depths(tmp_path_factory):
    """Bathymetry of a flat bottom, as tests need no data sets."""
    path = tmp_path_factory.mktemp("sea") / "depth.nc"
    lat, lon = np.arange(-30.0, 31), np.arange(-10.0, 51)
    attributes = {"units": "m", "standard_name": "sea_floor_depth_below_sea_surface"}
    depth = xr.DataArray(
        np.full((61, 61), 4000.0), {"lat": lat, "lon": lon}, ["lat", "lon"], attrs=attributes
    )
    depth["lat"].attrs["units"], depth["lon"].attrs["units"] = "degrees_north", "degrees_east"
    depth.to_dataset(name="depth").to_netcdf(path)
    SEA["depth"]["source"] = str(path)


def waves(**options):
    return hc.wave(**SEA | options)


def test_the_import_is_fast_and_starts_no_mpi():
    code = (
        "import sys, halcyon; print({'mpi4py', 'numpy', 'xarray', 'pydantic'} & {*sys.modules}); dir(halcyon)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_names_are_offered():
    assert {"Simulation", "open", "wave", "atmosphere", "spectral", "stop"} <= {*dir(hc)}
    assert list(inspect.signature(hc.wave).parameters) == [*keywords("wave")]
    assert "Transport step; auto" in hc.wave.__doc__ and hc.wave.wave_variables  # still the sub-package
    with pytest.raises(AttributeError, match="no attribute 'waves'"):
        _ = hc.waves


def test_keywords_are_the_options_of_a_case():
    known = keywords("wave")
    assert known["region"].location == ("mesh", "region") and known["wind"].location == ("forcing", "wind")
    assert {*options_of(Case)} - {*known} == {"model", "ensemble"}
    assert "method" not in known  # of exchange and of partition


def test_it_shows_itself():
    run = waves(title="<b>Storm</b>")
    assert "title" in repr(run) and "none yet" in repr(run) and "speed: 15" in repr(run)
    run.step()
    for text in (repr(run), run._repr_html_()):
        assert "2022-09-01 00:30" in text and "cells" in text and "8 frequencies x 12 directions" in text
        assert "memory" in text
    assert "<b>" not in run._repr_html_() and "&lt;b&gt;" in run._repr_html_()
    assert f"{run.mesh.n_cells} cells" in repr(run.mesh) and "<table>" in run.mesh._repr_html_()


def test_a_field_is_an_array_that_draws_itself():
    run = waves()
    run.step(hours=1)
    height = run["significant_height"]
    assert isinstance(height, xr.DataArray) and height.units == "m" and height.dims == ("face",)
    assert height.standard_name == "sea_surface_wave_significant_height"
    assert height.time == np.datetime64("2022-09-01T01:00") and {"lon", "lat"} <= {*height.coords}
    speed = np.hypot(run["eastward_wind"], run["northward_wind"])
    for field in (height, 2 * height, height.isel(face=slice(0, 9)), height.where(height > 0.1), speed):
        picture = field.plot()
        assert isinstance(picture, Picture) and picture._repr_png_().startswith(b"\x89PNG")
    assert not isinstance(height.mean("face").expand_dims(x=[1, 2]).plot(), Picture)  # xarray's
    with pytest.raises(hc.ConfigError, match="maps have no option 'robust'"):
        height.plot(robust=True)
    assert run["depth"].min() == pytest.approx(4000)


def test_levels_are_those_of_the_output(tmp_path):
    air = hc.atmosphere(**AIR, vertical={"pressure": [85000.0, 50000.0]})
    temperature = air["temperature"]
    assert (
        temperature.sizes == {"face": 162, "pressure": 2} and temperature["pressure"].attrs["units"] == "Pa"
    )
    path = temperature.plot(at=50000).save(tmp_path / "t.png")
    assert path.stat().st_size > 10_000
    with pytest.raises(hc.InputError, match="no such level"):
        temperature.plot(at=1000)


def test_functions_are_called_and_stop_the_run():
    run, times = waves(), []

    @run.every(hours=1)
    def look(run):
        times.append(run.time.hour)
        return times[-1] == 3 and hc.stop

    @run.every(minutes=45)
    def never(run):
        return "not True"

    run.run()
    assert times == [1, 2, 3] and run.time.hour == 3
    run.run(until="2022-09-01T05:00")
    assert times == [1, 2, 3, 4, 5]
    assert "look every 3600 s" in repr(run)


def test_an_interrupted_step_is_complete():
    run, sent = waves(), []

    @run.add_forcing("wind")
    def interrupting(cells):
        if cells.time > 2000 and not sent:
            sent.append(cells.time)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert run.time.hour == 1 and run["significant_height"].time == np.datetime64("2022-09-01T01:00")


def damping(spectra, *, rate=1e-4):
    spectra.source = -rate * spectra.density
    spectra.source_derivative = -rate


def gale(cells, *, speed=25.0):
    cells.eastward_wind = speed
    cells.northward_wind = 0.0


def half_ice(cells, *, fraction=0.3):
    cells.ice_fraction = np.where(cells.longitude > np.radians(20), fraction, 0.0)


def test_forcings_of_waves():
    plain, forced = waves(), waves()
    forced.add_forcing(damping, rate=1e-3)
    forced.add_forcing(gale, "wind", speed=20)
    forced.add_forcing(half_ice, "ice")
    for run in (plain, forced):
        run.step(hours=1)
    assert (forced["eastward_wind"] == 20).all() and (forced["northward_wind"] == 0).all()
    ice = forced["ice_fraction"]
    assert (ice.where(ice.lon > 21, drop=True) == np.float32(0.3)).all() and ice.min() == 0
    assert "gale" in repr(forced)
    other = waves()
    other.add_forcing(gale, "wind", speed=20)
    other.step(hours=1)
    assert float(forced["significant_height"].max()) < 0.8 * float(other["significant_height"].max())


def warming(columns, *, rate=10.0):
    columns.temperature_tendency = rate / 86400


def test_forcings_of_air_are_kept(tmp_path):
    """A run is resumed with its forcing only, and has the same bits."""
    air = hc.atmosphere(**AIR, variables=["temperature", "surface_pressure"])
    before = air["temperature"]
    air.add_forcing(warming, rate=20)
    air.step(hours=3)
    air.save(tmp_path / "warm.out")
    air.step(hours=3)
    assert float((air["temperature"] - before).mean()) == pytest.approx(5, abs=0.5)
    with pytest.raises(hc.ConfigError, match="comes after the first step"):
        air.add_forcing(damping)

    with pytest.raises(hc.ConfigError, match="The forcing 'warming' of this run was added in Python"):
        hc.Simulation(tmp_path / "warm.out").step()
    again = hc.Simulation(tmp_path / "warm.out")
    again.add_forcing(warming, rate=20)
    again.step(hours=3)
    np.testing.assert_array_equal(again["temperature"].values, air["temperature"].values)
    other = hc.Simulation(tmp_path / "warm.out")
    other.add_forcing(warming, rate=30)
    with pytest.raises(hc.ConfigError, match=r"belongs to another run: physics = .*30.* instead of .*20"):
        other.step()


def test_another_function_of_the_name_is_another_run(tmp_path):
    def forced(factor):
        def warming(columns):
            columns.temperature_tendency = factor

        return warming

    air = hc.atmosphere(**AIR)
    air.add_forcing(forced(1e-4))
    air.save(tmp_path / "closed.out")
    again = hc.Simulation(tmp_path / "closed.out")
    again.add_forcing(forced(2e-4))
    with pytest.raises(hc.ConfigError, match="belongs to another run"):
        again.step()


def failing(cells):
    raise ValueError("no wind today")


def with_forcing(function, *arguments, **options):
    run = waves()
    run.add_forcing(function, *arguments, **options)
    return run


MISTAKES = [
    (lambda: hc.wave(**SEA | {"sped": 3}), "unknown option 'sped' of model: wave"),
    (
        lambda: waves(wind={"constant": {"speed": 15, "direction": 9, "sped": 15}}),
        "forcing.wind.constant.sped.*Did you mean",
    ),
    (lambda: waves(end=None), "time.end is missing"),
    (lambda: hc.wave(**SEA, mesh={"region": {}}), "region and mesh.'region'. are the same option"),
    (
        lambda: hc.Simulation(case_options("wave", SEA) | {"model": "ocean"}),
        "model = 'ocean' must be 'wave', 'atmosphere' or 'spectral'",
    ),
    (lambda: hc.Simulation("nowhere.yaml"), "nowhere.yaml"),
    (lambda: waves()["height"], "unknown variable 'height'. Did you mean"),
    (lambda: waves()["largest_significant_height"], "unknown variable"),  # not accumulated
    (lambda: waves().run(until="tomorrow"), "'tomorrow' is not a time"),
    (lambda: waves().run(until="2023-01-01"), "after the end of the case.*Give the simulation a later end"),
    (lambda: waves().step(hours=-1), "negative"),
    (lambda: waves().step(hours=1, steps=2), "Give one of them"),
    (lambda: waves().every(), "positive time"),
    (lambda: waves().add_forcing(gale, "wind", step=3600), "called in each source step"),
    (
        lambda: with_forcing(gale, "wind", sped=3).step(),
        "'gale' has no option sped = 3. .* are: speed",
    ),
    (lambda: with_forcing(damping, sped=3).step(), "'damping' has no option 'sped'"),
    (lambda: waves().add_forcing(damping, "tendency"), "give 'wind' or 'ice' or 'source'"),
    (lambda: hc.open("nowhere.out"), "nowhere.out is not a folder"),
    (lambda: waves().step(6), "Simulation.step.*too many positional arguments.*help"),
    (lambda: waves().step(steps=1.5), "steps=1.5.*whole number"),
    (lambda: waves().step(hours="six"), "step.hours='six'.: give numbers"),
    (lambda: waves().run(hours=-2), "run.hours=-2.*negative"),
    (lambda: waves().every(hours=float("nan")), "give numbers"),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_a_mistake_is_one_clear_error(number):
    make, text = MISTAKES[number]
    with pytest.raises(hc.Error, match=text) as caught:
        make()
    assert len(str(caught.value).splitlines()) == 1


def test_no_time_is_no_step():
    run = waves()
    before = run.time
    run.step(hours=0)
    run.run(until=before)
    assert run.time == before


def test_a_mistaken_forcing_can_be_corrected():
    run = with_forcing(gale, "wind", sped=3)
    with pytest.raises(hc.ConfigError, match="no option sped"):
        run.step()
    with pytest.raises(hc.ConfigError, match="there is a forcing gale already"):
        run.add_forcing(gale, "ice")
    run.add_forcing(gale, "wind", speed=30)
    run.step()


def test_the_error_of_a_forcing_names_it():
    run = waves()
    run.add_forcing(failing, "wind")
    with pytest.raises(
        hc.RunError, match=r"'failing' failed 0 s after .*no wind today \(test_simulation.py, line"
    ):
        run.step(hours=2)


def test_results_of_another_run_are_not_overwritten(tmp_path):
    run = waves()
    run.save(tmp_path / "a.out")
    with pytest.raises(
        hc.Error, match=r"holds the results of a run. Give another folder, or .*overwrite=True"
    ):
        run.save(tmp_path / "a.out")
    run.save(tmp_path / "a.out", overwrite=True)


WRONG = """\
import halcyon as hc
run = hc.spectral(truncation=10, set="barotropic", start="2000-01-01", end="2000-01-02", step=1800,
                  initial={"type": "rossby_haurwitz"})
run.step()
if run.rank == 0:
    run["vorticity"]
"""
ENDS = {"it ends": "", "it continues": "run.step(hours=1)\n", "it fails": "raise SystemExit(3)\n"}
CAUGHT = (
    WRONG.replace("if run.rank", "try:\n  if run.rank")
    + """\
  else:
    run.step()
except hc.ConfigError:
    pass
if run.rank == 1:
    hc.open("missing.out")
run.step()
"""
)


@pytest.mark.parametrize("end", ENDS)
def test_a_call_on_one_rank_is_an_error_and_no_hang(tmp_path, end):
    """Also if the others are at the end of the program by then."""
    (tmp_path / "wrong.py").write_text(WRONG + ENDS[end])
    command = ["mpirun", "-q", "-n", "2", sys.executable, str(tmp_path / "wrong.py")]
    options = {"env": rank_environment(2), "capture_output": True, "text": True, "timeout": 120}
    done = subprocess.run(command, **options)
    assert done.returncode != 0
    assert "Rank 0 has called run['vorticity'], but rank 1" in done.stderr


def test_errors_of_each_rank_are_shown_and_later_calls_refused(tmp_path):
    """Also after an error that the program has caught."""
    (tmp_path / "caught.py").write_text(CAUGHT)
    command = ["mpirun", "-q", "-n", "2", sys.executable, str(tmp_path / "caught.py")]
    options = {"env": rank_environment(2), "capture_output": True, "text": True, "timeout": 120}
    done = subprocess.run(command, **options)
    assert done.returncode != 0
    assert "rank 1: error: missing.out is not a folder" in done.stderr
    assert "Rank 0 has called run['vorticity'], but rank 1 run.step()" in done.stderr
