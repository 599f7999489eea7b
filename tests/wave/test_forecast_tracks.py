"""Forecasts of storms in ATCF's a-decks and RSMC Tokyo's advisories, and archives of many storms: HURDAT2,
IBTrACS in netCDF, compressed files."""

import gzip

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon.base import KNOT, ConfigError, InputError
from halcyon.config.storm import Storm
from halcyon.wave.track import NAUTICAL_MILE, check_tracks, read_track
from halcyon.wave.track.ibtracs import AGENCIES
from halcyon.wave.wind import Options, vortex_wind

A_DECK = """\
AL, 09, 2011082506, 01, CARQ, -24, 213N,  725W,  95,  965, HU,  34, NEQ,    0,    0,    0,    0
AL, 09, 2011082506, 01, CARQ,  -6, 235N,  751W,  95,    0, XX,  34, NEQ,    0,    0,    0,    0
AL,09,2011082506,01,CARQ,0,241N,759W,95,950,HU,64,NEQ,60,60,25,50,1008,275,25,115,20,L,0,X,315,11,IRENE,D,
AL,09,2011082500,01,CARQ,0,236N,752W,100,952,HU,34,NEQ,220,180,100,150,1008,300,20
AL, 09, 2011082500, 03, OFCL,  12, 250N,  762W, 105,    0, HU,  34, NEQ,  220,  180,  100,  150
AL,09,2011082506,03,OFCL,0,241N,759W,95,950,HU,34,NEQ,220,180,100,150,0,0,0
AL,09,2011082506,03,OFCL,36,294N,774W,100,0,,34,NEQ,250,225,130,175,0,0,0
AL,09,2011082506,03,OFCL,12,258N,768W,100,0,,34,NEQ,220,180,100,150,0,0,0,120
AL,09,2011082506,03,OFCL,12,258N,768W,100,0,,50,NEQ,100,90,50,80,0,0,0,120
AL,09,2011082506,03,OFCL,12,258N,768W,100,0,,64,NEQ,60,60,25,50,0,0,0,120
AL, 09, 2011082506, 03, OFCL, 120, 500N,  650W,   0,    0
AL, 09, 2011082506, 03, AVNO,   6, 247N,  764W,  70,  965, XX,  34, NEQ,  200,  150,  100,  140
AL, 09, 2011082506, 03, CLP5,  12,   0N,    0W,   0
"""
CYCLE = np.datetime64("2011-08-25T06:00")
BEST = """\
AL,09,2011082418,,BEST,0,227N,743W,100,954,HU,34,NEQ,200,180,100,150,1008,300,20,
AL,09,2011082500,,BEST,0,235N,751W,95,952,HU,34,NEQ,220,180,100,150,1008,300,25,
AL,09,2011082506,,BEST,0,241N,759W,95,950,HU,34,NEQ,220,180,100,150,1008,275,25,
"""
HURDAT = """\
AL081971,              IRENE,      2,
19710911,0600,,TD,11.7N,50.0W,25,-99,-999,-999,-999,-999,-999,-999,-999,-999,-999,-999,-999,-999,
19710911,1200,,TD,11.7N,51.9W,-99,-999,-999,-999,-999,-999,-999,-999,-999,-999,-999,-999,-999,-999,
AL092011,              IRENE,      3,
20110828,0600,,HU,38.1N,75.0W,65,958,230,280,160,110,150,150,80,30,75,75,0,0,45
20110828,0935,L,TS,39.4N,74.4W,60,959,230,280,160,110,150,150,80,30,0,0,0,0,-999
20110828,1200,,TS,40.3N,74.1W,55,963,230,280,130,50,150,150,80,30,0,0,0,0,90
CP012006,               IOKE,      1,
20060827,0000,,HU,17.3N,179.9W,135,922,-999,-999,-999,-999,-999,-999,-999,-999,-999,-999,-999,-999,-999
"""
ADVISORY = """\
WTPQ50 RJTD 041800
RSMC TROPICAL CYCLONE ADVISORY
NAME  TY 2211 HINNAMNOR (2211)
ANALYSIS
PSTN  041800UTC 27.9N 124.6E GOOD
MOVE  N 11KT
PRES  940HPA
MXWD  085KT
GUST  120KT
50KT  150NM EAST 120NM WEST
30KT  375NM
FORECAST
24HF  051800UTC 32.3N 127.2E 70NM 70%
MOVE  NNE 15KT
PRES  950HPA
MXWD  080KT
GUST  115KT
48HF  061800UTC 40.9N 133.5E 110NM 70%
MOVE  NE 30KT
PRES  976HPA
72HF  071800UTC 48.0N 139.0E 150NM 70% TROPICAL DEPRESSION=
"""


def read(folder, text, name="deck.dat", **options):
    path = folder / name
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    return read_track(path, **options)


def test_a_forecast_of_a_deck(tmp_path):
    """Periods are sorted, lines of 34, 50 and 64 kt belong to one record, and a dissipated storm has none."""
    best = tmp_path / "best.dat"
    best.write_text(BEST.splitlines()[0])
    track = read(tmp_path, A_DECK, technique="ofcl", cycle=CYCLE, best=best)
    assert (track.times[1:] - CYCLE).astype(int).tolist() == [0, 12 * 3600, 36 * 3600]
    assert track.latitude.tolist() == [22.7, 24.1, 25.8, 29.4] and track.longitude[2] == -76.8
    assert track.wind == pytest.approx(np.array([100, 95, 100, 100]) * KNOT)
    assert track.pressure[:2].tolist() == [95400, 95000] and np.isnan(track.pressure[2:]).all()
    assert track.rmax[0] == 20 * NAUTICAL_MILE and np.isnan(track.rmax[1:]).all()
    longest = {round(radii.speed / KNOT): radii.longest[2] / NAUTICAL_MILE for radii in track.radii}
    assert longest == {64: 60, 50: 100, 34: 220}
    assert track.location(0) == f"{best}:1" and track.location(1) == f"{tmp_path}/deck.dat:6"
    assert (
        track.title
        == "OFCL forecast of 2011-08-25 06:00 UTC of AL092011 IRENE after best track of AL092011 (ATCF)"
    )
    assert track.averaging_factor == 0.93
    best.write_text(BEST)  # its last record is of the time of the forecast
    assert len(read(tmp_path, A_DECK, technique="OFCL", cycle=CYCLE, best=best)) == 5


def test_a_forecast_continues_the_analyses_of_its_deck(tmp_path):
    """Without a best track, records before the forecast are analyses: that of a time itself comes before a
    later one."""
    track = read(tmp_path, A_DECK, technique="OFCL", cycle=CYCLE)
    assert [str(time)[8:13] for time in track.times[:3]] == ["24T06", "25T00", "25T06"]
    assert track.latitude[:3].tolist() == [21.3, 23.6, 24.1] and track.wind[1] == pytest.approx(100 * KNOT)
    assert np.isnan(track.radii[-1].longest[0]) and track.radii[-1].longest[1] == 220 * NAUTICAL_MILE
    assert track.title.endswith("of AL092011 IRENE after its analyses (CARQ)")
    earlier = read(tmp_path, A_DECK, technique="OFCL", cycle=np.datetime64("2011-08-25T00:00"))
    assert earlier.times[0] == np.datetime64("2011-08-25T00:00") and len(earlier) == 2
    only = read(tmp_path, A_DECK, technique="AVNO")
    assert only.latitude[-1] == 24.7 and len(only) == 4  # the deck has one cycle of AVNO


def test_a_forecast_without_pressure_and_radius_has_a_vortex(tmp_path):
    """The vortex has the wind of the forecast; B is from the regression where the pressure is missing."""
    track = read(tmp_path, A_DECK, technique="OFCL", cycle=CYCLE)
    vortex = vortex_wind(track, start=CYCLE, options=Options(vortex="holland", asymmetry="none")).vortex(
        12 * 3600.0
    )
    assert vortex.peak == pytest.approx(100 * KNOT * 0.93 / 0.9) and 8e3 < vortex.radius < 100e3


def test_a_southern_forecast_near_the_date_line(tmp_path):
    deck = "".join(
        f"SH, 05, 2016021812, 03, JTWC, {tau:3d}, {lat}S, {lon}, {wind}, 930\n"
        for tau, lat, lon, wind in ((0, 170, "1790W", 100), (12, 172, "1797E", 120), (24, 173, "1770E", 155))
    )
    track = read(tmp_path, deck, technique="JTWC", storm="sh052016")
    assert track.storm == "SH052016" and track.latitude[0] == -17
    latitude, longitude = track.positions(np.datetime64("2016-02-18T18:00"))
    assert longitude % 360 == pytest.approx(180.35) and latitude == pytest.approx(-17.1)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, InputError, r"techniques AVNO, CLP5, OFCL. Choose one by .*technique: `technique: OFCL`"),
        ({"technique": "OFCI"}, InputError, r"no forecast of the technique 'OFCI'. It has AVNO, CLP5, OFCL"),
        (
            {"technique": "OFCL"},
            InputError,
            r"2 forecasts of OFCL: 2011082500, 2011082506.*`cycle: 2011082506`",
        ),
        (
            {"technique": "OFCL", "cycle": np.datetime64("2011-08-26")},
            InputError,
            r"no forecast of OFCL at 2011-08-26 00:00 UTC, but 2 forecasts of OFCL",
        ),
        ({"technique": "CLP5"}, InputError, r"CLP5 forecast of .* has no position with a wind or a pressure"),
        ({"technique": "OFCL", "storm": "Katia"}, InputError, r"no storm 'Katia'. It has AL092011 IRENE"),
    ],
)
def test_mistakes_in_a_forecast_list_what_there_is(tmp_path, options, error, message):
    with pytest.raises(error, match=message):
        read(tmp_path, A_DECK, **options)


@pytest.mark.parametrize(
    ("text", "options", "error", "message"),
    [
        (
            BEST,
            {"technique": "OFCL"},
            InputError,
            "has a best track and no forecasts. Remove forcing.wind.tech",
        ),
        (HURDAT, {"technique": "OFCL"}, ConfigError, "not an a-deck of ATCF.*Remove the option technique"),
        (HURDAT, {"cycle": CYCLE}, ConfigError, "Remove the option cycle"),
        (
            A_DECK.replace(",36,", ",3x,"),
            {"technique": "OFCL", "cycle": CYCLE},
            InputError,
            "deck.dat:7: the fo",
        ),
        (
            A_DECK.replace("294N", "294W"),
            {"technique": "OFCL", "cycle": CYCLE},
            InputError,
            "'294W' must be ten",
        ),
        (HURDAT, {}, InputError, "3 storms: AL081971 IRENE, AL092011 IRENE, CP012006 IOKE. Choose one"),
        (
            HURDAT,
            {"storm": "irene"},
            InputError,
            "2 storms 'irene': AL081971 IRENE, AL092011 IRENE.*AL092011`",
        ),
        (HURDAT.replace(" 3,", " 4,"), {"storm": "AL092011"}, InputError, "deck.dat:4: .*4 records, but 3"),
        (HURDAT.replace("39.4N", "394N "), {"storm": "AL092011"}, InputError, "deck.dat:6: latitude is 394"),
        (
            HURDAT.replace("0935", "xx35"),
            {"storm": "AL092011"},
            InputError,
            "deck.dat:6: this is not a record of",
        ),
        (
            ADVISORY,
            {},
            InputError,
            r"041800 \(day, hour, minute\) does not state its month.*`cycle: 2022MM0418`",
        ),
        (ADVISORY, {"cycle": CYCLE}, InputError, r"no advisory on 2211 HINNAMNOR of 2011-08-25 06:00 UTC"),
        (gzip.compress(BEST.encode())[:-20], {}, InputError, "cannot be read: Compressed file ended"),
        (b"\x1f\x8bxx", {}, InputError, "cannot be read: "),
    ],
)
def test_mistakes_in_other_files(tmp_path, text, options, error, message):
    with pytest.raises(error, match=message):
        read(tmp_path, text, **options)


def test_hurdat(tmp_path):
    """Records at landfall, missing values, the newest column of the radius of maximum wind, and a name that
    occurs in several years."""
    track = read(tmp_path, HURDAT, storm="Irene 2011")
    assert [str(time)[11:16] for time in track.times] == ["06:00", "09:35", "12:00"]
    assert track.pressure.tolist() == [95800, 95900, 96300] and track.averaging_factor == 0.93
    assert track.rmax[[0, 2]] == pytest.approx(np.array([45, 90]) * NAUTICAL_MILE) and np.isnan(track.rmax[1])
    gale = track.radii[-1]
    assert (gale.longest[0], gale.shortest[2]) == (280 * NAUTICAL_MILE, 50 * NAUTICAL_MILE)
    old = read(tmp_path, HURDAT, storm="AL081971")
    assert len(old) == 1 and old.radii == [] and np.isnan(old.pressure).all()  # the other record has no wind
    assert read(tmp_path, HURDAT, storm="ioke").longitude[0] == -179.9


def test_real_decks_and_hurdat_agree(shared, tmp_path):
    """NHC's b-decks of Irene and Ike have the positions, winds and pressures of HURDAT2; also compressed, and
    as the best track before a forecast."""
    storms = shared / "data" / "storms"
    if not storms.is_dir():
        pytest.skip(f"{storms} is absent")
    for name, n_records in (("irene2011", 43), ("ike2008", 62)):
        deck = read_track(storms / name / f"{name}-bdeck.dat")
        hurdat = read_track(storms / name / "hurdat2.txt")
        assert len(deck) == len(hurdat) == n_records and (deck.times == hurdat.times).all()
        for column in ("latitude", "longitude", "wind", "pressure"):
            assert getattr(deck, column) == pytest.approx(getattr(hurdat, column), nan_ok=True), column
    dorian = read_track(storms / "dorian2019" / "dorian2019-bdeck.dat")
    assert dorian.storm == "AL052019" and dorian.wind.max() == pytest.approx(160 * KNOT)
    content = (storms / "irene2011" / "irene2011-bdeck.dat").read_bytes()
    path = tmp_path / "bal092011.dat.gz"
    empty = gzip.compress(b"") * 100_000  # must not take quadratic time
    path.write_bytes(gzip.compress(content[:2000]) + empty + gzip.compress(content[2000:]))
    joined = read(tmp_path, A_DECK, technique="OFCL", cycle=CYCLE, best=path)
    assert joined.times[0] == np.datetime64("2011-08-21") and joined.latitude[-1] == 29.4
    by_hurdat = read(
        tmp_path, A_DECK, technique="OFCL", cycle=CYCLE, best=storms / "irene2011" / "hurdat2.txt"
    )
    assert (by_hurdat.times == joined.times).all()
    with pytest.raises(InputError, match=r"holds no storm 'AL092011'. It has AL092008 IKE"):
        read(tmp_path, A_DECK, technique="OFCL", cycle=CYCLE, best=storms / "ike2008" / "hurdat2.txt")


def test_an_advisory_of_rsmc_tokyo(tmp_path):
    """The month comes from the option cycle; a depression without wind and pressure is left out."""
    cycle = np.datetime64("2022-09-04T18:00")
    other = ADVISORY.replace("2211", "2212").replace("HINNAMNOR", "MUIFA").replace("27.9N", "20.0N")
    older = (
        ADVISORY.replace("0418", "0412")
        .replace("0518", "0512")
        .replace("0618", "0612")
        .replace("0718", "0712")
    )
    text = older + ADVISORY + other
    track = read(tmp_path, text, cycle=cycle, storm="hinnamnor")
    assert ((track.times - cycle) // np.timedelta64(1, "h")).astype(int).tolist() == [0, 24, 48]
    assert track.latitude.tolist() == [27.9, 32.3, 40.9] and track.longitude[1] == 127.2
    assert track.pressure.tolist() == [94000, 95000, 97600] and track.averaging_factor == 1
    assert track.wind[:2] == pytest.approx([85 * KNOT, 80 * KNOT]) and np.isnan(track.wind[2])
    fifty, thirty = track.radii
    assert (fifty.longest[0], fifty.shortest[0]) == (150 * NAUTICAL_MILE, 120 * NAUTICAL_MILE)
    assert thirty.shortest[0] == 375 * NAUTICAL_MILE and np.isnan(thirty.longest[1])
    assert read(tmp_path, text, cycle=cycle, storm="2212").latitude[0] == 20
    with pytest.raises(InputError, match=r"deck.dat:13: the forecast of 24 h is for 061800"):
        read(tmp_path, ADVISORY.replace("24HF  05", "24HF  06"), cycle=cycle)
    with pytest.raises(InputError, match=r"deck.dat:13: '24HF  051800UTC 32.3X"):
        read(tmp_path, ADVISORY.replace("32.3N", "32.3X"), cycle=cycle)


def write_ibtracs(path):
    """Two storms in the layout of IBTrACS version 4 in netCDF: (storm, date_time), texts as characters."""
    with Dataset(path, "w") as file:
        for name, size in (("storm", 2), ("date_time", 4), ("quadrant", 4)):
            file.createDimension(name, size)

        def texts(name, values, size, *dimensions):
            if f"char{size}" not in file.dimensions:
                file.createDimension(f"char{size}", size)
            variable = file.createVariable(name, "S1", (*dimensions, f"char{size}"))
            variable[:] = np.array(values, f"S{size}").view("S1").reshape(*np.shape(values), size)

        def numbers(name, values, fill=-9999.0, dimensions=("storm", "date_time")):
            variable = file.createVariable(name, "f4", dimensions, fill_value=fill)
            variable[:] = np.ma.masked_invalid(values)

        texts("sid", ["2022239N22150", "2022240N10100"], 13, "storm")
        texts("name", ["HINNAMNOR", "MA-ON"], 128, "storm")
        times = [["2022-08-28 06:00:00", "2022-08-28 09:00:00", "2022-08-28 12:00:00", ""], [""] * 4]
        texts("iso_time", times, 19, "storm", "date_time")
        texts("usa_atcf_id", [["", "WP122022", "WP122022", ""], [""] * 4], 9, "storm", "date_time")
        texts("wmo_agency", [["tokyo", "tokyo", "hurdat_epa", ""], [""] * 4], 19, "storm", "date_time")
        missing = [np.nan] * 4
        numbers("lat", [[25.9, 26.4, 26.9, np.nan], missing])
        numbers("lon", [[149.5, 149.0, 148.5, np.nan], missing])
        for agency, wind in (
            ("usa", [40, np.nan, 60]),
            ("tokyo", [35, 35, 40]),
            ("wmo", [35, 35, 60]),
            ("cma", [51] * 3),
        ):
            numbers(f"{agency}_wind", [[*wind, np.nan], missing])
            numbers(f"{agency}_pres", [[1000, np.nan, 990, np.nan], missing])
        numbers("usa_rmw", [[30, np.nan, 20, np.nan], missing])
        radii = np.full((2, 4, 4), np.nan)
        radii[0, 2] = 70, 60, 50, 40
        numbers("usa_r34", radii, dimensions=("storm", "date_time", "quadrant"))
        numbers("tokyo_r30_long", [[120, 120, 150, np.nan], missing])
        numbers("tokyo_r30_short", [[90, 90, 100, np.nan], missing])
        file.createVariable("season", "i2", ("storm",))[:] = 2022


def test_ibtracs_in_netcdf(tmp_path):
    """The storm is found by id, name, or the USA's id; each agency has its own averaging time."""
    path = tmp_path / "IBTrACS.ALL.v04r01.nc"
    write_ibtracs(path)
    for storm in ("WP122022", "hinnamnor 2022", "2022239N22150"):
        track = read_track(path, storm=storm)
        assert [str(time)[11:16] for time in track.times] == ["06:00", "12:00"]
    assert track.latitude == pytest.approx([25.9, 26.9]) and track.lines == [1, 3]
    assert track.wind == pytest.approx([40 * KNOT, 60 * KNOT]) and track.pressure.tolist() == [100000, 99000]
    assert track.rmax[1] == pytest.approx(20 * NAUTICAL_MILE) and track.averaging_factor == 0.93
    gale = next(radii for radii in track.radii if round(radii.speed / KNOT) == 34)
    assert (gale.longest[1], gale.shortest[1]) == pytest.approx((70 * NAUTICAL_MILE, 40 * NAUTICAL_MILE))
    tokyo = read_track(path, storm="Hinnamnor", agency="tokyo")
    assert len(tokyo) == 3 and tokyo.radii[0].shortest[2] == pytest.approx(100 * NAUTICAL_MILE)
    wmo = read_track(path, storm="Hinnamnor", agency="wmo")  # winds of 10 minutes, the last converted
    assert wmo.wind == pytest.approx(np.array([35, 35, 60 * 0.93]) * KNOT) and wmo.averaging_factor == 1
    assert read_track(path, storm="Hinnamnor", agency="cma").averaging_factor == pytest.approx(1 / 1.02)
    with pytest.raises(InputError, match="holds 2 storms: 2022239N22150 HINNAMNOR, 2022240N10100 MA-ON"):
        read_track(path)
    with pytest.raises(InputError, match="no records with a wind or a pressure"):
        read_track(path, storm="ma-on")
    with Dataset(tmp_path / "winds.nc", "w"):
        pass
    with pytest.raises(InputError, match="not a file of IBTrACS version 4"):
        read_track(tmp_path / "winds.nc")


def test_the_option_agency_has_every_agency():
    assert set(AGENCIES) == set(Storm.model_fields["agency"].annotation.__args__)


def test_several_tracks_cover_a_run_together(tmp_path):
    """Without a background wind the run has a storm at any time; one storm comes near the region."""

    def track(name, first, last, longitude):
        path = tmp_path / name
        rows = [f"2022-09-{day:02}T00:00,20,{longitude},80\n" for day in (first, last)]
        path.write_text("time,latitude,longitude,wind_kt\n" + "".join(rows))
        return read_track(path)

    early, late, apart = track("a", 1, 4, 130), track("b", 3, 8, 140), track("c", 6, 9, 140)
    region = (135, 150, 10, 30)
    check_tracks([late, early], "2022-09-02", "2022-09-07", region)
    check_tracks([early, apart], "2022-09-02", "2022-09-07", region, partial=True)
    with pytest.raises(InputError, match=r"c: the track covers 2022-09-06T00"):
        check_tracks([early, apart], "2022-09-02", "2022-09-07", region)
    with pytest.raises(InputError, match=r"b: the track covers .* the run"):
        check_tracks([early, late], "2022-09-02", "2022-09-09", region)
    with pytest.raises(InputError, match=r"b: the track does not come within 800 km of the region"):
        check_tracks([early, late], "2022-09-02", "2022-09-07", (0, 20, 10, 30))
