"""The preset fvwam: its reference case, its options, its vortex, and winds on the cells of the mesh."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from mpi4py import MPI
from netCDF4 import Dataset

from halcyon._core import wave as core
from halcyon.base import ConfigError, InputError
from halcyon.config import load_case
from halcyon.mesh.sphere import to_points
from halcyon.wave import SpectralGrid, set_fetch_law
from tests.run import case, runs

REFERENCE = Path(__file__).parents[3] / "shared" / "data" / "fvwam"
needs_reference = pytest.mark.skipif(not REFERENCE.exists(), reason="needs ../shared/data/fvwam")
CASE = """\
model: wave
preset: fvwam
mesh: {file: MESH}
time: {start: 2024-09-01T00:00, end: 2024-09-01T12:00, step: 300, source_step: 600}
forcing: {wind: {cells: WIND, interval: 3600}}
output: {interval: 3600, pictures: false, variables: [significant_height, mean_period, mean_direction]}
"""


@needs_reference
def test_the_case_of_fvwam(tmp_path):
    """On 12 hours of FVWAM's own case heights above 1 m are within 5 % of FVWAM's at 95 % of its stations and
    hours, mean periods within 3 % and mean directions within 3 degrees."""
    path = tmp_path / "case.yaml"
    path.write_text(CASE.replace("MESH", f"{REFERENCE}/mesh.nc").replace("WIND", f"{REFERENCE}/wind.nc"))
    assert runs.run(MPI.COMM_SELF, path, tmp_path / "out")
    height_errors = []
    with xr.open_mfdataset(str(tmp_path / "out" / "fields_*.nc")) as ours:
        tables = {name: ours[name].values for name in ("significant_height", "mean_period", "mean_direction")}
    with (REFERENCE / "stations.csv").open() as file:
        rows = list(csv.DictReader(file))
    rows = [row for row in rows if float(row["time"]) <= 0.5]
    assert len(rows) == 65
    for row in rows:
        record, cell = round(24 * float(row["time"])), int(row["cell"]) - 1
        height, period, direction = (table[record, cell] for table in tables.values())
        height_errors.append(height / float(row["Hs_m"]) - 1)
        assert period == pytest.approx(float(row["Tm10_s"]), rel=0.03)
        assert math.cos(math.radians(direction - 180 - float(row["MWD_deg"]))) > math.cos(math.radians(3))
    assert np.mean(np.abs(height_errors) < 0.05) > 0.95


@needs_reference
def test_the_vortex_of_fvwam():
    """FVWAM's winds are those of its track up to 800 km, and its background of -6 m/s beyond."""
    with Dataset(REFERENCE / "tc.nc") as track, Dataset(REFERENCE / "mesh.nc") as mesh:
        columns = [np.asarray(track[f"{n}TC"][:], float).tolist() for n in ("lat", "lon", "rmw", "pres")]
        motion = [np.asarray(track[f"{n}TC"][:], float).tolist() for n in ("ut", "vt")]
        latitude, longitude = (np.asarray(mesh[name][:], float) for name in ("latCell", "lonCell"))
    records = [
        core.FvwamVortex(
            latitude=lat, longitude=lon, radius=radius, shape=1.5 + (98000 - pressure) / 12000,
            deficit=101000 - pressure, eastward=u, northward=v,
        )
        for lat, lon, radius, pressure, u, v in zip(*columns, *motion, strict=True)
    ]  # fmt: skip
    surface = core.FvwamSurface(factor=0.8, inflow=math.radians(20), air_density=1.293, asymmetry=True)
    wind = core.FvwamWind([3600.0 * i for i in range(len(records))], records, surface)
    u, v = np.empty_like(latitude), np.empty_like(latitude)
    with Dataset(REFERENCE / "wind.nc") as file:
        for record in (0, 10, 48):
            wind.at(3600.0 * record, latitude, longitude, u, v)
            apart = to_points(*np.degrees([longitude, latitude])) @ to_points(
                *np.degrees([columns[1][record], columns[0][record]])
            )
            background = np.where(np.arccos(apart) * 6371220 > 800e3, -6, 0)
            assert np.allclose(u + background, file["u10"][record], atol=1e-3)
            assert np.allclose(v, file["v10"][record], atol=1e-3)


def load(folder, *lines):
    """The case of a track with the preset, and more options."""
    case.write_case(folder)
    base = case.CASE.replace("model: wave", "model: wave\npreset: fvwam")
    for name in ("spectrum", "physics", "source_step", "initial"):
        base = "\n".join(line for line in base.splitlines() if name not in line) + "\n"
    path = folder / "case.yaml"
    path.write_text(base)
    return load_case(path, lines)


def test_the_preset_sets_the_whole_case(tmp_path):
    loaded = load(tmp_path)
    assert loaded.physics.set == "fvwam" and loaded.physics.longest_step == 7200
    assert loaded.equations.scheme == "upwind" and loaded.equations.sides == "local"
    assert (loaded.mesh.spectrum.frequencies, loaded.mesh.spectrum.first_frequency) == (35, 0.03715)
    assert loaded.time.source_step == 600 and loaded.initial.fetch == 30e3 and loaded.initial.cap_light_winds
    wind = loaded.forcing.wind
    assert (wind.vortex, wind.surface_factor, wind.air_density) == ("fvwam", 0.8, 1.293)


def test_options_of_the_case_override_the_preset(tmp_path):
    """Single options override the preset, and a group of another kind has its own defaults."""
    changed = ("physics={set: ard}", "equations.scheme=second_order", "initial={type: calm}")
    loaded = load(tmp_path, *changed, "mesh.spectrum.directions=24", "forcing.wind.vortex=holland")
    assert loaded.physics.set == "ard" and loaded.physics.longest_step == 600
    assert loaded.equations.scheme == "second_order" and loaded.equations.sides == "local"
    assert loaded.mesh.spectrum.directions == 24 and loaded.mesh.spectrum.first_frequency == 0.03715
    assert loaded.initial.type == "calm" and loaded.forcing.wind.surface_factor == 0.9
    with pytest.raises(ConfigError, match="preset = 'wam' must be 'fvwam'"):
        load(tmp_path, "preset=wam")


def test_the_vortex_of_a_track_needs_pressures(tmp_path):
    from halcyon.wave.track import read_track
    from halcyon.wave.wind import Options, vortex_wind

    (tmp_path / "track.csv").write_text(case.TRACK)
    (tmp_path / "weak.csv").write_text(case.TRACK.replace("940", "1012"))
    options = Options(vortex="fvwam", surface_factor=0.8, air_density=1.293, asymmetry="none")
    start = np.datetime64("2022-09-01T00:00")
    wind = vortex_wind(read_track(tmp_path / "track.csv"), start=start, options=options)
    u, v = np.empty(1), np.empty(1)
    vortex = wind.vortex(0.0)
    east = vortex.longitude + vortex.radius / 6371220 / math.cos(vortex.latitude)
    wind.at(0.0, np.array([vortex.latitude]), np.array([east]), u, v)
    assert v[0] > 0 and u[0] < 0  # anticlockwise, with inflow
    shape, deficit = 1.5 + (980 - 940) / 120, 7000
    half_rf = vortex.radius * 7.292e-5 * math.sin(vortex.latitude)
    gradient = math.sqrt(deficit * shape / 1.293 / math.e + half_rf**2) - half_rf
    assert np.hypot(u, v)[0] == pytest.approx(0.8 * gradient, rel=0.01)
    with pytest.raises(InputError, match=r"weak\.csv:2: the vortex fvwam needs a central"):
        vortex_wind(read_track(tmp_path / "weak.csv"), start=start, options=options)


@pytest.mark.parametrize("speed", [2.0, 4.0, 6.0])
def test_the_peak_of_the_start_is_at_most_a_fifth_hertz(speed):
    """In light winds the fully developed sea of 0.13 g/U would have a higher peak frequency."""
    grid = SpectralGrid(frequencies=40, first_frequency=0.04, ratio=1.1, directions=36)
    action = np.zeros((1, 40, 36), np.float32)
    set_fetch_law(
        action, grid, np.zeros(1, np.float32), np.full(1, speed, np.float32), 30e3, cap_light_winds=True
    )
    peak = grid.frequency[(action[0] * grid.sigma[:, None]).sum(1).argmax()]
    assert 0.13 * 9.80616 / speed > 0.2
    assert 0.2 / 1.05 < peak < 0.2 * 1.05
