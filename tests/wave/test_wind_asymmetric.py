"""The vortex with radii in every azimuth: radii of best tracks, profiles, inflow and motion."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

from halcyon._core import wave as core
from halcyon._core.base import EARTH_RADIUS
from halcyon.base import KNOT
from halcyon.wave.track import NAUTICAL_MILE, read_track
from halcyon.wave.wind import Options, estimates_text, parameters, vortex_wind
from halcyon.wave.wind.asymmetric import polar_vortices
from halcyon.wave.wind.extents import AZIMUTHS, curve, inscribed
from halcyon.wave.wind.outer import outer_wind
from halcyon.wave.wind.quadrature import CellPoints
from tests.support import sea_states

ROOT = Path(__file__).parents[2]
HINNAMNOR = ROOT / "examples" / "hinnamnor" / "track.csv"
BEST_TRACKS = {"irene": ROOT / "examples" / "irene" / "bal092011.dat"} | {
    path.parent.name: path
    for path in sorted((ROOT / "examples" / "storms").glob("*/*"))
    if path.name in ("bal092008.dat", "bal052019.dat", "hurdat2_al122005.txt")
}


def largest_extent(vortex, speed, azimuths):
    """The largest distance [m] at which a vortex has a wind speed [m s-1] in azimuths [degrees]."""
    distance, extent = np.arange(2e3, 1.2e6, 1e3), 0.0
    for a in np.radians(azimuths):
        reached = np.array([core.polar_speed(vortex, r, a) for r in distance]) >= speed
        extent = max(extent, distance[reached].max(initial=0))
    return extent


def extents(table, speed, azimuths):
    """As `largest_extent`, from the table of a record: interpolated between its nodes."""
    n = len(table["inner"])
    inner, outer = np.array(table["inner"]), np.array(table["outer"])
    speeds = np.array(table["speed"]).reshape(n, -1)
    x = np.arange(speeds.shape[1]) / core.NODES_PER_UNIT
    result = []
    for a in azimuths:
        k = np.flatnonzero(speeds[a] >= speed)
        if len(k):
            k = k[-1]
            at = x[k] + (speeds[a, k] - speed) / (speeds[a, k] - speeds[a, k + 1]) / core.NODES_PER_UNIT
            result.append(inner[a] * (at if at < 1 else (outer[a] / inner[a]) ** (at - 1)))
    return max(result, default=0)


@pytest.mark.parametrize("vortex", ["generalised_holland", "willoughby"])
@pytest.mark.parametrize("storm", BEST_TRACKS)
def test_radii_come_back_in_every_quadrant(storm, vortex):
    """In every record and quadrant with a radius, the largest extent of the wind is within 5 % of it."""
    track, options = read_track(BEST_TRACKS[storm]), Options(vortex=vortex)
    n_radii = 0
    for i, table in enumerate(polar_vortices(track, options)):
        for radii in track.radii:
            for quadrant in np.flatnonzero(radii.quadrants[i] > 0):
                of_quadrant = np.flatnonzero((AZIMUTHS - 90 * quadrant) % 360 <= 90)
                extent = extents(table, radii.speed * options.factor(track), of_quadrant)
                assert extent == pytest.approx(radii.quadrants[i, quadrant], rel=0.05), track.location(i)
                n_radii += 1
    assert n_radii > 200


def test_the_c_kernel_has_the_radii_of_the_table():
    track = read_track(BEST_TRACKS["irene"])
    i = int(np.flatnonzero(track.times == np.datetime64("2011-08-27T12:00"))[0])
    vortex = core.PolarVortex(**polar_vortices(track, Options())[i])
    for quadrant in range(4):
        azimuths = 90 * quadrant + np.arange(0, 91, 3)
        extent = largest_extent(vortex, 34 * KNOT * 0.93, azimuths)
        assert extent == pytest.approx(track.radii[-1].quadrants[i, quadrant], rel=0.05)


def test_largest_wind_is_that_of_the_track():
    """The largest wind of each record is that of the track, at most 0.5 % more where a radius needs it."""
    track, options = read_track(BEST_TRACKS["irene"]), Options()
    for i, table in enumerate(polar_vortices(track, options)):
        assert max(table["speed"]) == pytest.approx(track.wind[i] * 0.93, rel=0.006), track.location(i)


def test_a_curve_has_the_largest_radii_and_their_means():
    for largest in ([100, 100, 100, 100], [225, 225, 150, 125], [240, 215, 150, 180]):
        radius = curve(largest)
        for quadrant in range(4):
            of_quadrant = radius[(AZIMUTHS - 90 * quadrant) % 360 <= 90]
            assert of_quadrant.max() == pytest.approx(largest[quadrant], rel=0.021)
            assert of_quadrant.mean() == pytest.approx(0.85 * largest[quadrant], rel=1e-6)


def test_an_inscribed_curve_never_exceeds_the_largest_radii():
    """Also between a large and a small quadrant; the mean over all azimuths is 0.85 if that is possible."""
    for largest in ([130, 30, 30, 90], [100, 100, 100, 100], [300, 310, 210, 80]):
        radius = inscribed(largest)
        maxima = [radius[(AZIMUTHS - 90 * quadrant) % 360 <= 90].max() for quadrant in range(4)]
        assert maxima == pytest.approx(largest)
    assert inscribed([100] * 4).mean() == pytest.approx(85)


def test_jma_radii_are_displaced_circles():
    """The wind of 50 and 30 kt reaches the longest radius in its direction, the shortest in the opposite."""
    track = read_track(HINNAMNOR)
    tables, n_radii = polar_vortices(track, Options()), 0
    for radii in track.radii:
        for i in np.flatnonzero(np.isfinite(radii.direction) & (track.wind > 1.05 * radii.speed)):
            azimuth = round(radii.direction[i] / 5)
            for a, radius in ((azimuth, radii.longest[i]), (azimuth + 36, radii.shortest[i])):
                extent = extents(tables[i], radii.speed, [a % 72])
                assert extent == pytest.approx(radius, rel=0.02), track.location(i)
                n_radii += 1
    assert n_radii > 50


def test_outer_wind_solves_emanuel_s_equation():
    """dM/dr = 2 Cd (r V)^2 / (W (r0^2 - r^2)), by differences; r0 is where the wind ends."""
    f, radius = 6e-5, 300e3
    r = np.arange(300e3, 3e6, 1e3)
    wind = outer_wind(r[None], np.array([radius]), np.array([16.0]), f)[0]
    assert wind[0] == pytest.approx(16.0) and np.all(np.diff(wind) <= 0) and wind[-1] == 0
    r0 = r[np.argmax(wind == 0)]
    momentum = r * wind + f * r**2 / 2
    for at in (20, 100, 300):
        drag = np.clip(2.614e-4 + 5.91e-5 * wind[at], 6.2e-4, 2.35e-3)
        slope = 2 * drag * (r[at] * wind[at]) ** 2 / (2e-3 * (r0**2 - r[at] ** 2))
        assert (momentum[at + 10] - momentum[at - 10]) / 20e3 == pytest.approx(slope, rel=0.02)


def table(latitude=25.0, speed=30.0, north=0.0, east=0.0, radius=40e3):
    """A vortex with the same wind speed [m s-1] everywhere."""
    return core.PolarVortex(
        latitude=math.radians(latitude),
        longitude=1.0,
        radius=radius,
        peak=speed,
        eastward=east,
        northward=north,
        inner=[radius] * 8,
        outer=[4 * radius] * 8,
        speed=[speed] * (8 * 161),
    )


def wind_around(vortex, distance, azimuths, direction):
    """Eastward and northward wind [m s-1] at a distance [m] and azimuths [degrees]."""
    azimuths = np.radians(azimuths)
    latitude = vortex.latitude + distance * np.cos(azimuths) / EARTH_RADIUS
    longitude = 1.0 + distance * np.sin(azimuths) / (EARTH_RADIUS * math.cos(vortex.latitude))
    u, v = np.empty(len(azimuths)), np.empty(len(azimuths))
    core.PolarWind([0.0], [vortex], direction).at(0.0, latitude, longitude, u, v)
    return u, v


def inflow(u, v, azimuths, hemisphere):
    """Inflow angles [degrees] of winds at azimuths [degrees]."""
    a = np.radians(azimuths)
    outward = u * np.sin(a) + v * np.cos(a)
    tangential = hemisphere * (v * np.sin(a) - u * np.cos(a))
    return np.degrees(np.arctan2(-outward, tangential))


@pytest.mark.parametrize(("latitude", "hemisphere"), [(25.0, 1), (-25.0, -1)])
def test_inflow_is_as_zhang_and_uhlhorn_found(latitude, hemisphere):
    """Their abstract: 22.6 +- 2.2 degrees in the mean; in the fastest storms far from the centre above 50
    degrees in the front on the right (in the southern hemisphere the left), below 10 opposite."""
    azimuths = np.arange(0, 360, 5)
    direction = core.PolarDirection(
        inflow=core.Inflow(profile=core.InflowProfile.zhang_uhlhorn), motion=False
    )
    fast = table(latitude, speed=50.0, north=10.0, radius=20e3)
    near = inflow(*wind_around(fast, 4 * 20e3, azimuths, direction), azimuths, hemisphere)
    assert near.mean() == pytest.approx(22.6, abs=2.2)
    far = inflow(*wind_around(fast, 9 * 20e3, azimuths, direction), azimuths, hemisphere)
    front = azimuths[np.argmax(far)] if hemisphere > 0 else 360 - azimuths[np.argmax(far)]
    assert far.max() > 50 and far.min() < 10 and 0 < front < 90


def test_motion_changes_the_direction_and_not_the_speed():
    """Relative to the moving storm the wind at R has the inflow angle; its speed is that of the table."""
    azimuths = np.arange(0, 360, 30)
    direction = core.PolarDirection(inflow=core.Inflow(angle=math.radians(20)), motion=True)
    u, v = wind_around(table(north=10.0), 40e3, azimuths, direction)
    assert np.hypot(u, v) == pytest.approx(np.full(12, 30.0), rel=1e-12)
    assert inflow(u, v - 5.0, azimuths, 1) == pytest.approx(np.full(12, 20.0), abs=0.3)
    assert np.abs(inflow(u, v, azimuths, 1) - 20).max() > 5


def test_a_record_is_between_those_before_and_after():
    """Between two records the largest wind and its radius are between theirs, and the radii of 34 kt too."""
    track, options = read_track(BEST_TRACKS["irene"]), Options()
    wind = vortex_wind(track, start=track.times[0], options=options)
    i = int(np.flatnonzero(track.times == np.datetime64("2011-08-26T12:00"))[0])
    middle = wind.vortex(float((track.times[i] - track.times[0]).astype(int) + 3 * 3600))
    assert middle.radius == pytest.approx((track.rmax[i] + track.rmax[i + 1]) / 2)
    extent = largest_extent(middle, 34 * KNOT * 0.93, np.arange(0, 91, 5))
    assert extent == pytest.approx(250 * NAUTICAL_MILE, rel=0.05)


def test_a_missing_radius_of_maximum_wind_is_that_of_chavas_and_knaff(tmp_path):
    """M(R, V) = 0.699 exp(...) M(R34, V34), with R34 the mean radius; and the plan says so."""
    text = "time,latitude,longitude,wind_kt,r34_ne_nmi,r34_se_nmi,r34_sw_nmi,r34_nw_nmi\n"
    path = tmp_path / "track.csv"
    path.write_text(text + "2022-09-01,25,130,100,150,120,100,130\n2022-09-02,25,130,100,150,120,100,130\n")
    track, options = read_track(path), Options(averaging_factor=0.93)
    track = dataclasses.replace(track, averaging_factor=0.93)
    radius = parameters(track, options).radius[0]
    half_f, r34, v34, v = math.sin(math.radians(25)) * 7.292e-5, 0.85 * 125 * 1852, 34 * KNOT, 100 * KNOT
    ratio = (radius * v + half_f * radius**2) / (r34 * v34 + half_f * r34**2)
    assert ratio == pytest.approx(0.699 * math.exp((v - v34) * (-0.00618 - 0.0021 * half_f * r34)), rel=1e-4)
    assert estimates_text(track, options) == "R after Chavas and Knaff (2022) in 2 of 2 records"


def test_the_mean_over_a_cell_is_exact_for_a_linear_wind():
    """On an irregular mesh; the points of the first cells do not depend on the number of cells."""
    mesh = sea_states.bay()
    points = CellPoints.of_cells(mesh, mesh.n_cells)
    assert points.mean(3 + 2 * points.latitudes) == pytest.approx(
        3 + 2 * points.mean(points.latitudes), rel=1e-12
    )
    assert points.mean(np.ones_like(points.latitudes)) == pytest.approx(np.ones(mesh.n_cells), rel=1e-12)
    centroid = points.mean(points.latitudes) - np.asarray(mesh.cell_latitude)
    assert 0 < np.abs(centroid).max() * EARTH_RADIUS < 0.2 * math.sqrt(np.max(mesh.area_cell)) * EARTH_RADIUS
    part = CellPoints.of_cells(mesh, 7)
    few = part.mean(np.sin(40 * part.longitudes))
    assert np.array_equal(few, points.mean(np.sin(40 * points.longitudes))[:7])


def test_the_radius_of_ten_minute_tracks_is_that_of_chavas_and_knaff(tmp_path):
    """One-minute 34 kt are weaker than 34 kt of the track's ten-minute winds, whose radius is taken."""
    path = tmp_path / "track.csv"
    rows = "".join(
        f"2020-09-01T{hour:02}:00,20,{130 + hour / 12},950,80,150,150,150,150\n" for hour in (0, 6, 12)
    )
    head = "time,latitude,longitude,pressure_hpa,wind_kt,r34_ne_nmi,r34_se_nmi,r34_sw_nmi,r34_nw_nmi\n"
    path.write_text(head + rows)
    track = read_track(path)
    ten, one = (parameters(track, Options(averaging_factor=factor)).radius[1] for factor in (1.0, 0.93))
    assert ten == pytest.approx(one, rel=0.2) and ten != one
