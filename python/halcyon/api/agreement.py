"""Calls that all ranks make together: a rank that makes another call is an error on all ranks, not a hang."""

from __future__ import annotations

import atexit
import functools
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from halcyon.base import (
    EXIT_MISTAKE,
    EXIT_RUN_FAILED,
    ConfigError,
    Error,
    InputError,
    InternalError,
    RunError,
)
from halcyon.comm import world
from halcyon.launch.errors import AgreedError

Function = TypeVar("Function", bound=Callable[..., Any])
_MOST_CHARACTERS = 80  # of a call in an error text
_BRIEF = (ConfigError, InputError, RunError)
_END = "the end of the program"


class Agreement:
    """The calls of the ranks of this job, which compare them before each collective call.

    It has a communicator of its own, so that a rank that ends its program, also by an error, is noticed by
    the others at their next call."""

    def __init__(self) -> None:
        comm = world()
        self._comm = comm.Dup() if comm.size > 1 else None
        self._has_failed = False
        if self._comm is not None:
            atexit.register(self._end)

    def require(self, call: str) -> None:
        """Collective. Raises ConfigError on all ranks if they do not all make this call."""
        if self._comm is None or self._has_failed:
            return
        calls = self._comm.allgather(call)
        if len(set(calls)) == 1:
            return
        self._has_failed = True
        other = next(rank for rank, each in enumerate(calls) if each != calls[0])
        raise ConfigError(
            f"Rank 0 has called {calls[0]}, but rank {other} {calls[other]}. All ranks must make the same"
            " calls of a simulation: take this one out of a condition such as `if run.rank == 0`. Fields that"
            " run['NAME'] returns are whole on every rank, and may be plotted or printed on one rank."
        )

    def _end(self) -> None:
        """At the end of the program, also after an error: notifies ranks that still wait for this one."""
        try:
            self.require(_END)
        except ConfigError as error:
            print(f"error: {error}", file=sys.stderr, flush=True)


@functools.cache
def agreement() -> Agreement:
    """The agreement of the ranks of this job. Collective on the first call."""
    return Agreement()


@contextmanager
def plain_errors() -> Iterator[None]:
    """Raises the errors that ranks have agreed on as those of a serial program: ConfigError, RunError."""
    try:
        yield
    except AgreedError as error:
        kinds = {EXIT_MISTAKE: ConfigError, EXIT_RUN_FAILED: RunError}
        failure = kinds.get(error.code, InternalError)(error.text)
    except Error as error:
        failure = type(error)(str(error))  # without the frames inside
        failure.__dict__.update(error.__dict__)
    else:
        return
    raise failure from None


def collective(name: Callable[..., str]) -> Callable[[Function], Function]:
    """A decorator of methods that all ranks call together.

    @param name returns the call as a text, from the arguments of the method without self
    """

    def decorate(method: Any) -> Any:
        @functools.wraps(method)
        def call(self: Any, *arguments: Any, **options: Any) -> Any:
            with plain_errors():
                agreement().require(name(*arguments, **options)[:_MOST_CHARACTERS])
                return method(self, *arguments, **options)

        return call

    return decorate


def show_errors_briefly() -> None:
    """Makes the errors of users and of runs one line, in notebooks and at the end of programs, there of
    rank 0 only. HALCYON_DEBUG=1 in the environment shows tracebacks."""
    if os.environ.get("HALCYON_DEBUG") == "1":
        return
    for kind in _BRIEF:
        setattr(kind, "_render_traceback_", lambda error: [f"{type(error).__name__}: {error}"])  # noqa: B010
    if not getattr(sys.excepthook, "is_brief", False):
        sys.excepthook = _brief_hook(sys.excepthook)


def _brief_hook(previous: Callable[..., None]) -> Callable[..., None]:
    def hook(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        if not isinstance(error, _BRIEF):
            previous(kind, error, trace)
        elif world().rank == 0:
            frame = traceback.extract_tb(trace)[0] if trace else None
            where = f"{frame.filename}:{frame.lineno}: " if frame else ""
            print(f"{where}error: {error}", file=sys.stderr, flush=True)

    vars(hook)["is_brief"] = True
    return hook
