"""The step of any model, described in a YAML file for `halcyon plan`: computation by formulas, exchanges as
workloads of `halcyon simulate`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from halcyon.base import ConfigError
from halcyon.config.load import raise_findings, validated
from halcyon.config.option import Group, Seconds, option, optional
from halcyon.config.workload import WORKLOADS
from halcyon.config.yaml_source import Location, Source, read_source
from halcyon.plan.formula import evaluate
from halcyon.plan.output import MOST_IO_RANKS, Output

FORMULA = "a number, or a formula such as 2e-6 * points / ranks"
RANKS_AT_LOADING = 1000  # number of ranks with which formulas are checked before they are used
_Formula = float | int | str


class StepExchange(Group):
    """An exchange of a step."""

    workload: dict[str, Any] = option(
        "The exchange, as in a case of halcyon simulate. A text that begins with `=` is a formula, such as"
        " bins: =3 * levels.",
        allowed=WORKLOADS,
    )
    times: _Formula = option("How often a step has this exchange.", default=1, allowed=FORMULA)
    hidden_by: str | None = optional(
        "Part of the computation during which the exchange proceeds; by default the ranks wait for it.",
        allowed="the name of a part of computation",
    )
    share: float = option(
        "Largest share of the exchange that proceeds during that part.", default=1.0, ge=0, le=1
    )


class StepOutput(Group):
    """The records that a model writes."""

    record_bytes: _Formula = option("Bytes of a record.", unit="bytes", allowed=FORMULA)
    every: Seconds = option("Simulated time from record to record.", unit="s")
    io_ranks: _Formula = option("Number of I/O ranks, rounded up.", default=MOST_IO_RANKS, allowed=FORMULA)
    background: bool = option("Whether records are written while the model computes.", default=True)


class StepFile(Group):
    """A step of a model. Formulas have +, -, *, /, //, %, **, ceil, floor, log2, max, min, sqrt; and the
    variables `ranks`; `points`; `patch`, the points of the rank with most; and those of `variables`."""

    title: str = option("Name of the model.", default="the model")
    points: int = option("Number of grid columns.", ge=1, le=2**40)
    step: Seconds = option("Simulated time of a step.", unit="s")
    imbalance: float = option("Largest over mean number of points of a rank.", default=1.0, ge=1, le=1000)
    variables: dict[str, _Formula] = option(
        "Further variables of the formulas; each may use those before it.",
        default={},
        allowed="a group of numbers and formulas, such as {levels: 127, rows: sqrt(points / 2)}",
    )
    computation: Annotated[dict[str, _Formula], Field(min_length=1)] = option(
        "CPU time [s] of each part of a step, on the rank with most points.",
        allowed="a group of formulas, such as {dynamics: 2e-6 * patch, physics: 1e-6 * patch}",
    )
    exchanges: dict[str, StepExchange] = option(
        "The exchanges of a step, by name.", default={}, allowed="a group with a group for each exchange"
    )
    output: StepOutput | None = optional("Records that the model writes to the machine's file system.")


class DescribedStep:
    """A step file that has been read and checked."""

    def __init__(self, path: str) -> None:
        """Raises ConfigError with one line per mistake, each naming file and line."""
        self._source: Source = read_source(Path(path), path, "step")
        self.file: StepFile = validated(StepFile, Path(path), self._source)
        raise_findings(self._findings(), self._source)
        self.require_values(RANKS_AT_LOADING)

    def require_values(self, ranks: int) -> None:
        """Raises ConfigError for a formula that has no valid value on a number of ranks."""
        variables = self.variables(ranks)
        if sum(self.parts_s(variables).values()) == 0:
            raise ConfigError(f"{self.position(('computation',))}: computation takes no time. Give its time.")
        for name in self.file.exchanges:
            self.workload(name, variables)
            self.times(name, variables)
        self.output(variables)

    def position(self, location: Location) -> str:
        """File and line of an option."""
        return self._source.position(location)

    def patch(self, ranks: int) -> float:
        """Number of points of the rank with most."""
        mean = self.file.points / ranks
        return max(self.file.imbalance * mean, -(-self.file.points // ranks)) if ranks > 1 else mean

    def variables(self, ranks: int) -> dict[str, float]:
        """The variables of the formulas, by name."""
        found = {"ranks": ranks, "points": self.file.points, "patch": self.patch(ranks)}
        for name, formula in self.file.variables.items():
            found[name] = self._value(("variables", name), formula, found)
        return found

    def parts_s(self, variables: Mapping[str, float]) -> dict[str, float]:
        """CPU time [s] of each part of a step."""
        parts = self.file.computation
        return {name: self._positive(("computation", name), parts[name], variables) for name in parts}

    def times(self, exchange: str, variables: Mapping[str, float]) -> float:
        """How often a step has an exchange."""
        formula = self.file.exchanges[exchange].times
        return self._positive(("exchanges", exchange, "times"), formula, variables)

    def output(self, variables: Mapping[str, float]) -> Output | None:
        """The records that the model writes; None without output."""
        given = self.file.output
        if given is None:
            return None
        record_bytes, io_ranks = (
            self._positive(("output", name), getattr(given, name), variables)
            for name in ("record_bytes", "io_ranks")
        )
        return Output(record_bytes, given.every, max(math.ceil(io_ranks), 1), given.background)

    def workload(self, exchange: str, variables: Mapping[str, float]) -> dict[str, Any]:
        """An exchange as a workload of `halcyon simulate`, with the values of its formulas."""
        location = ("exchanges", exchange, "workload")
        return self._evaluated(location, self.file.exchanges[exchange].workload, variables)

    def _evaluated(self, location: Location, value: Any, variables: Mapping[str, float]) -> Any:
        if isinstance(value, dict):
            return {key: self._evaluated((*location, key), each, variables) for key, each in value.items()}
        if isinstance(value, list):
            return [self._evaluated((*location, i), each, variables) for i, each in enumerate(value)]
        if isinstance(value, str) and value.startswith("="):
            number = self._value(location, value[1:], variables)
            return int(number) if number == int(number) else number
        return value

    def _positive(self, location: Location, formula: _Formula, variables: Mapping[str, float]) -> float:
        value = self._value(location, formula, variables)
        if value < 0:
            raise ConfigError(
                f"{self.position(location)}: '{formula}' is {value:g} on {variables['ranks']:,} ranks. Give a"
                " formula that is 0 or more."
            )
        return value

    def _value(self, location: Location, formula: _Formula, variables: Mapping[str, float]) -> float:
        try:
            return evaluate(formula, variables)
        except ConfigError as error:
            raise ConfigError(f"{self.position(location)}: {error}") from None

    def _findings(self) -> Iterator[tuple[str, str]]:
        """Yields (option, error text) for each inconsistency between options."""
        for name in self.file.variables:
            if not name.isidentifier() or name in ("ranks", "points", "patch"):
                yield (
                    "variables",
                    f"'{name}' cannot be the name of a variable. Choose another, such as levels.",
                )
        parts = ", ".join(self.file.computation)
        for name, exchange in self.file.exchanges.items():
            if exchange.hidden_by is not None and exchange.hidden_by not in self.file.computation:
                yield (
                    f"exchanges.{name}.hidden_by",
                    f"there is no part of computation '{exchange.hidden_by}'. There are: {parts}.",
                )
