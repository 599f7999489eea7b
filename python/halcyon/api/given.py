"""What a simulation is made of: a case in a file, in Python or in the folder of a run, with keywords."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from halcyon.api.engine import CASE_FILE
from halcyon.api.options import plain, with_keywords
from halcyon.base import ConfigError, InputError
from halcyon.config.load import MODELS, expand_shorthands, read_case
from halcyon.config.option import utc
from halcyon.config.run_case import RunCase
from halcyon.config.yaml_source import Source
from halcyon.run.folder import read_run_file
from halcyon.run.output.files import require_restart_files
from halcyon.run.state.restart_state import STATE


def read_given(
    case: str | PathLike[str] | Mapping[str, Any] | RunCase, options: Mapping[str, Any]
) -> tuple[Path, Source, Path | None, datetime | None]:
    """The path and the options of a case; if a run is continued, its folder and the time of its state."""
    resumed = begin = None
    if isinstance(case, RunCase):
        data = case.model_dump(mode="json", by_alias=True, exclude_unset=True)
        path, source = case.path, Source(case.path.name, data)
    elif isinstance(case, Mapping):
        model = case.get("model")
        path = Path(f"{model}.yaml").absolute()
        source = Source(f"{model} case", plain(case))
    elif Path(case).is_dir():
        resumed = Path(case).absolute()
        begin = _time_of_state(resumed)
        path, overrides = _case_of_folder(resumed)
        source = read_case(path, overrides)
    else:
        path = Path(case)
        source = read_case(path)
    expand_shorthands(source)
    if options and source.data.get("model") in MODELS:
        source.data = with_keywords(source.data, source.data["model"], options)
    return path.absolute(), source, resumed, begin


def _case_of_folder(folder: Path) -> tuple[Path, list[str]]:
    """The case of the run in a folder, with its overrides. Raises InputError if the case or a restart file is
    missing."""
    require_restart_files(folder)
    entries = read_run_file(folder)
    own, named = folder / CASE_FILE, Path(entries.get("case") or "")
    if own.is_file():
        return own, []
    if not named.is_file():
        raise InputError(
            f"the case of the run in {folder}, {named}, does not exist. Put it there, to continue it."
        )
    return named, list(entries.get("overrides", ()))


def _time_of_state(folder: Path) -> datetime:
    """The time of the newest restart file in a folder [UTC]."""
    from netCDF4 import Dataset

    with Dataset(require_restart_files(folder)[0]) as file:
        return datetime.fromisoformat(json.loads(file.getncattr(STATE))["time"])


def duration_of(call: str, **parts: float | None) -> timedelta:
    """The sum of times given in days, hours, minutes and seconds; None is 0. call: for the error.

    Raises ConfigError for values that are no numbers, and for a negative sum."""
    given = {name: value for name, value in parts.items() if value is not None}
    text = f"{call}({', '.join(f'{name}={value!r}' for name, value in given.items())})"
    try:
        span = timedelta(**{name: float(value) for name, value in given.items()})
    except (TypeError, ValueError, OverflowError):
        raise ConfigError(f"{text}: give numbers, such as hours=6.") from None
    if span < timedelta():
        raise ConfigError(f"{text}: the time is negative. Give a positive one.")
    return span


def time_of(given: str | datetime | np.datetime64) -> datetime:
    """A time [UTC]. Raises ConfigError for other texts."""
    try:
        return utc(str(plain(given)))
    except ValueError:
        raise ConfigError(f"'{given}' is not a time. Give one such as '2022-09-01T06:00', in UTC.") from None
