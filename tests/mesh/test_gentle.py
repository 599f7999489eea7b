"""Growth of spacing that is scaled to a number of cells, and the finest spacing."""

import re

import numpy as np
import pytest
import shapely

from halcyon.base import EARTH_RADIUS, ConfigError
from halcyon.mesh import Box, Circle, MeshSpec, Spacing, Zoom, sphere
from halcyon.mesh.domain import MeshDomain
from halcyon.mesh.target import target_spacing

CIRCLE = {"longitude": 0, "latitude": 0, "radius": 500e3, "spacing": 20e3}
BOX = {"west": 0, "south": 0, "east": 20, "north": 10, "spacing": 30e3}


def filled(transition, kind):
    """The spacing of 3000 cells on the globe for a request with a transition [m]."""
    parts = {
        "circle": {"circles": (Circle(**CIRCLE, transition=transition),)},
        "box": {"boxes": (Box(**BOX, transition=transition),)},
        "coast": {"coast": 20e3, "transition": transition},
    }
    spec = MeshSpec(points=3000, spacing=Spacing(background=100e3, **parts[kind]))
    return with_island(spec)


def with_island(spec):
    """The spacing of a spec on a sphere with one square island."""
    domain = MeshDomain(spec)
    domain.land = shapely.box(10, 10, 50, 40)
    return target_spacing(spec, domain)


def zoomed(transition, ratio, level=4):
    spec = MeshSpec(level=level, zoom=Zoom(ratio=ratio, transition=transition))
    return target_spacing(spec, MeshDomain(spec))


def least_of(make, *arguments):
    """The least transition [m] that the error of a too steep spacing advises."""
    with pytest.raises(ConfigError) as caught:
        make(*arguments)
    return 1e3 * float(re.search(r"Give at least (\S+) km", str(caught.value))[1])


@pytest.mark.parametrize("kind", ["circle", "box", "coast"])
def test_a_count_must_leave_growth_gentle_and_the_advice_is_the_least(kind):
    """The advised transition is accepted, and 2 % less is refused with the same advice."""
    least = least_of(filled, 200e3, kind)
    assert least > 400e3
    filled(least, kind)
    assert least_of(filled, 0.98 * least, kind) == pytest.approx(least, rel=0.01)


@pytest.mark.parametrize("ratio", [1.5, 4])
def test_a_zoom_is_told_its_transition_and_the_least(ratio):
    """The error names the transition given and the least; the least is accepted, and 3 % less is refused."""
    with pytest.raises(ConfigError, match="zoom: transition is 100 km"):
        zoomed(1e5, ratio)
    least = least_of(zoomed, 1e5, ratio)
    zoomed(least, ratio)
    assert least_of(zoomed, 0.97 * least, ratio) == pytest.approx(least, rel=0.015)


@pytest.mark.parametrize(
    ("level", "least", "most"), [(3, 3336e3, 3336e3), (6, 1002e3, 2e6), (8, 1001e3, 1001e3)]
)
def test_the_default_transition_of_a_zoom_is_six_coarse_spacings(level, least, most):
    """It is at least 1001 km, and at most the radius."""
    points = sphere.fibonacci(200)
    spacing = zoomed(None, 4, level)(points)
    transition = np.clip(6 * EARTH_RADIUS * spacing.max(), least, most)
    assert least <= transition <= most
    expected = zoomed(np.ceil(transition / 1e4) * 1e4 if least < most else transition, 4, level)(points)
    assert spacing == pytest.approx(expected, rel=1e-12)


def test_a_zoom_of_ratio_1_is_uniform():
    spacing = zoomed(1e3, 1)(sphere.fibonacci(100))
    assert np.ptp(spacing) == 0
    hexagon = np.sqrt(3) / 2 * spacing[0] ** 2
    assert 4 * np.pi / hexagon == pytest.approx(2562, rel=1e-6)


@pytest.mark.parametrize("kind", ["circles", "boxes"])
def test_small_areas_are_part_of_the_finest(kind):
    """Areas smaller than the distance of the sampling points of the spacing determine the finest spacing."""
    circle = Circle(longitude=0.3, latitude=0.3, radius=0, spacing=1e3, transition=20e3)
    box = Box(west=0.3, south=0.3, east=0.31, north=0.31, spacing=1e3, transition=20e3)
    request = Spacing(background=10e3, coast=8e3, **{kind: ({"circles": circle, "boxes": box}[kind],)})
    requested = []

    class RecordingDomain(MeshDomain):
        land = shapely.box(10, 10, 50, 40)

        def shore(self, finest):
            requested.append(finest)
            return super().shore(500e3)

    spec = MeshSpec(spacing=request, sea=True)
    target_spacing(spec, RecordingDomain(spec))
    assert requested == [1e3]
