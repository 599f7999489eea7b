"""What a simulation gives, as xarray."""

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

if TYPE_CHECKING:
    from halcyon import network
    from halcyon.config.points import Point
    from halcyon.config.simulation import Simulation
    from halcyon.simulate.build import Built

SCALARS = {  # where each stands in a result, its unit and its meaning
    "time": ("time_s", "s", "End of the last rank"),
    "injection_bound": ("bounds.injection_s", "s", "The most bytes that a NIC sends, at its bandwidth"),
    "ejection_bound": ("bounds.ejection_s", "s", "The most bytes that a NIC receives, at its bandwidth"),
    "link_bound": ("bounds.link_s", "s", "The most bytes that a link carries, at its bandwidth"),
    "bisection_bound": (
        "bounds.bisection_s",
        "s",
        "The bytes across the middle, at the bandwidth of all links there",
    ),
    "crossbar_bound": (
        "bounds.crossbar_s",
        "s",
        "The most bytes that cross a switch, at its crossbar's bandwidth; 0: no limit",
    ),
    "delay_mean": (
        "delay_mean_s",
        "s",
        "Of a message from leaving its NIC to standing in the other one, mean",
    ),
    "delay_max": ("delay_max_s", "s", "The same, the longest"),
    "messages": ("counts.messages", "1", "Between nodes"),
    "local_messages": ("counts.local_messages", "1", "Within nodes"),
    "bytes": ("counts.bytes", "bytes", "Between nodes"),
    "byte_hops": ("counts.byte_hops", "bytes", "Sum over messages of bytes times links"),
    "events": ("counts.events", "1", "That the engine dealt with"),
    "chunk_bytes": ("chunk_bytes", "bytes", "That messages were cut into; 0: they were not"),
    "chunk_error": ("", "1", "Time over that with chunks half as large, less 1; NaN: not asked for"),
    "cpu_time": ("cpu_s", "s", "That the simulation took, of all its threads"),
}


def dataset(case: Simulation, made: Built, result: network.Result) -> xr.Dataset:
    """One simulation: the numbers of `SCALARS`; the end of each rank and of each stage; how many messages
    were delayed by how much; where they were recorded, each rank's end of each stage, loads of links,
    also in bins of time, and delays by blocks of ranks."""
    data = xr.Dataset(attrs=_attributes(case, made))
    for name, (where, units, text) in SCALARS.items():
        value = attrgetter(where)(result) if where else math.nan
        data[name] = ((), value, {"units": units, "long_name": text})
    _add(data, "finish", ("rank",), result.finish_s, "s", "End of each rank")
    stages = result.stages
    for name, text in (("first", "first"), ("mean", "mean of the"), ("last", "last")):
        times = [getattr(stage, f"{name}_s") for stage in stages]
        _add(data, f"stage_{name}", ("stage",), times, "s", f"End of each stage, {text} rank")
    edges = np.asarray(result.delay_edges_s)
    data = data.assign_coords(delay_from=("delay", edges[:-1]), delay_to=("delay", edges[1:]))
    _add(data, "delayed", ("delay",), result.delay_messages, "1", "Messages by delay")
    if result.link_bin_s > 0:
        data = _add_bins(data, result, made.topology.n_links)
    n = round(len(result.pair_messages) ** 0.5)
    ends, by_stage = result.stage_s, (-1, len(stages))
    optional = (
        ("stage_finish", ("rank", "stage"), ends, "s", "End of each rank's stages", by_stage),
        ("link_bytes", ("link",), result.link_bytes, "bytes", "Carried by each link", (-1,)),
        ("link_busy", ("link",), result.link_busy_s, "s", "Time in which each link was busy", (-1,)),
        ("pair_messages", ("source", "target"), result.pair_messages, "1", "By blocks of ranks", (n, n)),
        ("pair_delay", ("source", "target"), result.pair_delay_s, "s", "Beyond an idle network", (n, n)),
    )
    for name, dimensions, values, units, text, shape in optional:
        if len(values):
            _add(data, name, dimensions, np.reshape(values, shape), units, text)
    return data


def _add_bins(data: xr.Dataset, result: network.Result, n_links: int) -> xr.Dataset:
    bins = np.reshape(result.link_bin_bytes, (n_links, -1))
    edges = result.link_bin_s * np.arange(bins.shape[1] + 1)
    data = data.assign_coords(bin_from=("bin", edges[:-1]), bin_to=("bin", edges[1:]))
    for name in ("bin_from", "bin_to"):
        data[name].attrs["units"] = "s"
    _add(data, "link_bin_bytes", ("link", "bin"), bins, "bytes", "Carried by each link in each bin of time")
    waits = np.reshape(result.link_bin_wait_s, bins.shape)
    _add(data, "link_bin_wait", ("link", "bin"), waits, "s", "The longest wait of what came to a link")
    return data


def _add(data: xr.Dataset, name: str, dimensions: Sequence[str], values: Any, units: str, text: str) -> None:
    data[name] = (dimensions, np.asarray(values), {"units": units, "long_name": text})


def _attributes(case: Simulation, made: Built) -> dict[str, Any]:
    return {
        "topology": made.topology.name,
        "routing": case.routing or case.machine.routing,
        "machine": case.machine.name or case.machine.base,
        "fidelity": case.engine.fidelity,
        "approximate": "; ".join(approximations(case)),
        "ranks": made.schedule.n_ranks,
        "case": json.dumps(case.model_dump(mode="json")),
        "halcyon": __version__,
    }


def approximations(case: Simulation) -> list[str]:
    """What makes a result of the case approximate, whatever its chunks; of most, nothing."""
    fidelity = choice("fidelities", case.engine.fidelity)
    reasons = [] if "threads" in fidelity.goes_with else [f"{fidelity.name}: {fidelity.text}"]
    if getattr(case.workload, "cut", "") == "estimate":
        reasons.append("halo estimated by the law of patches")
    return reasons


def table(points: Sequence[Point], found: Sequence[xr.Dataset]) -> xr.Dataset:
    """The numbers of `SCALARS` of all simulations of a case, along `point`; with them the series, and the
    value of each option that was swept, as text where it is no number."""
    data = xr.Dataset(coords={"series": ("point", [point.series for point in points])})
    for key in points[0].swept:
        values = [point.swept[key] for point in points]
        is_number = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
        texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
        data = data.assign_coords({key: ("point", np.array(values if is_number else texts))})
    data = data.assign_coords(n_ranks=("point", [each.attrs["ranks"] for each in found]))
    data = data.assign_coords(approximate=("point", [each.attrs["approximate"] for each in found]))
    for name, (_, units, text) in SCALARS.items():
        _add(data, name, ("point",), [each[name].item() for each in found], units, text)
    return data.assign_attrs({name: found[0].attrs[name] for name in ("halcyon",)})
