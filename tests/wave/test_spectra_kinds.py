"""Spectra of every kind of file: heights and directions of an independent reader, and closed forms in every
convention."""

import gzip
import itertools
import math
import warnings

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon import wave
from halcyon.base import GRAVITY, InputError
from halcyon.wave.spectra import Rebinning, open_sources, open_spectra
from halcyon.wave.spectra.energy import Moments, group_speed
from halcyon.wave.spectra.ndbc import N_DIRECTIONS, spread_of
from halcyon.wave.spectra.rebinning import frequency_edges
from tests.wave import grids
from tests.wave.test_spectra_source import DIRECTION, FREQUENCY, GRID, energy_and_direction, swell

BUOY = {"position": (-78.5, 28.9)}
NDBC = ("data_spec", "swdir", "swdir2", "swr1", "swr2")


def mean_direction(density, frequency, direction, widths):
    """Mean direction [degrees] from which waves come, of densities (n, frequency, direction)."""
    spectrum = np.einsum("nfd,f->nd", density, widths)
    east, north = spectrum @ np.sin(direction), spectrum @ np.cos(direction)
    return (np.degrees(np.arctan2(east, north)) + 180) % 360


RANGES = {1.05: 36, 0.41: 25}  # by last frequency [Hz] of a run: its number of frequencies


def difference(a, b):
    return (a - b + 180) % 360 - 180


def theirs(name, files):
    """The dataset of wavespectra's reader."""
    ws = pytest.importorskip("wavespectra", reason="wavespectra is not installed")
    readers = {
        "ww3file.nc": ws.read_ww3,
        "swanfile.nc": ws.read_ncswan,
        "swanfile.spec": lambda path: ws.read_swan(path, as_site=True),
        "swanhot.spec": lambda path: ws.read_swan(path, as_site=True),
        "era5file.nc": lambda path: ws.read_era5(path, as_site=True),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in readers:
            return readers[name](files[0])
        if name == "wavespectra.nc":
            return ws.read_netcdf(files[0])
        return ws.read_ndbc_ascii(files).expand_dims("site", axis=1)


REAL = {
    **{name: {} for name in ("ww3file.nc", "swanfile.nc", "swanfile.spec", "swanhot.spec", "era5file.nc")},
    "wavespectra.nc": {"directions": "from"},
    "41010": BUOY,
    "dorian": BUOY,
}


def of_the_storm(folder, kind, tmp_path):
    """Writes two days of a file of a year; returns its name."""
    content = gzip.decompress((folder / f"41010{kind}2019.txt.gz").read_bytes()).decode()
    header, *lines = content.splitlines(keepends=True)
    path = tmp_path / f"41010{kind}2019.txt"
    path.write_text(header + "".join(line for line in lines if line.startswith(("2019 09 03", "2019 09 04"))))
    return str(path)


@pytest.mark.parametrize("name", REAL)
def test_heights_and_directions_are_those_of_wavespectra(shared, tmp_path, name):
    """Hs and mean direction of the file, with wavespectra's own integrals, and those after rebinning."""
    data = shared / "data"
    files = [str(data / "interop_wavespectra" / name)]
    if name == "41010":
        files = [str(data / "ndbc" / f"41010.{kind}") for kind in NDBC]
    if name == "dorian":
        files = [of_the_storm(data / "storms" / "dorian2019", kind, tmp_path) for kind in "wdijk"]
    ours, other = open_spectra(files, **REAL[name]), theirs(name, files)
    assert sorted(map(str, ours.paths)) == sorted(files)
    records = np.arange(len(ours.times))[:: max(1, len(ours.times) // 4)]
    times = other.time.values.astype("datetime64[ms]")
    other = other.isel(time=[int(np.flatnonzero(times == time)[0]) for time in ours.times[records]])
    if "site" not in other.dims:
        other = other.expand_dims("site", axis=1)
    site = [
        int(np.argmin(np.hypot(other.lon.values - x, other.lat.values - y))) if "lon" in other else 0
        for x, y in zip(ours.longitude, ours.latitude, strict=True)
    ]
    height = other.spec.hs().transpose("time", "site").values[:, site]
    tail = other.spec.hs(tail=False).transpose("time", "site").values[:, site]
    direction = other.spec.dm().transpose("time", "site").values[:, site]
    trapezoid = Moments(ours.frequency, ours.direction)
    for i, record in enumerate(records):
        density = ours.read(record, np.arange(len(site)))
        with_energy = np.isfinite(density).all(axis=(1, 2)) & (tail[i] > 0.01)
        density, chosen = density[with_energy], np.flatnonzero(with_energy)
        moments = trapezoid.of(density)
        widths = np.gradient(ours.frequency)  # wavespectra's
        assert 4 * np.sqrt(moments[:, 0, :-1] @ widths) == pytest.approx(tail[i, chosen], rel=1e-4)
        bins = ours.frequency, ours.direction
        apart = difference(mean_direction(density, *bins, widths), direction[i, chosen])
        assert np.abs(apart).max() < 0.05
        trapezoidal = mean_direction(density, *bins, np.diff(frequency_edges(ours.frequency)))
        for last, n in {ours.frequency[-1]: 35, **RANGES}.items():
            ratio = (last / 0.035) ** (1 / (n - 1))
            grid = wave.SpectralGrid(frequencies=n, first_frequency=0.035, ratio=ratio, directions=36)
            sea = wave.products(grid, Rebinning(*bins, grid).action(density).astype(np.float32))
            heights, directions = sea["significant_height"], sea["mean_direction"]
            assert heights == pytest.approx(4 * np.sqrt(trapezoid.variance(moments)), rel=1e-4)
            is_high = (
                height[i, chosen] > 1
            )  # in calm seas its weight of the last frequency and its tail overlap
            assert heights[is_high] == pytest.approx(height[i, chosen][is_high], rel=5e-3)
            has_direction = heights > 0.05
            for given in (direction[i, chosen], trapezoidal):
                apart = difference(directions, given)[has_direction]
                assert np.abs(apart).max(initial=0) < 1, (last, given)


@pytest.mark.parametrize("towards", [3.0, 52.0, 357.0])
def test_a_narrow_swell_keeps_its_direction(towards):
    """A swell in one direction of a fine grid keeps height and direction on a coarse grid."""
    direction = np.arange(0.0, 360, 1)
    density = np.zeros((1, 25, 360))
    density[0, 8:12, int(towards)] = 5.0
    coarse = wave.SpectralGrid(frequencies=35, first_frequency=0.0345, ratio=1.1, directions=24)
    action = Rebinning(FREQUENCY, np.radians(direction), coarse).action(density)[0]
    spectrum = (action * (np.asarray(coarse.sigma) * coarse.frequency_width)[:, None]).sum(axis=0)
    x, y = (spectrum * np.sin(coarse.direction)).sum(), (spectrum * np.cos(coarse.direction)).sum()
    assert abs(difference(math.degrees(math.atan2(x, y)), towards)) < 1e-6


@pytest.mark.parametrize("n_frequencies", [12, 20, 35])
def test_energy_above_the_last_bin_is_kept(n_frequencies):
    """Hs with the tail does not depend on the range of the run's frequencies."""
    grid = wave.SpectralGrid(frequencies=n_frequencies, first_frequency=0.045, ratio=1.1, directions=36)
    density = swell(FREQUENCY, DIRECTION, peak=0.2, height=1.5)[None]
    action = Rebinning(FREQUENCY, np.radians(DIRECTION), grid).action(density).astype(np.float32)
    moments = Moments(FREQUENCY, np.radians(DIRECTION))
    expected = 4 * math.sqrt(moments.variance(moments.of(density))[0])
    assert wave.products(grid, action)["significant_height"] == pytest.approx(expected, rel=1e-4)


def test_the_energy_flux_is_that_of_a_swell():
    """Deep water: rho g cg m0 towards the swell; cg is that of deep and of shallow water at the limits."""
    moments = Moments(FREQUENCY, np.radians(DIRECTION))
    density = np.zeros((1, 25, 24))
    density[0, 7, 6] = 4.0  # towards east
    m0 = moments.variance(moments.of(density))[0]
    speed = GRAVITY / (4 * math.pi * FREQUENCY[7])
    flux = moments.flux(moments.of(density), np.array([1e5]))[0]
    assert flux == pytest.approx([1025 * GRAVITY * speed * m0, 0], rel=1e-5, abs=1e-6 * flux[0])
    assert group_speed(0.01, 10.0) == pytest.approx(math.sqrt(GRAVITY * 10), rel=1e-2)


def check_swell(spectra, height=2.0, towards=60.0, point=0, record=0):
    action = Rebinning(spectra.frequency, spectra.direction, GRID).action(
        spectra.density(record, np.array([point]))
    )
    m0, mean = energy_and_direction(action[0])
    assert 4 * math.sqrt(m0) == pytest.approx(height, rel=5e-3)
    assert abs(difference(mean, towards)) < 1


SWELL = swell(FREQUENCY, DIRECTION)
ORDER = np.random.default_rng(3).permutation(24)
CONVENTIONS = {
    "descending frequencies": ({"frequency": FREQUENCY[::-1]}, (slice(None, None, -1), slice(None)), {}),
    "any order of directions": ({"direction": DIRECTION[ORDER]}, (slice(None), ORDER), {}),
    "directions of -180 to 180": ({"direction": (DIRECTION + 180) % 360 - 180}, (), {}),
    "the circle closed twice": (
        {"direction": np.append(DIRECTION, 360.0)},
        (slice(None), np.append(np.arange(24), 0)),
        {},
    ),
    "angular frequencies": (
        {"frequency": 2 * np.pi * FREQUENCY},
        (),
        {"units": "rad s-1", "factor": 1 / (2 * np.pi)},
    ),
    "angular frequencies per Hz": (
        {"frequency": 2 * np.pi * FREQUENCY, "units": "m2/Hz/rad"},
        (),
        {"units": "rad/s"},
    ),
    "energy": ({"units": "J m-2 Hz-1 degree-1"}, (), {"factor": 1025 * 9.80665 * np.pi / 180}),
    "logarithms of ww3_ounp": (
        {"units": "log10(m2 s rad-1 +1E-12)"},
        (),
        {"pack": lambda x: np.log10(x + 1e-12)},
    ),
}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_conventions_of_netcdf(tmp_path, name):
    options, index, changes = CONVENTIONS[name]
    density = swell(FREQUENCY, DIRECTION)[index] * changes.get("factor", 1.0)
    density = changes.get("pack", lambda x: x)(density)
    path = grids.write_spectra(
        tmp_path / "s.nc",
        density[None, None],
        hours=(0,),
        lon=[-70.0],
        lat=[20.0],
        **({"frequency": FREQUENCY, "direction": DIRECTION} | options),
    )
    with Dataset(path, "a") as file:
        file["frequency"].units = changes.get("units", "Hz")
    check_swell(open_spectra([str(path)]))


def write_era5(path, *, new):
    """Writes d2fd as ERA5: logarithms, missing where small and on land; bins are numbered. new: the layout of
    the new CDS, else of the old."""
    frequency, direction = 0.03453 * 1.1 ** np.arange(30), np.arange(7.5, 360, 15)
    density = np.zeros((1, 30, 24, 2, 3)) + swell(frequency, direction)[..., None, None]
    values = np.where(density > 1e-5, np.log10(np.maximum(density, 1e-30)), np.nan)
    values[..., 1, 2] = np.nan
    names = (
        ["valid_time", "frequencyNumber", "directionNumber"] if new else ["time", "frequency", "direction"]
    )
    with Dataset(path, "w") as file:
        for name, size in zip([*names, "latitude", "longitude"], values.shape, strict=True):
            file.createDimension(name, size)
            file.createVariable(name, "f8", (name,))[:] = np.arange(1, size + 1)
        file[names[0]].units = "hours since 2022-09-01"
        file["latitude"].units, file["longitude"].units = "degrees_north", "degrees_east"
        d2fd = file.createVariable("d2fd", "f4", (*names, "latitude", "longitude"), fill_value=np.nan)
        d2fd[:], d2fd.units = values, "m**2 s radian**-1"
    return str(path)


@pytest.mark.parametrize("new", [False, True])
def test_spectra_of_era5(tmp_path, new):
    spectra = open_spectra([write_era5(tmp_path / "era5.nc", new=new)])
    assert spectra.longitude.tolist() == [1, 2, 3] * 2 and spectra.latitude.tolist() == [1] * 3 + [2] * 3
    check_swell(spectra, point=4)
    assert np.isnan(spectra.read(0, np.array([5]))).all()  # land
    assert not spectra.density(0, np.array([5])).any()


def write_grib2(path, frequency, direction, density, members=(None,)):
    """Writes densities (frequency, direction) as fields of 2 x 2 points by template 4.99, or those of
    members, times their number, by 4.100."""
    import eccodes

    with open(path, "wb") as file:
        for member, (i, j) in itertools.product(members, np.ndindex(density.shape)):
            handle = eccodes.codes_grib_new_from_samples("GRIB2")
            template = 99 if member is None else 100
            settings = {"productDefinitionTemplateNumber": template, "numberOfWaveDirections": len(direction)}
            settings |= {"numberOfWaveFrequencies": len(frequency), "discipline": 10, "parameterCategory": 0}
            settings |= {"parameterNumber": 86, "waveDirectionNumber": j + 1, "waveFrequencyNumber": i + 1}
            settings |= {
                "scaleFactorOfWaveDirections": 3,
                "scaleFactorOfWaveFrequencies": 6,
                "Ni": 2,
                "Nj": 2,
            }
            settings |= {"dataDate": 20220901, "dataTime": 600, "bitmapPresent": 1, "missingValue": 9999}
            for name, value in settings.items():
                eccodes.codes_set(handle, name, value)
            for name, values in (("Directions", 1e3 * direction), ("Frequencies", 1e6 * frequency)):
                eccodes.codes_set_array(handle, f"scaledValuesOfWave{name}", np.rint(values).astype(int))
            if member is not None:
                eccodes.codes_set(handle, "number", member)
            value = math.log10(density[i, j] * (member or 1)) if density[i, j] > 1e-5 else 9999
            eccodes.codes_set_values(handle, [value, value, 9999, value])
            eccodes.codes_write(handle, file)
            eccodes.codes_release(handle)
    return str(path)


def test_spectra_in_grib_2(tmp_path):
    frequency, direction = 0.04 * 1.2 ** np.arange(10), np.arange(15.0, 360, 30)
    density = swell(frequency, direction)
    spectra = open_spectra([write_grib2(tmp_path / "s.grib2", frequency, direction, density)])
    assert spectra.times.tolist() == np.array(["2022-09-01T06:00"], "datetime64[ms]").tolist()
    read = spectra.read(0, np.array([0, 2, 3]))
    assert spectra.warnings == ()
    assert read[0] == pytest.approx(density, rel=0.02, abs=2e-5) and np.isnan(read[1]).all()
    assert spectra.frequency == pytest.approx(frequency, abs=1e-6)
    assert np.degrees(spectra.direction) == pytest.approx(direction)


def test_spectra_in_grib_1(shared):
    """Values at each point are those that ecCodes decodes; the file has each sixth direction."""
    import eccodes

    path = shared / "data" / "fixtures" / "grib" / "earthkit_wave_spectra.grib"
    spectra = open_spectra([str(path)])
    read = spectra.read(0, np.arange(84))
    assert spectra.frequency == pytest.approx([0.034523, 0.1311, 0.497852])
    assert "has 3 of 29 frequencies and 6 of 36 directions" in spectra.warnings[0]
    with open(path, "rb") as file:
        while (handle := eccodes.codes_grib_new_from_file(file)) is not None:
            number, direction = (eccodes.codes_get(handle, f"{n}Number") for n in ("frequency", "direction"))
            values = eccodes.codes_get_values(handle)
            expected = np.where(values == 9999, 0, 10.0 ** np.minimum(values, 300))
            ours = read[:, [1, 15, 29].index(number), direction // 6 - 1]
            assert np.nan_to_num(ours) == pytest.approx(expected)
            eccodes.codes_release(handle)


def write_ww3_text(path, densities, *, directions=DIRECTION, places=((36.75, -122.42), (-5.5, 150.25))):
    """Writes densities (time, point, frequency, direction) in the format of ww3_outp, with the widths of its
    write statements; directions [degrees] towards which waves go."""

    def block(values, per_line, form):
        return "".join(
            "".join(form.format(v) for v in values[i : i + per_line]) + "\n"
            for i in range(0, len(values), per_line)
        )

    n_points = len(densities[0])
    sizes = "".join(f"{size:6d}" for size in (len(FREQUENCY), len(directions), n_points))
    text = f"'WAVEWATCH III SPECTRA'{sizes} 'a grid                '\n"
    text += block(FREQUENCY, 8, "{:10.3E}") + block(np.radians(directions), 7, "{:11.3E}")
    for hour, record in enumerate(densities):
        text += f"20220901 {6 * hour:02d}0000\n"
        for (lat, lon), density in zip(places, record, strict=False):
            text += f"'46042     '{lat:7.2f}{lon:7.2f}{2000.0:10.1f}{5:7.2f}{270:6.1f}{0:7.2f}{0:6.1f}\n"
            text += block(density.T.ravel(), 7, "{:11.3E}").replace("E-100", "-100")
    path.write_text(text)
    return str(path)


def test_text_of_wavewatch(tmp_path):
    """Several points and times, whose numbers touch; heights and directions are those of wavespectra, too."""
    density = np.array([[swell(FREQUENCY, DIRECTION, height=h) for h in row] for row in ((2, 3), (4, 1))])
    path = write_ww3_text(tmp_path / "points.spec", density)
    spectra = open_spectra([path])
    assert spectra.longitude.tolist() == [-122.42, 150.25] and spectra.latitude.tolist() == [36.75, -5.5]
    for point, record, height in ((0, 0, 2.0), (1, 0, 3.0), (0, 1, 4.0), (1, 1, 1.0)):
        check_swell(spectra, height, point=point, record=record)
    single = write_ww3_text(tmp_path / "one.spc", density[:, :1], places=((20.0, 130.0),))
    read_station = pytest.importorskip("wavespectra.input.ww3_station").read_ww3_station
    other = read_station(single)
    assert other.spec.dm().values.ravel() == pytest.approx(240, abs=0.1)
    assert other.spec.hs(tail=False).values.ravel() == pytest.approx([2, 4], rel=2e-3)
    compressed = tmp_path / "points.spec.gz"
    compressed.write_bytes(gzip.compress((tmp_path / "points.spec").read_bytes()))
    assert np.array_equal(open_spectra([str(compressed)]).read(1, [0, 1]), spectra.read(1, [0, 1]))


SWAN = """SWAN   1
LOCATIONS
1
{place}
RFREQ
25
{frequencies}
CDIR
24
{directions}
QUANT
1
{quantity}
{unit}
-99
FACTOR
1
{rows}
"""


def write_swan_text(path, *, place="130.0 20.0 'A'", quantity="EnDens", unit="J/m2/Hz/degr"):
    """Writes a stationary spectrum with Cartesian directions."""
    density = swell(FREQUENCY, DIRECTION) * math.pi / 180
    density = density * 1025 * 9.80665 if quantity == "EnDens" else density / (2 * np.pi * FREQUENCY[:, None])
    rows = "\n".join(" ".join(f"{value:.8g}" for value in row) for row in density)
    lists = {"frequencies": FREQUENCY, "directions": 90 - DIRECTION}
    texts = {name: "\n".join(map(repr, map(float, values))) for name, values in lists.items()}
    path.write_text(SWAN.format(place=place, quantity=quantity, unit=unit, rows=rows, **texts))
    return str(path)


def test_a_stationary_file_of_swan(tmp_path):
    """Energy densities, Cartesian directions, relative frequencies, a name after the location, no time."""
    spectra = open_spectra([write_swan_text(tmp_path / "s.spec")])
    assert len(spectra.times) == 0 and spectra.longitude.tolist() == [130.0]
    check_swell(spectra)
    placed = open_spectra([write_swan_text(tmp_path / "x.spec", place="41000 322000")], **BUOY)
    assert placed.longitude.tolist() == [-78.5]


@pytest.mark.parametrize(("r1", "r2"), [(0.0, 0.0), (0.5, 0.2), (0.9, 0.7), (0.99, 0.1), (1.2, 1.5)])
def test_the_spread_of_a_buoy_is_positive_and_has_its_coefficients(r1, r2):
    """The spread has the mean direction, and r1 unless the buoy's are not those of a spread."""
    first, second = (np.array([r * np.exp(1j * k * 1.1)]) for r, k in ((r1, 1), (r2, 2)))
    spread = spread_of(first, second)[0]
    angle = 2 * np.pi * (np.arange(N_DIRECTIONS) + 0.5) / N_DIRECTIONS
    moment = (spread * np.exp(1j * angle)).sum() * 2 * np.pi / N_DIRECTIONS
    assert spread.min() > 0 and spread.sum() * 2 * np.pi / N_DIRECTIONS == pytest.approx(1)
    assert abs(moment) == pytest.approx(min(r1, 0.98), abs=0.04)
    assert r1 == 0 or np.angle(moment) == pytest.approx(1.1, abs=0.01)


def test_points_of_other_bins_are_sources_of_their_own(tmp_path):
    """Files of different points may have different bins and times; the points of a file may not."""
    options = {"lat": [20.0], "frequency": FREQUENCY, "direction": DIRECTION}
    one = swell(FREQUENCY, DIRECTION)[None, None]
    for name, lon, hours in (("a", 120.0, (0,)), ("b", 121.0, (0,)), ("c", 122.0, (3,))):
        grids.write_spectra(tmp_path / f"{name}.nc", one, hours=hours, lon=[lon], **options)
    coarse = options | {"direction": DIRECTION[::2]}
    grids.write_spectra(tmp_path / "d.nc", one[..., ::2], hours=(0,), lon=[123.0], **coarse)
    sources = open_sources([str(tmp_path / "?.nc")])
    assert [source.longitude.tolist() for source in sources] == [[120, 121], [122], [123]]
    grids.write_spectra(tmp_path / "e.nc", one[..., ::2], hours=(6,), lon=[120.0], **coarse)
    with pytest.raises(InputError, match=r"e.nc and .*a.nc differ in direction at the same points"):
        open_sources([str(tmp_path / "?.nc")])


def mistake(tmp_path, name):
    """Writes a file with a mistake; returns its names."""
    density = np.array([[swell(FREQUENCY, DIRECTION)]])
    ww3 = tmp_path / "s.spec"
    if name.startswith("ww3"):
        write_ww3_text(ww3, np.repeat(density, 2, axis=0), places=((20.0, 130.0),))
        text = ww3.read_text()
        changes = {
            "ww3 header": ("   25 ", "  many "),
            "ww3 number": ("E-01", "X-01"),
            "ww3 place": ("'46042     '", "46042"),
            "ww3 moving": ("'46042     '  20.00", "'46042     '  25.00"),
            "ww3 time": ("20220901 060000", "20221301 060000"),
        }
        old, new = changes[name]
        before, _, after = text.rpartition(old) if name in ("ww3 moving", "ww3 time") else text.partition(old)
        ww3.write_text(before + new + after)
    elif name.startswith("swan"):
        options = {"swan metres": {"place": "41000 322000"}, "swan action": {"quantity": "AcDens"}}
        write_swan_text(ww3, **options[name])
    elif name.startswith("buoy"):
        kinds = "wdij" if name == "buoy four" else "wdijk"
        for kind in kinds:
            content = "#YY  MM DD hh mm .05 .06\n2019 01 02 03 40 1.0 2.0\n"
            bad = content.replace("1.0 2.0", "1.0") if name == "buoy row" and kind == "j" else content
            (tmp_path / f"41010{kind}2019.txt").write_text(bad)
        if name == "buoy summary":
            (tmp_path / "41010w2020.txt").write_text("#YY MM DD hh mm WVHT SwH\n#yr mo dy hr mn m m\n")
        return [str(tmp_path / "41010?20*.txt")]
    elif name.startswith("period"):
        bins = {"frequency": FREQUENCY, "direction": DIRECTION}
        grids.write_spectra(ww3, density, hours=(0,), lon=[1.0], lat=[2.0], **bins)
        with Dataset(ww3, "a") as file:
            file["frequency"].units = "s"
    elif name == "gzip":
        ww3.write_bytes(gzip.compress(b"SWAN   1" * 5000)[:40])
    return [str(ww3)]


MISTAKES = {
    "ww3 header": ({}, "s.spec:1: .*where the header with the numbers of frequencies"),
    "ww3 number": ({}, r"s.spec:3: .*where 25 numbers should be, in WAVEWATCH III's format"),
    "ww3 place": ({}, "where a point's name in quotes, its latitude and longitude should be"),
    "ww3 moving": ({}, r"point 1 moves from \(130.0, 20.0\) to \(130.0, 25.0\)"),
    "ww3 time": ({}, "'20221301 060000' .* a time such as 20220901 060000"),
    "swan metres": ({}, "LOCATIONS are x and y"),
    "swan action": ({}, "a unit of AcDens, m2s/Hz/deg, should be"),
    "buoy four": (BUOY, "the file of r2 is missing. NDBC's spectra are five files"),
    "buoy row": (BUOY, r"41010j2019.txt:2: .*is not a time and a value for each of the frequencies"),
    "buoy summary": (BUOY, r"41010w2020.txt is not recognized as one of NDBC's five files"),
    "buoy place": ({}, "NDBC's files have no position. Set boundary.position"),
    "period": ({}, "frequency is in 's', but must be in Hz or rad s-1"),
    "gzip": ({}, "s.spec cannot be read: "),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(tmp_path, name):
    options, text = MISTAKES[name]
    with pytest.raises(InputError, match=text):
        open_sources(mistake(tmp_path, name), **options)


def write_layout(path, dimensions, *, variables=("time", "lat", "lon")):
    """Writes a swell on dimensions (name, size) before those of the bins; the coordinates in `variables`, lat
    and lon on their own dimensions, or on all dimensions of points."""
    with Dataset(path, "w") as file:
        for name, size in (*dimensions, ("freq", 25), ("dir", 24)):
            file.createDimension(name, size)
        names = [name for name, _ in dimensions]
        density = file.createVariable("efth", "f4", (*names, "freq", "dir"))
        density[:], density.units = np.broadcast_to(SWELL, density.shape), "m2 s rad-1"
        for name, values in (("freq", FREQUENCY), ("dir", DIRECTION)):
            file.createVariable(name, "f8", (name,))[:] = values
        file["dir"].standard_name = "sea_surface_wave_to_direction"
        for name in variables:
            points = [n for n in names if n not in ("time", "number")]
            on = [name] if name in names else [] if name == "time" or not points else points
            variable = file.createVariable(name, "f8", on)
            variable[:] = np.arange(1, 1 + np.prod([file.dimensions[n].size for n in on], dtype=int)).reshape(
                [file.dimensions[n].size for n in on]
            )
            variable.units = {"time": "hours since 2022-09-01", "lat": "degrees_north"}.get(
                name, "degrees_east"
            )
    return str(path)


LAYOUTS = {
    "a grid of rows and columns": ([("time", 2), ("lat", 2), ("lon", 3)], {}, 6),
    "a curvilinear grid": ([("time", 2), ("y", 2), ("x", 3)], {}, 6),
    "a single time": ([("site", 4)], {}, 4),
    "a single point": ([("time", 2)], {}, 1),
    "a single member": ([("number", 1), ("time", 2), ("site", 4)], {}, 4),
    "no position": ([("time", 2)], {"variables": ("time",)}, 1),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_of_netcdf(tmp_path, name):
    dimensions, options, n_points = LAYOUTS[name]
    path = write_layout(tmp_path / "s.nc", dimensions, **options)
    spectra = open_spectra([path], position=(-78.5, 28.9) if name == "no position" else None)
    assert len(spectra.longitude) == n_points and len(spectra.times) == dict(dimensions).get("time", 1)
    check_swell(spectra, point=n_points - 1, record=len(spectra.times) - 1)
    if name == "a grid of rows and columns":
        assert spectra.longitude.tolist() == [1, 2, 3] * 2 and spectra.latitude.tolist() == [1] * 3 + [2] * 3
    if name == "a curvilinear grid":
        assert spectra.longitude.tolist() == spectra.latitude.tolist() == [1, 2, 3, 4, 5, 6]
    if name == "no position":
        assert (spectra.longitude[0], spectra.latitude[0]) == (-78.5, 28.9)


def test_members_are_refused(tmp_path):
    path = write_layout(tmp_path / "s.nc", [("number", 3), ("time", 2), ("site", 4)])
    with pytest.raises(
        InputError, match=r"efth has 3 number, of which the points have no position. Give one"
    ):
        open_spectra([path])
