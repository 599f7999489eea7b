"""Files of an earlier run survive all interruptions of the moves that set them aside and put them back."""

import errno
from datetime import datetime
from pathlib import Path

import pytest

from halcyon.base import RunError
from halcyon.run import earlier

FILES = {
    "run.json": '{"status": "finished", "files": []}',
    "log.txt": "log",
    "fields_20220901T0000.nc": "fields",
    "restart_20220901T0100.nc": "restart",
    "stations.csv": "stations",
}
CALLS = len(FILES) + 1  # of Path.replace in each function: those of the files and that of the sub-folder


class KilledError(BaseException):
    """Simulates SIGKILL."""


@pytest.fixture(params=[OSError(errno.EIO, "Input/output error"), KilledError()], ids=["error", "kill"])
def fail(request, monkeypatch):
    """A function that calls another one, in which the n-th call of Path.replace fails."""

    def _fail(function, folder, n):
        replace, calls = Path.replace, []

        def fail_at_last(path, target):
            calls.append(path)
            if len(calls) == n or (len(calls) > n and isinstance(request.param, KilledError)):
                raise request.param
            return replace(path, target)

        with monkeypatch.context() as patch, pytest.raises((RunError, KilledError)):
            patch.setattr(Path, "replace", fail_at_last)
            function(folder)

    return _fail


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def require_recovered(folder):
    earlier.recover(folder)
    (folder / ".lock").unlink(missing_ok=True)
    assert {path.name: path.read_text() for path in folder.iterdir()} == FILES


@pytest.mark.parametrize("n", range(1, CALLS + 1))
def test_setting_aside_may_fail_at_any_file(fail, folder, n):
    fail(earlier.set_aside, folder, n)
    require_recovered(folder)


@pytest.mark.parametrize("n", range(1, CALLS + 1))
@pytest.mark.parametrize("again", [False, True])
def test_putting_back_may_fail_at_any_file(fail, folder, n, again):
    """Also if the recovery fails once more."""
    earlier.set_aside(folder)
    (folder / "stations.csv").write_text("of the new run")
    (folder / "fields_20220901T0000.nc.part").write_text("of the new run")
    fail(earlier.put_back, folder, n)
    if again:
        fail(earlier.recover, folder, 1)
    require_recovered(folder)


@pytest.mark.parametrize("name", [earlier.ASIDE, earlier.ASIDE_PART])
def test_a_link_in_place_of_the_sub_folder_is_not_followed(folder, tmp_path_factory, name):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "stations.csv").write_text("of the user")
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(RunError, match="cannot be written"):
        earlier.set_aside(folder)
    (folder / name).unlink()
    require_recovered(folder)
    (folder / name).symlink_to(elsewhere)
    earlier.recover(folder)
    assert [path.name for path in elsewhere.iterdir()] == ["stations.csv"]


def test_only_segments_that_begin_at_the_end_or_later_are_deleted(folder):
    before = ["fields_20220901T0600.nc", "fields_20220901T055959.nc.part", "fields_20211231T2300.nc"]
    after = ["fields_20220901T0601.nc", "fields_20220901T060000.500000.nc", "fields_20220902T0000.nc.copy"]
    for name in [*before, *after]:
        (folder / name).touch()
    earlier.delete_segments_from(folder, datetime(2022, 9, 1, 6, 0, 0, 250000))
    assert {*FILES, *before} == {path.name for path in folder.iterdir()}
    earlier.delete_segments_from(folder, datetime(2022, 9, 1, 6))
    assert not (folder / before[0]).exists()
