"""Results of simulations as xarray datasets."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from halcyon import __version__
from halcyon.choices import choice
from halcyon.config.workload import File, Jobs
from halcyon.simulate.file_access import file_parts_s
from halcyon.simulate.file_system import total_s
from halcyon.simulate.network_size import nic_ports
from halcyon.simulate.workloads import ranks_of_jobs

if TYPE_CHECKING:
    from halcyon import network
    from halcyon.config.points import SweepPoint
    from halcyon.config.simulation import Simulation
    from halcyon.simulate.build import SimulationSetup

SCALARS = {  # variable: attribute of the result, unit and description
    "time": ("time_s", "s", "Time at which the last rank finishes"),
    "injection_bound": ("bounds.injection_s", "s", "Lower bound of the time: injection at the busiest NIC"),
    "ejection_bound": ("bounds.ejection_s", "s", "Lower bound of the time: ejection at the busiest NIC"),
    "link_bound": ("bounds.link_s", "s", "Lower bound of the time: busiest link"),
    "bisection_bound": ("bounds.bisection_s", "s", "Lower bound of the time: bisection bandwidth"),
    "crossbar_bound": ("bounds.crossbar_s", "s", "Lower bound of the time: busiest crossbar; 0: unlimited"),
    "delay_mean": ("delay_mean_s", "s", "Mean message delay, from NIC to NIC"),
    "delay_max": ("delay_max_s", "s", "Largest message delay, from NIC to NIC"),
    "messages": ("counts.messages", "1", "Messages between nodes"),
    "local_messages": ("counts.local_messages", "1", "Messages within nodes"),
    "bytes": ("counts.bytes", "bytes", "Bytes sent between nodes"),
    "byte_hops": ("counts.byte_hops", "bytes", "Sum over messages of bytes times links"),
    "events": ("counts.events", "1", "Events processed by the engine"),
    "chunk_bytes": ("chunk_bytes", "bytes", "Chunk size; 0: messages were not cut into chunks"),
    "file_time": ("", "s", "Part of the time in which the file system is accessed"),
    "chunk_error": ("", "1", "Relative difference to the time with half the chunk size; NaN: not computed"),
    "cpu_time": ("cpu_s", "s", "CPU time of the simulation, all threads"),
}

INITIAL = {"file_time": 0.0, "chunk_error": math.nan}  # of variables that are computed later, or not


def dataset(case: Simulation, setup: SimulationSetup, result: network.Result) -> xr.Dataset:
    """The result of one simulation: the numbers of `SCALARS`; the times at which ranks finish and stages end;
    the histogram of message delays; and, if recorded, the time at which each rank finishes each stage, the
    loads of links, in total and over time, and the delays between blocks of ranks."""
    data = xr.Dataset(attrs=_attributes(case, setup))
    for name, (attribute, units, text) in SCALARS.items():
        value = attrgetter(attribute)(result) if attribute else INITIAL[name]
        data[name] = ((), value, {"units": units, "long_name": text})
    data = _add_file(data, case, setup.schedule.n_ranks)
    _add(data, "finish", ("rank",), result.finish_s, "s", "Time at which each rank finishes")
    _add(data, "node", ("rank",), setup.placement.nodes, "1", "Node of each rank")
    if isinstance(case.workload, Jobs):
        ends = np.cumsum(ranks_of_jobs(case.workload, case))[:-1]
        last = [times.max() for times in np.split(np.asarray(result.finish_s), ends)]
        _add(data, "job_finish", ("job",), last, "s", "Time at which the last rank of each job finishes")
    stages = result.stages
    for name, text in (("first", "first rank"), ("mean", "mean over ranks"), ("last", "last rank")):
        times = [getattr(stage, f"{name}_s") for stage in stages]
        _add(data, f"stage_{name}", ("stage",), times, "s", f"End of each stage, {text}")
    edges = np.asarray(result.delay_edges_s)
    data = data.assign_coords(delay_from=("delay", edges[:-1]), delay_to=("delay", edges[1:]))
    _add(data, "delayed", ("delay",), result.delay_messages, "1", "Number of messages by delay")
    if case.record.slowdown:
        edges = np.asarray(result.slowdown_edges)
        data = data.assign_coords(slowdown_from=("slowdown", edges[:-1]))
        text = "Number of messages by their delay over that on the idle network"
        _add(data, "slowed", ("slowdown",), result.slowdown_messages, "1", text)
    if len(result.nic_bytes) > 1:
        _add(data, "nic_bytes", ("nic",), result.nic_bytes, "bytes", "Bytes sent by NIC k of all nodes")
    if result.link_bin_s > 0:
        data = _add_link_bins(data, result, setup.topology.n_links)
    n_blocks = round(len(result.pair_messages) ** 0.5)
    stage_ends, stage_shape = result.stage_s, (-1, len(stages))
    recorded = (  # variable, dimensions, values (empty if not recorded), unit, description, shape
        (
            "stage_finish",
            ("rank", "stage"),
            stage_ends,
            "s",
            "Time at which each rank finishes each stage",
            stage_shape,
        ),
        ("link_bytes", ("link",), result.link_bytes, "bytes", "Bytes carried by each link", (-1,)),
        ("link_busy", ("link",), result.link_busy_s, "s", "Busy time of each link", (-1,)),
        (
            "pair_messages",
            ("source", "target"),
            result.pair_messages,
            "1",
            "Number of messages by blocks of ranks",
            (n_blocks, n_blocks),
        ),
        (
            "pair_delay",
            ("source", "target"),
            result.pair_delay_s,
            "s",
            "Sum of delays in excess of those on an idle network, by blocks of ranks",
            (n_blocks, n_blocks),
        ),
    )
    for name, dimensions, values, units, text, shape in recorded:
        if len(values):
            _add(data, name, dimensions, np.reshape(values, shape), units, text)
    return data


def _add_file(data: xr.Dataset, case: Simulation, ranks: int) -> xr.Dataset:
    """Adds the parts of the access of a file, and its time to the time of the messages before or after it."""
    if not isinstance(case.workload, File):
        return data
    parts_s = file_parts_s(case.workload, case.machine, ranks)
    data["file_time"].values[()] = total_s(parts_s)
    data["time"].values[()] += total_s(parts_s)
    data = data.assign_coords(file_part=("file_part", [*parts_s]))
    text = "Parts of the access: opening, and those that proceed at the same time"
    _add(data, "file_part_time", ("file_part",), [*parts_s.values()], "s", text)
    return data


def _add_link_bins(data: xr.Dataset, result: network.Result, n_links: int) -> xr.Dataset:
    """Returns the data with the loads of links over time, by time bin."""
    link_bytes = np.reshape(result.link_bin_bytes, (n_links, -1))
    edges = result.link_bin_s * np.arange(link_bytes.shape[1] + 1)
    data = data.assign_coords(bin_from=("bin", edges[:-1]), bin_to=("bin", edges[1:]))
    for name in ("bin_from", "bin_to"):
        data[name].attrs["units"] = "s"
    _add(
        data,
        "link_bin_bytes",
        ("link", "bin"),
        link_bytes,
        "bytes",
        "Bytes carried by each link in each time bin",
    )
    waits = np.reshape(result.link_bin_wait_s, link_bytes.shape)
    _add(
        data,
        "link_bin_wait",
        ("link", "bin"),
        waits,
        "s",
        "Longest queueing delay of a packet at each link in each time bin",
    )
    return data


def _add(data: xr.Dataset, name: str, dimensions: Sequence[str], values: Any, units: str, text: str) -> None:
    data[name] = (dimensions, np.asarray(values), {"units": units, "long_name": text})


def _attributes(case: Simulation, setup: SimulationSetup) -> dict[str, Any]:
    return {
        "topology": setup.topology.name + _nics_text(setup.topology, setup.machine),
        "routing": case.routing or case.machine.routing,
        "machine": case.machine.name or case.machine.base,
        "fidelity": case.engine.fidelity,
        "approximate": "; ".join(approximations(case)),
        "ranks": setup.schedule.n_ranks,
        "case": json.dumps(case.model_dump(mode="json")),
        "halcyon": __version__,
    }


def _nics_text(topology: network.Topology, machine: network.Machine) -> str:
    """For several NICs per node: the ports of a switch for NICs and links, and the ratio of their bandwidths,
    where it is largest."""
    if machine.nics_per_node == 1:
        return ""
    nics = nic_ports(topology, machine)
    source, _, kinds = topology.links()
    speeds = [link.bandwidth for link in machine.links]
    bandwidths = np.resize(speeds, len(topology.kinds))[kinds]
    out = np.bincount(source, weights=bandwidths, minlength=topology.n_switches)
    ratio = np.divide(nics * machine.injection_bandwidth, out, out=np.zeros(len(out)), where=out > 0)
    most = int(ratio.argmax())
    n_links = int(np.count_nonzero(source == most))
    return f"; {nics[most]} NICs and {n_links} links of a switch, bandwidths {ratio[most]:.3g}:1"


def approximations(case: Simulation) -> list[str]:
    """The approximations of a case, except the chunk size; empty for most cases."""
    fidelity = choice("fidelities", case.engine.fidelity)
    is_hop_by_hop = "threads" in fidelity.traits
    reasons = [] if is_hop_by_hop else [f"{fidelity.name}: {fidelity.text}"]
    if is_hop_by_hop and not case.engine.back_pressure:
        reasons.append("back_pressure: false: buffers are unlimited, so that saturated links delay no others")
    routing = choice("routings", case.routing or case.machine.routing)
    if "reads queues" in routing.traits and (not is_hop_by_hop or not case.engine.back_pressure):
        reasons.append(f"{routing.name}: reads no queues beyond the first switch, since nothing blocks there")
    if getattr(case.workload, "cut", "") == "estimate":
        reasons.append("halo volumes estimated for compact patches")
    if isinstance(case.workload, File):
        reasons.append("file system modelled by its limits, after or before all messages")
    return reasons


def table(points: Sequence[SweepPoint], results: Sequence[xr.Dataset]) -> xr.Dataset:
    """The numbers of `SCALARS` of all simulations of a case, along the dimension `point`; as coordinates, the
    series of each simulation, and the values of the swept options, as text if not numeric."""
    data = xr.Dataset(coords={"series": ("point", [point.series for point in points])})
    for key in points[0].swept:
        values = [point.swept[key] for point in points]
        is_number = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
        texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
        data = data.assign_coords({key: ("point", np.array(values if is_number else texts))})
    data = data.assign_coords(n_ranks=("point", [result.attrs["ranks"] for result in results]))
    data = data.assign_coords(approximate=("point", [result.attrs["approximate"] for result in results]))
    for name, (_, units, text) in SCALARS.items():
        _add(data, name, ("point",), [result[name].item() for result in results], units, text)
    if "times" in results[0]:
        times = np.stack([result["times"].values for result in results])
        _add(data, "times", ("point", "repetition"), times, "s", results[0]["times"].long_name)
    return data.assign_attrs({name: results[0].attrs[name] for name in ("halcyon",)})
