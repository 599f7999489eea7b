"""What hourly output costs a wave run on two ranks: behind the computation, and with the run waiting for it.

A day of the demo is run without output (but the first and the last hour), with hourly records in the
background, and with hourly records in the foreground, by turns. Wall time is that of the run, without set-up
and pictures.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import rows

CASE = Path(__file__).parents[1] / "examples/hinnamnor/case.yaml"
RANKS = 2
DAY_S = 86400
SETTINGS = {
    "without": {"output.interval": DAY_S, "io.background": "true"},
    "background": {"output.interval": 3600, "io.background": "true"},
    "foreground": {"output.interval": 3600, "io.background": "false"},
}
BAR = 1.1  # of the time without output


def main():
    options = command_line()
    taken = {name: [] for name in SETTINGS}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for _ in range(1 if options.quick else options.repetitions):
            for name, settings in SETTINGS.items():
                taken[name].append(run(options, settings, Path(folder)))
    report(taken, options.json)


def command_line():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--case", type=Path, default=CASE, help="by default the demo")
    parser.add_argument("--repetitions", type=int, default=5, metavar="N")
    parser.add_argument("--folder", type=Path, help="where results are written")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of the case")
    return parser.parse_args()


def run(options, settings, folder):
    """Wall time of a run without set-up and pictures, and of its output [s]."""
    hours = 2 if options.quick else 24
    chosen = {
        "time.end": f"2022-09-0{1 + hours // 24}T{hours % 24:02}:00",
        "output.folder": folder / "run",
        "output.pictures": "false",
        "restart.interval": "none",
    }
    chosen |= settings | {"output.interval": min(settings["output.interval"], 3600 * hours)}
    changes = [f"{key}={value}" for key, value in chosen.items()] + options.set
    command = [sys.executable, "-m", "halcyon", "run", options.case, "-n", str(RANKS)]
    done = subprocess.run(
        [*command, *(part for change in changes for part in ("--set", change))],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    figures = json.loads((folder / "run/run.json").read_text())["figures"]
    return figures["wall_s"] - figures["parts_s"]["set-up"], figures["parts_s"]["output"]


def report(taken, path):
    median = {name: statistics.median(wall for wall, _ in each) for name, each in taken.items()}
    print(f"{'[s]':<12}{'run':>9}{'over none':>11}{'its output':>12}   all runs")
    for name, each in taken.items():
        output = statistics.median(output for _, output in each)
        over = median[name] - median["without"]
        runs = " ".join(f"{wall:.2f}" for wall, _ in each)
        print(f"{name:<12}{median[name]:>9.2f}{over:>11.2f}{output:>12.2f}   {runs}")
    cost = {name: max(median[name] - median["without"], 0) for name in ("background", "foreground")}
    if cost["foreground"] > 0:
        print(f"hidden: {1 - cost['background'] / cost['foreground']:.0%} of what the foreground costs\n")
    claim = "a run with hourly output"
    found = [
        rows.row(claim, median["background"], BAR * median["without"], "1.1 of one without", "s", bar=1),
        rows.row(claim, median["background"], median["foreground"], "output in the foreground", "s", bar=0),
    ]
    rows.report(found, path)


if __name__ == "__main__":
    main()
