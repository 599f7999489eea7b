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
    nests = "output.nests=[{name: inner, case: inner.yaml}]"
    path = case.write_case(folder, case=OUTER[:STATIONS], mesh=outer)
    (folder / "inner.yaml").write_text(OUTER[:STATIONS].replace("mesh.nc", "inner.nc"))
    assert runs.run(MPI.COMM_SELF, path, folder / "outer", nests, *LONG)
    boundary = f"boundary={{files: {folder}/outer/nest_inner.nc}}"
    changes = ["mesh.file=inner.nc", *LONG]
    assert runs.run(MPI.COMM_SELF, path, folder / "inner", boundary, *changes)
    assert runs.run(MPI.COMM_SELF, path, folder / "alone", *changes)
    heights_by_run = {}
    for name in ("outer", "inner", "alone"):
        with Dataset(folder / name / case.SEGMENTS[0]) as file:
            heights_by_run[name] = file["significant_height"][-1].data
    figures = runs.status(folder / "inner")["figures"]["boundary"]
    more = {"open": lack_neighbors(inner), "figures": figures}
    return heights_by_run | {"outer": heights_by_run["outer"][cells], **more}


def lack_neighbors(mesh):
    """Whether each cell lacks a neighbour."""
    lacking = np.zeros(mesh.n_cells, bool)
    of_cell = np.repeat(np.arange(mesh.n_cells), np.diff(mesh.cell_offsets))
    lacking[of_cell[np.asarray(mesh.cells_on_cell) < 0]] = True
    return lacking


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


def test_open_cells_have_the_heights_of_the_outer_run(heights):
    """At the open cells of the nest, which are cells of the outer run, both runs have the same heights."""
    is_open = heights["open"]
    assert is_open.sum() > 15
    assert heights["inner"][is_open] == pytest.approx(heights["outer"][is_open], rel=1e-5)


def test_the_report_has_each_side_and_its_energy(heights):
    """run.json names the point of each open cell, at distance 0, and the energy of the spectra enters."""
    figures = heights["figures"]
    assert sum(part["cells"] for part in figures["parts"]) == heights["open"].sum()
    assert max(part["distance_m"] for part in figures["parts"]) < 1
    assert {row["side"] for row in figures["sides"]} <= {"north", "east", "south", "west"}
    for row in figures["sides"]:
        assert row["significant_height_m"] == pytest.approx(row["significant_height_of_spectra_m"], rel=1e-4)
        assert row["energy_flux_inwards_W"] == pytest.approx(row["energy_flux_of_spectra_W"], rel=1e-4)


def test_without_its_sides_it_is_not(heights):
    """Without boundary spectra the wave heights differ by more than 10 % somewhere."""
    assert np.abs(heights["alone"] / heights["outer"] - 1).max() > 0.1
