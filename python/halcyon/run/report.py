"""The words of a run: what will run, and what it took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.base import memory
from halcyon.config.run_case import RunCase

if TYPE_CHECKING:
    from halcyon.transform import Hiding


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


def plan_text(case: RunCase, rows: Sequence[tuple[str, str]], files: str) -> str:
    """What will run, before it does; rows: names and texts of the model; files: how they are written."""
    interval_s = case.restart.interval
    often = "only when stopped" if interval_s == "none" else f"every {interval_s / 3600:g} h, or when stopped"
    rows = [
        ("case", str(case.path)),
        ("time", f"{case.time.start:%Y-%m-%d %H:%M} to {case.time.end:%Y-%m-%d %H:%M} UTC"),
        *rows,
        ("files", f"{files}, {'behind' if case.io.background else 'between'} the steps"),
        ("restart", often),
        ("output", str(case.folder)),
    ]
    return "\n".join(f"{name:<10} {text}" for name, text in rows)


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
