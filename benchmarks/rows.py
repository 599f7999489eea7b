"""Rows of the benchmarks: what is claimed, ours, the other, the ratio and the bar that it should reach."""

import argparse
import json
from pathlib import Path


def row(claim, ours, other, other_name, unit, *, bar):
    """A row; `ratio` is how many times better (smaller) ours is than the other."""
    return {
        "claim": claim,
        "ours": ours,
        "other": other,
        "other_name": other_name,
        "unit": unit,
        "ratio": other / ours,
        "bar": bar,
    }


def options(description):
    """The command line that every benchmark has: --quick and --json OUT."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="smaller, in seconds")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the rows there")
    return parser.parse_args()


def report(rows, path=None):
    """Prints the rows as a table, those below their bar marked, and writes them as JSON to `path`."""
    print(f"{'claim':<36}{'ours':>9}{'other':>9}  {'unit':<6}{'ratio':>7}{'bar':>6}  other is")
    for r in rows:
        mark = "" if r["ratio"] >= r["bar"] else "   BELOW ITS BAR"
        figures = f"{r['ours']:>9.2f}{r['other']:>9.2f}  {r['unit']:<6}{r['ratio']:>7.2f}{r['bar']:>6.2f}"
        print(f"{r['claim']:<36}{figures}  {r['other_name']}{mark}")
    if path is not None:
        path.write_text(json.dumps(rows, indent=2) + "\n")
