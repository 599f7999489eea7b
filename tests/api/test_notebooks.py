"""The notebooks of examples/notebooks run from their first to their last cell, and draw pictures."""

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("nbclient")
from tests.support.notebooks import executed, pictures

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOKS = {path.stem: path for path in sorted((EXAMPLES / "notebooks").glob("*.ipynb"))}
N_PICTURES = {"jet": 3, "mesh_and_halo": 1, "network": 1, "typhoon": 3}


def test_every_notebook_is_known():
    assert {*NOTEBOOKS} == {*N_PICTURES}


@pytest.mark.parametrize("name", N_PICTURES)
def test_a_notebook_runs(tmp_path, name):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    (tmp_path / "hinnamnor").symlink_to(EXAMPLES / "hinnamnor")
    shutil.copy(NOTEBOOKS[name], folder)
    found = pictures(executed(folder / f"{name}.ipynb", folder))
    assert len(found) == N_PICTURES[name]
    assert all(picture.startswith(b"\x89PNG") for picture in found)


@pytest.mark.parametrize("name", N_PICTURES)
def test_a_notebook_is_stored_without_outputs(name):
    cells = json.loads(NOTEBOOKS[name].read_text())["cells"]
    assert not any(cell.get("outputs") for cell in cells)
