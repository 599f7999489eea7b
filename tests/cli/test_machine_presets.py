"""The predefined machines with networks, and `halcyon describe machine`."""

import re

import pytest

from halcyon.base import ConfigError
from halcyon.config.load_machine import PRESETS, load_machine, machine_names
from halcyon.simulate import simulate

SIZES = {  # nodes, switches, ports of a switch in use, from the sources named in the files
    "slingshot-11": (74 * 32 * 16 // 4, 74 * 32, 57),
    "ndr-fat-tree": (32 * 32 * 64 // 8, 2 * 32 * 64 + 32 * 32, 64),
    "tofu-d": (158_976, 158_976, 16),
}


def test_every_preset_has_a_size():
    assert set(SIZES) == set(PRESETS)
    assert set(PRESETS) < set(machine_names())


@pytest.mark.parametrize("name", SIZES)
def test_presets_are_described_and_simulated(halcyon, name):
    """The description has the sources and the size of the network; a message between neighbours takes the
    latencies of the file."""
    done = halcyon("describe", "machine", name)
    assert done.returncode == 0, done.stderr
    assert re.search("Sources?:", done.stdout) and "Assumed" in done.stdout
    nodes, switches, ports = SIZES[name]
    rows = dict(re.findall(r"^(nodes|switches|most ports) +([\d,]+)$", done.stdout, re.MULTILINE))
    assert rows == {"nodes": f"{nodes:,}", "switches": f"{switches:,}", "most ports": str(ports)}
    machine = load_machine(name)
    per_node = machine.ranks_per_node
    work = {"type": "traffic", "pattern": "shift", "shift": per_node, "message_bytes": 8}
    case = {"machine": name, "workload": work, "ranks": 2 * per_node}
    found = simulate(case)
    overheads = machine.send_overhead + machine.receive_overhead
    network_s = machine.injection_latency + machine.ejection_latency + machine.switch_latency
    links = 1 if name == "tofu-d" else 0  # the neighbour is on the same switch
    expected = overheads + network_s + links * (machine.links.latency + machine.switch_latency)
    assert found["time"].item() == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(("nics", "ports"), [(1, 7), (4, 10)])
def test_switches_with_too_few_ports_are_refused(nics, ports):
    """A switch of a torus of three dimensions has six links, and a port for each NIC of its node."""
    machine = {"nics_per_node": nics, "ranks_per_node": nics}
    case = {"topology": {"type": "torus", "sizes": [4, 4, 4]}, "workload": {"type": "allreduce"}, "ranks": 64}
    simulate(case | {"machine": machine | {"switch_ports": ports}})
    with pytest.raises(
        ConfigError, match=f"needs switches of {ports} ports, with .* machine.switch_ports = {ports - 1}"
    ):
        simulate(case | {"machine": machine | {"switch_ports": ports - 1}})


def test_a_machine_file_and_options_are_described(halcyon, tmp_path):
    (tmp_path / "ours.yaml").write_text("# Ours, from 2027.\ntopology: {type: torus, sizes: [4, 8]}\n")
    done = halcyon("describe", "machine", "ours.yaml")
    assert done.returncode == 0 and done.stdout.startswith(
        "Ours, from 2027.\nnetwork            torus 4 x 8 "
    )
    assert "injection_bandwidth" in halcyon("describe", "machine", "injection_bandwidth").stdout
    done = halcyon("describe", "machine", "fugaku")
    assert done.returncode == 2 and "Known machines: reference, zheng2018, ndr-fat-tree," in done.stderr
    done = halcyon("describe", "machine", "theirs.yaml")
    assert done.returncode == 2 and "theirs.yaml" in done.stderr
