"""Reading of best tracks; errors name file and line."""

from pathlib import Path

import numpy as np
import pytest

from halcyon.base import KNOT, InputError
from halcyon.wave.track import NAUTICAL_MILE, read_track

HINNAMNOR = Path(__file__).parents[2] / "examples" / "hinnamnor" / "track.csv"
HEADER = "time,latitude,longitude,pressure_hpa,wind_kt\n"
GOOD = "2022-09-01T00:00,20,130,950,80\n"


def read(folder, text):
    """Reads a track from a text in the CSV format."""
    path = folder / "storm.csv"
    path.write_text(text)
    return read_track(path)


def test_reads_hinnamnor():
    """The example's track has the length and some values of its file."""
    track = read_track(HINNAMNOR)
    assert len(track) == 67
    assert track.times[0] == np.datetime64("2022-08-28T06:00") and track.times[-1] == np.datetime64(
        "2022-09-09"
    )
    i = int(np.flatnonzero(track.times == np.datetime64("2022-09-04T12:00"))[0])
    assert (track.latitude[i], track.longitude[i]) == (27.7, 124.5)
    assert track.pressure[i] == 94000 and track.wind[i] == pytest.approx(90 * KNOT)
    fifty, thirty = track.radii
    assert fifty.speed == pytest.approx(50 * KNOT) and thirty.speed == pytest.approx(30 * KNOT)
    assert (fifty.longest[i], fifty.shortest[i]) == (140 * NAUTICAL_MILE, 90 * NAUTICAL_MILE)
    assert thirty.longest[i] == 375 * NAUTICAL_MILE
    assert np.isnan(track.wind[track.times >= np.datetime64("2022-09-06T12:00")]).all()


def test_agrees_with_the_raw_rows(shared):
    """Every value of the example's track is that of RSMC Tokyo's table."""
    path = shared / "data" / "hinnamnor" / "Hinnamnor_RSMC_Tokyo_raw_data.csv"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    rows = [line.split(",") for line in path.read_text().split()]
    track = read_track(HINNAMNOR)
    assert track.latitude == pytest.approx([int(row[3]) / 10 for row in rows])
    assert track.longitude == pytest.approx([int(row[4]) / 10 for row in rows])
    assert track.pressure == pytest.approx([int(row[5]) * 100 for row in rows])
    assert np.nan_to_num(track.wind) == pytest.approx([int(row[6]) * KNOT for row in rows])
    for radii, column in zip(track.radii, (7, 9), strict=True):
        longest = [int(row[column][1:] or 0) if row[column] else 0 for row in rows]
        assert np.nan_to_num(radii.longest) == pytest.approx(np.array(longest) * NAUTICAL_MILE)


def test_needs_no_more_than_position_and_strength(tmp_path):
    """A track may have comments, columns in any order, and positions on both sides of 180 degrees."""
    track = read(
        tmp_path,
        "# mine\n\nlongitude,latitude,time,wind_kt\n179,-5,2022-09-01 06:00,35\n-179,-6,2022-09-02Z,0040\n",
    )
    assert track.lines == [4, 5] and np.isnan(track.pressure).all() and track.radii == []
    latitude, longitude = track.positions(np.datetime64("2022-09-01T15:00"))
    assert latitude == pytest.approx(-5.5) and longitude == pytest.approx(180)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no records"),
        (HEADER, "has no records"),
        ("time,latitude,wind_kt\n1,2,3\n", "lacks the column longitude; it has time, latitude, wind_kt"),
        ("time,latitude,longitude\n1,2,3\n", "lacks the column pressure_hpa or wind_kt"),
        (HEADER[:-1] + ",windspeed\n" + GOOD, "unknown column 'windspeed'"),
        (HEADER[:-1] + ",wind_kt\n" + GOOD, "'wind_kt' is named twice"),
        (HEADER + "2022-09-01,20,130,950\n", r"storm.csv:2: 4 values where 5 columns"),
        (HEADER + GOOD + "2022-09-02,x,130,950,80\n", r"storm.csv:3: latitude is 'x'; it must be a number"),
        (
            HEADER + "2022-09-01,20,130,950,nan\n",
            r"storm.csv:2: wind_kt is 'nan'; it must be a number from 0",
        ),
        (HEADER + "2022-09-01,,130,950,80\n", r"storm.csv:2: latitude is ''"),
        (HEADER + "2022-09-01,91,130,950,80\n", r"latitude is '91'; it must be a number from -90 to 90"),
        (HEADER + "2022-09-01,20,721,950,80\n", r"longitude is '721'; it must be a number from -360 to 720"),
        (HEADER + "2022-09-01,20,130,95000,80\n", r"pressure_hpa is '95000'"),
        (HEADER + "1/9/2022,20,130,950,80\n", r"time is '1/9/2022'; give it as 2022-09-01T06:00"),
        (HEADER + "2022-13-01,20,130,950,80\n", r"time is '2022-13-01'; give it"),
        (HEADER + GOOD + GOOD, r"storm.csv:3: time is '2022-09-01T00:00'; it must come after"),
        (HEADER + "2022-09-01,20,130,,0\n", r"storm.csv:2: neither pressure nor wind is given"),
    ],
)
def test_bad_tracks_are_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"nowhere.csv cannot be read as a track: No such file"):
        read_track(tmp_path / "nowhere.csv")


def test_must_cover_the_run_and_enter_its_region():
    """Longitudes of the region may be below -180; partial = True allows a run beyond the track."""
    track = read_track(HINNAMNOR)
    region = (115, 155, 10, 45)
    track.check("2022-09-01T00:00", "2022-09-06T06:00", region)
    track.check("2022-09-01T00:00", "2022-09-06T06:00", (-245, -205, 10, 45))
    track.check("2022-08-20T00:00", "2022-09-10T00:00", region, partial=True)
    with pytest.raises(InputError, match="covers 2022-08-28T06:00:00 to 2022-09-09T00:00:00 UTC, the run"):
        track.check("2022-09-08", "2022-09-10", region)
    with pytest.raises(
        InputError, match=r"does not come within 800 km of the region 0 to 20 E.*125.5 to 125.7 E"
    ):
        track.check("2022-09-01", "2022-09-02", (0, 20, 10, 45))
