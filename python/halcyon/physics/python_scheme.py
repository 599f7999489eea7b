"""Schemes in Python: functions of a block of columns or spectra, whose arrays are views without copies."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from halcyon.base import ConfigError


class Field(NamedTuple):
    """A field of a scheme, kept from call to call, also in restart files; `output.variables` may name it.
    `levels`: whether it has a value for each level of a column, or one for the column."""

    name: str
    units: str
    long_name: str
    levels: bool = True


class Block:
    """A block of columns or spectra. Attributes are numpy views: those of the state are read-only; assignment
    to a result or a field copies the values into it, and raises ValueError for a wrong shape."""

    time: float  # of the state, since the start of the run [s]
    date: float  # of the state, since 1970-01-01 00:00 UTC [s]
    step: float  # time for which the results are used [s]

    def __init__(self, views: dict[str, Any]) -> None:
        self.__dict__.update(views)

    def __setattr__(self, name: str, value: Any) -> None:
        view = self.__dict__.get(name)
        if not isinstance(view, np.ndarray) or not view.flags.writeable:
            names = [n for n, v in self.__dict__.items() if isinstance(v, np.ndarray) and v.flags.writeable]
            raise AttributeError(f"{name} is not a result or field. There are: {', '.join(names)}")
        try:
            view[...] = value
        except ValueError as error:
            raise ValueError(f"{name} has the shape {view.shape}: {error}") from None


def declared_options(function: Callable[..., Any]) -> dict[str, float]:
    """The options of a function, with their defaults: its keyword-only parameters. Raises ConfigError for a
    default that is not a number."""
    options = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            continue
        default = parameter.default
        if isinstance(default, bool) or not isinstance(default, (int, float)):
            raise ConfigError(
                f"The option '{parameter.name}' of the physics scheme '{function.__name__}' has no number as"
                " its default. Give it one."
            )
        options[parameter.name] = float(default)
    return options


def make_scheme(kind: Any, function: Callable[..., Any]) -> Any:
    """A scheme of a Python function. kind: ColumnScheme or SpectrumScheme"""
    options = declared_options(function)
    unbounded = [(name, value, "", "", -np.inf, np.inf) for name, value in options.items()]
    fields = [
        (field.name, field.levels, field.units, field.long_name) for field in getattr(function, "fields", ())
    ]
    return kind.from_python(function.__name__, _caller(function, list(options)), Block, unbounded, fields)


def _caller(function: Callable[..., Any], names: Sequence[str]) -> Callable[..., str | None]:
    """A function that calls a scheme and returns None, or the text of its error."""

    def call(block: Block, time: float, date: float, step: float, options: Sequence[float]) -> str | None:
        block.__dict__.update(time=time, date=date, step=step)
        try:
            result = function(block, **dict(zip(names, options, strict=True)))
        except Exception as error:
            return _text(error)
        if result is not None:
            return "it returned a value. Assign the results to attributes of the block, and return nothing"
        return None

    return call


def _text(error: Exception) -> str:
    """The text of an error, with the place in the code."""
    frames = traceback.extract_tb(error.__traceback__)
    frame = next((each for each in reversed(frames[1:]) if each.filename != __file__), frames[-1])
    text = f"{type(error).__name__}: {error}".rstrip(".: ")
    return f"{text} ({Path(frame.filename).name}, line {frame.lineno})"
