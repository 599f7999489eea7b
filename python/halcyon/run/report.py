"""The texts that a run prints: the plan before it, the summary after it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon.base import format_bytes
from halcyon.config.run_case import RunCase

if TYPE_CHECKING:
    from halcyon.run.input.boundary_report import BoundaryReport
    from halcyon.transform import Hiding

# `Exchange::description` of a measured exchange method (cpp/halcyon/comm/exchange/tuning.cpp).
_MEASURED = re.compile(
    r"auto: (?P<method>\w+) \((?P<times>.*) us, [^,;)]*"
    r"(?P<overlaps>, preferred since it overlaps)?(?:; not (?P<unsupported>.*))?\)"
)


@dataclass(frozen=True)
class RunSummary:
    """The cost and results of a run. The last fields are for the spectral model."""

    wall_s: float
    part_times_s: Mapping[str, float]  # wall times of the run's parts, means over ranks, in the table's order
    communication_s: float  # mean over ranks
    simulated_s: float
    max_height: float | None  # largest significant wave height [m]; None without waves
    files: Sequence[Path]
    boundary: BoundaryReport | None = None  # of the open sides; None without spectra there
    background_s: float | None = None  # time of background I/O; None if files were written between steps
    write_wait_s: float = 0.0  # time that the run waited for background I/O
    solver: Mapping[str, float] | None = None  # iterations and allreduces of gcr, means over the steps
    exchange: str | None = None  # settings of the transforms' exchange
    hidden_share: float | None = None  # share of the exchange that computation hides; None if not measurable
    transform_overlap: Hiding | None = None  # wall times with and without overlap, from trials of one step


def plan_text(
    case: RunCase, rows: Sequence[tuple[str, str]], files: str, begin: datetime | None = None
) -> str:
    """The plan printed before the run. rows: (name, text) from the model; files: text on the ranks that write
    files; begin: time [UTC] at which the run continues, by default its start."""
    interval_s = case.restart.interval
    restarts = "only when stopped by a signal"
    if interval_s != "none":
        restarts = f"every {interval_s / 3600:g} h, at the start and the end, and when stopped by a signal"
    rows = [
        ("case", str(case.path)),
        ("time", f"{begin or case.time.start:%Y-%m-%d %H:%M} to {case.time.end:%Y-%m-%d %H:%M} UTC"),
        *rows,
        ("files", f"{files}, {'in the background' if case.io.background else 'between time steps'}"),
        ("restart", restarts),
        ("output", str(case.folder)),
    ]
    return "\n".join(f"{name:<10} {text}" for name, text in rows)


def halo_exchange_text(description: str, n_ranks: int) -> str:
    """The row `exchange` of the plan: the method of halo exchanges, and the measured times if it was
    measured. description: from `Exchange::description`."""
    if n_ranks == 1:
        return "none (one rank)"
    measured = _MEASURED.fullmatch(description)
    if measured is None:
        return f"method {description}"
    reason = "the fastest"
    if measured["overlaps"]:
        reason = "which overlaps with computation and is nearly as fast as the fastest"
    text = f"method {measured['method']}, {reason}; time per halo exchange [us]: {measured['times']}"
    return f"{text}; not supported: {measured['unsupported']}" if measured["unsupported"] else text


def summary_text(summary: RunSummary) -> str:
    """The summary printed at the end of a run."""
    wall_s = max(summary.wall_s, 1e-9)
    lines = ["part                wall time   share"]
    parts = dict(summary.part_times_s)
    parts["other"] = max(0.0, summary.wall_s - sum(parts.values()))
    for name, part_s in [*parts.items(), ("total", summary.wall_s)]:
        lines.append(f"{name:<16} {part_s:>10.2f} s  {100 * part_s / wall_s:>4.0f} %")
    share = 100 * summary.communication_s / wall_s
    lines.append(f"communication {share:.1f} % of wall time, {summary.simulated_s / wall_s:,.0f} x real time")
    if summary.max_height is not None:
        lines[-1] += f", maximum Hs {summary.max_height:.1f} m"
    if summary.boundary is not None:
        lines += summary.boundary.summary()
    if summary.solver is not None:
        texts = (f"{value:.1f} {name}" for name, value in summary.solver.items())
        lines.append(f"solver gcr: {', '.join(texts)} per step")
    if summary.exchange is not None:
        lines.append(f"transform exchange: {summary.exchange}")
        if summary.hidden_share is not None:
            lines[-1] += f"; {100 * summary.hidden_share:.0f} % overlapped with computation"
        elif summary.transform_overlap is not None:
            lines[-1] += "; too short to measure its overlap"
        if summary.transform_overlap is not None:
            lines.append(f"transforms per step: {summary.transform_overlap}")
    if summary.background_s is not None:
        lines.append(io_text(summary.background_s, summary.write_wait_s))
    return "\n".join([*lines, *files_text(summary.files)])


def io_text(background_s: float, wait_s: float) -> str:
    """`I/O fully overlapped (2.00 s in the background)`, or the share that is overlapped."""
    if wait_s < 0.005 * background_s or background_s == 0:  # would be rounded to 100 %
        return f"I/O fully overlapped ({background_s:.2f} s in the background)"
    overlapped = 100 * max(0.0, 1 - wait_s / background_s)
    times = f"{background_s:.2f} s in the background, of which the run waited {wait_s:.2f} s"
    return f"I/O {overlapped:.0f} % overlapped: {times}"


def figures(summary: RunSummary, step_s: float) -> dict[str, Any]:
    """The entry `figures` of run.json."""
    entries = {
        "wall_s": round(summary.wall_s, 3),
        "parts_s": {name: round(part_s, 3) for name, part_s in summary.part_times_s.items()},
        "files_behind_s": None if summary.background_s is None else round(summary.background_s, 3),
        "files_waited_s": round(summary.write_wait_s, 3),
        "step_s": step_s,
        "simulated_s": summary.simulated_s,
        "files": [str(path) for path in summary.files],
    }
    if summary.solver is not None:
        entries["solver"] = {name: round(value, 2) for name, value in summary.solver.items()}
    if summary.exchange is not None:
        entries["exchange"] = summary.exchange
        entries["exchange_hidden"] = None if summary.hidden_share is None else round(summary.hidden_share, 4)
    if summary.transform_overlap is not None:
        entries["exchange_of_a_step"] = summary.transform_overlap.figures()
    if summary.boundary is not None:
        entries["boundary"] = summary.boundary.figures()
    if summary.max_height is not None:
        entries["max_significant_height_m"] = round(summary.max_height, 4)
    return entries


def files_text(files: Sequence[Path]) -> list[str]:
    """The list of written files with their sizes."""
    lines = [f"{len(files)} files written:"] if files else []
    return lines + [f"  {path}  {format_bytes(path.stat().st_size)}" for path in files if path.exists()]
