"""The vortex of a best track: peak, radii, and missing values."""

import math
from pathlib import Path

import numpy as np
import pytest

from halcyon._core import wave as core
from halcyon._core.base import EARTH_RADIUS
from halcyon.base import KNOT, ConfigError, InputError
from halcyon.wave.track import read_track
from halcyon.wave.wind import Options, modelled_radii, parameters, vortex_wind

HOLLAND = Options(vortex="holland")
HINNAMNOR = Path(__file__).parents[2] / "examples" / "hinnamnor" / "track.csv"


def track_from(folder, text):
    """Reads a track from a text in the CSV format."""
    path = folder / "track.csv"
    path.write_text(text)
    return read_track(path)


def greatest_wind(wind, time_s):
    """Largest 10-m wind [m s-1] on a fine polar grid about the centre."""
    vortex = wind.vortex(time_s)
    distance, azimuth = np.meshgrid(
        vortex.radius * np.linspace(0.6, 1.6, 41), np.radians(np.arange(0, 360, 3))
    )
    latitude = vortex.latitude + distance * np.cos(azimuth) / EARTH_RADIUS
    longitude = vortex.longitude + distance * np.sin(azimuth) / (EARTH_RADIUS * math.cos(vortex.latitude))
    u, v = np.empty(latitude.size), np.empty(latitude.size)
    wind.at(time_s, latitude.ravel(), longitude.ravel(), u, v)
    return np.hypot(u, v).max()


@pytest.mark.parametrize(
    "options",
    [HOLLAND, Options(vortex="holland", inflow="phadke"), Options(vortex="holland", asymmetry="none")],
)
def test_peak_is_the_track_s_wind(options):
    """At every record the largest wind of the vortex is that of the track, within 2 %."""
    track = read_track(HINNAMNOR)
    wind = vortex_wind(track, start=track.times[0], options=options)
    seconds = (track.times - track.times[0]).astype(float)
    for i in np.flatnonzero(track.wind > 0):
        assert greatest_wind(wind, seconds[i]) == pytest.approx(track.wind[i], rel=0.02), track.location(i)


def test_radii_are_honoured_as_well_as_one_radius_of_maximum_wind_can():
    """Modelled and given radii of 50 and 30 knots differ by less than 0.4 in the logarithm (rms)."""
    track, options = read_track(HINNAMNOR), HOLLAND
    vortices = parameters(track, options)
    fifty, thirty = modelled_radii(track, vortices, options)
    errors = [
        np.log(modelled[i, 0] / radii.longest[i])
        for modelled, radii in ((fifty, track.radii[0]), (thirty, track.radii[1]))
        for i in np.flatnonzero((radii.longest > 0) & (track.wind > 0))
        if modelled[i, 0] > 0
    ]
    assert np.sqrt(np.mean(np.square(errors))) < 0.4
    assert np.all((vortices.radius >= 8e3) & (vortices.radius <= 200e3))
    assert np.all((vortices.shape >= 0.8) & (vortices.shape <= 2.5))


def test_fit_recovers_a_radius():
    """The fit to wind radii of a vortex finds its radius of maximum wind; without a solution it gives 0."""
    record = core.StormRecord(
        latitude=0.4, peak=48.0, deficit=6000.0, motion=5.0, surface_factor=0.9, air_density=1.15
    )
    radii = [
        core.WindRadius(speed, core.wind_radius(record, 37e3, speed, side), side)
        for speed in (25.7, 15.4)
        for side in (1.0, -1.0)
    ]
    assert core.fit_radius(record, radii) == pytest.approx(37e3, rel=1e-3)
    assert core.fit_radius(record, [core.WindRadius(90.0, 50e3, 1.0)]) == 0


def test_shape_is_holland_s_where_wind_and_pressure_are_given(tmp_path):
    """B = (v^2 + v r f) rho e / dp, with the gradient wind v of a surface factor of 0.9."""
    track = track_from(tmp_path, "time,latitude,longitude,pressure_hpa,wind_kt\n2022-09-01,20,130,950,80\n")
    vortices = parameters(track, Options(radius=40e3))
    peak, f = 80 * KNOT / 0.9, core.coriolis(math.radians(20))
    assert vortices.peak[0] == pytest.approx(peak)
    assert vortices.shape[0] == pytest.approx((peak**2 + peak * 40e3 * f) * 1.15 * math.e / 6000)


def test_wind_0_is_taken_from_the_pressure():
    """B follows from Vickery and Wadhera (2008), and the peak from B and the pressure deficit."""
    track = read_track(HINNAMNOR)
    vortices = parameters(track, HOLLAND)
    i = int(np.flatnonzero(np.isnan(track.wind))[0])
    f, radius, shape = abs(core.coriolis(vortices.latitude[i])), vortices.radius[i], vortices.shape[i]
    assert shape == pytest.approx(max(0.8, 1.833 - 0.326 * math.sqrt(f * radius)))
    assert vortices.peak[i] ** 2 + vortices.peak[i] * radius * f == pytest.approx(
        shape * 3000 / (1.15 * math.e)
    )


def test_statistical_radii(tmp_path):
    """Formulas of Vickery and Wadhera (2008), and of Willoughby et al. (2006) where the pressure is
    missing."""
    text = "time,latitude,longitude,pressure_hpa,wind_kt\n2022-09-01,-20,130,950,90\n2022-09-02,-21,130,,90\n"
    track = track_from(tmp_path, text)
    by_pressure = parameters(track, Options(radius="vickery_wadhera")).radius
    assert by_pressure[0] == pytest.approx(1e3 * math.exp(3.015 - 6.291e-5 * 60**2 + 0.0337 * 20))
    by_wind = parameters(track, Options(radius="willoughby")).radius
    assert by_wind[0] == pytest.approx(46.4e3 * math.exp(-0.0155 * 90 * KNOT / 0.9 + 0.0169 * 20))
    assert by_pressure[1] == by_wind[1]
    assert np.array_equal(parameters(track, HOLLAND).radius, by_pressure)


def test_radius_of_the_track_comes_first(tmp_path):
    """A radius in the track is used as it is."""
    text = "time,latitude,longitude,wind_kt,rmax_nmi\n2022-09-01,20,179,90,20\n2022-09-02,20,-179,90,30\n"
    vortices = parameters(track_from(tmp_path, text), Options())
    assert vortices.radius == pytest.approx([20 * 1852, 30 * 1852])
    assert np.all(vortices.eastward > 0) and np.all(
        vortices.eastward < 5
    )  # two degrees a day, across the date line


def test_averaging_factor_scales_the_wind(tmp_path):
    track = track_from(tmp_path, "time,latitude,longitude,wind_kt\n2022-09-01,20,130,100\n")
    unscaled, scaled = (parameters(track, Options(averaging_factor=factor)).peak[0] for factor in (1, 0.93))
    assert scaled == pytest.approx(0.93 * unscaled)


def test_no_wind_and_no_deficit_is_refused_with_its_line(tmp_path):
    track = track_from(tmp_path, "time,latitude,longitude,pressure_hpa,wind_kt\n2022-09-01,20,130,1012,0\n")
    with pytest.raises(InputError, match=r"track.csv:2: no wind is given, and the pressure of 1012 hPa"):
        parameters(track, Options())


@pytest.mark.parametrize(
    "bad",
    [{"surface_factor": 2}, {"inflow": "spiral"}, {"asymmetry": "left"}, {"radius": "big"}, {"radius": 5}],
)
def test_bad_options_say_what_is_allowed(bad):
    with pytest.raises(ConfigError, match=r"Allowed (is|are)"):
        Options(**bad)
