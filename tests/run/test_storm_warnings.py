"""Warnings of meshes that are too coarse for a storm, and titles that say what is estimated."""

import re

import pytest
from mpi4py import MPI

from halcyon.config import load_case
from halcyon.run.input.storms import storm_titles, storms_on_mesh, tracks_of
from tests.run import case
from tests.support import sea_states

WIDE = """\
time,latitude,longitude,wind_kt,rmax_nmi
2022-09-01T00:00,22,150,85,490
2022-09-01T06:00,24,146,90,490
"""


AWAY = "time,latitude,longitude,wind_kt\n2022-09-01T00:00,-22,150,85\n2022-09-01T06:00,-24,146,90\n"


def on_mesh(path):
    loaded = load_case(path, [])
    local = sea_states.local_mesh(sea_states.bay())
    (storm,) = storms_on_mesh(loaded, tracks_of(loaded), local, MPI.COMM_SELF)
    return storm


def test_a_coarse_mesh_is_warned_of(tmp_path):
    """With the wind that the mesh sees, the width of its cells and R."""
    storm = on_mesh(case.write_case(tmp_path))
    pattern = r"track.csv:3: .* is (\d+) of (\d+) m/s: .* (\d+) km wide, .* is (\d+) km"
    seen, wind, width, radius = map(int, re.search(pattern, storm.warning).groups())
    assert wind == 46 and seen < 0.9 * wind and width > 2 * radius and 10 < radius < 100
    assert storm.text == (
        f"strongest on the mesh at 2022-09-01 06:00: radius of maximum wind {radius} km, cells {width} km"
        f" wide with {seen} of {wind} m/s"
    )


def test_a_storm_that_the_mesh_sees_is_not(tmp_path):
    storm = on_mesh(case.write_case(tmp_path, track=WIDE))
    assert storm.warning == "" and storm.radius == pytest.approx(490 * 1852)
    assert storm.spacing == pytest.approx(480e3, rel=0.1)


def test_a_storm_outside_the_mesh_has_no_text(tmp_path):
    assert on_mesh(case.write_case(tmp_path, track=AWAY)) is None


def test_the_title_counts_what_is_estimated(tmp_path):
    loaded = load_case(case.write_case(tmp_path), [])
    (title,) = storm_titles(loaded, tracks_of(loaded))
    assert title == "R after Vickery and Wadhera (2008) in 2 of 2 records, no wind radii in 2 of 2 records"
