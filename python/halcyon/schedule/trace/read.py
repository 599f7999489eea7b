"""Reads a trace of any format."""

from __future__ import annotations

from pathlib import Path

from halcyon.base import InputError
from halcyon.schedule.trace.dumpi import read_dumpi
from halcyon.schedule.trace.events import Trace
from halcyon.schedule.trace.goal import read_goal
from halcyon.schedule.trace.otf2_archive import read_otf2
from halcyon.schedule.trace.recording import files_of, read_recording

FORMATS = "a folder of `halcyon record`, an OTF2 archive (.otf2), DUMPI files (.meta) or a GOAL file (.goal)"


def is_trace(path: Path) -> bool:
    """Whether a path is a trace of one of the formats, rather than a file of `halcyon run --record`."""
    return path.is_dir() or path.suffix in (".otf2", ".meta", ".goal", ".bin")


def trace_files(path: Path) -> list[Path]:
    """The files of a trace."""
    if path.suffix == ".otf2":  # the events are in a folder with the same name
        return sorted(
            file
            for file in [path, path.with_suffix(".def"), *path.with_suffix("").rglob("*")]
            if file.is_file()
        )
    if path.suffix == ".meta":
        return [path, *sorted(path.parent.glob(f"{path.stem}-*.bin"))] if path.is_file() else []
    return files_of(path) if path.is_dir() else [path] if path.is_file() else []


def read_trace(path: str | Path) -> Trace:
    """Reads a trace: a folder of `halcyon record`, an OTF2 archive, DUMPI files or a GOAL file.

    Raises InputError for files that are missing, damaged or of another format."""
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path} does not exist. Give {FORMATS}.")
    if path.is_dir() and files_of(path):
        return read_recording(path)
    if path.suffix == ".meta":
        return read_dumpi(path)
    if path.suffix == ".otf2":
        return read_otf2(path)
    if path.suffix == ".goal":
        return read_goal(path)
    if path.suffix == ".bin":
        raise InputError(
            f"{path} is a binary file of a single rank of DUMPI, or of LogGOPSim. Give the .meta file of the "
            "DUMPI trace, or the text (.goal) from which LogGOPSim's txt2bin made the file."
        )
    raise InputError(f"{path} is no trace. Give {FORMATS}.")
