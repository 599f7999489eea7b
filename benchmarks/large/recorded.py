"""Programs recorded between emulated hosts, and the error of their replay on the calibrated network.

Eight programs run on emulated hosts (tools/hosts): the three models of Halcyon, and conjugate gradients, a
transposed transform, a sweep, an incast and a pipeline (benchmarks/recorded). Each is recorded (halcyon
record --clock cpu) on a fast network. Its calls are executed again by MPI on the network in question, with
sleeps instead of the computation, since all ranks share the cores of this machine; a rank that waits for a
message sleeps, too (sleeping_yield.c). They are simulated with the same computation on the network that
`halcyon calibrate` has measured on the same hosts; with --ping-pong only latency, bandwidth and overhead are
measured, and the eager limit is that of Open MPI. With --slow-motion F, latency, times of the network per
byte and computation are F times as long, so that the delays of ranks without cores of their own count 1 / F.
The shortest of some runs is compared, since other programs only lengthen a run. The median of the errors
should be at most 10 %, their 95th percentile 25 %.
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
TIMES = "time: {start: 2000-01-01T00:00, end: 2000-01-01T01:00, step: 900"
OUTPUT = "output: {interval: 3600, pictures: false}\n"
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
LIMIT_S = 500
EAGER_BYTES = 65536 - 64  # btl_tcp_eager_limit of Open MPI 4.1, which includes a header
PACKET_BYTES = 4096


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
    parser.add_argument(
        "--slow-motion",
        type=float,
        default=1,
        metavar="F",
        help="factor of the times of the network and of computation",
    )
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="measurements of each program")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args()
    reason = why_unavailable()
    if reason is not None:
        print(f"hosts: skipped: {reason}.")
        return
    with tempfile.TemporaryDirectory() as folder:
        with Hosts(options.hosts, latency_us=50, mbit=1000) as hosts:
            recordings = recorded(Path(folder), hosts, options)
        slower = options.slow_motion
        network = {"latency_us": options.latency_us * slower, "mbit": options.mbit / slower}
        with Hosts(options.hosts, **network) as hosts:
            rows = measured(Path(folder), hosts, recordings, options)
    print(f"{'program':<12}{'calls':>8}{'measured':>11}{'simulated':>11}{'ratio':>8}")
    for row in rows:
        times = f"{row['measured']:>10.3f}s{row['simulated']:>10.3f}s{row['ratio']:>8.2f}"
        print(f"{row['program']:<12}{row['calls']:>8}{times}")
    errors = [abs(row["ratio"] - 1) for row in rows]
    median, percentile = np.median(errors), np.percentile(errors, 95)
    print(
        f"{len(rows)} programs on {options.hosts} hosts x {options.ranks} ranks, {options.latency_us:g} us, "
        f"{options.mbit:g} Mbit/s, slowed {options.slow_motion:g} times: error {100 * median:.0f} % "
        f"(median), {100 * percentile:.0f} % (95th percentile)"
    )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def recorded(folder, hosts, options):
    """The folder of the recording of each program."""
    subprocess.run(["mpicc", "-O2", HERE / "programs.c", "-o", folder / "programs"], check=True)
    recordings = {}
    for name in options.programs.split(","):
        command = [str(folder / "programs"), name]
        if name in MODELS:
            case = folder / f"{name}.yaml"
            case.write_text(MODELS[name])
            command = [*HALCYON, "run", str(case), "--output", str(folder / name)]
        recordings[name] = folder / f"{name}.recording"
        record = [*HALCYON, "record", "-o", str(recordings[name]), "--clock", "cpu", "--"]
        hosts.run([*record, *hosts.open_mpi(options.ranks), *command], limit_s=LIMIT_S)
    return recordings


def measured(folder, hosts, recordings, options):
    library = folder / "sleeping_yield.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", HERE / "sleeping_yield.c", "-o", library], check=True)
    sharing_cores = [*hosts.open_mpi(options.ranks), "env", f"LD_PRELOAD={library}"]
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
    for name, recording in recordings.items():
        live = [str(HERE / "live.py"), str(recording), str(options.runs), str(options.slow_motion)]
        output = hosts.run([*sharing_cores, sys.executable, *live], limit_s=LIMIT_S)
        rows.append(row_of(name, recording, json_in(output), machine, options))
        row = rows[-1]
        print(f"  {name}: {row['ratio']:.2f} of {row['measured']:.2f} s", file=sys.stderr, flush=True)
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
    lines += [f"packet_bytes: {PACKET_BYTES}"]
    return "\n".join([*lines, f"ranks_per_node: {options.ranks}", ""])


def row_of(name, recording, times, machine, options):
    from halcyon.schedule.trace import read_trace, summary
    from halcyon.simulate import simulate

    work = {"type": "replay", "file": str(recording), "computation_factor": options.slow_motion}
    case = {"workload": work, "machine": {"base": str(machine)}}
    case["engine"] = {"fidelity": "packet"}
    case["machine"]["ranks_per_node"] = options.ranks
    counted = summary(read_trace(recording))
    simulated = float(simulate(case)["time"])
    return {
        "program": name,
        "calls": sum(counted.calls.values()),
        "runs": times,
        "measured": min(times),
        "simulated": simulated,
        "ratio": simulated / min(times),
        "computation": float(counted.compute_s.max()),
    }


if __name__ == "__main__":
    main()
