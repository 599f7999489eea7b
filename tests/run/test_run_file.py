"""The contents of run.json, and attempts to resume a finished run."""

import json
from pathlib import Path

import pytest

from halcyon.base import ConfigError, InputError
from halcyon.config import load_case
from halcyon.run.folder import (
    add_restart,
    identity_of_finished,
    resume_command,
    start_run_file,
    update_run_file,
)
from halcyon.run.prepare import can_resume
from halcyon.run.state.identity import options_of
from tests.run import case


def test_run_file(tmp_path):
    """Entries of run.json after the start and the end of a run; entries of an older run are gone."""
    update_run_file(tmp_path, status="failed", cause="of an older run", pictures=["old.png"])
    start_run_file(tmp_path, case=Path("case.yaml"), overrides=["time.step=600"], ranks=2)
    assert identity_of_finished(tmp_path) is None
    update_run_file(tmp_path, status="finished", figures={"max_height": 12.5}, identity={"mesh": "a"})
    run_file = json.loads((tmp_path / "run.json").read_text())
    assert run_file["status"] == "finished"
    assert run_file["cause"] is None
    assert run_file["ranks"] == 2
    assert (run_file["resume"], run_file["files"], resume_command(tmp_path)) == (None, None, "")
    add_restart(tmp_path, tmp_path / "restart_1.nc")
    command = f"halcyon run {Path.cwd() / 'case.yaml'} --resume -n 2 --set time.step=600"
    assert resume_command(tmp_path) == command
    assert identity_of_finished(tmp_path) == {"mesh": "a"}
    assert run_file["overrides"] == ["time.step=600"]
    assert run_file["figures"] == {"max_height": 12.5}
    assert {"numpy", "mpi", "mpi_thread_level", "mpi_own_progress"} <= run_file["versions"].keys()
    assert "pictures" not in run_file
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


@pytest.fixture
def finished(tmp_path):
    """The case of a finished run with automatic steps."""
    path = case.write_case(tmp_path)
    loaded = load_case(path, ["time.step=auto"])
    loaded.folder.mkdir()
    identity = options_of(loaded) | {"mesh": "0123456789abcdef", "time.step": 600.0}
    update_run_file(loaded.folder, status="finished", identity=identity)
    return path


def test_a_finished_run_has_nothing_to_resume(finished, capsys):
    """A finished run with equal options, also with the step that `auto` chose, is reported as finished."""
    for changes in (["time.step=auto"], ["time.step=600", "io.layout=direct"]):
        assert not can_resume(load_case(finished, changes))
        assert "is finished: there is nothing to resume." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(
            "time.step=300",
            "time.step = 300.0 instead of 600.0",
            id="time.step=300-time.step = 300.0, there 600.0",
        ),
        pytest.param(
            "physics.friction=0.05",
            "physics.friction = 0.05 instead of 0.038",
            id="physics.friction=0.05-physics.friction = 0.05, there 0.038",
        ),
    ],
)
def test_a_finished_run_is_not_another_one(finished, change, expected):
    """A finished run with other options cannot be resumed."""
    with pytest.raises(ConfigError) as caught:
        can_resume(load_case(finished, [change]))
    assert f"{finished.with_name('case.out')} belongs to another run: " in str(caught.value)
    assert expected in str(caught.value)


def test_a_track_that_is_gone(finished):
    loaded = load_case(finished)
    finished.with_name("track.csv").unlink()
    with pytest.raises(InputError, match=r"track\.csv cannot be read: No such file or directory"):
        can_resume(loaded)
