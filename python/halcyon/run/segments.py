"""The fields files of a run: one a segment, with a name of its own and room on the disk."""

from __future__ import annotations

import math
import shutil
from datetime import datetime, timedelta
from pathlib import Path

from halcyon.base import RunError
from halcyon.config.case import Case
from halcyon.io.fields_file import OwnedMesh
from halcyon.run.report import memory

_HEADER_BYTES = 8192  # of a file with the default variables: some 6 kB


def segment_path(case: Case, time: datetime) -> Path:
    """The file of the segment that begins at `time` (UTC): `fields_20220901T0000.nc`.

    Its name has seconds, and parts of them, where segments of this case may begin at such times.
    """
    times_s = (
        case.time.start.second + 1e-6 * case.time.start.microsecond,
        case.output.interval,
        case.output.segment,
    )
    if all(each % 60 == 0 for each in times_s):
        text = f"{time:%Y%m%dT%H%M}"
    elif all(each % 1 == 0 for each in times_s):
        text = f"{time:%Y%m%dT%H%M%S}"
    else:
        text = f"{time:%Y%m%dT%H%M%S.%f}"
    return case.folder / f"fields_{text}.nc"


def segment_records(case: Case, time: datetime) -> int:
    """Records in the segment that begins at `time` (UTC). The run's last belongs to the segment before it."""
    end = time + timedelta(seconds=case.output.segment)
    span_s = (min(end, case.time.end) - time).total_seconds()
    return math.ceil(span_s / case.output.interval) + (end >= case.time.end)


def mesh_bytes(part: OwnedMesh) -> int:
    """What a fields file holds beside its records: header, corners, centres, faces and depths."""
    max_nodes = part.face_nodes.shape[1]
    return _HEADER_BYTES + 16 * part.n_vertices + (16 + 4 * max_nodes + 4) * part.n_cells


def record_bytes(variables: int, cells: int) -> int:
    """A record: its time, and 32-bit numbers on the cells."""
    return 8 + 4 * variables * cells


def check_space(folder: Path, needed_bytes: int, *, what: str) -> None:
    """Raises RunError where the disk of `folder` has no room for the next file, `what`."""
    try:
        free_bytes = shutil.disk_usage(folder).free
    except OSError as error:
        raise RunError(f"{folder} cannot be looked at: {error.strerror}.") from None
    if free_bytes < needed_bytes:
        raise RunError(
            f"{what} needs {memory(needed_bytes)}, but {memory(free_bytes)} are free in {folder}."
            " Free some, or give another folder by --output. The files before it are whole."
        )
