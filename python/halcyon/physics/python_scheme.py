"""Schemes in Python: functions of a block of columns or spectra, whose arrays are views without copies."""

from __future__ import annotations

import inspect
import textwrap
import traceback
from collections.abc import Callable, Mapping, Sequence
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


_COLUMN_DIMENSIONS = ("tracer", "level", "column")
_SPECTRUM_DIMENSIONS = ("cell", "frequency", "direction")
_RESULT_OF = {"tracers": "tracer_tendencies", "density": "source"}


class Block:
    """A block of columns or spectra. Attributes are numpy views, valid during a call: those of the state are
    read-only; assignment to a result or a field copies an array of the same shape into it, or fills it with a
    number, and raises ValueError for another shape."""

    time: float  # of the state, since the start of the run [s]
    date: float  # of the state, since 1970-01-01 00:00 UTC [s]
    step: float  # time for which the results are used [s]

    def __init__(self, views: dict[str, Any]) -> None:
        self.__dict__.update(views)

    def tracer(self, name: str) -> int:
        """The number of the tracer of a name, for `tracers` and `tracer_tendencies`. Raises LookupError if
        the model has no such tracer."""
        if name not in self.tracer_names:
            names = ", ".join(self.tracer_names) or "none"
            raise LookupError(f"the model has no tracer '{name}'. It has: {names}")
        return self.tracer_names.index(name)

    def __setattr__(self, name: str, value: Any) -> None:
        view = self.__dict__.get(name)
        if not isinstance(view, np.ndarray) or not view.flags.writeable:
            raise AttributeError(self._refusal(name))
        array = np.asarray(value)
        if array.ndim > 0 and array.shape != view.shape:
            n = view.ndim
            names = _COLUMN_DIMENSIONS[-n:] if "drag" in self.__dict__ else _SPECTRUM_DIMENSIONS[:n]
            raise ValueError(
                f"{name} has the shape ({', '.join(names)}) = {view.shape}, not {array.shape}."
                " Assign an array of this shape, or a number"
            )
        view[...] = array

    def __getattr__(self, name: str) -> Any:  # of a name that is not in __dict__
        raise AttributeError(f"{name} is not in the block. It has: {', '.join(self.__dict__)}")

    def _refusal(self, name: str) -> str:
        """The text of the error of an assignment to a name that is not a result or field."""
        views = {n: v for n, v in self.__dict__.items() if isinstance(v, np.ndarray)}
        results = [n for n, view in views.items() if view.flags.writeable]
        if name not in self.__dict__:
            return f"{name} is not a result or field. There are: {', '.join(results)}"
        instead = next((n for n in (f"{name}_tendency", _RESULT_OF.get(name)) if n in results), None)
        advice = f"Assign {instead}" if instead else f"Assign one of: {', '.join(results)}"
        return f"{name} is part of the state, which schemes cannot change. {advice}"


def declared_options(function: Callable[..., Any]) -> dict[str, float]:
    """The options of a function, with their defaults: its keyword-only parameters. Raises ConfigError for a
    default that is not a number, and for other parameters after the block."""
    options = {}
    for i, parameter in enumerate(inspect.signature(function).parameters.values()):
        if i > 0 and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise ConfigError(
                f"The parameter '{parameter.name}' of the physics scheme '{function.__name__}' is not"
                f" keyword-only, as options must be. Put `*,` before {parameter.name}."
            )
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
    return kind.from_python(
        function.__name__, _caller(function, list(options)), Block, unbounded, declared_fields(function)
    )


def declared_fields(function: Callable[..., Any]) -> list[tuple[str, bool, str, str]]:
    """The fields of a function: name, levels, units, long_name. Raises ConfigError for other than Fields."""
    given = getattr(function, "fields", ())
    fields = []
    for field in given if type(given) in (list, tuple) else [given]:
        if not isinstance(field, Field) or [*map(type, field)] != [str, str, str, bool]:
            raise ConfigError(
                f"The fields of the physics scheme '{function.__name__}' contain {field!r}. Give a list of"
                ' halcyon.physics.Field("name", "units", "long name"), with levels=False for one value per'
                " column or cell."
            )
        fields.append((field.name, field.levels, field.units, field.long_name))
    return fields


def function_text(function: Callable[..., Any]) -> str:
    """What a function computes, as a text: its source, or else its code, and the numbers and texts of the
    functions around it. Changes of other values and functions that it uses are not noticed."""
    inner = inspect.unwrap(function)
    try:
        text = textwrap.dedent(inspect.getsource(inner))
    except (OSError, TypeError):  # as in `python -c`
        code = getattr(inner, "__code__", None)
        text = repr((code.co_code, code.co_consts, code.co_names)) if code else type(inner).__qualname__
    cells = (cell.cell_contents for cell in getattr(inner, "__closure__", None) or ())
    return f"{text}\n{[value for value in cells if isinstance(value, (int, float, str))]}"


class CellFunction:
    """A function that changes fields of cells in place, such as their wind, with options as schemes have.

    Its block has `longitude`, `latitude` [rad], what else it is given, and `time`, `date` and `step` [s] of
    `Block`. It computes each cell from the data of this cell."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, float]) -> None:
        """Raises ConfigError for options that the function does not have, or that are not numbers."""
        declared = declared_options(function)
        self.name = function.__name__
        for name, value in options.items():
            if name not in declared or isinstance(value, bool) or not isinstance(value, (int, float)):
                known = ", ".join(declared) or "none"
                raise ConfigError(
                    f"The forcing '{self.name}' has no option {name} = {value!r}. Its options, all numbers,"
                    f" are: {known}."
                )
        self._names, self._options = list(declared), list((declared | dict(options)).values())
        self._call = _caller(function, self._names)

    def __call__(
        self, views: Mapping[str, np.ndarray], *, time_s: float, date_s: float, step_s: float
    ) -> str | None:
        """Calls the function. Returns the text of its error, or None.

        @param views fields (cell) by name: those that the function may change are writeable
        """
        return self._call(Block(dict(views)), time_s, date_s, step_s, self._options)


def _caller(function: Callable[..., Any], names: Sequence[str]) -> Callable[..., str | None]:
    """A function that calls a scheme and returns None, or the text of its error."""

    def call(block: Block, time: float, date: float, step: float, options: Sequence[float]) -> str | None:
        block.__dict__.update(time=time, date=date, step=step)
        try:
            result = function(block, **dict(zip(names, options, strict=True)))
        except (Exception, SystemExit) as error:
            return _text(error)
        if result is not None:
            return "it returned a value. Assign the results to attributes of the block, and return nothing"
        return None

    return call


def _text(error: BaseException) -> str:
    """The text of an error, with the place in the code."""
    frames = traceback.extract_tb(error.__traceback__)
    frame = next((each for each in reversed(frames[1:]) if each.filename != __file__), frames[-1])
    text = f"{type(error).__name__}: {error}".rstrip(".: ")
    text = f"{text} ({Path(frame.filename).name}, line {frame.lineno})"
    return text.encode(errors="replace").decode()  # also of surrogates, which are not UTF-8
