"""Files that become whole behind the computation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mpi4py import MPI


class Behind:
    """Files that are closed and not yet waited for, in order. Collective but for `paths` and the times.

    `worked_s`: what the background of this rank took for those that are whole; `waited_s`: how long the run
    waited for it.
    """

    def __init__(self, comm: MPI.Comm) -> None:
        self._comm = comm
        self._files: list[tuple[Path, Any]] = []
        self.worked_s, self.waited_s = 0.0, 0.0

    @property
    def paths(self) -> list[Path]:
        return [path for path, _ in self._files]

    def close(self, path: Path, file: Any) -> None:
        """Takes a file (FieldsFile or Writer) whose last record is written."""
        file.close()
        self._files.append((path, file))

    def check(self) -> list[Path]:
        """Raises the RunError of a file that failed. Gives those that are whole since; never waits."""
        for _, file in self._files:
            file.check()
        if not self._files:
            return []
        return self._leave(self._comm.bcast(sum(file.is_whole for _, file in self._files), root=0))

    def wait(self) -> list[Path]:
        """Waits for all. Raises the RunError of a file that failed."""
        for _, file in self._files:
            file.wait()
        return self._leave(len(self._files))

    def _leave(self, count: int) -> list[Path]:
        """The first `count` are whole: files become so in the order in which they were closed."""
        whole, self._files = self._files[:count], self._files[count:]
        self.worked_s += sum(file.worked_s for _, file in whole)
        self.waited_s += sum(file.waited_s for _, file in whole)
        return [path for path, _ in whole]
