"""Rows of the benchmarks: claim, our value, other value, their ratio, and its threshold (`bar`)."""

import argparse
import json
import random
import statistics
import time
from pathlib import Path


def row(claim, ours, other, other_name, unit, *, bar, more_is_better=False):
    """A row; `ratio` is the factor by which our value is better (smaller, or larger) than the other."""
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
    """The common command-line options of all benchmarks: --quick and --json OUT."""
    found = argparse.ArgumentParser(description=description)
    found.add_argument("--quick", action="store_true", help="small sizes that take seconds")
    found.add_argument("--json", type=Path, metavar="OUT", help="file for the rows")
    return found


def interleaved(work, repetitions):
    """Median CPU time [s] of this process in each function of `work`, by name. The functions are interleaved,
    in a new random order in each repetition."""
    taken, order = {name: [] for name in work}, random.Random(1)
    for _ in range(repetitions):
        for name, function in order.sample(list(work.items()), len(work)):
            before = time.process_time()
            function()
            taken[name].append(time.process_time() - before)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def report(rows, path=None):
    """Prints the rows as a table, marks rows below their threshold, and writes them as JSON to `path`."""
    print(f"{'claim':<48}{'ours':>9}{'other':>9}  {'unit':<6}{'ratio':>7}{'bar':>6}  other is")
    for r in rows:
        mark = "   BELOW ITS BAR" if 0 < r["bar"] > r["ratio"] else ""  # 0: no threshold
        figures = f"{r['ours']:>9.2f}{r['other']:>9.2f}  {r['unit']:<6}{r['ratio']:>7.2f}{r['bar']:>6.2f}"
        print(f"{r['claim']:<48}{figures}  {r['other_name']}{mark}")
    if path is not None:
        path.write_text(json.dumps(rows, indent=2) + "\n")
