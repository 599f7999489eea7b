"""Cost of hourly output of a wave run on two ranks: written in the background or in the foreground.

One day of the demo is run without output (except at start and end), with hourly records in the background,
and with hourly records in the foreground, interleaved. Wall time excludes set-up and pictures; CPU time is
that of the whole job and less affected by other load.
"""

import json
import resource
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
    parser.add_argument("--case", type=Path, default=CASE, help="case file; default: the demo")
    parser.add_argument("--repetitions", type=int, default=5, metavar="N")
    parser.add_argument("--folder", type=Path, help="folder of the results")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="option of the case")
    return parser.parse_args()


def run(options, settings, folder):
    """Wall time of a run without set-up and pictures, of its output alone, and CPU time of the job [s]."""
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
    before = cpu_of_children()
    done = subprocess.run(
        [*command, *(part for change in changes for part in ("--set", change))],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    figures = json.loads((folder / "run/run.json").read_text())["figures"]
    parts = figures["parts_s"]
    return figures["wall_s"] - parts["set-up"], parts["output"], cpu_of_children() - before


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report(taken, path):
    wall, output, cpu = (
        {name: statistics.median(each[column] for each in runs) for name, runs in taken.items()}
        for column in range(3)
    )
    print(f"{'[s]':<12}{'run':>9}{'its output':>12}{'CPU':>9}   wall time of each run")
    for name, runs in taken.items():
        walls = " ".join(f"{each[0]:.2f}" for each in runs)
        print(f"{name:<12}{wall[name]:>9.2f}{output[name]:>12.2f}{cpu[name]:>9.2f}   {walls}")
    found = []
    for clock, median in (("wall", wall), ("CPU", cpu)):
        shown, left = (median[name] - median["without"] for name in ("foreground", "background"))
        if shown > 0:
            print(
                f"{clock}: output in the foreground adds {shown:.2f} s;"
                f" the background hides {1 - left / shown:.0%}"
            )
        claim = f"a run with hourly output, {clock}"
        for name, other, bar in (
            ("1.1 of one without", BAR * median["without"], 1),
            ("output in the foreground", median["foreground"], 0),
        ):
            found.append(rows.row(claim, median["background"], other, name, "s", bar=bar))
    print()
    rows.report(found, path)


if __name__ == "__main__":
    main()
