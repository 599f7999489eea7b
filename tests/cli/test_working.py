"""Long work is shown on a terminal and in files; short work is not."""

import io
import time

import pytest

from halcyon.cli import working


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_only_long_work_is_shown(stream, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    shown = stream()
    monkeypatch.setattr("sys.stderr", shown)
    with working.working("drawing [b]a.out"):
        pass
    assert shown.getvalue() == ""
    monkeypatch.setattr(working, "SILENT_S", 0.0)
    monkeypatch.setattr(working, "SILENT_IN_FILES_S", 0.0)
    with working.working("drawing [b]a.out"):
        time.sleep(0.3)
    assert "drawing [b]a.out" in shown.getvalue()


def test_an_error_ends_the_display():
    with pytest.raises(ValueError, match="bad"), working.working("drawing"):
        raise ValueError("bad")
