"""Runs a benchmark script between emulated hosts (tools/hosts) with one rank each."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/hosts"))
from several_hosts import Hosts, why_unavailable

LIMIT_S = 580


def parsed(parser, script):
    """Parses the options, with --hosts, --latency-us and --mbit; with --hosts, runs the script there and
    exits."""
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
        print(printed(script, options), end="")
        sys.exit()
    return options


def printed(script, options):
    """The output of a script between hosts, with its options --quick and --json; or the reason it cannot
    run."""
    reason = why_unavailable()
    if reason is not None:
        return f"hosts: skipped: {reason}."
    quick = ["--quick"] if options.quick else []
    written = [] if options.json is None else ["--json", str(options.json.absolute())]
    with Hosts(options.hosts, latency_us=options.latency_us, mbit=options.mbit) as hosts:
        command = [*hosts.open_mpi(1), sys.executable, str(script), *quick, *written]
        text = hosts.run(command, limit_s=LIMIT_S)
    return f"{options.hosts} hosts, {options.latency_us:g} us, {options.mbit:g} Mbit/s\n{text}"
