"""The files of a run in time: a fields file a segment, restart files, and their names."""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta
from pathlib import Path

from halcyon.config.run_case import RunCase

_RESTART = re.compile(r"restart_(\d+)T(\d+)(?:\.(\d+))?\.nc")


def segment_path(case: RunCase, time: datetime) -> Path:
    """The file of the segment that begins at `time` (UTC): `fields_20220901T0000.nc`."""
    return case.folder / f"fields_{_text(case, time, case.output.interval, case.output.segment)}.nc"


def restart_path(case: RunCase, time: datetime) -> Path:
    """The file from which a run goes on at `time` (UTC): `restart_20220901T0300.nc`."""
    return case.folder / f"restart_{_text(case, time, case.restart_step_s)}.nc"


def segment_records(case: RunCase, time: datetime) -> int:
    """Records in the segment that begins at `time` (UTC). The run's last belongs to the segment before it."""
    end = time + timedelta(seconds=case.output.segment)
    span_s = (min(end, case.time.end) - time).total_seconds()
    return math.ceil(span_s / case.output.interval) + (end >= case.time.end)


def restarts_in(folder: Path) -> list[Path]:
    """The restart files in a folder, the newest first, and the names of those that are half written. What a
    user named otherwise is none of ours."""
    names = {path.name.removesuffix(".part") for path in folder.glob("restart_*")}
    found = [match for name in names if (match := _RESTART.fullmatch(name))]
    return [folder / match[0] for match in sorted(found, key=_when, reverse=True)]


def _when(match: re.Match[str]) -> tuple[int, str, str]:
    """Orders the times of names with and without seconds."""
    day, clock, fraction = match.groups(default="")
    return int(day), clock.ljust(6, "0"), fraction


def _text(case: RunCase, time: datetime, *steps_s: float) -> str:
    """A time in a name, with seconds, and parts of them, where steps from the case's start may need them."""
    times_s = (case.time.start.second + 1e-6 * case.time.start.microsecond, *steps_s)
    if all(each % 60 == 0 for each in times_s):
        return f"{time:%Y%m%dT%H%M}"
    if all(each % 1 == 0 for each in times_s):
        return f"{time:%Y%m%dT%H%M%S}"
    return f"{time:%Y%m%dT%H%M%S.%f}"
