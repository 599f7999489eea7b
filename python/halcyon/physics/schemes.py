"""Finds the physics schemes that a case names."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from halcyon._core.physics import ColumnScheme, SpectrumScheme
from halcyon.base import ConfigError
from halcyon.physics.python_scheme import make_scheme

ADDED = "add_forcing"  # place in the names of functions of a Python program, `add_forcing:NAME`
_SOURCES = (".f", ".for", ".f90", ".f95", ".f03", ".f08", ".c", ".cc", ".cpp", ".cxx")


def column_scheme(name: str | Callable[..., None], /, *, step: float = 0.0, **options: float) -> ColumnScheme:
    """A scheme of columns of air: a function, or the name of a scheme in a case, which is that of a built-in
    scheme, or `FILE.py:FUNCTION`, `MODULE:FUNCTION`, `LIBRARY.so:FUNCTION`.

    @param step time between two calls [s]; 0: each step of the model
    @param options options of the scheme
    @raises ConfigError if it is not found or cannot be loaded, and for unknown or invalid options
    """
    return _scheme(ColumnScheme, name, step, options)


def spectrum_scheme(
    name: str | Callable[..., None], /, *, step: float = 0.0, **options: float
) -> SpectrumScheme:
    """A source term of wave spectra, as `column_scheme`."""
    return _scheme(SpectrumScheme, name, step, options)


def missing_function(function: str) -> ConfigError:
    """The error of a function that a Python program has added to a run (`Simulation.add_forcing`), and
    that the program that continues the run has not added."""
    return ConfigError(
        f"The forcing '{function}' of this run was added in Python, without which it cannot be continued."
        f" Resume it in Python: run = halcyon.Simulation(FOLDER), then run.add_forcing({function}) as before."
    )


def source_files(name: str) -> list[Path]:
    """The file that a scheme's name contains, if any."""
    place, _, _ = name.rpartition(":")
    return [Path(place)] if _is_file(place) else []


def _scheme(kind: Any, name: str | Callable[..., None], step: float, options: dict[str, float]) -> Any:
    scheme = make_scheme(kind, name) if callable(name) else _named_scheme(kind, name)
    scheme.set(options, step)
    return scheme


def _named_scheme(kind: Any, name: str) -> Any:
    place, _, function = name.rpartition(":")
    if place == ADDED or place.startswith(f"{ADDED}."):
        raise missing_function(function)
    if not place and _is_file(name):
        raise ConfigError(
            f"The physics scheme '{name}' is a file without a function. Name one: {name}:FUNCTION."
        )
    if not place:
        scheme = kind.built_in(name)
    elif place.endswith(".py"):
        scheme = make_scheme(kind, _function(_module_of_file(Path(place), name), function, place))
    elif _is_file(place):
        scheme = kind.from_library(str(Path(place).absolute()), function)
    else:
        scheme = make_scheme(kind, _function(_module(place, name), function, f"The module {place}"))
    return scheme


def _is_file(place: str) -> bool:
    return place.endswith(".py") or ".so" in Path(place).suffixes


def _module_of_file(path: Path, name: str) -> ModuleType:
    """Imports a file, without its folder in the search path."""
    spec = importlib.util.spec_from_file_location(f"halcyon_scheme_{path.stem}", path)
    assert spec is not None and spec.loader is not None  # of a file that `_is_file`
    module, load = importlib.util.module_from_spec(spec), spec.loader.exec_module

    def loaded() -> ModuleType:
        load(module)
        return module

    return _imported(loaded, str(path), name)


def _module(place: str, name: str) -> ModuleType:
    with _without_working_directory():
        return _imported(lambda: importlib.import_module(place), f"The module {place}", name)


def _imported(load: Callable[[], ModuleType], place: str, name: str) -> ModuleType:
    try:
        return load()
    except FileNotFoundError:
        raise ConfigError(f"There is no file {place} of the physics scheme '{name}'.") from None
    except (Exception, SystemExit) as error:
        source, _, function = name.rpartition(":")
        if isinstance(error, ModuleNotFoundError) and Path(source).suffix.lower() in _SOURCES:
            raise ConfigError(
                f"The physics scheme '{name}' is in source code. Compile it to a shared library (.so), and"
                f" name that: {Path(source).with_suffix('.so')}:{function}."
            ) from None
        raise ConfigError(
            f"{place} of the physics scheme '{name}' cannot be imported: {type(error).__name__}: {error}."
        ) from None


@contextmanager
def _without_working_directory() -> Iterator[None]:
    """Without the folder that Python adds to the search path: the working directory, whose files could hide
    modules. Ranks that `halcyon run` starts do not have it."""
    first = [] if sys.flags.safe_path else sys.path[:1]
    sys.path[:] = sys.path[len(first) :]
    try:
        yield
    finally:
        sys.path[:0] = first


def _function(module: ModuleType, function: str, place: str) -> Callable[..., Any]:
    found = getattr(module, function, None)
    if not callable(found):
        raise ConfigError(f"{place} has no function '{function}'. Give the name of one that it defines.")
    return found
