"""A nested run with boundary spectra of the outer run gives the outer run's wave heights."""

import numpy as np
import pytest
from mpi4py import MPI

import halcyon.mesh
from tests.run import case, runs
from tests.support import sea_states

OUTER = case.CASE.replace("{track: track.csv}", "{constant: {speed: 18, direction: 250}}")
STATIONS = OUTER.index("  stations:")
LONG = ["time.end=2022-09-02T12:00", "output.segment=129600", "restart.interval=none", "initial={type: calm}"]


@pytest.fixture(scope="module")
def heights(tmp_path_factory):
    """Significant height (cell) at the cells of the inner mesh after 36 hours, by run: `outer`; `inner`,
    nested; and `alone`, on the inner mesh without boundary spectra."""
    from netCDF4 import Dataset

    folder = tmp_path_factory.mktemp("nested")
    outer, (inner, cells) = sea_states.bay(), inner_part(sea_states.bay())
    halcyon.mesh.write_mpas(str(folder / "inner.nc"), inner)
    nests = "output.nests=[{name: inner, mesh: inner.nc}]"
    path = case.write_case(folder, case=OUTER[:STATIONS], mesh=outer)
    assert runs.run(MPI.COMM_SELF, path, folder / "outer", nests, *LONG)
    boundary = f"boundary={{files: {folder}/outer/nest_inner.nc, distance: 1000}}"
    changes = ["mesh.file=inner.nc", *LONG]
    assert runs.run(MPI.COMM_SELF, path, folder / "inner", boundary, *changes)
    assert runs.run(MPI.COMM_SELF, path, folder / "alone", *changes)
    heights_by_run = {}
    for name in ("outer", "inner", "alone"):
        with Dataset(folder / name / case.SEGMENTS[0]) as file:
            heights_by_run[name] = file["significant_height"][-1].data
    return heights_by_run | {"outer": heights_by_run["outer"][cells]}


def inner_part(mesh):
    """The cells of a mesh within a box, as a mesh, and their indices."""
    lat, lon = np.degrees(mesh.cell_latitude), np.degrees(mesh.cell_longitude)
    is_inside = (lat > 3) & (lat < 22) & (lon > 120) & (lon < 165)
    part = halcyon.mesh.cut(mesh, is_inside.astype(np.uint8))
    part.bottom_depth = np.asarray(mesh.bottom_depth)[is_inside]
    return part, np.flatnonzero(is_inside)


def test_the_sea_within_is_that_around(heights):
    """The nested run has the wave heights of the outer run within 3 %."""
    assert len(heights["inner"]) == len(heights["outer"]) > 30
    assert heights["outer"].min() > 1
    assert heights["inner"] == pytest.approx(heights["outer"], rel=0.03)


def test_without_its_sides_it_is_not(heights):
    """Without boundary spectra the wave heights differ by more than 10 % somewhere."""
    assert np.abs(heights["alone"] / heights["outer"] - 1).max() > 0.1
