"""Options and base class of files that all ranks write; functions for errors of the operating system and
fsync."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon._core.io import Ranks, Type, Writer
from halcyon.base import RunError

if TYPE_CHECKING:
    from halcyon._core.comm import Communicator
    from halcyon._core.io import Placement, Progress, Schema


LAYOUTS = ("auto", "direct", "groups", "box", "gather")
WITHOUT_TIME = -1  # record argument of `Writer` for variables without the dimension time


@contextmanager
def writing(path: Path, advice: str = "") -> Iterator[None]:
    """Converts an OSError of the with-block into a RunError with `path`, the system's text and `advice`."""
    try:
        yield
    except OSError as error:
        text = f"{path} cannot be written: {str(error.strerror or error).rstrip('.')}."
        raise RunError(f"{text} {advice}".rstrip()) from None


def flush_to_disk(path: Path) -> None:
    """Flushes a file to the disk. Raises OSError if this fails."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@dataclass(frozen=True, kw_only=True)
class IoOptions:
    """Which ranks are I/O ranks, and how much they transfer at a time.

    layout: one of LAYOUTS. `box`: `ranks` I/O ranks each write one contiguous range of the file; `groups`:
    the first of every `group_size` consecutive ranks writes the items of its group (GRIST); `direct`: each
    rank writes its own items; `gather`: rank 0 writes all; `auto`: a box with one I/O rank per `piece` of a
    record. ranks: number of I/O ranks for `box`; 0: as many as for `auto`. most_ranks: largest number of I/O
    ranks. most_requests: largest number of outstanding PnetCDF requests per I/O rank. piece: size of a
    transfer to an I/O rank [bytes]. buffer: largest size of the data that an I/O rank queues for writing
    [bytes]. background: whether a background thread writes. hints: for PnetCDF and MPI-IO."""

    layout: str = "auto"
    ranks: int = 0
    group_size: int = 8
    most_ranks: int = 64
    most_requests: int = 4096
    piece: int = 4 * 2**20
    buffer: int = 512 * 2**20
    background: bool = True
    hints: dict[str, str] = field(default_factory=dict)


def io_ranks(comm: Communicator, options: IoOptions | None = None, *, n_bytes: int) -> Ranks:
    """Collective. Returns the I/O ranks (`Ranks`) of a `halcyon._core.comm.Communicator`.

    n_bytes: size of a record, from which `auto` determines the number of I/O ranks. Raises ConfigError for
    invalid options."""
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


def define_variable(
    schema: Schema,
    name: str,
    type: str,
    dimensions: Sequence[str],
    attributes: Mapping[str, str | int | float],
) -> None:
    """Adds a variable to a schema; type: `i4`, `f4` or `f8`; attributes: texts or 32-bit numbers."""
    schema.variable(name, _TYPES[type], list(dimensions))
    add_attributes(schema, name, attributes)


def add_attributes(schema: Schema, name: str, attributes: Mapping[str, str | int | float]) -> None:
    """Adds attributes to the variable `name` of a schema, or to the file if `name` is ""."""
    for key, value in attributes.items():
        type_argument = {int: [Type.int32], float: [Type.float32]}.get(value.__class__, [])  # a text has none
        schema.attribute(name, key, value, *type_argument)


class RecordsFile:
    """A file of records, written as `path`.part and renamed when it is closed. Every method is collective.

    @param ranks the I/O ranks
    @param schema dimensions and variables of the file, including the variable `time`
    @param placement placement of this rank's items in a record
    @param n_records expected number of records, for which disk space is reserved
    @param progress to continue an interrupted file: the state that `sync` returned
    @param compression 1 to 9: level; `close` converts the file to netCDF-4. 0: CDF-2 or CDF-5
    """

    def __init__(
        self,
        ranks: Ranks,
        path: Path,
        schema: Schema,
        placement: Placement,
        n_records: int,
        progress: Progress | None = None,
        compression: int = 0,
    ) -> None:
        self.path, self._placement = path, placement
        self._n_records = 0 if progress is None else progress.n_records
        self._writer = Writer(ranks, str(path), schema, n_records, progress, compression)

    def _append(self, hours: float, arrays: list[tuple[str, np.ndarray]]) -> None:
        """Appends a record: hours since the start of the run, and (name, values of this rank's items)."""
        record, self._n_records = self._n_records, self._n_records + 1
        self._writer.write_root(record, [("time", np.array([hours], float))])
        self._writer.write(record, self._placement, arrays)

    def sync(self) -> Progress:
        """Requests, without waiting, that the records are flushed to the disk before any later data are
        written.

        Returns the `Progress` from which the file can be continued."""
        return self._writer.sync_in_background()

    def flush(self) -> None:
        """Waits until the records are flushed to the disk. Raises RunError if writing failed."""
        self._writer.sync()

    def close(self) -> None:
        """Completes and renames the file; a background thread does this later: see `wait`."""
        self._writer.close()

    def check(self) -> None:
        """Raises RunError if writing in the background has failed; does not wait."""
        self._writer.check()

    def wait(self) -> None:
        """Waits until everything is written. Raises RunError if writing failed."""
        self._writer.wait()

    @property
    def is_complete(self) -> bool:
        """Whether the file is complete and renamed; valid on rank 0 only."""
        return self._writer.is_complete

    @property
    def waited_s(self) -> float:
        """Time that this rank waited for the background thread [s]."""
        return self._writer.waited_s

    @property
    def worked_s(self) -> float:
        """Time that this rank's background thread worked on the file [s]."""
        return self._writer.worked_s
