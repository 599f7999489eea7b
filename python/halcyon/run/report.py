"""The words of a run: what will run, and what it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from halcyon.base import memory
from halcyon.launch.mpirun import usable_cores
from halcyon.run.progress import duration

if TYPE_CHECKING:
    from halcyon.transform import Hiding

# A step's cost of a cell and bin by default options, as benchmarks/wave_cost.py has it on a 2.5 GHz Xeon.
TRANSPORT_NS = 12.0
SOURCES_NS = 14.0


@dataclass(frozen=True)
class Plan:
    """What will run. Times in seconds, memory in bytes over all ranks."""

    case: str
    cells: int
    frequencies: int
    directions: int
    ranks: int
    start: datetime
    end: datetime
    step_s: float
    source_step_s: float
    memory_bytes: float
    exchange: str
    files: str
    background: bool
    restart_s: float | Literal["none"]
    folder: Path

    @property
    def bins(self) -> int:
        return self.frequencies * self.directions

    @property
    def steps(self) -> int:
        return round((self.end - self.start).total_seconds() / self.step_s)

    @property
    def source_steps(self) -> int:
        return round((self.end - self.start).total_seconds() / self.source_step_s)

    def estimated_s(self, cores: int | None = None) -> float:
        """Wall time from the cost of a bin, on as many cores as there are ranks, or `cores` if fewer [s]."""
        work_ns = self.cells * self.bins * (self.steps * TRANSPORT_NS + self.source_steps * SOURCES_NS)
        return 1e-9 * work_ns / min(self.ranks, cores or usable_cores())


@dataclass(frozen=True)
class Outcome:
    """What a run took. `parts_s`: the wall times of its parts, mean over ranks, in the order of the table;
    `behind_s`: what was written behind the computation, None where nothing was; `waited_s`: for that;
    `exchange`: how ranks shared transforms, `hidden`: the share of it that hid behind these, or None, and
    `hiding` by wall clock, from trials of a step's."""

    wall_s: float
    parts_s: Mapping[str, float]
    communication_s: float
    simulated_s: float
    max_height: float | None
    files: Sequence[Path]
    behind_s: float | None = None
    waited_s: float = 0.0
    exchange: str | None = None
    hidden: float | None = None
    hiding: Hiding | None = None


def plan_text(plan: Plan) -> str:
    """What will run, before it does."""
    span = f"{plan.start:%Y-%m-%d %H:%M} to {plan.end:%Y-%m-%d %H:%M} UTC"
    bins = f"{plan.frequencies} frequencies x {plan.directions} directions = {plan.bins:,} bins"
    steps = f"{plan.steps:,} of {plan.step_s:g} s"
    steps += f", {plan.source_steps:,} of the sources ({plan.source_step_s:g} s)"
    rows = [
        ("case", plan.case),
        ("time", span),
        ("cells", f"{plan.cells:,}"),
        ("spectrum", bins),
        ("ranks", f"{plan.ranks} ({plan.exchange})"),
        ("steps", steps),
        ("memory", memory(plan.memory_bytes)),
        ("estimate", f"about {duration(plan.estimated_s())}"),
        ("files", f"{plan.files}, {'behind' if plan.background else 'between'} the steps"),
        ("restart", restart_text(plan.restart_s)),
        ("output", str(plan.folder)),
    ]
    return rows_text(rows)


def outcome_text(outcome: Outcome) -> str:
    """The table at the end of a run."""
    wall_s = max(outcome.wall_s, 1e-9)
    lines = ["part                wall time   share"]
    parts = dict(outcome.parts_s)
    parts["other"] = max(0.0, outcome.wall_s - sum(parts.values()))
    for name, part_s in [*parts.items(), ("all", outcome.wall_s)]:
        lines.append(f"{name:<16} {part_s:>10.2f} s  {100 * part_s / wall_s:>4.0f} %")
    share = 100 * outcome.communication_s / wall_s
    lines.append(f"communication share {share:.1f} %, {outcome.simulated_s / wall_s:,.0f} x real time")
    if outcome.max_height is not None:
        lines[-1] += f", largest Hs {outcome.max_height:.1f} m"
    if outcome.exchange is not None:
        lines.append(f"transforms exchanged in {outcome.exchange}")
        if outcome.hidden is not None:
            lines[-1] += f": {100 * outcome.hidden:.0f} % of it hidden"
        elif outcome.hiding is not None:
            lines[-1] += ": too little to tell what is hidden"
        if outcome.hiding is not None:
            lines.append(f"transforms of a step: {outcome.hiding}")
    if outcome.behind_s is not None:
        hidden = max(0.0, 1 - outcome.waited_s / max(outcome.behind_s, 1e-9))
        lines.append(f"files took {outcome.behind_s:.2f} s behind the computation, which waited")
        lines[-1] += f" {outcome.waited_s:.2f} s for them: {100 * hidden:.0f} % hidden"
    return "\n".join([*lines, *files_text(outcome.files)])


def figures(outcome: Outcome, step_s: float) -> dict[str, Any]:
    """The outcome as run.json holds it."""
    found = {
        "wall_s": round(outcome.wall_s, 3),
        "parts_s": {name: round(part_s, 3) for name, part_s in outcome.parts_s.items()},
        "files_behind_s": None if outcome.behind_s is None else round(outcome.behind_s, 3),
        "files_waited_s": round(outcome.waited_s, 3),
        "step_s": step_s,
        "simulated_s": outcome.simulated_s,
        "files": [str(path) for path in outcome.files],
    }
    if outcome.exchange is not None:
        found["exchange"] = outcome.exchange
        found["exchange_hidden"] = None if outcome.hidden is None else round(outcome.hidden, 4)
    if outcome.hiding is not None:
        found["exchange_of_a_step"] = outcome.hiding.figures()
    if outcome.max_height is not None:
        found["max_significant_height_m"] = round(outcome.max_height, 4)
    return found


def files_text(files: Sequence[Path]) -> list[str]:
    """The files written, with their sizes."""
    lines = [f"{len(files)} files written:"] if files else []
    return lines + [f"  {path}  {memory(path.stat().st_size)}" for path in files if path.exists()]


def restart_text(interval_s: float | Literal["none"]) -> str:
    """How often restart files are written."""
    return "only when stopped" if interval_s == "none" else f"every {interval_s / 3600:g} h, or when stopped"


def rows_text(rows: Sequence[tuple[str, str]]) -> str:
    """Names and what they say, below each other."""
    return "\n".join(f"{name:<10} {text}" for name, text in rows)
