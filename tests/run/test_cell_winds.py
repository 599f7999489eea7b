"""Winds on the cells of the mesh, and sides without transport: the same bits on any number of ranks."""

import numpy as np
import pytest
import xarray as xr
from netCDF4 import Dataset

from halcyon.base import InputError
from halcyon.launch.errors import AgreedError
from tests.run import case, runs

WIND_ON_CELLS = case.CASE.replace("{track: track.csv}", "{cells: wind.nc, interval: 7200}").replace(
    "physics: {set: wam3}", "physics: {set: wam3}\nequations: {sides: local}"
)


@pytest.fixture(scope="module")
def path(comm, common_folder):
    """The path of a case with winds on cells: 10 m/s and a thousandth of the cell's number, rising."""
    if comm.rank == 0:
        case_path = case.write_case(common_folder, case=WIND_ON_CELLS, track=None)
        with Dataset(common_folder / "mesh.nc") as mesh, Dataset(case_path.with_name("wind.nc"), "w") as file:
            n = mesh.dimensions["nCells"].size
            file.createDimension("Time", None)
            file.createDimension("nCells", n)
            for name, factor in (("u10", 1), ("v10", -0.5)):
                values = file.createVariable(name, "f4", ("Time", "nCells"))
                values[:] = factor * (10 + np.arange(4)[:, None] + np.arange(n) / 1000)
    comm.barrier()
    return common_folder / "case.yaml"


@pytest.mark.mpi
def test_winds_on_cells(comm, path, folder):
    """Winds on cells are interpolated in time, in the order of the mesh file, on any number of ranks; a run
    resumes with the same bits."""
    variables = "output.variables=[significant_height, eastward_wind, northward_wind]"
    whole = path.with_name("whole")
    assert runs.run(comm, path, whole, variables)
    if comm.rank == 0:
        with xr.open_dataset(whole / case.SEGMENTS[0]) as fields:
            n = fields.eastward_wind.shape[1]
            expected = 10.5 + np.arange(n) / 1000  # after an hour
            assert np.allclose(fields.eastward_wind[1], expected, rtol=1e-5)
            assert np.allclose(fields.northward_wind[1], -0.5 * expected, rtol=1e-5)
    assert not runs.run(comm, path, folder, variables, stop=runs.StopAfter(5))
    assert runs.run(comm, path, folder, variables, resume=True)
    assert runs.differing(whole, folder) == []


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("forcing.wind={cells: wind.nc}", "has no times of its records: give the option interval"),
        ("forcing.wind.interval=3600", "from 0 to 10800 s after the start of the run, which lasts 21600 s"),
        (
            "forcing.wind={cells: wind.nc, interval: 7200, variables: {eastward: ua, northward: va}}",
            "has no variable ua. Name both by the option variables.",
        ),
    ],
)
def test_unsuitable_winds_on_cells(comm, path, folder, change, text):
    with pytest.raises((InputError, AgreedError)) as caught:
        runs.run(comm, path, folder, change)
    assert text in str(caught.value)
