"""Programs recorded between emulated hosts, and the error of their replay on the calibrated network.

Eight programs run on emulated hosts (tools/hosts): the three models of Halcyon, and conjugate gradients, a
transposed transform, a sweep, an incast and a pipeline (benchmarks/recorded). Each is recorded (halcyon
record --clock cpu). Its calls are executed again by MPI with sleeps instead of the computation, since all
ranks share the cores of this machine; a rank that waits for a message sleeps, too (sleeping_yield.c). They
are simulated with the same computation on the network that `halcyon calibrate` has measured on the same
hosts; with --ping-pong only latency, bandwidth and overhead are measured, and the eager limit is that of
Open MPI. The median of the errors should be at most 10 %, their 95th percentile 25 %.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/hosts"), str(ROOT)]
from several_hosts import Hosts, why_unavailable  # noqa: E402

HERE = ROOT / "benchmarks/recorded"
PROGRAMS = ("cg", "fft", "lu", "incast", "pipeline")
TIMES = "time: {start: 2000-01-01T00:00, end: 2000-01-01T03:00, step: 900"
OUTPUT = "output: {interval: 10800, pictures: false}\n"
MODELS = {
    "wave": "model: wave\nmesh:\n  level: 3\n  sea: false\n  depth: {minimum: 1000}\n"
    "  spectrum: {frequencies: 12, first_frequency: 0.045, ratio: 1.15, directions: 12}\n"
    f"{TIMES}, source_step: 900}}\nforcing: {{wind: {{constant: {{speed: 10, direction: 270}}}}}}\n{OUTPUT}",
    "atmosphere": f"model: atmosphere\nmesh: {{level: 3}}\n{TIMES}}}\nequations: {{set: shallow_water}}\n"
    f"initial: {{type: mountain}}\n{OUTPUT}",
    "spectral": f"model: spectral\nmesh: {{truncation: 21}}\n{TIMES}}}\nequations: {{set: shallow_water}}\n"
    f"initial: {{type: mountain}}\n{OUTPUT}",
}
HALCYON = [sys.executable, "-m", "halcyon"]
LIMIT_S = 200
EAGER_BYTES = 65536 - 64  # btl_tcp_eager_limit of Open MPI 4.1, which includes a header


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, default=4, metavar="N")
    parser.add_argument("--ranks", type=int, default=1, metavar="N", help="ranks per host")
    parser.add_argument("--latency-us", type=float, default=1000, metavar="US")
    parser.add_argument("--mbit", type=float, default=100, metavar="MBIT")
    parser.add_argument(
        "--machine", type=Path, metavar="FILE", help="machine file of these hosts; else calibrated"
    )
    parser.add_argument(
        "--ping-pong", action="store_true", help="measure only latency, bandwidth and overhead"
    )
    parser.add_argument("--programs", default=",".join([*PROGRAMS, *MODELS]), metavar="A,B")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="measurements of each program")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args()
    reason = why_unavailable()
    if reason is not None:
        print(f"hosts: skipped: {reason}.")
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        Hosts(options.hosts, latency_us=options.latency_us, mbit=options.mbit) as hosts,
    ):
        rows = measured(Path(folder), hosts, options)
    print(f"{'program':<12}{'calls':>8}{'measured':>11}{'simulated':>11}{'ratio':>8}")
    for row in rows:
        times = f"{row['measured']:>10.3f}s{row['simulated']:>10.3f}s{row['ratio']:>8.2f}"
        print(f"{row['program']:<12}{row['calls']:>8}{times}")
    errors = [abs(row["ratio"] - 1) for row in rows]
    median, percentile = np.median(errors), np.percentile(errors, 95)
    print(
        f"{len(rows)} programs on {options.hosts} hosts x {options.ranks} ranks, {options.latency_us:g} us, "
        f"{options.mbit:g} Mbit/s: error {100 * median:.0f} % (median), {100 * percentile:.0f} % (95th "
        "percentile)"
    )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def measured(folder, hosts, options):
    launcher = hosts.open_mpi(options.ranks)
    subprocess.run(["mpicc", "-O2", HERE / "programs.c", "-o", folder / "programs"], check=True)
    library = folder / "sleeping_yield.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", HERE / "sleeping_yield.c", "-o", library], check=True)
    sharing_cores = [*launcher, "env", f"LD_PRELOAD={library}"]
    machine = options.machine
    if options.ping_pong:
        machine = folder / "ping_pong.yaml"
        output = hosts.run([*sharing_cores, sys.executable, str(HERE / "ping_pong.py")], limit_s=LIMIT_S)
        machine.write_text(machine_of(*json_in(output), options))
        print(machine.read_text(), file=sys.stderr)
    elif machine is None:
        machine = folder / "hosts.yaml"
        hosts.run([*sharing_cores, *HALCYON, "calibrate", "--busy", "--output", str(machine)])
    rows = []
    for name in options.programs.split(","):
        command = [str(folder / "programs"), name]
        if name in MODELS:
            case = folder / f"{name}.yaml"
            case.write_text(MODELS[name])
            command = [*HALCYON, "run", str(case), "--output", str(folder / name)]
        recording = folder / f"{name}.recording"
        hosts.run(
            [*HALCYON, "record", "-o", str(recording), "--clock", "cpu", "--", *launcher, *command],
            limit_s=LIMIT_S,
        )
        output = hosts.run(
            [*sharing_cores, sys.executable, str(HERE / "live.py"), str(recording), str(options.runs)],
            limit_s=LIMIT_S,
        )
        times = json_in(output)
        rows.append(row_of(name, recording, times, machine, options))
        print(f"  {name}: {rows[-1]['ratio']:.2f}", file=sys.stderr, flush=True)
    return rows


def json_in(output):
    """The last line of JSON; libraries of MPI may print others."""
    return json.loads([line for line in output.splitlines() if line.startswith("[")][-1])


def machine_of(one_way_s, bandwidth, overhead_s, options):
    """A machine file of one switch from the numbers of ping_pong.py."""
    nodes = f"{{type: hyperx, sizes: [1], nodes_per_switch: {options.hosts}}}"
    numbers = {
        "injection_latency": one_way_s - 2 * overhead_s,
        "injection_bandwidth": bandwidth,
        "ejection_bandwidth": bandwidth,
        "send_overhead": overhead_s,
        "receive_overhead": overhead_s,
    }
    lines = [f"{name}: {value:.9f}" for name, value in numbers.items()]
    lines += [f"topology: {nodes}", "links: {bandwidth: 1e12, latency: 1e-9}", f"eager_bytes: {EAGER_BYTES}"]
    return "\n".join([*lines, f"ranks_per_node: {options.ranks}", ""])


def row_of(name, recording, times, machine, options):
    from halcyon.schedule.trace import read_trace, summary
    from halcyon.simulate import simulate

    case = {"workload": {"type": "replay", "file": str(recording)}, "machine": {"base": str(machine)}}
    case["machine"]["ranks_per_node"] = options.ranks
    counted = summary(read_trace(recording))
    simulated = float(simulate(case)["time"])
    return {
        "program": name,
        "calls": sum(counted.calls.values()),
        "runs": times,
        "measured": float(np.median(times)),
        "simulated": simulated,
        "ratio": simulated / float(np.median(times)),
        "computation": float(counted.compute_s.max()),
    }


if __name__ == "__main__":
    main()
