"""The journal of a launch of tests: which tests failed and which ones run, also if the launch is ended.

Each process appends lines to a file of its own, so that what a killed process did is known. tools/test reads
them, tests/support/main.cpp writes them for C++ tests: EVENT, TAB, NAME, TAB, REASON; the events are `start`,
`end` and `failed`.
"""

import os
from pathlib import Path

VARIABLE = "HALCYON_TEST_JOURNAL"  # the folder of the journal; unset: none is written


class Journal:
    """The journal of this process, in the file `who`. Programs that tests start do not inherit it."""

    def __init__(self, who: str) -> None:
        folder = os.environ.pop(VARIABLE, "")
        self._fd = os.open(Path(folder, who), os.O_WRONLY | os.O_CREAT | os.O_APPEND) if folder else None

    def write(self, event: str, name: str, reason: str = "") -> None:
        if self._fd is not None:
            os.write(self._fd, f"{event}\t{one_line(name)}\t{one_line(reason)}\n".encode(errors="replace"))


def one_line(text: str) -> str:
    return " ".join(text.split())


def read(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Returns the reasons of failed tests by their names, and the running tests by their processes."""
    failed, running = {}, {}
    for path in sorted(folder.iterdir()):
        for line in path.read_text(errors="replace").splitlines():
            event, name, reason = [*line.split("\t", 2), "", ""][:3]
            if event == "failed":
                failed.setdefault(name, reason)
            elif event == "start":
                running[path.name] = name
            elif event == "end":
                running.pop(path.name, None)
    return failed, running


def age_s(folder: Path, now: float) -> float:
    """The time since the last event [s], or since the folder was made."""
    return now - max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
