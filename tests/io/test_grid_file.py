"""Files of fields on a Gaussian grid, whose rows or points belong to several ranks in any order."""

from datetime import datetime

import numpy as np
import pytest
from netCDF4 import Dataset

from halcyon.comm import communicator
from halcyon.io import IoOptions, io_ranks, verify
from halcyon.io.attributes import Origin
from halcyon.io.fields_file import GridFile, OwnedGrid
from halcyon.io.vertical_axis import pressure_axis
from halcyon.spectral import variables_of

N_LAT, N_LON, N_LEVELS = 10, 6, 3
N_POINTS = N_LAT * N_LON


def exact(name, record, points):
    """Returns a value (point) or (point, level) that is unique for each record, level and point."""
    if name == "temperature":
        points = points[..., None] + 1000 * np.arange(N_LEVELS)
    return points + 1e4 * record


@pytest.mark.mpi
@pytest.mark.parametrize("layout", ["direct", "box", "gather"])
@pytest.mark.parametrize("whole_rows", [True, False])
@pytest.mark.parametrize(
    "names", [["surface_pressure", "temperature"], ["temperature"], ["surface_pressure"]]
)
def test_every_number_is_in_its_place(comm, common_folder, layout, names, whole_rows):
    """Every value of a file that all ranks write is that of its record, level and point, for any layout of
    the file and any distribution of rows or points."""
    path = common_folder / f"{layout}_{whole_rows}_{'_'.join(names)}.nc"
    item_size = N_LON if whole_rows else 1
    items = np.arange(comm.rank, N_POINTS // item_size, comm.size, dtype=np.int64)[::-1]
    points = (items[:, None] * item_size + np.arange(item_size)).ravel()
    table = {row.name: row for row in variables_of("primitive")}
    core_comm = communicator(comm)
    part = OwnedGrid(
        points,
        np.linspace(81, -81, N_LAT),
        60.0 * np.arange(N_LON),
        exact("topography", 0, points),
        whole_rows,
    )
    file = GridFile(
        io_ranks(core_comm, IoOptions(layout=layout), n_bytes=4 * N_POINTS),
        path,
        part,
        [table[name] for name in names],
        table["topography"],
        start=datetime(2000, 1, 1),
        origin=Origin("test", "0", "none"),
        n_records=2,
        vertical=pressure_axis([85000, 50000, 25000]),
    )
    for record in range(2):
        file.write(6.0 * record, {name: exact(name, record, points) for name in names})
    file.close()
    file.wait()
    comm.barrier()
    if comm.rank == 0:
        check(path, names)
    comm.barrier()


def check(path, names):
    """Checks every value of a file."""
    verify(str(path))
    points = np.arange(N_POINTS).reshape(N_LAT, N_LON)
    with Dataset(path) as found:
        assert np.array_equal(found["topography"][:], exact("topography", 0, points))
        for name in names:
            for record in range(2):
                expected = exact(name, record, points)
                expected = np.moveaxis(expected, -1, 0) if expected.ndim == 3 else expected
                assert np.array_equal(found[name][record], expected)
