"""Cost of hourly output of a wave run on two ranks: written in the background or in the foreground.

Runs one day of the demo without output (except at start and end), with hourly output in the background, and
with hourly output in the foreground, interleaved. Wall time excludes set-up; CPU time is that of the whole
job, and is less affected by other load.
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
BAR = 1.1  # largest time with output in the background, relative to the time without output


def main():
    options = command_line()
    times = {name: [] for name in SETTINGS}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for _ in range(1 if options.quick else options.repetitions):
            for name, settings in SETTINGS.items():
                times[name].append(run(options, settings, Path(folder)))
    report(times, options.json)


def command_line():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument("--case", type=Path, default=CASE, help="case file; default: the demo")
    parser.add_argument("--repetitions", type=int, default=5, metavar="N")
    parser.add_argument("--folder", type=Path, help="folder of the results")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="option of the case")
    return parser.parse_args()


def run(options, settings, folder):
    """Runs the case. Returns three times [s]: wall time without set-up, wall time of the output alone, and
    CPU time of the job."""
    hours = 2 if options.quick else 24
    settings_of_run = {
        "time.end": f"2022-09-0{1 + hours // 24}T{hours % 24:02}:00",
        "output.folder": folder / "run",
        "output.pictures": "false",
        "restart.interval": "none",
    }
    settings_of_run |= settings | {"output.interval": min(settings["output.interval"], 3600 * hours)}
    changes = [f"{key}={value}" for key, value in settings_of_run.items()] + options.set
    command = [sys.executable, "-m", "halcyon", "run", options.case, "-n", str(RANKS), "--overwrite"]
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


def report(times, path):
    wall, output, cpu = (
        {name: statistics.median(each[column] for each in runs) for name, runs in times.items()}
        for column in range(3)
    )
    print(f"{'[s]':<12}{'run':>9}{'its output':>12}{'CPU':>9}   wall time of each run")
    for name, runs in times.items():
        walls = " ".join(f"{each[0]:.2f}" for each in runs)
        print(f"{name:<12}{wall[name]:>9.2f}{output[name]:>12.2f}{cpu[name]:>9.2f}   {walls}")
    result_rows = []
    for clock, median in (("wall", wall), ("CPU", cpu)):
        foreground_s, added_s = (median[name] - median["without"] for name in ("foreground", "background"))
        if foreground_s > 0:
            print(
                f"{clock}: output in the foreground adds {foreground_s:.2f} s;"
                f" the background hides {1 - added_s / foreground_s:.0%}"
            )
        claim = f"a run with hourly output, {clock}"
        for name, other, bar in (
            ("1.1 of one without", BAR * median["without"], 1),
            ("output in the foreground", median["foreground"], 0),
        ):
            result_rows.append(rows.row(claim, median["background"], other, name, "s", bar=bar))
    print()
    rows.report(result_rows, path)


if __name__ == "__main__":
    main()
