"""Runs a benchmark between emulated hosts (tools/hosts) with one rank each."""

import contextlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/hosts"))
from several_hosts import Hosts, why_unavailable

LIMIT_S = 580  # time limit of the script


def parsed_options(parser, script):
    """Adds the options --hosts, --latency-us and --mbit to a parser and parses the command line. If --hosts
    is given, runs `script` between emulated hosts, prints its output and exits."""
    parser.add_argument(
        "--hosts", type=int, metavar="N", help="run between N emulated hosts with one rank each"
    )
    parser.add_argument(
        "--latency-us", type=float, default=500, metavar="US", help="latency between hosts [us]"
    )
    parser.add_argument(
        "--mbit",
        type=float,
        default=400,
        metavar="MBIT",
        help="bandwidth of each host in each direction [Mbit/s]",
    )
    options = parser.parse_args()
    if options.hosts:
        print(output_between_hosts(script, options), end="")
        sys.exit()
    return options


def output_between_hosts(script, options):
    """Runs a script between emulated hosts, with the given options --quick and --json. Returns the output, or
    the reason why hosts cannot be emulated."""
    reason = why_unavailable()
    if reason is not None:
        return f"hosts: skipped: {reason}."
    quick = ["--quick"] if options.quick else []
    json_option = [] if options.json is None else ["--json", str(options.json.absolute())]
    with Hosts(options.hosts, latency_us=options.latency_us, mbit=options.mbit) as hosts:
        command = [*hosts.open_mpi(1), sys.executable, str(script), *quick, *json_option]
        text = hosts.run(command, limit_s=LIMIT_S)
    return f"{options.hosts} hosts, {options.latency_us:g} us, {options.mbit:g} Mbit/s\n{text}"


def result_between_hosts(n, program, options, limit_s):
    """Runs ranks with the arguments `program` of python, as of `halcyon.launch.measure.rank_program`, on n
    hosts with the options latency_us and mbit, and returns the result of rank 0."""
    with Hosts(n, latency_us=options.latency_us, mbit=options.mbit) as hosts:
        text = hosts.run([*hosts.open_mpi(1), sys.executable, *program], limit_s=limit_s)
    for line in reversed(text.splitlines()):
        with contextlib.suppress(ValueError):  # libraries of MPI may print lines at the end
            return json.loads(line)
    raise RuntimeError(f"The ranks printed no result: {text}")
