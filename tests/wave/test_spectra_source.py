"""Spectra of other models: reading of their formats, and conservative rebinning."""

import math

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon import wave
from halcyon.base import InputError
from halcyon.mesh.sphere import to_points
from halcyon.wave.spectra import Rebinning, open_spectra, point_weights
from halcyon.wave.spectra.points import nearest_distance
from halcyon.wave.spectra.rebinning import frequency_edges
from tests.wave import grids

GRID = wave.SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=36)
FREQUENCY = 0.04118 * 1.1 ** np.arange(25)
DIRECTION = np.arange(0.0, 360.0, 15.0)


def swell(frequency, direction, *, peak=0.08, towards=60.0, height=2.0):
    """Density of a narrow swell (frequency, direction); peak [Hz]; direction, towards [degrees]."""
    shape = np.exp(-(((frequency - peak) / 0.012) ** 2))[:, None]
    shape = shape * np.maximum(0, np.cos(np.radians(direction - towards))) ** 8
    return shape * height**2 / 16 / energy(shape, frequency, direction)


def energy(density, frequency, direction):
    """m0 [m2] of densities (..., frequency, direction), by the trapezoidal rule over frequency."""
    width = np.diff(frequency_edges(frequency))[:, None] * 2 * np.pi / len(direction)
    return (density * width).sum(axis=(-2, -1))


def energy_and_direction(action):
    """m0 [m2] and the mean direction (towards) [degrees] of action (frequency, direction) on GRID."""
    density = action * np.asarray(GRID.sigma)[:, None]
    spectrum = (density * np.asarray(GRID.frequency_width)[:, None]).sum(axis=0) * GRID.direction_width
    east, north = (spectrum * np.sin(GRID.direction)).sum(), (spectrum * np.cos(GRID.direction)).sum()
    return spectrum.sum(), math.degrees(math.atan2(east, north)) % 360


def write_two_points(path, **options):
    """Writes a file of two points and two times, with swells of 2 m and 3 m, then 4 m and 1 m."""
    density = np.array(
        [[swell(FREQUENCY, DIRECTION, height=h) for h in row] for row in ((2.0, 3.0), (4.0, 1.0))]
    )
    if options.get("convention") == "from":
        density = density[..., (np.arange(24) + 12) % 24]
    grids.write_spectra(
        path,
        options.pop("factor", 1.0) * density,
        hours=(0, 6),
        lon=[120.0, 121.0],
        lat=[20.0, 20.0],
        **({"frequency": FREQUENCY, "direction": DIRECTION} | options),
    )
    return path


@pytest.mark.parametrize("towards", [0.0, 7.0, 60.0, 181.0, 355.0])
def test_energy_and_direction_are_kept(towards):
    """Rebinning keeps m0 and the mean direction."""
    density = swell(FREQUENCY, DIRECTION, towards=towards)
    action = Rebinning(FREQUENCY, np.radians(DIRECTION), GRID).action(density[None])[0]
    m0, mean = energy_and_direction(action)
    assert m0 == pytest.approx(0.25, rel=1e-4)
    spectrum = swell(FREQUENCY, DIRECTION, towards=towards).sum(axis=0)
    x, y = (spectrum * np.sin(np.radians(DIRECTION))).sum(), (spectrum * np.cos(np.radians(DIRECTION))).sum()
    assert (mean - math.degrees(math.atan2(x, y)) + 180) % 360 - 180 == pytest.approx(0, abs=0.01)


def test_our_own_bins_stay_as_they_are():
    """Rebinning from a grid to itself changes nothing; the tail has the directions of the last frequency."""
    density = np.random.default_rng(1).uniform(0, 1, (3, 35, 36))
    action = Rebinning(GRID.frequency, GRID.direction, GRID, tail_of_last=True).action(density)
    assert action * np.asarray(GRID.sigma)[:, None] == pytest.approx(density, rel=1e-12)


def test_a_tail_follows_the_last_frequency():
    """Beyond the last frequency of the file the density falls as f^-5; below the first it is 0."""
    density = FREQUENCY[:, None] ** -5.0 * np.ones((1, 24))
    action = Rebinning(FREQUENCY, np.radians(DIRECTION), GRID).action(density[None])[0]
    rebinned = action[:, 0] * np.asarray(GRID.sigma)
    beyond = np.asarray(GRID.frequency) > FREQUENCY[-1] * 1.1
    assert beyond.sum() > 5
    inner = beyond & (np.arange(35) < 34)  # the last bin extends only below its frequency
    assert rebinned[inner] == pytest.approx(np.asarray(GRID.frequency)[inner] ** -5, rel=0.03)
    assert np.count_nonzero(rebinned[np.asarray(GRID.frequency) < FREQUENCY[0] * 0.9]) == 0


def test_longer_waves_than_ours_go_into_the_first_bin():
    """Energy below the lowest frequency of the grid goes into its first bin."""
    frequency = np.array([0.02, 0.025, 0.03, 0.04, 0.05])
    density = np.zeros((1, 5, 24))
    density[0, 1] = 1.0
    action = Rebinning(frequency, np.radians(DIRECTION), GRID).action(density)[0]
    assert energy_and_direction(action)[0] == pytest.approx(
        energy(density[0], frequency, DIRECTION), rel=1e-12
    )
    assert np.count_nonzero(action[1:]) == 0


def test_each_point_by_itself_has_the_same_bits():
    """Spectra are rebinned with the same bits together and one by one."""
    density = np.random.default_rng(2).uniform(0, 1, (7, 25, 24))
    rebinning = Rebinning(FREQUENCY, np.radians(DIRECTION), GRID)
    together = rebinning.action(density)
    for i in range(7):
        assert rebinning.action(density[i : i + 1])[0].tobytes() == together[i].tobytes()


@pytest.mark.parametrize(
    ("convention", "units", "directions"),
    [
        ("to", "m2 s rad-1", "auto"),
        ("from", "m2 s rad-1", "auto"),
        ("to", "m^{2}.s.degree^{-1}", "auto"),
        (None, "m2/Hz/degr", "towards"),
    ],
)
def test_conventions(tmp_path, convention, units, directions):
    """Directions "to" and "from", and densities per radian and per degree, give the same spectra."""
    factor = 1.0 if "rad" in units else np.pi / 180
    spectra = open_spectra(
        [str(write_two_points(tmp_path / "s.nc", convention=convention, units=units, factor=factor))],
        directions=directions,
    )
    assert spectra.longitude.tolist() == [120.0, 121.0]
    action = Rebinning(spectra.frequency, spectra.direction, GRID).action(spectra.density(1, np.array([0])))
    m0, mean = energy_and_direction(action[0])
    assert (4 * math.sqrt(m0), mean) == (pytest.approx(4.0, rel=1e-4), pytest.approx(60, abs=0.1))


def write_swan(path, *, convention, towards=60.0, scaled=False):
    """Writes a file of one point and two times in the format of SWAN, with directions in radians and the
    attribute mdc. convention: "from" of nautical directions, "to" of Cartesian directions, which count
    anticlockwise from east; scaled: densities as scaled integers."""
    density = np.array([[swell(FREQUENCY, DIRECTION, towards=towards, height=h)] for h in (2.0, 4.0)])
    nautical = np.radians((DIRECTION + 180) % 360)
    cartesian = np.radians((90 - DIRECTION) % 360)
    scale = density.max(axis=(2, 3)) / (2**15 - 1)
    axes = {"lon": [120.0], "lat": [20.0], "hours": (0, 6)}
    grids.write_spectra(
        path,
        np.rint(density / scale[..., None, None]) if scaled else density,
        frequency=FREQUENCY,
        direction=nautical if convention == "from" else cartesian,
        convention=convention,
        **axes,
    )
    with Dataset(path, "a") as file:
        file["direction"].setncatts({"units": "radians", "long_name": "direction", "mdc": np.int32(24)})
        if scaled:
            file.createVariable("scale_density", "f4", ("time", "station"))[:] = scale
    return str(path)


@pytest.mark.parametrize("convention", ["from", "to"])
@pytest.mark.parametrize("scaled", [False, True])
def test_swan_s_own_conventions(tmp_path, convention, scaled):
    """Nautical and Cartesian directions, and scaled densities, give the same spectra."""
    spectra = open_spectra([write_swan(tmp_path / "swan.nc", convention=convention, scaled=scaled)])
    for record, height in ((0, 2.0), (1, 4.0)):
        action = Rebinning(spectra.frequency, spectra.direction, GRID).action(
            spectra.density(record, np.array([0]))
        )
        m0, mean = energy_and_direction(action[0])
        assert 4 * math.sqrt(m0) == pytest.approx(height, rel=1e-3)
        assert mean == pytest.approx(60, abs=0.1)


def test_cartesian_directions_of_a_file_that_does_not_say_it(tmp_path):
    """With the option directions = cartesian they are read as anticlockwise from east."""
    path = write_two_points(tmp_path / "plain.nc", convention=None, direction=(90 - DIRECTION) % 360)
    spectra = open_spectra([str(path)], directions="cartesian")
    action = Rebinning(spectra.frequency, spectra.direction, GRID).action(spectra.density(0, np.array([0])))
    assert energy_and_direction(action[0])[1] == pytest.approx(60, abs=0.1)


def test_a_scale_on_other_dimensions_is_refused(tmp_path):
    path = write_swan(tmp_path / "swan.nc", convention="from")
    with Dataset(path, "a") as file:
        file.createVariable("scale_density", "f4", ("station",))[:] = 1
    with pytest.raises(InputError, match=r"scale_density must be on time, station, as SWAN writes it"):
        open_spectra([path])


def test_a_file_a_station(tmp_path):
    """One file per point, as WAVEWATCH III can write them, is the same as one file of all points."""
    together = open_spectra([str(write_two_points(tmp_path / "all.nc"))])
    for i, name in enumerate("ba"):
        for record in (0, 1):
            grids.write_spectra(
                tmp_path / f"station_{name}_{record}.nc",
                together.read(record, np.array([1 - i]))[None],
                hours=(6 * record,),
                lon=[121.0 - i],
                lat=[20.0],
                frequency=FREQUENCY,
                direction=DIRECTION,
            )
    apart = open_spectra([str(tmp_path / "station_*.nc")])
    assert apart.longitude.tolist() == [120.0, 121.0] and np.array_equal(apart.times, together.times)
    for record in (0, 1):
        for points in ([0, 1], [1, 0], [1]):
            densities = [spectra.density(record, np.array(points)) for spectra in (apart, together)]
            assert np.array_equal(*densities)
    (tmp_path / "station_b_1.nc").unlink()
    with pytest.raises(InputError, match=r"station_b_0.nc has other points than .*station_a_0.nc, and other"):
        open_spectra([str(tmp_path / "station_*.nc")])


def test_a_file_that_was_cut_short_is_refused(tmp_path):
    path = write_two_points(tmp_path / "cut.nc")
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(InputError, match=r"cut.nc was cut short: it has \d+ bytes, but its header expects"):
        open_spectra([str(path)])


def test_golden_files(shared):
    """The same spectra in files of WAVEWATCH III and wavespectra; a SWAN file against its own Hs."""
    folder = shared / "data" / "interop_wavespectra"
    ww3 = open_spectra([str(folder / "ww3file.nc")])
    wavespectra = open_spectra([str(folder / "wavespectra.nc")], directions="from")
    points = np.array([0, 1])
    for spectra in (ww3, wavespectra):
        assert spectra.longitude == pytest.approx([92.1, 92.0]) and len(spectra.times) == 9
    actions = [
        Rebinning(f.frequency, f.direction, GRID).action(f.density(3, points)) for f in (ww3, wavespectra)
    ]
    assert actions[0] == pytest.approx(actions[1], rel=1e-4, abs=1e-6)
    swan = open_spectra([str(folder / "swanfile.nc")])
    with Dataset(folder / "swanfile.nc") as file:
        swan_heights = file["hs"][:, 0]
    actions = [
        Rebinning(swan.frequency, swan.direction, GRID).action(swan.density(i, points[:1])) for i in (0, 1, 2)
    ]
    heights = wave.products(GRID, np.concatenate(actions).astype(np.float32))["significant_height"]
    assert heights == pytest.approx(swan_heights, rel=0.02)  # both with the tail beyond the last frequency


def test_swan_s_text(shared):
    """Times, frequencies and the largest density are those that the text file shows."""
    spectra = open_spectra([str(shared / "data" / "interop_wavespectra" / "swanfile.spec")])
    assert spectra.times[0] == np.datetime64("2016-10-11") and len(spectra.frequency) == 24
    density = spectra.density(0, np.array([0]))[0]
    peak = np.unravel_index(density.argmax(), density.shape)
    assert density.max() == pytest.approx(9998 * 1.68566278e-05 * 180 / math.pi)
    assert spectra.frequency[peak[0]] == 0.0737
    assert math.degrees(spectra.direction[peak[1]]) == pytest.approx(
        (245 + 180) % 360
    )  # from 245, so towards 65


def test_between_two_points():
    """Between the two nearest points weights are linear; beyond the outer points the nearest counts alone."""
    positions = to_points(np.array([120.25, 121.0, 119.0, 130.0]), np.array([20.0, 20.0, 20.0, 20.0]))
    points = to_points(np.array([120.0, 121.0, 125.0]), np.array([20.0, 20.0, 20.0]))
    weights = point_weights(positions, points)
    assert weights.points[0].tolist() == [0, 1]
    assert weights.shares[0] == pytest.approx([0.75, 0.25], abs=1e-3)
    assert weights.combine(np.array([1.0, 2.0, 9.0])) == pytest.approx([1.25, 2.0, 1.0, 9.0], abs=1e-3)
    used, restricted = weights.restricted()
    assert restricted.combine(np.array([1.0, 2.0, 9.0])[used]) == pytest.approx(
        [1.25, 2.0, 1.0, 9.0], abs=1e-3
    )
    assert nearest_distance(positions, points)[1] == 0
    assert point_weights(positions, points[:1]).combine(np.array([7.0])).tolist() == [7.0] * 4


# By name: options of the file, options of `open_spectra`, text of the error.
MISTAKES = {
    "directions": (
        {"convention": None},
        {},
        "does not say whether direction has the directions from which waves come",
    ),
    "a sector": (
        {"direction": DIRECTION / 3},
        {},
        "do not cover the full circle: two adjacent of the 24 directions are 245 degrees apart",
    ),
    "a direction": (
        {"direction": 60 * DIRECTION},
        {},
        "the direction of a bin is 900 at index 1, but must be",
    ),
    "frequencies": ({"frequency": FREQUENCY - 0.05}, {}, "the frequencies must be above 0 and different"),
    "units": ({"units": "m2 s"}, {}, "efth has the units 'm2 s'; they must be m2 s per radian or degree"),
    "variable": ({}, {"variable": "spectrum"}, "has 0 variables of spectral densities"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(tmp_path, name):
    file_options, options, text = MISTAKES[name]
    with pytest.raises(InputError, match=text):
        open_spectra([str(write_two_points(tmp_path / "s.nc", **file_options))], **options)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_missing_values_are_named(tmp_path, value):
    path = write_two_points(tmp_path / "s.nc", factor=np.where(np.arange(24) == 3, value, 1.0))
    spectra = open_spectra([str(path)])
    text = r"s.nc: the spectrum of point 2 \(121.00 E 20.00 N\) at 2022-09-01 06:00 UTC has"
    text += {-1.0: r" the value -[\d.e-]+ m2", np.inf: " the value inf m2"}.get(value, " a missing value")
    with pytest.raises(InputError, match=text + r".* [\d.]+ Hz towards 45 degrees"):
        spectra.density(1, np.array([1]))


def test_files_must_agree(tmp_path):
    """Two files with the same times are refused."""
    write_two_points(tmp_path / "a.nc")
    with pytest.raises(InputError, match="two spectra of a point have the time 2022-09-01 00:00"):
        (tmp_path / "b.nc").write_bytes((tmp_path / "a.nc").read_bytes())
        open_spectra([str(tmp_path / "*.nc")])


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("AFREQ", "AFREK", r"s.spec:9: 'AFREK.*stands where AFREQ or RFREQ should be"),
        ("m2/Hz/degr", "J/m2", "stands where a unit of"),
        ("m2/Hz/degr", "m2/Hz/degrees", "stands where a unit of"),
        (
            "     1                                  number of loc",
            "     0 number of loc",
            "s.spec:7: '0 number.* a number of rows",
        ),
        (
            "  174.672501  -38.173599",
            "  174.672501",
            "s.spec:8: '174.672501' stands where 2 numbers should be",
        ),
        ("FACTOR", "FAKTOR", "stands where FACTOR or ZERO or NODATA should be"),
    ],
)
def test_bad_text_is_named(tmp_path, shared, old, new, text):
    whole = (shared / "data" / "interop_wavespectra" / "swanfile.spec").read_text()
    (tmp_path / "s.spec").write_text(
        whole.replace(old, new, 1) if old != "m2/Hz/degr" else whole.replace(old, new)
    )
    with pytest.raises(InputError, match=text):
        open_spectra([str(tmp_path / "s.spec")])


@pytest.mark.parametrize("n_lines", [1, 5, 8, 20, 60, 80, 100, 150])
def test_a_text_that_is_cut_short_is_named(tmp_path, shared, n_lines):
    whole = (shared / "data" / "interop_wavespectra" / "swanfile.spec").read_text()
    (tmp_path / "s.spec").write_text("\n".join(whole.splitlines()[:n_lines]))
    with pytest.raises(InputError, match=r"s.spec ends where .* should be, in SWAN's format"):
        open_spectra([str(tmp_path / "s.spec")])
