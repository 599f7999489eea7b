"""A hurricane against a buoy, and the command that compares storms with buoys."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from halcyon.base import ConfigError, InputError
from halcyon.cli.app import app
from halcyon.config import load_case
from halcyon.run.input.storms import tracks_of
from halcyon.score import peak, read_buoy, score
from halcyon_validation.sea_storms import Storm, run_storm, storms_in

STORMS = Path(__file__).parents[2] / "examples/storms"
SMALL = (  # Irene at 41009, whose peak is at 02 UTC of 26 August
    "time={start: 2011-08-24T06:00, end: 2011-08-26T18:00, source_step: 1200}",
    "mesh.region={west: -82, east: -71, south: 22, north: 33}",
    "mesh.spacing={coast: 50000, ocean: 80000, transition: 300000}",
    "mesh.coast.resolution=l",
    "mesh.tolerance=0.02",
    "mesh.spectrum={frequencies: 20, first_frequency: 0.045, ratio: 1.12, directions: 16}",
    "output.pictures=false",
    "output.variables=[significant_height]",
    'output.stations=[{name: "41009", longitude: -80.18, latitude: 28.5}]',
)


def validate(output, *options):
    changes = [word for change in SMALL for word in ("--set", change)]
    arguments = [
        "--folder",
        str(STORMS),
        "--output",
        str(output),
        "--storms",
        "irene2011",
        "-n",
        "2",
        *changes,
    ]
    return CliRunner().invoke(app, ["validate", "sea", *arguments, *options])


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    """The output folder of the command for Irene at 41009, 60 hours on a coarse mesh."""
    folder = tmp_path_factory.mktemp("sea")
    done = validate(folder, "--page", str(folder / "sea.md"))
    assert done.exit_code in (0, 1), done.exception
    return folder


@pytest.fixture(scope="module")
def irene(output):
    """The result in the output folder, which is not run again."""
    (storm,) = storms_in(STORMS, ["irene2011"])
    stations = output / "runs/irene2011_wam3/stations.nc"
    before = stations.stat().st_mtime_ns
    result = run_storm(storm, None, output / "runs", ranks=2, overrides=SMALL)
    assert stations.stat().st_mtime_ns == before
    return result


def test_irene_at_a_buoy(irene):
    """The peak of 6.6 m within a quarter and 4 hours, and the 25 hours above half of it; the rise and the
    fall of the sea in all hours. With winds that are late by three hours the correlation is 0.75 and the
    scatter index 0.25, with winds twelve hours early 0.13 and 0.24. In the plateau around the peak the
    correlation says little: it is 0.17 from 00 to 12 UTC."""
    pairs = irene.pairs["41009", "significant_height"]
    (high,) = irene.high("significant_height")
    found, scores = peak(pairs), score(high)
    assert found.measured == pytest.approx(6.57, abs=0.01)
    assert abs(found.error) < 0.25
    assert abs(found.delay_s) <= 4 * 3600
    assert scores.n == 25
    assert abs(scores.bias) < 0.2 * scores.mean
    assert scores.scatter_index < 0.18
    assert len(pairs.times) == 37 and score(pairs).correlation > 0.8


def test_hours_above_half_the_peak(irene):
    """Periods are compared in the hours of high waves; the storm is 280 km away at the nearest."""
    (height,), (period,) = irene.high("significant_height"), irene.high("mean_period_02")
    assert np.array_equal(height.times, period.times)
    assert height.measured.min() > height.measured.max() / 2
    assert irene.distance["41009"].min() == pytest.approx(282e3, rel=0.02)


def test_the_report(output):
    """The report and the page have tables with the buoy, and figures; the report needs no other file."""
    text, page = (output / "sea.html").read_text(), (output / "sea.md").read_text()
    assert text.count("data:image/png;base64,") == text.count("<img") == 4
    assert 'src="http' not in text
    assert "<td>41009</td><td>282</td><td>6.6</td><td>2011-08-26 02:00</td>" in text
    assert "| irene2011 | 41009 | 282 | 6.6 | 2011-08-26 02:00 |" in page
    assert page.count("](images/sea_") == 4
    assert len(list((output / "images").iterdir())) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--storms", "sandy2012"], "--storms sandy2012: there is no such storm. There are: dorian2019, ike"),
        (["--spacing", "-1"], "--spacing -1: give a positive factor"),
        (["--folder", "."], r"--folder \. has no sub-folders with case.yaml"),
    ],
)
def test_options_that_are_refused(tmp_path, options, message):
    with pytest.raises(ConfigError, match=message):
        raise validate(tmp_path, *options).exception


def test_measurements_of_other_days(tmp_path):
    """A buoy without heights after the first day, whose run is kept."""
    storm = Storm("irene", STORMS / "irene2011", {"41009": tmp_path / "41009.csv"})
    storm.buoys["41009"].write_text(
        "time,hs,tp\n2011-08-25T01:00,2,8\n2011-08-26T01:00,,8\n2011-08-26T02:00,,9\n"
    )
    with pytest.raises(
        InputError, match=r"41009\.csv has fewer than two heights in the run after its first 24"
    ):
        run_storm(storm, None, tmp_path, ranks=1, overrides=[*SMALL, "time.end=2011-08-26T03:00"])


def test_the_storms_have_their_tracks_and_buoys():
    """All nine pairs of storms and buoys have heights of storms, and the tracks cover the runs."""
    storms = storms_in(STORMS, None)
    assert sum(len(storm.buoys) for storm in storms) == 9
    for storm in storms:
        case = load_case(storm.case_file)
        (track,) = tracks_of(case)
        box = case.mesh.region
        track.check(case.time.start, case.time.end, (box.west, box.east, box.south, box.north))
        for path in storm.buoys.values():
            assert np.nanmax(read_buoy(path).values["significant_height"]) > 4


def test_a_storm_without_buoys(tmp_path):
    shutil.copytree(STORMS / "ike2008", tmp_path / "ike")
    for path in (tmp_path / "ike").glob("*.csv"):
        path.unlink()
    with pytest.raises(ConfigError, match=r"ike has no files of buoys .* \(42001, 42040\)"):
        storms_in(tmp_path, None)
