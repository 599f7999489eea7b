"""Files of an earlier version still load, and a run resumed from them gives the same bits.

`data` has meshes, and the output folder of a stopped run of each model, written by Halcyon 0.1.0 (November
2026). If the layout of restart files (`halcyon.run.state.restart_state`) or the results of a run change,
create these files again, and note it in the CHANGELOG.
"""

import shutil
from pathlib import Path

import pytest

from tests.run import case, runs

DATA = Path(__file__).parent / "data"


@pytest.mark.mpi
@pytest.mark.parametrize("model", ["wave", "air", "spectral"])
def test_a_run_that_was_stopped_by_another_version_goes_on(comm, common_folder, model):
    path, stopped, whole = (
        common_folder / f"{model}.yaml",
        common_folder / model,
        common_folder / f"{model}.whole",
    )
    if comm.rank == 0:
        shutil.copytree(DATA, common_folder, dirs_exist_ok=True)
    comm.barrier()
    assert runs.run(comm, path, stopped, resume=True)
    assert runs.run(comm, path, whole)
    names = [file.name for file in whole.glob("*.nc") if not file.name.startswith("restart")]
    assert any(name.startswith("fields") for name in names)
    assert [(name, case.differing(stopped / name, whole / name)) for name in names] == [
        (n, []) for n in names
    ]
