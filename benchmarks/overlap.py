"""Overlap of communication and computation (sleep, or a spectral transform), by groups, method and progress.

Between emulated hosts (tools/hosts), after figures 9 to 14 of the paper on YHGSM's Fourier section.

Thresholds: with sleep and a progress thread, the communication-hiding ratio is at least 90 % of that of an
ideal pipeline; the Fourier section is faster with a progress thread than with the blocking collective.
If hosts cannot be emulated, the reason is printed and the exit code is 0.
"""

import os
from pathlib import Path

import rows
from between_hosts import result_between_hosts, why_unavailable
from halcyon.launch.measure import rank_program
from halcyon_bench.overlap import (
    BLOCKING,
    GROUPS,
    METHODS,
    PROGRESS,
    TRIALS,
    Plan,
    balanced_and_measured,
    sets_of,
)
from halcyon_bench.overlap_tables import about, auto_text, best_of, step_table, summary, summary_table, table
from halcyon_bench.sections import FourierSection, SleepSection

BAR = 0.9  # threshold of the communication-hiding ratio, relative to an ideal pipeline
LIMIT_S = 900  # time limit of a job
BY_PUTS = {"OMPI_MCA_btl_tcp_flags": "put,send,inplace"}  # default of Open MPI: long messages by put


def main():
    options = parsed_options()
    reason = why_unavailable()
    if reason is not None:
        print(f"hosts: skipped: {reason}.")
        return
    if options.puts:
        os.environ |= BY_PUTS
    plan = Plan((1, 3) if options.quick else GROUPS, METHODS, PROGRESS, trials=options.trials)
    jobs = [
        between_hosts(hosts, arguments_of_ranks, options)
        for hosts, arguments_of_ranks in programs(options, plan)
    ]
    print(about(jobs[0]), summary_table(summary(jobs)), step_table(jobs), sep="\n\n", flush=True)
    if options.auto:
        print("", *(auto_text(job) for job in jobs), sep="\n", flush=True)
    if options.plot is not None:
        from halcyon_bench.pictures.overlap import overlap_plot

        overlap_plot(options.plot, jobs, summary(jobs))
    if options.section == "sleep":
        result_rows = [hidden_row(row) for job in jobs for row in job["rows"] if row["groups"] > 1]
    else:
        result_rows = [faster_row(job, method) for job in jobs for method in METHODS]
    rows.report(result_rows, options.json)


def parsed_options():
    parser = rows.parser(__doc__.splitlines()[0])
    add = parser.add_argument
    add("--section", default="sleep", choices=("sleep", "fourier"))
    add("--truncation", type=int, default=63, metavar="T", help="truncation of section fourier")
    add("--fields", type=int, default=30, metavar="N", help="number of fields of section fourier")
    add("--sets", default="2x2", metavar="VxW[,VxW...]", help="of section fourier, on V times W hosts")
    add("--step", action="store_true", help="also a step of the spectral model, with section fourier")
    add("--bytes", type=int, default=4_000_000, metavar="N", help="bytes per rank of section sleep")
    add("--ratio", type=float, default=1.5, help="ratio of sleep to communication")
    add("--sides", type=int, default=1, choices=(1, 2), help="all-to-alls per group of section sleep")
    add("--hosts", type=int, default=4, metavar="N", help="hosts of section sleep, with one rank each")
    add("--latency-us", type=float, default=500, metavar="US")
    add("--mbit", type=float, default=400, metavar="MBIT")
    add("--auto", action="store_true", help="also the settings that tuning chooses")
    add("--trials", type=int, default=TRIALS, metavar="N", help="number of trials, by default the paper's")
    add("--puts", action="store_true", help="long messages by put, the default of Open MPI (docs/comm.md)")
    add("--plot", type=Path, metavar="FILE", help="figure of all results")
    return parser.parse_args()


def programs(options, plan):
    """For each job: the number of hosts, and the Python arguments of the program of each rank."""
    if options.section == "sleep":
        section = SleepSection(options.bytes, sides=options.sides)
        arguments = section, plan, options.ratio
        return [(options.hosts, rank_program(balanced_and_measured, *arguments, auto=options.auto))]
    n_rows = 2 * ((3 * options.truncation + 4) // 4)  # quadratic grid
    sections = [
        FourierSection(options.truncation, n_rows, options.fields, vw) for vw in sets_of(options.sets, None)
    ]
    measurements = {"step": options.step, "auto": options.auto}
    return [
        (
            section.sets[0] * section.sets[1],
            rank_program(balanced_and_measured, section, plan, 0.0, **measurements),
        )
        for section in sections
    ]


def between_hosts(n, arguments_of_ranks, options):
    result = result_between_hosts(n, arguments_of_ranks, options, LIMIT_S)
    network = f"{n} hosts, {options.latency_us:g} us, {options.mbit:g} Mbit/s"
    network += ", by puts" if options.puts else ""
    print(f"{network}\n{table(result)}\n", flush=True)
    return result


def hidden_row(row):
    """Row of the communication-hiding ratio (CHR) of a pipeline, compared with an ideal pipeline."""
    claim = f"CHR, {row['groups']} groups, {row['method']}, {row['progress']}"
    bar = BAR if row["progress"].startswith("thread") else 0
    return rows.row(claim, row["chr"], row["ceiling"], "ideal pipeline", "", bar=bar, more_is_better=True)


def faster_row(job, method):
    """Row of the best pipeline with a progress thread, compared with the blocking collective."""
    threads = [row for row in job["rows"] if row["progress"].startswith("thread")]
    best = best_of(threads, method)
    claim = f"Fourier, {job['name']}, {best['groups']} groups, {method}, {best['progress']}"
    other = f"{BLOCKING} in one group"
    return rows.row(claim, 1e3 * best["total_s"], 1e3 * best["collective_s"], other, "ms", bar=1)


if __name__ == "__main__":
    main()
