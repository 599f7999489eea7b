"""A run writes through no symbolic link in its folder, and imports nothing from the working directory."""

import re
import subprocess
from pathlib import Path

import pytest

import halcyon
from halcyon.base import RunError
from halcyon.io.series_file import IntegralsFile
from halcyon.launch.errors import _save_traceback
from halcyon.launch.output_file import output_file
from halcyon.mesh.atomic_file import write_file
from halcyon.run.folder import LOCK, LOG, folder_locked, prepare_folder, start_run_file
from halcyon.run.job import _Log
from halcyon.run.launcher import rank_program


@pytest.fixture
def target(tmp_path):
    """A file outside the folder of a run."""
    (tmp_path / "precious").write_text("as it was")
    yield tmp_path / "precious"
    assert (tmp_path / "precious").read_text() == "as it was"


@pytest.fixture
def folder(tmp_path, target):
    """The folder of a run; all names that a run uses are links to the file."""
    folder = tmp_path / "run"
    folder.mkdir()
    for name in (LOCK, LOG, "run.json", "run.json.part", ".writable", "integrals.csv", "integrals.nc"):
        (folder / name).symlink_to(target)
    return folder


def test_links_are_replaced(folder):
    prepare_folder(type("Case", (), {"folder": folder}))
    start_run_file(folder, case=Path("case.yaml"), overrides=[], ranks=1)
    with _Log(folder / LOG, view=None, append=False) as log:
        log.line("a line")
    IntegralsFile(folder, [], start=None, origin=None)
    write_file(folder / "integrals.nc", lambda part: Path(part).write_text("new"))
    for name in (LOG, "run.json", "integrals.csv", "integrals.nc"):
        assert not (folder / name).is_symlink()
    assert (folder / LOG).read_text() == "a line\n"


def test_links_that_are_not_replaced_are_errors(folder):
    with pytest.raises(RunError, match=r"\.lock cannot be written"), folder_locked(folder):
        pass
    with pytest.raises(RunError, match=r"log\.txt cannot be written"):
        _Log(folder / LOG, view=None, append=True)
    assert "HALCYON_DEBUG" in _save_traceback("a traceback", folder / LOG)


def test_an_output_file_is_the_link_itself(folder):
    """The link is replaced, also in a folder that is a link; the file that it points to is still an input."""
    (folder.parent / "alias").symlink_to(folder)
    assert output_file(folder.parent / "alias" / "integrals.nc") == folder / "integrals.nc"
    with pytest.raises(halcyon.base.ConfigError, match="also an input"):
        output_file(folder / "integrals.nc", [folder.parent / "precious"])


def test_modules_of_the_working_directory_are_not_imported(tmp_path):
    for name in ("mpi4py", "numpy", "typer", "yaml", "halcyon"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'was_run')!r}, 'w')")
    program = rank_program(Path("nowhere.yaml"), [])
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True)
    assert "nowhere.yaml" in done.stderr and not (tmp_path / "was_run").exists()


def test_no_child_process_imports_from_the_working_directory():
    for file in Path(halcyon.__path__[-1]).rglob("*.py"):
        for following in re.findall(r"\[?\s*sys\.executable,([^\]]*)", file.read_text()):
            assert following.lstrip().startswith('"-P"'), file
