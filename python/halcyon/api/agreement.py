"""Calls that all ranks make together: a rank that makes another call is an error on all ranks, not a hang."""

from __future__ import annotations

import atexit
import functools
import inspect
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
        self._failure = ""  # text of the first call that ranks did not make together
        if self._comm is not None:
            atexit.register(self._end)

    def require(self, call: str) -> None:
        """Collective. Raises ConfigError on all ranks if they do not all make this call."""
        if self._comm is None:
            return
        if self._failure:
            raise _agreed(ConfigError(self._failure))
        calls = self._comm.allgather(call)
        if len(set(calls)) == 1:
            return
        other = next(rank for rank, each in enumerate(calls) if each != calls[0])
        self._failure = (
            f"Rank 0 has called {calls[0]}, but rank {other} {calls[other]}. All ranks must make the same"
            " calls of a simulation: take this one out of a condition such as `if run.rank == 0`. Fields that"
            " run['NAME'] returns are whole on every rank, and may be plotted or printed on one rank."
        )
        raise _agreed(ConfigError(self._failure))

    def _end(self) -> None:
        """At the end of the program, also after an error: notifies ranks that still wait for this one."""
        if self._failure:
            return
        try:
            self.require(_END)
        except ConfigError as error:
            print(f"error: {error}", file=sys.stderr, flush=True)


@functools.cache
def agreement() -> Agreement:
    """The agreement of the ranks of this job. Collective on the first call."""
    return Agreement()


def _agreed(error: Error) -> Error:
    """An error that all ranks raise: rank 0 alone prints it."""
    vars(error)["is_agreed"] = True
    return error


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
    raise _agreed(failure) from None


def collective(name: Callable[..., str]) -> Callable[[Function], Function]:
    """A decorator of methods that all ranks call together.

    @param name returns the call as a text, from the arguments of the method without self
    """

    def decorate(method: Any) -> Any:
        signature = inspect.signature(method)

        @functools.wraps(method)
        def call(self: Any, *arguments: Any, **options: Any) -> Any:
            with plain_errors():
                try:
                    signature.bind(self, *arguments, **options)
                except TypeError as error:
                    about = method.__qualname__
                    raise ConfigError(
                        f"{about}(): {error}. `help(halcyon.{about})` shows its arguments."
                    ) from None
                agreement().require(name(*arguments, **options)[:_MOST_CHARACTERS])
                return method(self, *arguments, **options)

        return call

    return decorate


def show_errors_briefly() -> None:
    """Makes the errors of users and of runs one line, in notebooks and at the end of programs, there of
    rank 0 only if all ranks raise them. HALCYON_DEBUG=1 in the environment shows tracebacks."""
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
        elif (rank := world().rank) == 0 or not vars(error).get("is_agreed"):
            on_rank = f"rank {rank}: " if rank else ""
            frame = traceback.extract_tb(trace)[0] if trace else None
            where = f"{frame.filename}:{frame.lineno}: " if frame else ""
            print(f"{where}{on_rank}error: {error}", file=sys.stderr, flush=True)

    vars(hook)["is_brief"] = True
    return hook
