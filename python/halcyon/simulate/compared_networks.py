"""One workload on several networks of equal numbers of nodes: `halcyon compare-networks`."""

from __future__ import annotations

import contextlib
import copy
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import network
from halcyon.base import ConfigError
from halcyon.choices import choices, names
from halcyon.config.load_machine import PRESETS, machine_data
from halcyon.config.points import SweepPoint, expand_case
from halcyon.config.yaml_source import Source, apply_override, read_source
from halcyon.simulate.build import network_of
from halcyon.simulate.many import OnResult, simulate_all
from halcyon.simulate.network_size import NetworkSize, network_size
from halcyon.simulate.sized_networks import BUILDERS, sized_network
from halcyon.simulate.workloads import schedule_of

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.config.machine import Machine

ROUTINGS_FOR_COMPARISON = tuple(each for each in names("routings") if each != "ugal_of_sstmacro")
PERCENTILES = (50, 95, 99)


@dataclass(frozen=True)
class ComparedNetwork:
    """A network of the comparison: its simulation, and what it is made of."""

    name: str
    point: SweepPoint
    size: NetworkSize
    speed_factor: float  # of the links, to make the bisections equal
    ignored_kinds: tuple[str, ...]  # speeds of kinds of links that the network does not have


def networks_to_compare(
    path: Path,
    overrides: Sequence[str],
    chosen: Sequence[str],
    routings: Sequence[str],
    *,
    ports: int,
    equal_bisection: bool,
) -> list[ComparedNetwork]:
    """The networks of a comparison: types of `BUILDERS`, sized for the nodes of the case with switches of
    `ports` ports; names of predefined networks; and machines (names and files), whose network counts.

    @param path a case of `halcyon simulate`, without series, sweep and repetitions; its network is replaced
    @param routings names, `usual` or `all`
    @param equal_bisection scale the links' bandwidths, so that the bisection carries what half of the nodes
    inject
    @raises ConfigError for an invalid case, network or routing"""
    source = read_source(path, str(path), "simulation")
    for override in overrides:
        apply_override(source, override)
    for name in ("series", "sweep", "repetitions"):
        if name in source.data:
            position = source.position((name,))
            raise ConfigError(f"{position}: a comparison has no {name}. Leave it out.")
    on_crossbar = _changed(source, path, {"type": "crossbar", "nodes": 1}, "minimal", ())
    (base,) = expand_case(on_crossbar, path)
    n_ranks = base.case.ranks or schedule_of(base.case).n_ranks  # of a replay, or of jobs
    n_nodes = math.ceil(n_ranks / base.case.machine.ranks_per_node)
    found = []
    for name in chosen:
        options = _options_of(name, n_nodes, ports, path, base.case.machine)
        for routing in dict.fromkeys(_routings_of(name, options, routings)):
            found.append(_compared(source, path, name, options, routing, equal_bisection))
    return found


def simulate_networks(
    networks: Sequence[ComparedNetwork], on_result: OnResult | None = None
) -> list[xr.Dataset]:
    """The result of the simulation of each network."""
    return simulate_all([each.point for each in networks], on_result=on_result)


def delay_percentiles(result: xr.Dataset) -> dict[int, float]:
    """The delays [s] of messages that are not exceeded by the `PERCENTILES` of them, as upper ends of bins;
    0 without messages."""
    return _percentiles(result["delayed"].values, result["delay_to"].values, 0.0)


def slowdown_percentiles(result: xr.Dataset) -> dict[int, float]:
    """The same for the delays of messages over those on the idle network, as lower ends of bins, which are
    64 per factor of two; 1 without messages."""
    return _percentiles(result["slowed"].values, result["slowdown_from"].values, 1.0)


def _percentiles(counts: np.ndarray, values: np.ndarray, without: float) -> dict[int, float]:
    total = np.cumsum(counts)
    if total.size == 0 or total[-1] == 0:
        return dict.fromkeys(PERCENTILES, without)
    return {p: float(values[np.searchsorted(total, p / 100 * total[-1])]) for p in PERCENTILES}


def _options_of(name: str, n_nodes: int, ports: int, path: Path, machine: Machine) -> Any:
    """The option `topology` of a compared network."""
    if name in BUILDERS:
        return sized_network(name, n_nodes, ports, machine.nics_per_node, machine.nic_attachment)
    if name in network.network_names():
        return name
    if name not in PRESETS and not (path.parent / name).is_file():
        known = ", ".join([*BUILDERS, *network.network_names(), *PRESETS])
        raise ConfigError(
            f"--network {name}: there is no such network, nor a machine file. There are: {known}."
        )
    options = machine_data(name, path.parent).get("topology")
    if options is None:
        raise ConfigError(f"--network {name}: the machine file has no topology.")
    return options


def _routings_of(name: str, options: Any, chosen: Sequence[str]) -> Iterator[str]:
    """The routings with which a network is simulated."""
    kind = options["type"] if isinstance(options, dict) else _type_of(network.named_network(options))
    supported = [
        each.name
        for each in choices("routings")
        if each.name in ROUTINGS_FOR_COMPARISON and (not each.only_with or kind in each.only_with)
    ]
    for routing in chosen:
        if routing == "usual":
            yield BUILDERS[kind].routing if kind in BUILDERS else "minimal"
        elif routing == "all":
            yield from supported
        elif routing in supported:
            yield routing
        elif routing not in names("routings"):
            known = ", ".join(["usual", "all", *ROUTINGS_FOR_COMPARISON])
            raise ConfigError(f"--routing {routing}: there is no such routing. There are: {known}.")


def _type_of(topology: network.Topology) -> str:
    """The type of a topology in case files, by the name of its class."""
    return re.sub("(?<=[a-z])(?=[A-Z][a-z])", "_", type(topology).__name__).lower()


def _compared(
    source: Source, path: Path, name: str, options: Any, routing: str, equal_bisection: bool
) -> ComparedNetwork:
    (bare,) = expand_case(_changed(source, path, options, routing, ()), path)
    topology, _ = network_of(bare.case)
    changed = _changed(source, path, options, routing, topology.kinds)
    (point,) = expand_case(changed, path)
    _, machine = network_of(point.case)
    factor, size = 1.0, network_size(topology, machine)
    if equal_bisection and math.isfinite(size.bisection_bandwidth):
        injected = topology.n_nodes / 2 * machine.injection_bandwidth * machine.nics_per_node
        factor = injected / size.bisection_bandwidth
        _scale_links(changed.data["machine"], point, factor)
        (point,) = expand_case(changed, path)
        size = network_size(topology, network_of(point.case)[1])
    label = f"{name}, {routing}"
    return ComparedNetwork(
        name=name,
        point=replace(point, series=label),
        size=size,
        speed_factor=factor,
        ignored_kinds=tuple(
            each["kind"] for each in _kinds_of(source, path) if each["kind"] not in topology.kinds
        ),
    )


def kept_links(machine: str, topology: Any) -> dict[str, Any]:
    """The option `links` of a machine, without the kinds of links that another network does not have; empty
    if it has all of them, or if there is no such machine or network.

    @param topology the option `topology` of a case: a name or a group"""
    with contextlib.suppress(ConfigError):
        links = machine_data(machine, Path()).get("links") or {}
        made = network.named_network if isinstance(topology, str) else _network_of_group
        built = made(topology)
        kept = [each for each in links.get("kinds") or [] if each["kind"] in built.kinds]
        if kept != (links.get("kinds") or []):
            return {"links": links | {"kinds": kept}}
    return {}


def _network_of_group(options: Mapping[str, Any]) -> network.Topology:
    return network.make_topology(**options)


def _kinds_of(source: Source, path: Path) -> list[Any]:
    """The speeds of kinds of links that the case gives, or else those of its machine."""
    machine = source.data.get("machine") or {}
    base = machine if isinstance(machine, str) else machine.get("base", "reference")
    given = {} if isinstance(machine, str) else machine.get("links") or {}
    if "kinds" not in given and isinstance(base, str):
        given = machine_data(base, path.absolute().parent).get("links") or {}
    kinds = given.get("kinds") or []
    return [each for each in kinds if isinstance(each, dict) and isinstance(each.get("kind"), str)]


def _changed(source: Source, path: Path, topology: Any, routing: str, kinds: Sequence[str]) -> Source:
    """The case on another network, with the speeds of those of its kinds of links that the case gives."""
    data = copy.deepcopy(source.data) | {"topology": copy.deepcopy(topology), "routing": routing}
    machine = data.get("machine") or {}
    data["machine"] = {"base": machine} if isinstance(machine, str) else machine
    kept = [each for each in _kinds_of(source, path) if each["kind"] in kinds]
    data["record"] = (data.get("record") or {}) | {"slowdown": True}
    data["machine"]["links"] = (data["machine"].get("links") or {}) | {"kinds": kept}
    return replace(source, data=data)


def _scale_links(machine: dict[str, Any], point: SweepPoint, factor: float) -> None:
    """Multiplies the bandwidths of all links in the options of a machine."""
    links = point.case.machine.links.model_dump()
    links["bandwidth"] *= factor
    for kind in links["kinds"]:
        kind["bandwidth"] *= factor
    machine["links"] = links


def summary(networks: Sequence[ComparedNetwork], results: Sequence[xr.Dataset]) -> list[Mapping[str, Any]]:
    """One row per network: what it is made of, the time of the workload [s], its ratio to the shortest, and
    percentiles of the delays of messages over those on the idle network."""
    shortest = min(result["time"].item() for result in results)
    return [
        {
            "network": each.name,
            "routing": each.point.case.routing,
            "description": result.attrs["topology"],
            **each.size.as_json(),
            "link_speed_factor": each.speed_factor,
            "time_s": result["time"].item(),
            "slowdown": result["time"].item() / shortest if shortest > 0 else 1.0,
            "bound_s": max(result[f"{name}_bound"].item() for name in ("injection", "ejection", "link")),
            **{f"delay_{p}_s": delay for p, delay in delay_percentiles(result).items()},
            **{f"message_slowdown_{p}": slowdown for p, slowdown in slowdown_percentiles(result).items()},
            "approximate": result.attrs["approximate"],
            "ignored_kinds": list(each.ignored_kinds),
        }
        for each, result in zip(networks, results, strict=True)
    ]
