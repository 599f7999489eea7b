"""Warnings of meshes that are too coarse for a storm, and titles that say what is estimated."""

import re

from mpi4py import MPI

from halcyon.config import load_case
from halcyon.run.input.storms import spacing_warnings, storm_titles, tracks_of
from tests.run import case
from tests.support import sea_states

WIDE = """\
time,latitude,longitude,wind_kt,rmax_nmi
2022-09-01T00:00,22,150,85,490
2022-09-01T06:00,24,146,90,490
"""


def warnings_of(path):
    loaded = load_case(path, [])
    return spacing_warnings(loaded, tracks_of(loaded), sea_states.local_mesh(sea_states.bay()), MPI.COMM_SELF)


def test_a_coarse_mesh_is_warned_of(tmp_path):
    """With the wind that the mesh sees, the width of its cells and R."""
    (text,) = warnings_of(case.write_case(tmp_path))
    found = re.search(r"track.csv:3: .* is (\d+) of (\d+) m/s: .* (\d+) km wide, .* is (\d+) km", text)
    seen, wind, width, radius = map(int, found.groups())
    assert wind == 46 and seen < 0.9 * wind and width > 2 * radius and 10 < radius < 100


def test_a_storm_that_the_mesh_sees_is_not(tmp_path):
    assert warnings_of(case.write_case(tmp_path, track=WIDE)) == []


def test_the_title_counts_what_is_estimated(tmp_path):
    loaded = load_case(case.write_case(tmp_path), [])
    (title,) = storm_titles(loaded, tracks_of(loaded))
    assert title == "R after Vickery and Wadhera (2008) in 2 of 2 records, no wind radii in 2 of 2 records"
