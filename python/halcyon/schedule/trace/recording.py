"""Reader of the recordings of `halcyon record`: folders with one file per rank (docs/record.md)."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path

import numpy as np

from halcyon.base import InputError
from halcyon.schedule.trace.events import EVENT, CommunicatorNumbers, Kind, Trace, damaged, require_items

TITLE = b"halcyon recording 1"
_UNSUPPORTED = {  # `enum unsupported` of cpp/record/recorder.h
    0: "one-sided communication (such as MPI_Put)",
    1: "collectives on intercommunicators",
    2: "processes that it started itself (such as by MPI_Comm_spawn)",
}


def files_of(folder: Path) -> list[Path]:
    """The files of a recording, in the order of ranks."""
    return sorted(folder.glob("rank.*.gz"))


def read_recording(folder: Path) -> Trace:
    """Reads a recording.

    Raises InputError for missing or damaged files, for ranks that ended without MPI_Finalize, and for
    programs whose communication is not supported."""
    files = files_of(folder)
    if not files:
        raise InputError(f"{folder} has no recording (rank.*.gz). Give a folder of `halcyon record`.")
    numbers, events, library = CommunicatorNumbers(), [], ""
    for rank, file in enumerate(files):
        header, of_rank = _read_file(file)
        n_ranks = int(header.get("ranks", "0"))
        if header.get("rank") != str(rank) or n_ranks != len(files):
            raise InputError(
                f"{folder} has the files of {len(files)} of {n_ranks} ranks"
                f"{'' if header.get('rank') == str(rank) else f'; that of rank {rank} is missing'}. "
                "Record into an empty folder."
            )
        numbers.begin_rank()
        events.append(_with_common_numbers(file, rank, of_rank, numbers))
        library = header.get("library", "")
    return Trace(str(folder), "recording", events, numbers.members, library)


def _read_file(file: Path) -> tuple[dict[str, str], np.ndarray]:
    """The header and the events of a file."""
    try:
        with gzip.open(file) as stream:
            data = stream.read()
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(
            f"{file} is cut off or damaged: the program did not end regularly, or the disk was full. Record "
            "it again."
        ) from None
    except OSError as error:
        raise InputError(f"{file} cannot be read ({error.strerror}).") from None
    title, _, _ = data.partition(b"\n")
    header_end = data.find(b"\n\n") + 2
    if title != TITLE or header_end < 2:
        raise InputError(f"{file} is not a file of `halcyon record`, or of another version. Record it again.")
    lines = re.findall(r"^(\w+) (.*)$", data[:header_end].decode(errors="replace"), re.MULTILINE)
    header = dict(lines[1:])
    if header.get("event_bytes") != str(EVENT.itemsize) or (len(data) - header_end) % EVENT.itemsize:
        raise InputError(f"{file} is damaged: its size is wrong. Record it again.")
    return header, np.frombuffer(data, EVENT, offset=header_end)


def _with_common_numbers(
    file: Path, rank: int, events: np.ndarray, numbers: CommunicatorNumbers
) -> np.ndarray:
    """The events of a rank without definitions, with numbers of communicators that all ranks share."""
    require_items(str(file), rank, events)
    if not len(events) or events["kind"][-1] != Kind.END:
        raise InputError(
            f"{file} ends early: rank {rank} did not call MPI_Finalize. Record a run that ends regularly."
        )
    for event in events[events["kind"] == Kind.UNSUPPORTED]:
        raise InputError(
            f"{file}: the program uses {_UNSUPPORTED.get(int(event['tag']), 'unknown calls')}, which cannot "
            "be replayed."
        )
    common: dict[int, int] = {-1: -1}
    keep = np.ones(len(events), bool)
    for i in np.flatnonzero(events["kind"] == Kind.COMM):
        items = events[i + 1 : i + 1 + events["count"][i]]
        keep[i : i + 1 + len(items)] = False
        is_remote = items["tag"] == 1
        common[int(events["comm"][i])] = numbers.number(
            items["peer"][~is_remote].tolist(), items["peer"][is_remote].tolist()
        )
    used = np.unique(events["comm"])
    if any(number not in common for number in used.tolist()):
        raise damaged(str(file), rank, "a communicator is not defined")
    table = np.zeros(max(common) + 2, np.int32)
    for own, number in common.items():
        table[own] = number
    kept = events[keep].copy()
    kept["comm"] = table[kept["comm"]]
    return kept
