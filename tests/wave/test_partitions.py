"""Partitioning of spectra into wave systems, wind sea and swell."""

import numpy as np
import pytest

from halcyon.wave import SpectralGrid, jonswap, partitions, products

GRID = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)
# Partitioning gives each bin the index of the peak bin of its wave system, -1 without energy.
NAMES = [
    f"{system}_{quantity}"
    for system in ("wind_sea", "swell", "swell_1", "swell_2", "swell_3")
    for quantity in ("height", "period", "direction")
]


def sea(peak_s, towards, alpha=0.01):
    """The action of a JONSWAP sea with a peak period [s], towards a direction [degrees]."""
    action = jonswap(GRID, peak_frequency=1 / peak_s, alpha=alpha, gamma=3, direction=np.radians(towards))
    return np.asarray(action)


def density(action):
    """The variance density [m2 Hz-1 rad-1]."""
    return np.ascontiguousarray(action * np.asarray(GRID.sigma)[:, np.newaxis], np.float32)


def systems(action, *, east=0.0, north=0.0, depth=4000.0):
    """The products NAMES and the total height of a spectrum, in a wind [m s-1] and a depth [m]."""
    arguments = {"depth": depth, "eastward_wind": east, "northward_wind": north}
    arguments = {name: np.array([value], np.float32) for name, value in arguments.items()}
    names = [*NAMES, "significant_height"]
    return {name: v[0] for name, v in products(GRID, action[None], names, **arguments).items()}


def height(action):
    """Significant height [m]."""
    return products(GRID, action[None])["significant_height"][0]


def coming_from(towards):
    """The direction [degrees] from which waves towards a direction come."""
    return (towards + 180) % 360


def test_one_peak_is_one_system():
    peaks = partitions(GRID, density(sea(10, 45)))
    assert len(set(peaks[peaks >= 0])) == 1


def test_no_energy_belongs_to_no_system():
    assert np.all(partitions(GRID, np.zeros((35, 36), np.float32)) == -1)


def test_systems_go_around_north():
    """The catchment of a peak towards north has bins on both sides of the first direction."""
    peaks = partitions(GRID, density(sea(10, 0))).reshape(35, 36)
    assert len(set(peaks[peaks >= 0])) == 1
    row = peaks[np.argmax((peaks >= 0).sum(axis=1))]
    assert row[0] == row[-1] >= 0


@pytest.mark.parametrize(("share", "expected"), [(0.6, 2), (0.7, 1)])
def test_two_peaks_are_one_where_the_pass_is_high(share, expected):
    """Hanson and Phillips (2001): peaks are merged if the saddle is at least 0.65 of the lower peak."""
    spectrum = np.zeros((35, 36), np.float32)
    spectrum[10, 4:9] = [1.0, share, share, share, 1.0]
    peaks = partitions(GRID, spectrum)
    assert len(set(peaks[peaks >= 0])) == expected


def test_a_plateau_is_one_system():
    spectrum = np.zeros((35, 36), np.float32)
    spectrum[8:14, 10:20] = 1
    peaks = partitions(GRID, spectrum)
    assert set(peaks[peaks >= 0]) == {8 * 36 + 10}
    assert np.count_nonzero(peaks >= 0) == 60


def test_every_bin_belongs_to_the_peak_that_steepest_ascent_finds():
    """A bin's system is that of the local maximum to which steepest ascent leads, unless that maximum was
    merged into a higher one; three seas are three systems."""
    spectrum = density(sea(14, 200) + sea(6, 60, 0.02) + sea(9, 320))
    peaks = partitions(GRID, spectrum).reshape(35, 36)
    for m, k in np.random.default_rng(2).integers(0, (35, 36), (200, 2)):
        if spectrum[m, k] > 0:
            peak = steepest_ascent(spectrum, m, k)
            assert peaks[m, k] == peaks[peak] or spectrum[peak] <= spectrum.flat[peaks[m, k]]
    assert len(set(peaks[peaks >= 0])) == 3


def steepest_ascent(spectrum, m, k):
    """The local maximum (frequency, direction) that the steepest ascent from bin (m, k) ends at."""
    while True:
        around = [(m + i, (k + j) % 36) for i in (-1, 0, 1) for j in (-1, 0, 1) if 0 <= m + i < 35]
        best = max(around, key=lambda neighbor: spectrum[neighbor])
        if spectrum[best] <= spectrum[m, k]:
            return m, k
        m, k = best


def test_a_swell_and_a_wind_sea():
    """Two seas far apart come out as the systems they are made of."""
    swell, wind_sea = sea(15, 100, 0.003), sea(6, 350, 0.02)
    east, north = 12 * np.sin(np.radians(350)), 12 * np.cos(np.radians(350))
    values = systems(swell + wind_sea, east=east, north=north)
    assert values["wind_sea_height"] == pytest.approx(height(wind_sea), rel=0.02)
    assert values["swell_height"] == pytest.approx(height(swell), rel=0.02)
    assert values["swell_1_height"] == values["swell_height"]
    assert values["wind_sea_direction"] == pytest.approx(coming_from(350), abs=3)
    assert values["swell_1_direction"] == pytest.approx(coming_from(100), abs=3)
    assert values["swell_2_height"] == 0
    assert np.isnan(values["swell_2_period"])
    period = products(GRID, swell[None])["mean_period"][0]
    assert values["swell_period"] == pytest.approx(period, rel=0.02)


def test_without_wind_all_is_swell_the_highest_first():
    """Swells are numbered by height, and sum to the total."""
    three = sea(18, 30, 0.002) + sea(11, 150, 0.01) + sea(7, 270, 0.01)
    values = systems(three)
    assert values["wind_sea_height"] == 0
    heights = [values[f"swell_{i}_height"] for i in (1, 2, 3)]
    assert heights == sorted(heights, reverse=True)
    assert values["swell_height"] == pytest.approx(np.sqrt(np.square(heights).sum()), rel=1e-3)
    assert values["swell_height"] == pytest.approx(values["significant_height"], rel=1e-6)


def test_variance_is_shared_out_among_the_systems():
    """The squared heights of wind sea and swell sum to the squared total height."""
    mixed = sea(16, 80, 0.004) + sea(8, 200) + sea(4, 310, 0.02)
    values = systems(mixed, east=-9.0, north=6.0)
    total = np.hypot(values["wind_sea_height"], values["swell_height"])
    assert total == pytest.approx(values["significant_height"], rel=1e-6)


def test_waves_faster_than_the_wind_are_swell():
    """Waves along the wind are wind sea where 1.7 U10 exceeds their phase speed, otherwise swell."""
    narrow = np.zeros((35, 36), np.float32)
    narrow[11, 9] = 1  # 0.0984 Hz, towards 95 degrees
    speed = 9.80616 / GRID.sigma[11]
    for factor, name in ((0.99, "swell_height"), (1.01, "wind_sea_height")):
        wind = factor * speed / 1.7
        values = systems(narrow, east=wind * np.sin(np.radians(95)), north=wind * np.cos(np.radians(95)))
        assert values[name] == pytest.approx(values["significant_height"])


def test_small_swells_are_not_named_but_counted():
    """A swell of 3 cm counts in the total of swell, but gets no number of its own."""
    tiny = sea(12, 60) * np.float32((0.03 / height(sea(12, 60))) ** 2)
    values = systems(tiny)
    assert values["swell_height"] == pytest.approx(0.03, rel=1e-3)
    assert values["swell_1_height"] == 0


def test_wavespectra_finds_the_same_systems():
    """The watershed partitioning of WAVEWATCH III (PTM1), as implemented by wavespectra."""
    pytest.importorskip("wavespectra")
    import xarray as xr
    from wavespectra.core.attributes import set_spec_attributes

    mixed = sea(14, 80, 0.002) + sea(11, 200, 0.005) + sea(8, 300, 0.02)  # peaks of similar height
    towards = np.degrees(np.asarray(GRID.direction))
    efth = xr.DataArray(
        density(mixed) * np.pi / 180,
        dims=("freq", "dir"),
        coords={"freq": np.asarray(GRID.frequency), "dir": (towards + 180) % 360},
        name="efth",
    ).sortby("dir")
    set_spec_attributes(efth)
    watershed = efth.spec.partition.ptm1(wspd=14.0, wdir=coming_from(300.0), dpt=4000.0, swells=3)
    east, north = 14 * np.sin(np.radians(300)), 14 * np.cos(np.radians(300))
    values = systems(mixed, east=east, north=north)
    heights = [values[f"{name}_height"] for name in ("wind_sea", "swell_1", "swell_2", "swell_3")]
    assert watershed.spec.hs().values == pytest.approx(heights, rel=0.03, abs=0.01)
