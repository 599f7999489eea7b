"""Rows of the benchmarks: what is claimed, ours, the other, the ratio and the bar that it should reach."""

import argparse
import json
import random
import statistics
import time
from pathlib import Path


def row(claim, ours, other, other_name, unit, *, bar, more_is_better=False):
    """A row; `ratio` is how many times better (smaller, or larger) ours is than the other."""
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
    """The command line that every benchmark has: --quick and --json OUT."""
    found = argparse.ArgumentParser(description=description)
    found.add_argument("--quick", action="store_true", help="smaller, in seconds")
    found.add_argument("--json", type=Path, metavar="OUT", help="write the rows there")
    return found


def interleaved(work, repetitions):
    """Medians of the CPU time [s] of this process in each of `work`, functions by name, taken by turns, in an
    order drawn anew each time: none always comes after the same other."""
    taken, order = {name: [] for name in work}, random.Random(1)
    for _ in range(repetitions):
        for name, function in order.sample(list(work.items()), len(work)):
            before = time.process_time()
            function()
            taken[name].append(time.process_time() - before)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def report(rows, path=None):
    """Prints the rows as a table, those below their bar marked, and writes them as JSON to `path`."""
    print(f"{'claim':<48}{'ours':>9}{'other':>9}  {'unit':<6}{'ratio':>7}{'bar':>6}  other is")
    for r in rows:
        mark = "   BELOW ITS BAR" if 0 < r["bar"] > r["ratio"] else ""  # 0: it has none
        figures = f"{r['ours']:>9.2f}{r['other']:>9.2f}  {r['unit']:<6}{r['ratio']:>7.2f}{r['bar']:>6.2f}"
        print(f"{r['claim']:<48}{figures}  {r['other_name']}{mark}")
    if path is not None:
        path.write_text(json.dumps(rows, indent=2) + "\n")
