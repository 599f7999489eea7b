"""From a case file to a checked case."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from halcyon.base import ConfigError
from halcyon.config.case import Case
from halcyon.config.checks import findings
from halcyon.config.messages import mistakes
from halcyon.config.overrides import apply
from halcyon.config.yaml_source import read_source


def load_case(path: str | os.PathLike[str], overrides: Sequence[str] = ()) -> Case:
    """Reads and checks a case.

    @param overrides of single options, each `option=value`, such as `time.step=600`
    @raises ConfigError with one line a mistake, each naming file and line (or the override), the value that
        was given and what is allowed
    """
    path = Path(path)
    source = read_source(path, str(path))
    for override in overrides:
        apply(source, override)
    try:
        case = Case.model_validate(source.data, context={"folder": path.absolute().parent})
    except ValidationError as error:
        raise _error(mistakes(error, Case, source)) from None
    case = case.placed_at(path.absolute(), source)
    wrong = [f"{source.place(location)}: {text}" for location, text in findings(case)]
    if wrong:
        raise _error(wrong)
    return case


def _error(lines: list[str]) -> ConfigError:
    """One error for all mistakes, one a line."""
    head = [f"the case has {len(lines)} mistakes:"] if len(lines) > 1 else []
    return ConfigError("\n".join([*head, *lines]))
