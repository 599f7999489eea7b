"""Emulated hosts (tools/hosts): host names, latency and bandwidth, and the end of all their processes."""

import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools/hosts"))
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from several_hosts import Hosts, why_unavailable

import between_hosts

pytestmark = pytest.mark.skipif(why_unavailable() is not None, reason=f"no hosts here: {why_unavailable()}")

LATENCY_S, MBIT = 0.02, 40  # of the emulated network: one way [s], bandwidth [Mbit/s]
# The server answers with one byte to a message that ends with "." or "!"; the client prints the time [s] from
# sending each of two messages, of 1 and 250,001 bytes, to the answer.
SERVER = """
import socket
listener = socket.create_server(("", 7000))
connection, _ = listener.accept()
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
while data := connection.recv(1 << 20):
    connection.sendall(data[-1:] if data.endswith((b".", b"!")) else b"")
"""
CLIENT = """
import socket, sys, time
while True:
    try:
        connection = socket.create_connection((sys.argv[1], 7000))
        break
    except ConnectionRefusedError:
        time.sleep(0.05)
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for message in (b".", bytes(250_000) + b"!"):
    begin = time.monotonic()
    connection.sendall(message)
    connection.recv(1)
    print(time.monotonic() - begin)
"""


@pytest.fixture
def hosts():
    with Hosts(2, latency_us=LATENCY_S * 1e6, mbit=MBIT) as running:
        yield running


def test_messages_take_latency_and_bandwidth(hosts):
    """A round trip takes twice the latency or more; a long message also its size over the bandwidth."""
    serve = threading.Thread(target=hosts.run, args=[[sys.executable, "-c", SERVER]], kwargs={"host": 1})
    serve.start()
    round_trip_s, long_message_s = map(
        float, hosts.run([sys.executable, "-c", CLIENT, hosts.addresses[1]], limit_s=500).split()
    )
    serve.join()
    assert round_trip_s >= 2 * LATENCY_S
    assert long_message_s >= 2 * LATENCY_S + 250_000 * 8 / (MBIT * 1e6)


def test_hosts_have_names_and_see_only_each_other(hosts):
    """Hosts are called host1 and host2, and have one network interface apart from loopback."""
    assert [hosts.run(["hostname"], host=number).strip() for number in (0, 1)] == ["host1", "host2"]
    assert hosts.run(["ls", "/sys/class/net"]).split() == ["lo", "tap0"]


def test_nothing_is_left_when_the_switch_is_killed():
    """The processes on a host end when the process that emulates the network is killed."""
    with Hosts(1, latency_us=10, mbit=1000) as hosts:
        run = threading.Thread(target=pytest.raises, args=[Exception, hosts.run, ["sleep", "54321"]])
        run.start()
        wait_until(lambda: sleepers() != [])
        os.kill(hosts.process, signal.SIGKILL)
        run.join()
        wait_until(lambda: sleepers() == [])


def test_a_benchmark_runs_again_between_hosts(tmp_path):
    """between_hosts.output_between_hosts runs a script on all hosts with its options, and returns the lines
    that it prints."""
    script, json_path = tmp_path / "script.py", tmp_path / "rows.json"
    script.write_text(
        "import socket, sys\nfrom mpi4py.MPI import COMM_WORLD as comm\n"
        "hosts = comm.gather(socket.gethostname())\n"
        "if comm.rank == 0:\n    print(*hosts, *sys.argv[1:])\n"
    )
    options = SimpleNamespace(hosts=2, latency_us=10, mbit=1000, quick=True, json=json_path)
    first, second = between_hosts.output_between_hosts(script, options).splitlines()
    assert first == "2 hosts, 10 us, 1000 Mbit/s"
    assert second == f"host1 host2 --quick --json {json_path}"


def sleepers():
    """Ids of the processes that run `sleep 54321`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:  # it has just ended
            continue
        if words[:2] == [b"sleep", b"54321"]:
            found.append(folder.name)
    return found


def wait_until(reached):
    while not reached():
        time.sleep(0.05)
