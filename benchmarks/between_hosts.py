"""A benchmark's script once more, between pretended hosts (tools/hosts) with a rank each."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/hosts"))
from several_hosts import Hosts, why_not

LIMIT_S = 580


def parsed(parser, script):
    """The options of a script, and --hosts, --latency-us, --mbit; with --hosts it runs there and ends."""
    parser.add_argument("--hosts", type=int, metavar="N", help="run between N pretended hosts instead")
    parser.add_argument("--latency-us", type=float, default=500, metavar="US", help="between hosts")
    parser.add_argument("--mbit", type=float, default=400, metavar="MBIT", help="of each host, each way")
    options = parser.parse_args()
    if options.hosts:
        print(printed(script, options), end="")
        sys.exit()
    return options


def printed(script, options):
    """What a script prints between hosts with the other options that all have, --quick and --json; or why it
    cannot."""
    reason = why_not()
    if reason is not None:
        return f"hosts: skipped: {reason}."
    quick = ["--quick"] if options.quick else []
    written = [] if options.json is None else ["--json", str(options.json.absolute())]
    with Hosts(options.hosts, latency_us=options.latency_us, mbit=options.mbit) as hosts:
        command = [*hosts.open_mpi(1), sys.executable, str(script), *quick, *written]
        text = hosts.run(command, limit_s=LIMIT_S)
    return f"{options.hosts} hosts, {options.latency_us:g} us, {options.mbit:g} Mbit/s\n{text}"
