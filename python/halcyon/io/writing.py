"""How files are written: by which ranks; what the system says where they cannot be; until on the disk."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from halcyon._core.io import Ranks, Type, Writer
from halcyon.base import RunError

LAYOUTS = ("auto", "direct", "groups", "box", "gather")


@contextmanager
def writing(path: Path, advice: str = "") -> Iterator[None]:
    """Turns an OSError of its body into a RunError that names `path` and the system's text, then `advice`."""
    try:
        yield
    except OSError as error:
        text = f"{path} cannot be written: {str(error.strerror or error).rstrip('.')}."
        raise RunError(f"{text} {advice}".rstrip()) from None


def on_disk(path: Path) -> None:
    """Returns when a file is on the disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@dataclass(frozen=True, kw_only=True)
class IoOptions:
    """Which ranks touch a file and how much they take at once.

    layout: one of LAYOUTS. `box`: `ranks` of them each hold one contiguous range of the file; `groups`: the
    first of every `group_size` neighbouring ranks holds their items (GRIST); `direct`: each rank its own;
    `gather`: rank 0 all; `auto`: a box with a rank for every piece that is written at once.
    ranks: of `box`; 0 chooses as `auto`. most_ranks: that may touch a file. most_requests: outstanding ones
    of a rank. piece, buffer [bytes]: that an I/O rank takes at once, and that wait in the background at most.
    background: written by a thread while the caller goes on. hints: for PnetCDF and MPI-IO."""

    layout: str = "auto"
    ranks: int = 0
    group_size: int = 8
    most_ranks: int = 64
    most_requests: int = 4096
    piece: int = 4 * 2**20
    buffer: int = 512 * 2**20
    background: bool = True
    hints: dict[str, str] = field(default_factory=dict)


def io_ranks(comm, options=None, *, n_bytes):
    """Collective. The `Ranks` that touch files, of a `halcyon._core.comm.Communicator`.

    n_bytes: that are written at once, after which `auto` chooses. Raises ConfigError for options that cannot
    be."""
    options = options or IoOptions()
    return Ranks(
        comm,
        layout=options.layout,
        ranks=options.ranks,
        group_size=options.group_size,
        most_ranks=options.most_ranks,
        most_requests=options.most_requests,
        piece_bytes=options.piece,
        background_bytes=options.buffer,
        background=options.background,
        hints=list(options.hints.items()),
        bytes=n_bytes,
    )


_TYPES = {"i4": Type.int32, "f4": Type.float32, "f8": Type.float64}


def define(schema, name, type, dimensions, described):
    """Adds a variable to a schema; type: `i4`, `f4` or `f8`; described: its attributes, texts or numbers of
    32 bits."""
    schema.variable(name, _TYPES[type], list(dimensions))
    attach(schema, name, described)


def attach(schema, name, described):
    """Adds attributes to a variable of a schema, or by the name "" to the file."""
    for key, value in described.items():
        kind = {int: [Type.int32], float: [Type.float32]}.get(value.__class__, [])
        schema.attribute(name, key, value, *kind)


class RecordsFile:
    """`path` appears when the file is closed and whole. Every method is collective.

    @param ranks `Ranks` that touch the file
    @param schema what it holds, with the variable `time`
    @param placement of this rank's items in its records
    @param n_records that are expected: their space is reserved
    @param progress from where the file that an earlier run left is continued, as `sync` gave it
    @param compression 1 to 9: makes it a netCDF-4 file when it is closed; 0: CDF-2 or CDF-5
    """

    def __init__(self, ranks, path, schema, placement, n_records, progress=None, compression=0):
        self.path, self._placement = path, placement
        self._n_records = 0 if progress is None else progress.n_records
        self._writer = Writer(ranks, str(path), schema, n_records, progress, compression)

    def _add(self, hours, arrays):
        """Adds a record: hours since the start of the run, and (name, numbers of this rank's items)."""
        record, self._n_records = self._n_records, self._n_records + 1
        self._writer.write_root(record, [("time", np.array([hours], float))])
        self._writer.write(record, self._placement, arrays)

    def sync(self):
        """Has the records brought to the disk before any file that is written after this.

        Returns the `Progress` from which the file can be continued."""
        return self._writer.sync_behind()

    def close(self):
        """Makes the file whole and gives it its name; in the background, soon: see `wait`."""
        self._writer.close()

    def check(self):
        """Raises RunError if something that is written in the background failed so far; does not wait."""
        self._writer.check()

    def wait(self):
        """Waits for what is still being written. Raises RunError if it failed."""
        self._writer.wait()

    @property
    def is_whole(self):
        """Whether the file has its name; known to rank 0 alone."""
        return self._writer.is_whole

    @property
    def waited_s(self):
        """How long this rank waited for the background [s]."""
        return self._writer.waited_s

    @property
    def worked_s(self):
        """How long this rank's background was at work on the file [s]."""
        return self._writer.worked_s
