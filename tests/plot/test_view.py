"""The page of a run: what is packed into it, and in a browser what it draws, answers and asks for."""

import hashlib
import html
import json
import re
from pathlib import Path

import matplotlib
import numpy as np
import pytest
import xarray as xr

from halcyon.base import ConfigError, InputError
from halcyon.plot.view.packing import ALPHABET, packed_field, packed_integers, text_of
from halcyon.plot.view.page import view_page
from halcyon.plot.view.shapes import box_of, packed_land
from tests.plot.conftest import HOSTILE
from tests.plot.test_plot import TIMES, lattice_run

STATION = (130.5, 30.5)  # in the middle of cell 300 of the lattice
CELL = 300
SMALL = 482_400  # bytes of a page with the cells and without fields
STAGE = (
    "(({x, y, width, height}) => [x, y, width, height])"
    "(document.getElementById('stage').getBoundingClientRect())"
)
HASH = "new Promise((done) => setTimeout(() => done(location.hash), 400))"  # written after a moment
CENTRE = "p=flat&c=130,30,30"


def fields(scale=1.0):
    """Fields with wave heights, directions, a depth without time, and temperatures on two levels."""
    data = lattice_run()
    n = data.sizes["face"]
    data["significant_height"] = data["significant_height"] * scale
    data["significant_height"][:, 5] = np.nan
    data["significant_height"].attrs = {"long_name": "significant wave height", "units": "m"}
    direction = np.tile(np.arange(n) % 360.0, (len(TIMES), 1))
    standard = {"standard_name": "sea_surface_wave_from_direction", "units": "degree"}
    data["mean_direction"] = (("time", "face"), direction.astype("f4"), standard)
    data["depth"] = ("face", np.linspace(5, 4000, n).astype("f4"), {"units": "m"})
    levels = 250 + np.arange(2)[None, :, None] * 30 + np.zeros((len(TIMES), 1, n)) + np.arange(n) / n
    data["temperature"] = (("time", "pressure", "face"), levels.astype("f4"), {"units": "K"})
    axis = {"units": "Pa", "axis": "Z", "standard_name": "air_pressure", "positive": "down"}
    return data.assign_coords(pressure=("pressure", [50000.0, 85000.0], axis))


def spectra():
    """Spectra at the station, highest at the second frequency and direction."""
    density = np.zeros((len(TIMES), 1, 3, 4), "f4")
    density[:, 0, 1, 1] = np.arange(1, len(TIMES) + 1)
    return xr.Dataset(
        {"efth": (("time", "station", "frequency", "direction"), density)},
        {
            "time": TIMES,
            "station": ("station", [0], {"names": json.dumps([HOSTILE])}),
            "frequency": [0.05, 0.1, 0.2],
            "direction": [45.0, 135.0, 225.0, 315.0],
        },
    )


def write_run(folder, data):
    folder.mkdir()
    data.to_netcdf(folder / "fields_20220901T0000.nc")
    (folder / "run.json").write_text(json.dumps({"files": ["fields_20220901T0000.nc"]}))
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The folders of two runs; the first has a station with a spectrum."""
    root = tmp_path_factory.mktemp("runs")
    first, second = write_run(root / "<b>one.out", fields()), write_run(root / "two.out", fields(1.5))
    height = fields()["significant_height"].values[:, [CELL]] + 0.25
    series = {
        "station_name": ("station", [HOSTILE]),
        "lon": ("station", [STATION[0]]),
        "lat": ("station", [STATION[1]]),
        "significant_height": (("time", "station"), height),
    }
    xr.Dataset(series, {"time": TIMES}).to_netcdf(first / "stations.nc")
    spectra().to_netcdf(first / "spectra.nc")
    return first, second


@pytest.fixture(scope="module")
def pages(folders, tmp_path_factory):
    """The pages of the first run and of both."""
    root = tmp_path_factory.mktemp("pages")
    buoy = root / "buoy.csv"
    buoy.write_text("time,hs\n2022-09-02T00:00,2.5\n2022-09-03T00:00,3.5\n2022-09-04T00:00,2\n")
    view_page(root / "one.html", folders[:1], buoys=[f"{buoy}@{HOSTILE}"])
    view_page(root / "both.html", folders)
    return root / "one.html", root / "both.html"


def document(page):
    """The data of a page."""
    (text,) = re.findall(
        r'<script id="document" type="application/json">(.*?)</script>', page.read_text(), re.S
    )
    return json.loads(text)


# ---- packing


def bytes_of(text):
    """The inverse of `text_of`."""
    digits = np.array([ALPHABET.index(c) for c in text] + [84] * (-len(text) % 5), np.uint64)
    words = digits.reshape(-1, 5) @ (85 ** np.arange(4, -1, -1, dtype=np.uint64))
    return words.astype(">u4").tobytes()[: len(text) // 5 * 4 + max(len(text) % 5 - 1, 0)]


def test_texts_have_all_bytes_and_need_no_escape():
    data = np.random.default_rng(1).integers(0, 256, 1003, np.uint8).tobytes()
    for n in (*range(9), 1003):
        assert bytes_of(text_of(data[:n])) == data[:n]
    assert len(set(ALPHABET)) == 85 and not set(ALPHABET) & set("<>&\"'\\")


@pytest.mark.parametrize("bits", [16, 12, 8])
def test_packed_values_are_within_the_error(bits):
    import zlib

    values = np.random.default_rng(2).normal(3, 2, (7, 50)).astype("f4")
    values[3, 4] = np.nan
    packed = packed_field(values, bits)
    planes = np.frombuffer(zlib.decompress(bytes_of(packed.text)), np.uint8).reshape(
        1 if bits == 8 else 2, -1
    )
    differences = sum(plane.astype(int) << 8 * i for i, plane in enumerate(planes)).reshape(values.shape)
    codes = np.cumsum(differences, axis=0) % (1 << 8 * len(planes))
    found = np.where(codes > 0, packed.lowest + packed.step * (codes - 1), np.nan)
    assert np.array_equal(np.isnan(found), np.isnan(values))
    assert np.nanmax(abs(found - values)) <= packed.error * 1.01
    assert packed.error < (np.nanmax(values) - np.nanmin(values)) / 2**bits


def test_packed_integers():
    import zlib

    values = np.array([5, -3, 2**30, -(2**30), 0, 7])
    planes = np.frombuffer(zlib.decompress(bytes_of(packed_integers(values))), np.uint8).reshape(4, -1)
    zigzag = sum(plane.astype(np.int64) << 8 * i for i, plane in enumerate(planes))
    assert np.array_equal(np.cumsum((zigzag >> 1) ^ -(zigzag & 1)).astype(np.int32), values)


def test_land_across_the_date_line_is_whole():
    """The triangles cover the land of the coarse shoreline."""
    import zlib

    packed = packed_land((170.0, -50.0, 200.0, -20.0))
    planes = np.frombuffer(zlib.decompress(bytes_of(packed["triangles"])), np.uint8).reshape(4, -1)
    zigzag = sum(plane.astype(np.int64) << 8 * i for i, plane in enumerate(planes))
    x, y = (packed["step"] * np.cumsum((zigzag >> 1) ^ -(zigzag & 1)).astype(np.int32)).reshape(2, -1, 3)
    area = (
        abs((x[:, 1] - x[:, 0]) * (y[:, 2] - y[:, 0]) - (x[:, 2] - x[:, 0]) * (y[:, 1] - y[:, 0])).sum() / 2
    )
    from halcyon.mesh import coast

    assert area == pytest.approx(coast.land("c", (-180.0, -90.0, 180.0, 90.0)).area, rel=0.01)


# ---- contents


def test_the_page_needs_nothing_else(pages):
    """The page refers to no other file, and texts end no element."""
    text = pages[0].read_text()
    own = text.replace(
        (Path(view_page.__code__.co_filename).parent / "third_party/regl.min.js").read_text(), ""
    )
    assert not re.search(r"https?://(?!www\.w3\.org)|@import|url\(|\bsrc=|fetch\(|XMLHttp|import ", own)
    assert re.findall(r'\bhref="(.*?)"', own) == ["data:,"]
    assert text.count("<script") == text.count("</script>") and "<!--" not in text.replace("<!doctype", "")
    ids = set(re.findall(r'\bid="([\w-]+)"', text))
    assert set(re.findall(r'\belement\("([\w-]+)"\)', text)) <= ids


def test_the_library_is_that_of_npm():
    """The minified file of `npm pack regl@2.1.1`, with its licence."""
    folder = Path(view_page.__code__.co_filename).parent / "third_party"
    digest = hashlib.sha256((folder / "regl.min.js").read_bytes()).hexdigest()
    assert digest == "6d14aa47e560de0d0f0d37ec7b4868274245125a6de4022010e9c0fdcc5a4b62"
    assert "Mikola Lysenko" in (folder / "LICENSE.regl").read_text()


def test_texts_of_users_are_texts(pages, folders):
    assert document(pages[0])["runs"][0]["stations"][0]["name"] == HOSTILE
    assert f"<h1>{html.escape(folders[0].name)}</h1>" in pages[0].read_text()


def test_what_does_not_fit_is_named(folders, tmp_path):
    notes = []
    view_page(tmp_path / "small.html", folders[:1], size=SMALL + 4e3, report=notes.append)
    shown = document(tmp_path / "small.html")["runs"][0]
    assert 0 < len(shown["fields"]) < 5 and shown["fields"][0]["variable"] == "significant_height"
    assert any("omitted for their size" in note and "temperature" in note for note in notes)
    view_page(
        tmp_path / "thin.html",
        folders[:1],
        size=SMALL + 1500,
        variables=["significant_height"],
        report=notes.append,
    )
    thin = document(tmp_path / "thin.html")["runs"][0]
    assert 1 < len(thin["times"]) < len(TIMES) and any("records is shown" in note for note in notes)
    assert len(thin["stations"][0]["series"]["significant_height"]) == len(thin["times"])


def test_errors(folders, tmp_path):
    with pytest.raises(InputError, match=r"no field 'hs' on its cells\..* Did you mean 'significant_height'"):
        view_page(tmp_path / "page.html", folders[:1], variables=["hs"])
    with pytest.raises(ConfigError, match="3 runs are given"):
        view_page(tmp_path / "page.html", [folders[0]] * 3)
    with pytest.raises(ConfigError, match=r"--size 0\.1: the cells and the coast need 0\.5 MB"):
        view_page(tmp_path / "page.html", folders[:1], size=1e5)
    with pytest.raises(InputError, match="is not a folder"):
        view_page(tmp_path / "page.html", [tmp_path / "missing"])


def test_the_box_of_a_global_mesh():
    data = lattice_run()
    assert box_of(data) == (118.5, 18.5, 141.5, 41.5)
    data["lon"][:] = np.linspace(-180, 179, data.sizes["face"])
    assert box_of(data) == (-180.0, -90.0, 180.0, 90.0)


# ---- in a browser


def on_page(chromium, lon, lat, middle=(130.0, 30.0), half=30.0, stretch=None):
    """The pixel of a point on a flat map."""
    box = chromium.evaluate(STAGE)
    scale = min(box[2], box[3]) / half
    stretch = np.cos(np.radians(30.0)) if stretch is None else stretch
    return box[0] + box[2] / 2 + (lon - middle[0]) * scale * stretch, box[1] + box[3] / 2 - (
        lat - middle[1]
    ) * scale


def colour_of(name, part):
    return np.round(255 * np.array(matplotlib.colormaps[name](part)[:3]))


def test_colours_are_those_of_matplotlib(chromium, pages):
    """Cells on the flat map and on the globe have the colours of their values; a missing value has none."""
    chromium.open(pages[0], f"{CENTRE}&t=2022-09-03T00:00:00&r=0,8&m=viridis")
    picture = chromium.screenshot()
    run = fields()
    data, lon, lat = (
        run["significant_height"].sel(time="2022-09-03T00:00").values,
        run.lon.values,
        run.lat.values,
    )
    for cell in (23, 100, 260, 276, 552):
        x, y = on_page(chromium, lon[cell], lat[cell])
        found = picture[round(y), round(x)]
        assert abs(found - colour_of("viridis", float(data[cell]) / 8)).max() <= 3
    x, y = on_page(chromium, lon[5], lat[5])
    assert abs(picture[round(y), round(x)] - np.array([0xE9, 0xEF, 0xF3])).max() <= 1  # sea
    chromium.open(
        pages[0],
        f"p=globe&c={lon[276]},{lat[276]},30&t=2022-09-03T00:00:00&r=0,8&m=viridis",
    )
    x, y = on_page(chromium, 0, 0, (0, 0))
    found = chromium.screenshot()[round(y) + 6, round(x) + 4]
    assert abs(found - colour_of("viridis", float(data[276]) / 8)).max() <= 3


def test_a_click_answers_with_the_value(chromium, pages):
    chromium.open(pages[0], f"{CENTRE}&t=2022-09-03T00:00:00")
    chromium.move(*on_page(chromium, STATION[0] + 5.1, STATION[1]))
    assert "135.60°E" in chromium.evaluate("document.getElementById('pointer').textContent")
    chromium.click(*on_page(chromium, STATION[0] + 3, STATION[1]))
    value = float(fields()["significant_height"].sel(time="2022-09-03T00:00")[CELL + 3])
    text = chromium.evaluate("document.getElementById('chosen-value').textContent")
    assert text.startswith("133.50°E 30.50°N: ") and text.endswith(" m at 3 Sept 2022, 00:00 UTC")
    assert float(text.split(": ")[1].split()[0]) == pytest.approx(value, abs=2e-4)


def test_a_station_has_its_series_and_spectrum_and_its_name_is_text(chromium, pages):
    chromium.open(pages[0], f"{CENTRE}&t=2022-09-03T00:00:00")
    chromium.click(*on_page(chromium, *STATION))
    chromium.wait_for("document.querySelector('#charts canvas') !== null")
    height = float(fields()["significant_height"].sel(time="2022-09-03T00:00")[CELL]) + 0.25
    assert chromium.evaluate("document.getElementById('chosen').textContent") == HOSTILE
    text = chromium.evaluate("document.getElementById('chosen-value').textContent")
    assert float(text.split(": ")[1].split()[0]) == pytest.approx(height, rel=1e-4)
    assert chromium.evaluate("document.querySelectorAll('#charts svg circle').length") == 3  # measurements
    spectrum = chromium.evaluate("document.querySelector('#charts canvas').getAttribute('aria-label')")
    assert spectrum.startswith("Wave spectrum: peak at 0.100 Hz from 315 degrees, 4.98 m2")
    assert "station%3A%3Cscript" in chromium.evaluate(HASH)


def test_it_plays_and_the_keyboard_steps(chromium, pages):
    chromium.open(pages[0], f"{CENTRE}&t=2022-09-01T00:00:00")
    moment = "document.getElementById('moment').textContent"
    chromium.evaluate("document.getElementById('play').click()")
    chromium.wait_for(f"{moment} === '2 Sept 2022, 12:00 UTC'")
    chromium.evaluate("document.getElementById('play').click()")
    stopped = chromium.evaluate(moment)
    chromium.evaluate("document.getElementById('overlay').focus()")
    chromium.press(".")
    assert chromium.evaluate(moment) != stopped
    chromium.press("g")
    assert chromium.evaluate("document.getElementById('projection').value") == "globe"
    chromium.press("Enter")
    assert "Cell" in chromium.evaluate("document.getElementById('spoken').textContent")


def test_the_address_keeps_the_view(chromium, pages):
    """A variable on a level, the range of colours, the theme and particles come back from the address."""
    address = f"{CENTRE}&v=temperature@0&t=2022-09-02T12:00:00&r=240,300&theme=dark&d=1"
    chromium.open(pages[0], address)
    assert chromium.evaluate("document.getElementById('unit').textContent") == "Temperature [K], 500 hPa"
    assert chromium.evaluate("document.documentElement.dataset.theme") == "dark"
    assert chromium.evaluate("['lowest', 'highest'].map((id) => document.getElementById(id).value)") == [
        "240",
        "300",
    ]
    kept = chromium.evaluate(HASH)
    assert all(part in kept for part in ("v=temperature%400", "r=240%2C300", "theme=dark", "d=1", "p=flat"))
    chromium.evaluate("document.getElementById('level').value = '1'")
    chromium.evaluate("document.getElementById('level').dispatchEvent(new Event('change')) && null")
    chromium.wait_for("document.getElementById('unit').textContent === 'Temperature [K], 850 hPa'")


def test_runs_on_other_cells_have_no_difference(chromium, folders, tmp_path):
    other = write_run(tmp_path / "other.out", lattice_run(west=118.5))
    view_page(tmp_path / "page.html", [folders[0], other])
    chromium.open(tmp_path / "page.html", "l=difference")
    options = "[...document.getElementById('layout').options].map((each) => each.value)"
    assert chromium.evaluate(options) == ["first", "second", "both"]
    assert chromium.evaluate("document.getElementById('layout').value") == "first"


def test_two_fingers_zoom(chromium, pages):
    """Fingers that move apart zoom in; one finger moves the map."""
    chromium.open(pages[0], f"{CENTRE}")
    camera_of = f"{HASH}.then((hash) => new URLSearchParams(hash.slice(1)).get('c'))"
    before = [float(part) for part in chromium.evaluate(camera_of).split(",")]
    x, y, width, height = chromium.evaluate(STAGE)
    for kind, distance in (("touchStart", 60), ("touchMove", 90), ("touchMove", 120), ("touchEnd", None)):
        sides = [] if distance is None else [-1, 1]
        points = [
            {"x": x + width / 2 + side * distance, "y": y + height / 2, "id": side + 1} for side in sides
        ]
        chromium.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
    after = [float(part) for part in chromium.evaluate(camera_of).split(",")]
    assert after[2] == pytest.approx(before[2] / 2, rel=0.02) and after[:2] == pytest.approx(
        before[:2], abs=0.5
    )


def test_two_runs_and_their_difference(chromium, pages):
    chromium.open(pages[1], f"{CENTRE}&t=2022-09-03T00:00:00&l=difference&s=cell:0:{CELL}")
    headings = "[...document.querySelectorAll('#headings span')].map((each) => each.textContent)"
    assert chromium.evaluate(headings) == ["two.out minus <b>one.out"]
    chromium.move(*on_page(chromium, *STATION))
    value = float(fields()["significant_height"].sel(time="2022-09-03T00:00")[CELL]) / 2
    shown = chromium.evaluate("document.getElementById('pointer').textContent")
    assert float(shown.split()[0]) == pytest.approx(value, abs=2e-3)
    assert chromium.evaluate("document.querySelectorAll('#charts svg path').length") == 2
    shown = "[...document.getElementById('layout').options].map((each) => each.text)"
    single = ["<b>one.out", "two.out", "side by side"]
    assert chromium.evaluate(shown) == [*single, "two.out minus <b>one.out"]
    chromium.open(pages[1], f"{CENTRE}&l=both")
    assert chromium.evaluate(headings) == ["<b>one.out", "two.out"]
