"""Partitioning of spectra into wave systems, wind sea and swell."""

import numpy as np
import pytest

from halcyon.wave import SpectralGrid, jonswap, partitions, products

GRID = SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)
NAMES = [
    f"{system}_{quantity}"
    for system in ("wind_sea", "swell", "swell_1", "swell_2", "swell_3")
    for quantity in ("height", "period", "direction")
]


def sea(peak_s, towards, alpha=0.01):
    """A JONSWAP sea of a peak period [s] towards a direction [degrees]."""
    found = jonswap(GRID, peak_frequency=1 / peak_s, alpha=alpha, gamma=3, direction=np.radians(towards))
    return np.asarray(found)


def density(action):
    return np.ascontiguousarray(action * np.asarray(GRID.sigma)[:, np.newaxis], np.float32)


def systems(action, *, east=0.0, north=0.0, depth=4000.0):
    given = {"depth": depth, "eastward_wind": east, "northward_wind": north}
    cell = {name: np.array([value], np.float32) for name, value in given.items()}
    names = [*NAMES, "significant_height"]
    return {name: v[0] for name, v in products(GRID, action[None], names, **cell).items()}


def height(action):
    return products(GRID, action[None])["significant_height"][0]


def from_(towards):
    return (towards + 180) % 360


def test_one_peak_is_one_system():
    found = partitions(GRID, density(sea(10, 45)))
    assert len(set(found[found >= 0])) == 1


def test_no_energy_belongs_to_no_system():
    assert np.all(partitions(GRID, np.zeros((35, 36), np.float32)) == -1)


def test_systems_go_around_north():
    """The catchment of a peak towards north has bins on both sides of the first direction."""
    found = partitions(GRID, density(sea(10, 0))).reshape(35, 36)
    assert len(set(found[found >= 0])) == 1
    row = found[np.argmax((found >= 0).sum(axis=1))]
    assert row[0] == row[-1] >= 0


@pytest.mark.parametrize(("share", "expected"), [(0.6, 2), (0.7, 1)])
def test_two_peaks_are_one_where_the_pass_is_high(share, expected):
    """Hanson and Phillips (2001): peaks are merged if the saddle is at least 0.65 of the lower peak."""
    spectrum = np.zeros((35, 36), np.float32)
    spectrum[10, 4:9] = [1.0, share, share, share, 1.0]
    found = partitions(GRID, spectrum)
    assert len(set(found[found >= 0])) == expected


def test_a_plateau_is_one_system():
    spectrum = np.zeros((35, 36), np.float32)
    spectrum[8:14, 10:20] = 1
    found = partitions(GRID, spectrum)
    assert set(found[found >= 0]) == {8 * 36 + 10}
    assert np.count_nonzero(found >= 0) == 60


def test_every_bin_belongs_to_the_peak_that_steepest_ascent_finds():
    spectrum = density(sea(14, 200) + sea(6, 60, 0.02) + sea(9, 320))
    found = partitions(GRID, spectrum).reshape(35, 36)
    for m, k in np.random.default_rng(2).integers(0, (35, 36), (200, 2)):
        if spectrum[m, k] > 0:
            peak = steepest_ascent(spectrum, m, k)
            assert found[m, k] == found[peak] or spectrum[peak] <= spectrum.flat[found[m, k]]
    assert len(set(found[found >= 0])) == 3


def steepest_ascent(spectrum, m, k):
    while True:
        around = [(m + i, (k + j) % 36) for i in (-1, 0, 1) for j in (-1, 0, 1) if 0 <= m + i < 35]
        best = max(around, key=lambda at: spectrum[at])
        if spectrum[best] <= spectrum[m, k]:
            return m, k
        m, k = best


def test_a_swell_and_a_wind_sea():
    swell, wind_sea = sea(15, 100, 0.003), sea(6, 350, 0.02)
    east, north = 12 * np.sin(np.radians(350)), 12 * np.cos(np.radians(350))
    got = systems(swell + wind_sea, east=east, north=north)
    assert got["wind_sea_height"] == pytest.approx(height(wind_sea), rel=0.02)
    assert got["swell_height"] == pytest.approx(height(swell), rel=0.02)
    assert got["swell_1_height"] == got["swell_height"]
    assert got["wind_sea_direction"] == pytest.approx(from_(350), abs=3)
    assert got["swell_1_direction"] == pytest.approx(from_(100), abs=3)
    assert got["swell_2_height"] == 0
    assert np.isnan(got["swell_2_period"])
    whole = products(GRID, swell[None])["mean_period"][0]
    assert got["swell_period"] == pytest.approx(whole, rel=0.02)


def test_without_wind_all_is_swell_the_highest_first():
    three = sea(18, 30, 0.002) + sea(11, 150, 0.01) + sea(7, 270, 0.01)
    got = systems(three)
    assert got["wind_sea_height"] == 0
    heights = [got[f"swell_{i}_height"] for i in (1, 2, 3)]
    assert heights == sorted(heights, reverse=True)
    assert got["swell_height"] == pytest.approx(np.sqrt(np.square(heights).sum()), rel=1e-3)
    assert got["swell_height"] == pytest.approx(got["significant_height"], rel=1e-6)


def test_variance_is_shared_out_among_the_systems():
    mixed = sea(16, 80, 0.004) + sea(8, 200) + sea(4, 310, 0.02)
    got = systems(mixed, east=-9.0, north=6.0)
    both = np.hypot(got["wind_sea_height"], got["swell_height"])
    assert both == pytest.approx(got["significant_height"], rel=1e-6)


def test_waves_faster_than_the_wind_are_swell():
    """1.7 U10 > c: the phase speed of 10 s waves is 15.6 m/s, so they are swell at 8 m/s, wind sea at 12
    m/s."""
    narrow = np.zeros((35, 36), np.float32)
    narrow[11, 9] = 1  # 0.0984 Hz, towards 95 degrees
    speed = 9.80616 / GRID.sigma[11]
    for factor, name in ((0.99, "swell_height"), (1.01, "wind_sea_height")):
        wind = factor * speed / 1.7
        got = systems(narrow, east=wind * np.sin(np.radians(95)), north=wind * np.cos(np.radians(95)))
        assert got[name] == pytest.approx(got["significant_height"])


def test_small_swells_are_not_named_but_counted():
    tiny = sea(12, 60) * np.float32((0.03 / height(sea(12, 60))) ** 2)
    got = systems(tiny)
    assert got["swell_height"] == pytest.approx(0.03, rel=1e-3)
    assert got["swell_1_height"] == 0


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
    theirs = efth.spec.partition.ptm1(wspd=14.0, wdir=from_(300.0), dpt=4000.0, swells=3)
    east, north = 14 * np.sin(np.radians(300)), 14 * np.cos(np.radians(300))
    got = systems(mixed, east=east, north=north)
    ours = [got[f"{name}_height"] for name in ("wind_sea", "swell_1", "swell_2", "swell_3")]
    assert theirs.spec.hs().values == pytest.approx(ours, rel=0.03, abs=0.01)
