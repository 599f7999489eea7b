"""Best-track formats of agencies, detected from the content of the file."""

import numpy as np
import pytest

from halcyon.base import KNOT, InputError
from halcyon.wave.track import NAUTICAL_MILE, ONE_MINUTE_AT_SEA, read_track
from halcyon.wave.wind import Options, parameters

B_DECK = """\
WP, 12, 2022082806, ,BEST, 0, 259N, 1495E, 35,1004,TS,34,NEQ,60,50,0,40,1010,150,30,0,0,W,0,,0,0, HINNAMNOR,
WP, 12, 2022082812, ,BEST, 0, 269N, 1485E, 70, 980,TY,34,NEQ,100,90,80,70,1010,150,15,0,0,W,0,,0,0, HINNAMNOR,
WP, 12, 2022082812, ,BEST, 0, 269N, 1485E, 70, 980,TY,50,NEQ,50,40,30,20,1010,150,15,0,0,W,0,,0,0, HINNAMNOR,
"""
SOUTHERN_STORM = (
    "SH, 03, 2022120100,   , BEST,   0,  15S,  1755W,  45,  990, TC,  34, AAA,  80,    0,    0,    0,\n"
)
HEADER = (
    "SID,SEASON,NUMBER,BASIN,NAME,ISO_TIME,NATURE,LAT,LON,USA_ATCF_ID,USA_WIND,USA_PRES,USA_R34_NE,"
    "USA_R34_SE,USA_R34_SW,USA_R34_NW,USA_RMW,TOKYO_WIND,TOKYO_PRES,TOKYO_R30_LONG,TOKYO_R30_SHORT\n"
    " ,Year, , , , , ,degrees_north,degrees_east, ,kts,mb,nmile,nmile,nmile,nmile,nmile,kts,mb,nmile,nmile\n"
)
STORM, UNNAMED = "2022239N22150,2022,60,WP,HINNAMNOR", "2022240N10100,2022,61,WP,UNNAMED"
IBTRACS = HEADER + (
    f"{STORM},2022-08-28 06:00:00,TS,25.9,149.5,WP122022,40,1000,60,50, ,40,30,35,1004,120,90\n"
    f"{STORM},2022-08-28 09:00:00,TS,26.4,149.0,WP122022, , , , , , , , , , , \n"
    f"{STORM},2022-08-28 12:00:00,TS,26.9,148.5,WP122022,60,990,70,60,50,40,20,40,1002,120,90\n"
    f"{UNNAMED},2022-08-28 06:00:00,TS,10.0,100.0, ,25,1006, , , , , , , , , \n"
)
RSMC = """\
66666 2211  002 0015 2211 0 6          HINNAMNOR              20221115
22082806 002 3 259 1495 1004     035     00000 0000 10120 0090
22082818 002 4 272 1469  996     055     90030 0030 10120 0090         #
"""


def read(folder, text, **options):
    """Reads a track from a text in any of the formats."""
    path = folder / "storm.txt"
    path.write_text(text)
    return read_track(path, **options)


def test_a_b_deck(tmp_path):
    """A b-deck gives one record per time, with the wind radii of all lines of that time."""
    track = read(tmp_path, B_DECK)
    assert track.averaging_factor == ONE_MINUTE_AT_SEA and len(track) == 2
    assert track.times[1] == np.datetime64("2022-08-28T12:00") and track.lines == [1, 2]
    assert (track.latitude[0], track.longitude[0]) == (25.9, 149.5)
    assert track.wind == pytest.approx([35 * KNOT, 70 * KNOT]) and track.pressure.tolist() == [100400, 98000]
    assert track.rmax == pytest.approx([30 * NAUTICAL_MILE, 15 * NAUTICAL_MILE])
    fifty, gale = track.radii
    assert gale.speed == pytest.approx(34 * KNOT) and fifty.speed == pytest.approx(50 * KNOT)
    assert gale.longest == pytest.approx(np.array([60, 100]) * NAUTICAL_MILE)
    assert gale.shortest == pytest.approx(np.array([40, 70]) * NAUTICAL_MILE)  # a radius of 0 is missing
    assert np.isnan(fifty.longest[0]) and fifty.shortest[1] == pytest.approx(20 * NAUTICAL_MILE)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            "269N, 1485E, 70, 980,TY,50",
            "270N, 1485E, 70, 980,TY,50",
            "latitude is 27 N, but 26.9 N in line 2",
        ),
        ("269N, 1485E, 70, 980,TY,50", "269N, 1485E, 75, 980,TY,50", "wind_kt is 75 kt, but 70 kt in line 2"),
    ],
    ids=["position", "wind"],
)
def test_lines_of_one_time_that_differ(tmp_path, old, new, text):
    with pytest.raises(InputError, match=rf"storm.txt:3: {text} of the same time"):
        read(tmp_path, B_DECK.replace(old, new))


def test_a_value_that_the_first_line_of_a_time_lacks(tmp_path):
    track = read(tmp_path, B_DECK.replace("1485E, 70, 980,TY,34", "1485E, 70, 0,TY,34", 1))
    assert track.pressure[1] == pytest.approx(98000)


def test_a_jump_of_the_centre(tmp_path):
    """A position 10 degrees off is refused; 11 km in 10 minutes, a step of a tenth of a degree, are not."""
    with pytest.raises(
        InputError, match=r"txt:2: the centre moves by 1,\d+ km in 6 h, from 149.50 E 25.90 N"
    ):
        read(tmp_path, B_DECK.replace("269N", "369N"))
    landfall = B_DECK.replace("2022082812, ,BEST", "2022082806,10,BEST").replace("269N, 1485E", "260N, 1494E")
    assert len(read(tmp_path, landfall)) == 2


def test_records_between_the_hours(tmp_path):
    """Records at landfalls: minutes are the fourth word of a b-deck, and part of IBTrACS times."""
    landfall = B_DECK.splitlines(True)[1].replace("2022082812, ,", "2022082812, 5,").replace("269N", "270N")
    track = read(tmp_path, B_DECK + landfall)
    assert [str(time)[11:16] for time in track.times] == ["06:00", "12:00", "12:05"]
    assert track.latitude[2] == 27.0 and np.isnan(track.radii[0].longest[2])
    row = f"{STORM},2022-08-28 12:40:00,TS,27.0,148.4,WP122022,60,990,70,60,50,40,20,40,1002,120,90\n"
    track = read(tmp_path, IBTRACS + row, storm="hinnamnor")
    assert [str(time)[11:16] for time in track.times] == ["06:00", "12:00", "12:40"]


def test_one_of_several_storms(tmp_path):
    """Storms are chosen by name or identifier; without a choice the storms are listed."""
    for storm in ("SH032023", "sh032023"):
        track = read(tmp_path, B_DECK + SOUTHERN_STORM, storm=storm)
        assert (track.latitude[0], track.longitude[0], track.lines) == (-1.5, -175.5, [4])
        assert track.radii[0].longest == track.radii[0].shortest == pytest.approx(80 * NAUTICAL_MILE)
    assert len(read(tmp_path, B_DECK + SOUTHERN_STORM, storm="Hinnamnor")) == 2
    with pytest.raises(
        InputError, match=r"holds 2 storms: WP122022 HINNAMNOR, SH032023. Choose one by forcing"
    ):
        read(tmp_path, B_DECK + SOUTHERN_STORM)
    with pytest.raises(InputError, match=r"holds no storm 'Muifa'. It has WP122022 HINNAMNOR, SH032023"):
        read(tmp_path, B_DECK + SOUTHERN_STORM, storm="Muifa")


def test_ibtracs_by_agency(tmp_path):
    """By default USA's columns are read, otherwise those of the agency chosen."""
    usa = read(tmp_path, IBTRACS, storm="hinnamnor")
    assert usa.averaging_factor == ONE_MINUTE_AT_SEA and usa.lines == [3, 5]
    assert usa.wind == pytest.approx([40 * KNOT, 60 * KNOT]) and usa.pressure.tolist() == [100000, 99000]
    assert usa.radii[0].shortest == pytest.approx(40 * NAUTICAL_MILE)
    tokyo = read(tmp_path, IBTRACS, storm="2022239N22150", agency="tokyo")
    assert tokyo.averaging_factor == 1 and tokyo.wind == pytest.approx([35 * KNOT, 40 * KNOT])
    assert tokyo.radii[0].speed == pytest.approx(30 * KNOT)
    assert tokyo.radii[0].shortest == pytest.approx(90 * NAUTICAL_MILE)
    assert len(read(tmp_path, IBTRACS, storm="WP122022")) == 2
    with pytest.raises(InputError, match="the storm has no records with a wind or a pressure"):
        read(tmp_path, IBTRACS, storm="unnamed", agency="tokyo")


def test_rsmc_tokyo(tmp_path):
    """The agency's own format gives 10-minute winds, and radii of 50 and 30 knots."""
    track = read(tmp_path, RSMC)
    assert track.averaging_factor == 1 and len(track) == 2
    assert track.times[1] == np.datetime64("2022-08-28T18:00")
    assert (track.latitude[1], track.longitude[1], track.pressure[1]) == (27.2, 146.9, 99600)
    fifty, thirty = track.radii
    assert np.isnan(fifty.longest[0]) and fifty.longest[1] == 30 * NAUTICAL_MILE
    assert thirty.longest == pytest.approx(120 * NAUTICAL_MILE)
    assert thirty.shortest == pytest.approx(90 * NAUTICAL_MILE)
    second = RSMC.replace("2211", "2212").replace("HINNAMNOR", "MUIFA    ")
    assert len(read(tmp_path, RSMC + second, storm="2212")) == 2


def test_jtwc_table(shared):
    path = shared / "data" / "jtwc" / "two_storms.csv"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    track = read_track(path, storm="201331")
    assert track.averaging_factor == ONE_MINUTE_AT_SEA
    assert track.wind.max() == pytest.approx(170 * KNOT)  # Haiyan
    assert (track.latitude[0], track.longitude[0]) == (6.6, 161.6)
    with pytest.raises(InputError, match="holds 2 storms: 201331, 201826"):
        read_track(path)


def test_the_averaging_factor_is_the_track_s_unless_given(tmp_path):
    """A track of 1-minute winds has a factor of 0.93; a factor of 1 gives stronger winds."""
    track = read(tmp_path, B_DECK)
    auto, minute = (parameters(track, Options(averaging_factor=factor)) for factor in ("auto", 0.93))
    assert auto.peak == pytest.approx(minute.peak)
    assert (parameters(track, Options(averaging_factor=1.0)).peak > auto.peak).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (B_DECK.replace("269N", "269X"), r"storm.txt:2: the position '269X' must be tenths of degrees"),
        pytest.param(
            B_DECK.replace("BEST", "OFCL"),
            r"no best track \(BEST in the fifth column\), but forecasts of the techniques OFCL. Choose one",
            id="text1-none of the lines is of a best track",
        ),
        (B_DECK.replace(" 980", " x80"), r"storm.txt:2: MSLP is 'x80'; it must be a number"),
        pytest.param(
            B_DECK + "WP, 12, soon\n",
            r"storm.txt:4: the line is not in the format of the first line, a deck",
            id="text3-storm.txt:4: this is no line of a b-deck",
        ),
        (B_DECK.replace("2022082812", "2022083299"), r"storm.txt:2: the time is '2022083299'"),
        (B_DECK.replace(" 980,", "9800,"), r"storm.txt:2: pressure_hpa is 9800; it must be from 800"),
        ("".join(B_DECK.splitlines(True)[::-1]), "the time 2022-08-28T06:00:00 does not come after"),
        (RSMC.replace("1495 1004", "1495"), r"storm.txt:2: pressure_hpa is 35; it must be from 800 to 1050"),
        ("66666 2211\n22082806 002\n", r"storm.txt:2: a record of RSMC Tokyo has at least six words"),
        (
            "SID,NAME,ISO_TIME,LAT,LON,USA_WIND\nA,HINNAMNOR,2022-08-28 06:00:00, ,149.5,35\n",
            r"storm.txt:2: latitude is missing; it must be from -90 to 90",
        ),
        (IBTRACS.replace(",120,90\n", "\n", 1), r"storm.txt:3: 19 values where 21 columns are named"),
        (B_DECK.replace(" 70, 980", "-70, 980"), r"storm.txt:2: wind_kt is -70; it must be from 0 to 250"),
        (
            B_DECK.replace("NEQ,60,", "NEQ,-100,"),
            r"storm.txt:1: a radius of 34 kt is -100; it must be from 0",
        ),
    ],
)
def test_bad_lines_are_named(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, **({"storm": "hinnamnor"} if text.startswith("SID") else {}))


def test_our_own_format_has_one_storm(tmp_path):
    text = "time,latitude,longitude,wind_kt\n2022-09-01T00:00,20,130,80\n"
    with pytest.raises(InputError, match=r"holds one storm without a name: remove forcing.wind.storm"):
        read(tmp_path, text, storm="Hinnamnor")


def test_longitudes_of_the_eastern_pacific(tmp_path):
    """West of 99 W they are not the missing values of other columns, -99 and -999."""
    row = "2015293N13266,2015,90,EP,PATRICIA,2015-10-23 {}:00:00,TS,17.3,-{},EP202015,180,872"
    rows = [row.format(hour, lon) + ",-999, , , ,5, , , , \n" for hour, lon in (("06", 99.0), ("12", 105.6))]
    track = read(tmp_path, HEADER + "".join(rows))
    assert track.longitude.tolist() == [-99.0, -105.6] and not track.radii
