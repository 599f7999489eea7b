"""The fields files of a run: one a segment, with a name of its own and so many records."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from pathlib import Path

from halcyon.config.case import Case


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
