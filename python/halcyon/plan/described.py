"""Performance model of a step that a file describes, for `halcyon plan`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from halcyon.config.yaml_source import Location
from halcyon.plan.model import ComputationCost, Model
from halcyon.plan.output import Output
from halcyon.plan.step_file import DescribedStep


@dataclass(frozen=True, kw_only=True)
class DescribedModel(Model):
    """A model whose step is described by a file (`step_file.StepFile`); nothing is measured."""

    TITLE = "a described model"
    PARTS: ClassVar[tuple[str, ...]] = ()
    WITHOUT = ("in order", "at once", "collective", "unwaited")
    OWN_ORDERS = True

    path: str
    step: DescribedStep = field(repr=False)

    @classmethod
    def read(cls, path: str, speed: float) -> DescribedModel:
        """The model of a step file. Raises ConfigError with one line per mistake."""
        step = DescribedStep(path)
        mesh: dict[str, Any] = {"mesh": step.file.title, "cells": step.file.points, "step_s": step.file.step}
        return cls(path=path, step=step, speed=speed, **mesh)

    def as_json(self) -> dict[str, Any]:
        return {"path": self.path, "speed": self.speed, **self.step.file.model_dump()}

    @property
    def title(self) -> str:
        return self.mesh

    @property
    def values_text(self) -> str:
        return "as described"

    @property
    def description(self) -> str:
        return f"{self.mesh}: {self.cells:,} points, {self.steps_text}"

    @property
    def cost_name(self) -> str:
        raise NotImplementedError  # nothing is measured

    @property
    def known_cost(self) -> ComputationCost:
        return ComputationCost((1,), {})

    def cost_s(self, ranks: int, probe: int) -> Mapping[str, float]:
        raise NotImplementedError

    def exchanged(self) -> dict[str, Any]:
        raise NotImplementedError  # `exchanges` is redefined

    @property
    def has_single_exchange(self) -> bool:
        return len(self.step.file.exchanges) == 1

    def require_values(self, ranks: int) -> None:
        self.step.require_values(ranks)

    def exchanges(self, ranks: int, cost: ComputationCost | None) -> dict[str, dict[str, Any]]:
        variables = self.step.variables(ranks)
        return {name: self.step.workload(name, variables) for name in self.step.file.exchanges}

    def option_position(self, exchange: str, location: Location) -> str | None:
        if location[:1] != ("workload",):
            return None
        return self.step.position(("exchanges", exchange, "workload", *location[1:]))

    def exchange_counts(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        variables = self.step.variables(ranks)
        return {name: self.step.times(name, variables) for name in self.step.file.exchanges}

    def parts_s(self, cost: ComputationCost, ranks: int) -> dict[str, float]:
        parts = self.step.parts_s(self.step.variables(ranks))
        return {name: seconds / self.speed for name, seconds in parts.items()}

    def overlappable_s(self, cost: ComputationCost, ranks: int) -> float:
        hiding = {exchange.hidden_by for exchange in self.step.file.exchanges.values()}
        return sum(seconds for name, seconds in self.parts_s(cost, ranks).items() if name in hiding)

    def hidden_s(self, cost: ComputationCost, ranks: int, exchanged_s: Mapping[str, float]) -> float:
        """Exchanges that proceed during the same part share its time."""
        hideable_s: dict[str, float] = defaultdict(float)
        for name, exchange in self.step.file.exchanges.items():
            if exchange.hidden_by is not None:
                hideable_s[exchange.hidden_by] += exchange.share * exchanged_s.get(name, 0.0)
        parts_s = self.parts_s(cost, ranks)
        return sum(min(seconds, parts_s[part]) for part, seconds in hideable_s.items())

    def output(self, ranks: int) -> Output | None:
        return self.step.output(self.step.variables(ranks))

    def patch(self, ranks: int) -> float:
        return self.step.patch(ranks)
