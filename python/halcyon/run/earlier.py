"""The results of an earlier run in an output folder, and their replacement by those of a new run.

A folder holds one run. The files of an earlier run are set aside, in a sub-folder, while the new run writes
its first record; then they are deleted, or put back if the record could not be written. While they are moved,
in either direction, the sub-folder has another name, so that a run that is killed then loses none of them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from halcyon.base import ConfigError
from halcyon.io.writing import writing
from halcyon.run.folder import LOG, LOG_PART, RUN_FILE, folder_locked, read_run_file

ASIDE = ".earlier"  # sub-folder of the files that were set aside, all of them
ASIDE_PART = f"{ASIDE}.part"  # sub-folder of some of the files; the others are still or again in the folder
_FIELDS = re.compile(r"fields_(\d+)T(\d+)(?:\.(\d+))?\.nc(?:\.part(?:\.nc4)?|\.copy)?")
# Names of the files of runs. Of complete files of nests, whose names users choose, run.json has the list.
_NAMES = re.compile(
    rf"{_FIELDS.pattern}|restart_\d+T\d+(\.\d+)?\.nc(\.part)?|(stations|integrals)\.(csv|nc|nc\.part|png)"
    r"|spectra\.nc(\.part|\.copy)?|nest_.+\.nc\.(part|copy)|maximum_height\.png|maps\.png"
)


def files_of_run(folder: Path) -> list[Path]:
    """The existing result files of the run in a folder: those that run.json lists, and those with the names
    of such files, complete or not."""
    entries = read_run_file(folder)
    listed = [*(entries.get("files") or ()), *_mapping(entries.get("figures")).get("files", ())]
    names = {Path(file).name for file in listed if _is_in(folder, file)}
    names |= {path.name for path in folder.glob("*") if _NAMES.fullmatch(path.name)}
    return sorted(path for name in names if (path := folder / name).is_file())


def has_results(folder: Path) -> bool:
    """Whether a folder holds the results of a run. A run that failed before its first record has none."""
    files = files_of_run(folder)
    return bool(files) and read_run_file(folder).get("files", files) is not None


def require_no_results(folder: Path) -> None:
    """Raises ConfigError if a folder holds the results of a run."""
    if not has_results(folder):
        return
    entries, files = read_run_file(folder), files_of_run(folder)
    status, advice = entries.get("status"), "Give --overwrite to replace them, or another folder by --output"
    if status == "finished":
        kind, advice = "a finished run", f"{advice}; --resume with a later time.end extends that run"
    else:
        kind = f"an unfinished run (status {status})" if status else "a run"
        if any(path.name.startswith("restart_") and path.suffix == ".nc" for path in files):
            advice = f"{advice}, or continue that run by --resume"
    number = f"{len(files)} {'file' if len(files) == 1 else 'files'}"
    raise ConfigError(f"{folder} holds the results of {kind}: {number}, such as {files[0].name}. {advice}.")


def set_aside(folder: Path) -> None:
    """Moves the files of an earlier run into the folder ASIDE, also its run.json and log unless they are of
    the new run. Raises RunError if that fails, with all files in their place."""
    files, part = files_of_run(folder), folder / ASIDE_PART
    if read_run_file(folder).get("files", files) is not None:  # else run.json is that of the new run
        files += [path for name in (RUN_FILE, LOG) if (path := folder / name).is_file()]
    with writing(part):
        part.mkdir()
        try:
            for path in files:
                path.replace(part / path.name)
            part.replace(folder / ASIDE)
        except OSError:
            _move_back(folder)
            raise


def put_back(folder: Path) -> None:
    """Undoes `set_aside`, and deletes what the new run has written since then."""
    with writing(folder / ASIDE):
        delete(files_of_run(folder))
        (folder / ASIDE).replace(folder / ASIDE_PART)
        _move_back(folder)


def forget(folder: Path) -> None:
    """Deletes the files that were set aside; the log of the new run gets its final name."""
    with writing(folder / LOG):
        if (folder / LOG_PART).is_file():
            (folder / LOG_PART).replace(folder / LOG)
    shutil.rmtree(folder / ASIDE, ignore_errors=True)


def recover(folder: Path) -> None:
    """Puts back the files that a run had set aside when it was killed during its first record."""
    if _is_folder(folder / ASIDE) or _is_folder(folder / ASIDE_PART):
        with folder_locked(folder):
            recover_locked(folder)


def recover_locked(folder: Path) -> None:
    """As `recover`, for a folder that this run has locked."""
    if _is_folder(folder / ASIDE_PART):
        with writing(folder / ASIDE_PART):
            _move_back(folder)
    elif _is_folder(folder / ASIDE):
        (forget if (folder / RUN_FILE).exists() else put_back)(folder)


def delete_segments_from(folder: Path, end: datetime) -> None:
    """Deletes the fields files that begin at `end` (UTC) or later, as the end of the run was moved to an
    earlier time. The segment before `end` includes it."""
    matches = (_FIELDS.fullmatch(path.name) for path in folder.glob("fields_*"))
    end_key = _time_key(f"{end:%Y%m%d}", f"{end:%H%M%S}", f"{end:%f}")
    delete(folder / match[0] for match in matches if match and _time_key(*match.groups("")) >= end_key)


def delete(paths: Iterable[Path]) -> None:
    """Deletes files."""
    for path in paths:
        path.unlink(missing_ok=True)


def _move_back(folder: Path) -> None:
    """Moves the files of ASIDE_PART back into the folder. Raises OSError."""
    for path in (folder / ASIDE_PART).iterdir():
        path.replace(folder / path.name)
    (folder / ASIDE_PART).rmdir()


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _time_key(day: str, clock: str, fraction: str) -> tuple[int, str, str]:
    """A sort key of the time in the name of a file, which may have no seconds."""
    return int(day), clock.ljust(6, "0"), fraction.ljust(6, "0")


def _is_in(folder: Path, file: Any) -> bool:
    return isinstance(file, str) and Path(file).parent.resolve() == folder.resolve()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
