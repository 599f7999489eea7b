"""Heights of altimeters along their tracks, against fields of a run."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

from halcyon.base import EARTH_RADIUS, InputError
from halcyon.cli.app import app
from halcyon.score import score
from halcyon.score.altimeter import collocate_altimeter, read_altimeter

START = np.datetime64("2020-11-01T00:00", "ns")
FIXTURES = Path(__file__).parents[3] / "shared/data/fixtures/altimeter"
SECOND = np.timedelta64(1000, "ms")


def height(lon, lat, hours):
    """A field that is linear in space and time."""
    return 2 + 0.1 * (lon + 40) + 0.2 * (lat - 30) + 0.5 * hours


@pytest.fixture
def run(tmp_path):
    """Hourly fields of cells every 0.5 degrees between 45 and 35 W, 30 and 40 N."""
    lon, lat = (a.ravel() for a in np.meshgrid(np.arange(-45, -34.9, 0.5), np.arange(30, 40.1, 0.5)))
    for day, hours in enumerate((range(3), range(3, 6))):
        fields = [height(lon, lat, hour) for hour in hours]
        data = {"significant_height": (("time", "face"), fields), "lon": ("face", lon), "lat": ("face", lat)}
        times = START + np.array(hours) * np.timedelta64(3600, "s")
        xr.Dataset(data, {"time": times}).to_netcdf(tmp_path / f"fields_2020110{day + 1}T0000.nc")
    return tmp_path


def track_file(folder, *, lon=-40.0, seconds=120, noise=0.5, gap=None, **changes):
    """A track to the north at 7 km/s from 31 N at 01:10, with the field's heights and alternating noise."""
    seconds = np.delete(np.arange(seconds), [] if gap is None else np.arange(*gap))
    lat = 31 + np.degrees(7e3 * seconds / EARTH_RADIUS)
    values = height(lon, lat, 7 / 6 + seconds / 3600) + noise * (-1.0) ** seconds
    data = {
        "VAVH": ("time", values),
        "latitude": ("time", lat),
        "longitude": ("time", np.full(len(lat), lon % 360)),
    }
    data |= {name: ("time", value(seconds)) for name, value in changes.items()}
    times = START + np.timedelta64(4200, "s") + seconds * np.timedelta64(1, "s")
    xr.Dataset(data, {"time": times.astype("datetime64[ns]")}).to_netcdf(folder / "track.nc")
    return folder / "track.nc"


def test_super_observations(run, tmp_path):
    """120 measurements at 7 km become averages over the spacing of 0.5 degrees (43 to 48 km, by the nearest
    cell in longitude): their noise vanishes, and the model is interpolated in time."""
    (pairs,) = collocate_altimeter(run, [track_file(tmp_path)])
    assert 14 <= len(pairs.times) <= 20
    assert np.abs(pairs.modelled - pairs.measured).max() < 0.15
    assert score(pairs).bias == pytest.approx(0, abs=0.03)
    assert pairs.buoy == "track"
    (coarse,) = collocate_altimeter(run, [tmp_path / "track.nc"], length=200e3)
    assert 4 <= len(coarse.times) <= 5
    (fine,) = collocate_altimeter(run, [tmp_path / "track.nc"], length=1e3)
    assert len(fine.times) == 120
    assert np.abs(fine.modelled - fine.measured).min() > 0.3  # the noise of single measurements


def test_gaps_are_not_averaged(run, tmp_path):
    """A super-observation ends at a gap, and is left out if it covers less than half of its length."""
    file = track_file(tmp_path, seconds=62, gap=(31, 58), noise=0)
    (pairs,) = collocate_altimeter(run, [file], length=100e3)
    assert len(pairs.times) == 2  # of 15 and 15; the rest of 1 and the last 4 are short
    assert pairs.times[-1] < START + np.timedelta64(4200 + 31, "s")


def test_flags_missing_values_and_range(run, tmp_path):
    """Values whose flag is not good are left out, and implausible values are refused."""
    bad = lambda seconds: np.where(seconds < 60, 2, 3)  # noqa: E731
    assert len(read_altimeter(track_file(tmp_path, swh_quality=bad)).height) == 60
    huge = lambda seconds: np.where(seconds == 5, 50.0, 2.0)  # noqa: E731
    with pytest.raises(InputError, match=r"VAVH is 50 at 2020-11-01T01:10:05\.000, but must be"):
        read_altimeter(track_file(tmp_path, VAVH=huge))
    xr.Dataset({"VAVH": ("time", [1.0])}).to_netcdf(tmp_path / "other.nc")
    with pytest.raises(InputError, match="is not a file of an altimeter along its track"):
        read_altimeter(tmp_path / "other.nc")


def test_heights_that_are_not_certain(run, tmp_path):
    """Without VAVH, noisy heights and several variables with the standard name are refused; one is taken."""
    with xr.open_dataset(track_file(tmp_path)) as data:
        data = data.load()
    data.VAVH.attrs["standard_name"] = "sea_surface_wave_significant_height"
    for name, other in (("VAVH_UNFILTERED", None), ("a", "b")):
        changed = data.rename(VAVH=name)
        (changed if other is None else changed.assign({other: changed[name]})).to_netcdf(tmp_path / "t.nc")
        with pytest.raises(InputError, match=rf"t.nc has {name}( and b)?, but none of VAVH, .* rename one"):
            read_altimeter(tmp_path / "t.nc")
    data.rename(VAVH="a").to_netcdf(tmp_path / "one.nc")
    assert len(read_altimeter(tmp_path / "one.nc").height) == 120


def test_outside_of_the_mesh_and_the_run(run, tmp_path):
    for changes in ({"lon": -60.0}, {"time": None}):
        file = track_file(tmp_path, lon=changes.get("lon", -40.0))
        if "time" in changes:
            with xr.open_dataset(file) as data:
                late = data.assign_coords(time=data.time + np.timedelta64(1, "D")).load()
            late.to_netcdf(file)
        with pytest.raises(InputError, match="Fewer than two super-observations"):
            collocate_altimeter(run, [file])


def test_land_distance(run, tmp_path):
    """Flores in the Azores (31.2 W, 39.4 N) is 380 to 1020 km from the track."""
    file = track_file(tmp_path, noise=0, lon=-35.5)
    n_all, n_far = (
        len(collocate_altimeter(run, [file], land_distance=each)[0].times) for each in (450e3, 700e3)
    )
    assert 2 < n_far < n_all - 2
    with pytest.raises(InputError, match="1100 km from land"):
        collocate_altimeter(run, [file], land_distance=1100e3)


def test_the_command(run, tmp_path):
    file = track_file(tmp_path)
    done = CliRunner().invoke(app, ["score", str(run), "--altimeter", str(file), "--peaks"])
    assert done.exit_code == 0, done.exception
    assert done.stdout.splitlines()[1].split()[:4] == ["along", "track", "track", "significant_height"]


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="no shared data")
def test_a_file_of_copernicus_marine():
    """Sentinel-3A, 1 November 2020: 5,039 measurements of 1 Hz."""
    track = read_altimeter(sorted(FIXTURES.iterdir())[0])
    assert len(track.height) == 5039
    assert 0 < track.height.min() < track.height.max() < 15
    assert np.median(np.diff(track.times)) == SECOND
