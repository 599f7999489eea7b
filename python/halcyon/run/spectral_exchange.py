"""How the ranks of a run of the spectral model exchange, by the case or by measurements; what that hides."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING

import numpy as np

from halcyon.config.spectral import SpectralCase
from halcyon.run.hiding import Hiding, hiding, trials
from halcyon.transform.tuning import GROUPS, METHODS, PROGRESS, able, made

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.comm import Progress
    from halcyon.spectral import Model

_CHOICES = {"groups": GROUPS, "method": METHODS, "progress": PROGRESS}


class SpectralExchange:
    """Collective in all it does. No result depends on it.

    `how`: groups, method and progress as they are; `trials_s`: what it took to find out [s]; `hiding`: by
    wall clock, where there are groups."""

    def __init__(self, case: SpectralCase, model: Model, comm: MPI.Comm) -> None:
        self._given, self._model, self._comm = case.exchange, model, comm
        self._fixed = {"ahead": case.exchange.ahead, "algorithm": case.exchange.algorithm}
        self.how = tuple(getattr(case.exchange, name) for name in _CHOICES)
        self.trials_s = 0.0
        self.hiding: Hiding | None = None
        self._by: dict[str, Progress] = {}
        self._alone = 0.0, 0

    def begin(self) -> None:
        """Sets the exchange, once the model has a state; notes what it takes where nothing is hidden."""
        if self._comm.size == 1:
            return
        began = clock.perf_counter()
        if self._given.is_measured:
            self._tune()
        self._weigh()
        self.trials_s += clock.perf_counter() - began

    def after(self, number: int) -> None:
        """Tries again what the case leaves to measurements, where that is due after a step."""
        if self._comm.size == 1 or not self._given.retune or number % self._given.retune:
            return
        began = clock.perf_counter()
        self._tune()
        self._weigh()
        self.trials_s += clock.perf_counter() - began

    def hidden(self) -> float | None:
        """The share of the exchanges' time that hides behind transforms, over all ranks: 1 - (starts and
        waits) / (the same for as many bytes in one group without progress). None where there is one group, or
        one rank, or where too little is exposed to tell (`Hiding.hidden`)."""
        if self.hiding is not None and self.hiding.hidden is None:
            return None
        taken = self._model.transforms
        alone_s, alone_bytes = self._alone
        mine = np.array([taken.exchange_s, alone_s * taken.sent_bytes / max(alone_bytes, 1)])
        exchanged_s, otherwise_s = self._comm.allreduce(mine)
        return None if otherwise_s == 0 else 1 - exchanged_s / otherwise_s

    def text(self) -> str:
        """`3 groups, isend_irecv, burst, poll`, with `auto` for what is not known yet."""
        groups, method, progress = self.how
        shown = "1 group" if groups == 1 else f"{groups} groups"
        return ", ".join([shown, method, self._fixed["algorithm"], progress])

    def _weigh(self) -> None:
        """Notes what the transforms of a step take as they are, and where nothing is hidden."""
        groups, method, _ = self.how
        self.hiding = None
        if groups > 1:
            _, n_w = self._model.sets
            v_set = self._comm.Split(self._comm.rank // n_w, self._comm.rank)
            self._communicate(1, method, "none")
            blocking = trials(self._comm, v_set, self._model)
            self._communicate(*self.how)
            pipelined = trials(self._comm, v_set, self._model)
            v_set.Free()
            self._alone = blocking.exchange_s, blocking.sent_bytes
            self.hiding = hiding(self._model, groups, blocking, pipelined)
        self._communicate(*self.how)

    def _tune(self) -> None:
        tried = {
            name: choices if getattr(self._given, name) == "auto" else (getattr(self._given, name),)
            for name, choices in _CHOICES.items()
        }
        names = able(PROGRESS) if self._given.progress == "auto" else tried["progress"]
        by = {name: self._progress(name) for name in names}
        found = self._model.tune(groups=tried["groups"], methods=tried["method"], progress=by, **self._fixed)
        self.how = next(iter(found))

    def _communicate(self, groups: int, method: str, progress: str) -> None:
        how = {"groups": groups, "method": method, "progress": self._progress(progress)}
        self._model.communicate(**how, **self._fixed)

    def _progress(self, name: str) -> Progress:
        if name not in self._by:
            self._by |= made(self._comm, [name], str(self._given.core))
        return self._by[name]
