"""The results of an earlier run in an output folder, and their replacement by those of a new run.

A folder holds one run. The files of an earlier run are set aside, in a sub-folder, while the new run writes
its first record; then they are deleted, or put back if the record could not be written."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from halcyon.base import ConfigError
from halcyon.io.writing import writing
from halcyon.run.folder import LOG, LOG_PART, RUN_FILE, folder_locked, read_run_file

ASIDE = ".earlier"  # sub-folder of the files that were set aside
_FIELDS = re.compile(r"fields_\d+T\d+(\.\d+)?\.nc(\.part(\.nc4)?|\.copy)?")
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
    the new run. Raises RunError if that fails."""
    files, aside = files_of_run(folder), folder / ASIDE
    if read_run_file(folder).get("files", files) is not None:  # else run.json is that of the new run
        files += [path for name in (RUN_FILE, LOG) if (path := folder / name).is_file()]
    with writing(aside):
        aside.mkdir(exist_ok=True)
        for path in files:
            path.replace(aside / path.name)


def put_back(folder: Path) -> None:
    """Undoes `set_aside`, and deletes what the new run has written since then."""
    aside = folder / ASIDE
    if not aside.is_dir():
        return
    with writing(aside):
        delete(files_of_run(folder))
        for path in aside.iterdir():
            path.replace(folder / path.name)
        aside.rmdir()


def forget(folder: Path) -> None:
    """Deletes the files that were set aside; the log of the new run gets its final name."""
    with writing(folder / LOG):
        if (folder / LOG_PART).is_file():
            (folder / LOG_PART).replace(folder / LOG)
    shutil.rmtree(folder / ASIDE, ignore_errors=True)


def recover(folder: Path) -> None:
    """Puts back the files that a run had set aside when it was killed during its first record."""
    if not (folder / ASIDE).is_dir():
        return
    with folder_locked(folder):
        recover_locked(folder)


def recover_locked(folder: Path) -> None:
    """As `recover`, for a folder that this run has locked."""
    if (folder / ASIDE).is_dir():
        (forget if (folder / RUN_FILE).exists() else put_back)(folder)


def delete_other_segments(folder: Path, kept: Iterable[Path]) -> None:
    """Deletes the fields files that are not `kept`: segments after an end that was moved to an earlier
    time."""
    delete({path for path in files_of_run(folder) if _FIELDS.fullmatch(path.name)} - {*kept})


def delete(paths: Iterable[Path]) -> None:
    """Deletes files."""
    for path in paths:
        path.unlink(missing_ok=True)


def _is_in(folder: Path, file: Any) -> bool:
    return isinstance(file, str) and Path(file).parent.resolve() == folder.resolve()


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
