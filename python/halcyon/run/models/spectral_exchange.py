"""How the ranks of a run of the spectral model exchange, by the case or by measurements; what that hides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halcyon.config.spectral import SpectralCase
from halcyon.transform.tuning import LISTS, Choice, able, made

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.comm import Progress
    from halcyon.spectral import Model
    from halcyon.transform import Hiding


class SpectralExchange:
    """Collective in all it does. No result depends on it.

    `how`: as the case says, with `auto` for what is not known yet; `hiding`: by wall clock, where there are
    groups."""

    def __init__(self, case: SpectralCase, model: Model, comm: MPI.Comm) -> None:
        self._given, self._model, self._comm = case.exchange, model, comm
        self.how = Choice(*(getattr(case.exchange, name) for name in Choice._fields))
        self.hiding: Hiding | None = None
        self._by: dict[str, Progress] = {}

    def begin(self) -> None:
        """Sets the exchange, once the model has a state; notes what it takes where nothing is hidden."""
        if self._comm.size == 1:
            return
        if self._given.is_measured:
            self._tune()
        else:
            self._model.communicate(**self.how._asdict() | {"progress": self._progress(self.how.progress)})
        self._weigh()

    def after(self, number: int) -> None:
        """Tries again what the case leaves to measurements, where that is due after a step."""
        if self._comm.size == 1 or not self._given.retune or number % self._given.retune:
            return
        self._tune()
        self._weigh()

    def hidden(self) -> float | None:
        """The share of the exchanges' time that hides behind transforms, as the paper on YHGSM measures it,
        of the last trials (`Hiding.chr`). None where there is one group, or one rank, or where too little is
        exposed to tell."""
        return None if self.hiding is None or self.hiding.hidden is None else self.hiding.chr

    def text(self) -> str:
        """`3 groups, isend_irecv, burst, poll`, with `auto` for what is not known yet."""
        return str(self.how)

    def _weigh(self) -> None:
        """Notes what the transforms of a step take as they are, and where nothing is hidden."""
        self.hiding = self._model.hiding() if self.how.groups > 1 else None

    def _tune(self) -> None:
        given = (getattr(self._given, name) for name in Choice._fields)
        tried = {
            name: choices if one == "auto" else (one,)
            for one, (name, choices) in zip(given, LISTS.items(), strict=True)
        }
        names = able(tried["progress"]) if self._given.progress == "auto" else tried["progress"]
        tried["progress"] = {name: self._progress(name) for name in names}
        self._model.tune(**tried)
        self.how = self._model.how

    def _progress(self, name: str) -> Progress:
        if name not in self._by:
            self._by |= made(self._comm, [name], str(self._given.core))
        return self._by[name]
