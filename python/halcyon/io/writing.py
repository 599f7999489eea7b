"""How files are written: by which ranks; what the system says where they cannot be; until on the disk."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from halcyon._core.io import Ranks
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
