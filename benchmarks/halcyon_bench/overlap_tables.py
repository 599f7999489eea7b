"""Tables of `halcyon_bench.overlap`: of one job by groups, method and progress; of jobs by V x W sets of
ranks, after figures 9a and 10 to 14 of the paper on YHGSM's Fourier section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from halcyon.schedule import MIN_EXPOSED_SHARE
from halcyon.transform.tuning import ExchangeSettings

Found = Mapping[str, Any]  # result of `halcyon_bench.overlap.measured`

# Columns of the tables: the key of the value in a row, and its heading.
_TIMES = {f"{name}_s": name for name in ("total", "blocking", "collective", "compute", "calls")}
_SHARES = {"hidden": "hidden", "chr": "CHR", "ceiling": "ceiling", "slowdown": "slowdown"}
_PARTS = {"compute_s": "compute", "communication_s": "calls", "blocking_s": "blocking", "pipelined_s": "best"}
_STEP_TIMES = {"step_s": "step", "transforms_s": "transforms", "calls_s": "calls"}
_NOT_MEASURABLE = (
    f"-: not measurable: blocking minus compute is below {100 * MIN_EXPOSED_SHARE:g} % of blocking"
    ", or below the standard deviation of its trials."
)
_GAINS = {
    "speedup": "speed-up",
    "pipelined_speedup": "best",
    "efficiency": "efficiency",
    "pipelined_efficiency": "best",
}


def table(found: Found) -> str:
    """Table of one job: times in milliseconds, shares of the communication."""
    head = f"{found['name'] + ' ranks [ms]':<18}{'progress':<18}{'groups':>6}"
    lines = [head + _cells((*_TIMES.values(), *_SHARES.values()))]
    for row in found["rows"]:
        label = f"{row['method']:<18}{row['progress']:<18}{row['groups']:>6}"
        lines.append(label + _cells(_numbers(row, _TIMES, _SHARES)))
    return "\n".join(lines + _footnote(found["rows"]))


def _footnote(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return [_NOT_MEASURABLE] if any(row["hidden"] is None for row in rows) else []


def summary(jobs: Sequence[Found]) -> list[dict[str, Any]]:
    """One line per job and method. Times of the computation alone, of the blocking collective, of the starts
    and waits of the blocking collective, and of the best pipeline; speed-up and parallel efficiency of the
    blocking collective and of the best pipeline, relative to the blocking collective of the first job."""
    return [_line(job, method, jobs[0]) for job in jobs for method in _methods(job)]


def _methods(job: Found) -> list[str]:
    return list(dict.fromkeys(row["method"] for row in job["rows"]))


def best_of(rows: Sequence[Mapping[str, Any]], method: str) -> Mapping[str, Any]:
    """The row of the fastest pipeline of a method, with two groups or more if there are such rows."""
    rows = [row for row in rows if row["method"] == method]
    return min([row for row in rows if row["groups"] > 1] or rows, key=lambda row: row["total_s"])


def _mean(job: Found, name: str) -> float:
    return sum(row[name] for row in job["rows"]) / len(job["rows"])


def _line(job: Found, method: str, first: Found) -> dict[str, Any]:
    best, blocking_s = best_of(job["rows"], method), _mean(job, "collective_s")
    speedup, pipelined = (_mean(first, "collective_s") / time_s for time_s in (blocking_s, best["total_s"]))
    rank_ratio = job["ranks"] / first["ranks"]
    return {
        "name": job["name"],
        "ranks": job["ranks"],
        "compute_s": _mean(job, "compute_s"),
        "communication_s": _mean(job, "collective_calls_s"),
        "blocking_s": blocking_s,
        "pipelined_s": best["total_s"],
        "pipelined_compute_s": best["slowdown"] * best["compute_s"],
        **{name: best[name] for name in ("method", "groups", "progress", "calls_s", *_SHARES)},
        "speedup": speedup,
        "pipelined_speedup": pipelined,
        "efficiency": speedup / rank_ratio,
        "pipelined_efficiency": pipelined / rank_ratio,
    }


def summary_table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Table of the summary: times in milliseconds; `best` is the pipeline named at the start of the line."""
    rows = _titled_lines("ranks [ms]", [(line["name"], line) for line in lines], _PARTS, _SHARES | _GAINS)
    return "\n".join(rows + _footnote(lines))


def _titled_lines(
    heading: str,
    lines: Iterable[tuple[str, Mapping[str, Any]]],
    times: Mapping[str, str],
    shares: Mapping[str, str],
) -> list[str]:
    """A heading, and one line per entry: job, exchange settings, times in milliseconds, shares."""
    rows = [f"{heading:<12}{'method':<12}{'groups':>7} {'progress':<18}"]
    rows[0] += _cells((*times.values(), *shares.values()))
    for name, line in lines:
        how = f"{name:<12}{line['method']:<12}{line['groups']:>7} {line['progress']:<18}"
        rows.append(how + _cells(_numbers(line, times, shares)))
    return rows


def _numbers(row: Mapping[str, Any], times: Iterable[str], shares: Iterable[str]) -> list[str]:
    parts = ("-" if row[name] is None else f"{row[name]:.3f}" for name in shares)
    return [*(f"{1e3 * row[name]:.2f}" for name in times), *parts]


def _cells(texts: Iterable[str]) -> str:
    return "".join(f"{text:>11}" for text in texts)


def about(found: Found) -> str:
    """The MPI library, and the descriptions of progress threads."""
    mpi_progress = found["mpi_own_progress"] or "not in the background"
    lines = [f"{found['mpi']}, {found['thread_level']}, progress: {mpi_progress}"]
    return "\n".join(lines + [f"{name}: {text}" for name, text in found["progress"].items() if text != name])


def report(jobs: Sequence[Found]) -> str:
    """The text of `halcyon bench overlap`: for a single job the table of all combinations; the summary; and,
    if they were measured, the steps of the model and the choice of tuning."""
    tables = [table(jobs[0])] if len(jobs) == 1 else []
    parts = ["\n".join([about(jobs[0]), *tables]), summary_table(summary(jobs)), step_table(jobs)]
    parts.append("\n".join(auto_text(job) for job in jobs if job["auto"]))
    return "\n\n".join(part for part in parts if part)


def auto_text(job: Found) -> str:
    """The settings that tuning (`auto`) chooses, compared with the fastest row of the table."""
    auto, best_s = job["auto"], min(row["total_s"] for row in job["rows"])
    choice = ExchangeSettings(*(auto[name] for name in ExchangeSettings._fields))
    return (
        f"{job['name']}: auto tries {auto['tried']} settings in {auto['tuned_s']:.2f} s and takes {choice}:"
        f" {1e3 * auto['total_s']:.2f} ms, the best above takes {1e3 * best_s:.2f} ms"
    )


def step_table(jobs: Sequence[Found]) -> str:
    """Table of a step of the spectral model: times in milliseconds and the share of the transforms; empty if
    it was not measured."""
    if not jobs[0]["steps"]:
        return ""
    steps = [(job["name"], step) for job in jobs for step in job["steps"]]
    return "\n".join(_titled_lines("step [ms]", steps, _STEP_TIMES, {"share": "share"}))
