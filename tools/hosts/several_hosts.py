#!/usr/bin/env python3
"""Several emulated hosts on one machine, joined by a network with a given latency and bandwidth.

tools/hosts/several_hosts.py [--hosts 4] [--ranks 1] [--latency-us 100] [--mbit 1000] PROGRAM [ARGUMENT...]

runs an MPI program with Open MPI, with the given number of ranks per host. Needs root, network namespaces and
/dev/net/tun. The process `switch` forwards messages; all processes of the hosts end with it, and it ends with
its parent process, also after a crash.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Self

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ENTER = HERE / "enter"
DEVICE = "tap0"
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_plm_rsh_agent": str(ENTER),
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "self,vader,tcp",
    "OMPI_MCA_btl_tcp_flags": "1",  # sends only, as in jobs started by halcyon
    "OMPI_MCA_btl_tcp_if_include": DEVICE,
    "OMPI_MCA_oob_tcp_if_include": DEVICE,
}
MPICH = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": DEVICE}  # UCX would find shared memory across hosts


def why_unavailable() -> str | None:
    """The reason why this machine cannot emulate hosts, or None."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    missing = [name for name in ("ip", "nsenter", "unshare", "c++") if shutil.which(name) is None]
    if missing:
        return f"{', '.join(missing)} not found (Debian: iproute2, util-linux, g++)"
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as error:
        return f"/dev/net/tun cannot be opened ({error.strerror})"
    if subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode != 0:
        return "this kernel or container does not support network namespaces"
    return None


class Hosts:
    """Hosts that exist during a `with` block.

    @param latency_us one-way latency [us]; mbit: bandwidth of each link in each direction [Mbit/s]"""

    def __init__(self, n_hosts: int, *, latency_us: float, mbit: float) -> None:
        self.addresses = [f"10.78.0.{number}" for number in range(1, n_hosts + 1)]
        self._command = [str(_built_switch()), str(n_hosts), str(latency_us), str(mbit)]

    def __enter__(self) -> Self:
        pipe = subprocess.PIPE
        self._switch = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True)
        self._namespaces = self._switch.stdout.readline().strip()
        if not self._namespaces:
            raise RuntimeError(f"the switch ended with exit code {self._switch.wait()}")
        return self

    def __exit__(self, *error: object) -> None:
        self._switch.stdin.close()
        self._switch.wait(timeout=10)

    @property
    def process(self) -> int:
        """The id of the process `switch`, with which all hosts end."""
        return int(self._namespaces.split(":")[0])

    def run(self, command: Sequence[str], *, host: int = 0, limit_s: float = 600) -> str:
        """Runs a command on a host and returns its output."""
        done = subprocess.run(
            [ENTER, self.addresses[host], shlex.join(command)],
            env=OPEN_MPI | MPICH | os.environ | {"HALCYON_HOSTS": self._namespaces},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            timeout=limit_s,
            check=True,
        )
        return done.stdout

    def open_mpi(self, ranks: int) -> list[str]:
        """The launcher command of a program with `ranks` ranks per host, consecutive ranks on one host."""
        hosts = ",".join(f"{address}:{ranks}" for address in self.addresses)
        return ["mpirun.openmpi", "-q", "--host", hosts, "--map-by", "slot", "--bind-to", "none"]

    def mpich(self, ranks: int) -> list[str]:
        """The launcher command with MPICH."""
        hosts = ",".join(f"{address}:{ranks}" for address in self.addresses)
        total = str(ranks * len(self.addresses))
        launcher = ["-launcher", "rsh", "-launcher-exec", str(ENTER), "-iface", DEVICE]
        return ["mpiexec.mpich", *launcher, "-hosts", hosts, "-n", total]


def _built_switch() -> Path:
    source, program = HERE / "switch.cpp", ROOT / "build/hosts/switch"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        program.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["c++", "-std=c++20", "-O2", "-Wall", source, "-o", program], check=True)
    return program


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, default=4, choices=range(1, 16), metavar="N")
    parser.add_argument("--ranks", type=int, default=1, metavar="N", help="ranks per host")
    parser.add_argument("--latency-us", type=float, default=100, metavar="US")
    parser.add_argument("--mbit", type=float, default=1000, metavar="MBIT")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    reason = why_unavailable()
    if reason is not None:
        print(f"hosts: skipped: {reason}.")
        return 0
    processes, cores = options.hosts * options.ranks + 1, len(os.sched_getaffinity(0))
    if processes > cores:
        print(f"hosts: {processes} processes, one of them the switch, share {cores} cores.", file=sys.stderr)
    with Hosts(options.hosts, latency_us=options.latency_us, mbit=options.mbit) as hosts:
        print(hosts.run([*hosts.open_mpi(options.ranks), *options.program]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
