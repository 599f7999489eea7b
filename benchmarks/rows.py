"""Rows of the benchmarks. A row has a claim, our value, the value with which it is compared (`other`), how
many times ours is better (`ratio`), and the threshold of the ratio (`bar`; 0: none)."""

import argparse
import json
import random
import statistics
import time
from pathlib import Path


def row(claim, ours, other, other_name, unit, *, bar, more_is_better=False):
    """A row as a dictionary. `ratio` is the factor by which our value is better than the other: smaller, or
    larger if `more_is_better`."""
    return {
        "claim": claim,
        "ours": ours,
        "other": other,
        "other_name": other_name,
        "unit": unit,
        "ratio": ours / other if more_is_better else other / ours,
        "bar": bar,
    }


def parser(description):
    """A parser with the command-line options of all benchmarks: --quick and --json OUT."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="small sizes that take seconds")
    parser.add_argument("--json", type=Path, metavar="OUT", help="file for the rows")
    return parser


def interleaved(work, repetitions):
    """Median CPU time [s] of this process in each function of `work`, by name. Each repetition calls all
    functions in a new random order."""
    times, order = {name: [] for name in work}, random.Random(1)
    for _ in range(repetitions):
        for name, function in order.sample(list(work.items()), len(work)):
            before = time.process_time()
            function()
            times[name].append(time.process_time() - before)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def report(rows, path=None, n_printed=None):
    """Prints the rows, or the first `n_printed`, as a table, marks rows whose ratio is below its
    threshold, and writes all rows as JSON to `path`."""
    print(f"{'claim':<48}{'ours':>9}{'other':>9}  {'unit':<6}{'ratio':>7}{'bar':>6}  other is")
    for r in rows[:n_printed]:
        mark = "   BELOW ITS THRESHOLD" if 0 < r["bar"] > r["ratio"] else ""  # 0: no threshold
        figures = f"{r['ours']:>9.2f}{r['other']:>9.2f}  {r['unit']:<6}{r['ratio']:>7.2f}{r['bar']:>6.2f}"
        print(f"{r['claim']:<48}{figures}  {r['other_name']}{mark}")
    if path is not None:
        path.write_text(json.dumps(rows, indent=2) + "\n")
