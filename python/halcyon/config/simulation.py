"""The case file of `halcyon simulate`: what runs on which machine, and what is varied."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from halcyon.choices import names
from halcyon.config.machine import Machine
from halcyon.config.network import PLACEMENTS, ROUTINGS, TYPES, Placement, Routing, Topology
from halcyon.config.option import Group, group, option
from halcyon.config.workload import WORKLOADS, Workload


class MachineOfCase(Machine):
    """A machine by name or file, of which some options may be given otherwise."""

    base: str = option(
        "The machine whose options hold where none are given: a name, or a machine file.",
        default="reference",
        allowed=", ".join(map(repr, names("machines"))) + " or the name of a machine file",
    )


class Engine(Group):
    """How the network is simulated."""

    fidelity: Literal[names("fidelities")] = option("How closely the network is followed.", default="chunk")
    chunk_bytes: int = option(
        "Of chunk; 0: 16, 32 or 64 KiB by the number of ranks.", default=0, unit="bytes", ge=0, le=2**31 - 1
    )
    chunk_error: Literal["auto", True, False] = option(
        "Of chunk: simulates again with half the chunk, and says how far the times are apart. auto: for one "
        "simulation alone, of up to 10,000 ranks.",
        default="auto",
        allowed="'auto', true or false",
    )
    back_pressure: bool = option("Of packet: a full buffer stops the link that leads to it.", default=True)
    seed: int = option("Of random routings and placements.", default=1, ge=0, le=2**63 - 1)


class Record(Group):
    """What is kept of a simulation beside its times."""

    ranks: bool = option("Each rank's end of each stage.", default=False)
    links: bool = option("Bytes and busy time of each link.", default=False)
    link_bins: int = option(
        "Loads of each link in at most so many bins of time; 0: none.", default=0, ge=0, le=4096
    )
    pairs: int = option(
        "Delays by so many blocks of source and of target ranks; 0: none.", default=0, ge=0, le=4096
    )


class Picture(Group):
    """What `halcyon simulate` draws of its results."""

    kind: Literal["auto", "times", "delays", "pairs", "pattern", "radix", "links", "network"] = option(
        "times of all points; delays and pairs (congestion) of messages; pattern: who sends to whom; radix: "
        "statistics of the best of a sweep; links: their loads; network: "
        "a page on which they are watched over time. auto: times, or delays of one point.",
        default="auto",
    )
    subtitle: str = option("Below the title.", default="")


class Simulation(Group):
    """A case of `halcyon simulate`."""

    title: str = option("Of pictures.", default="")
    workload: Workload = option("What the ranks do.", allowed=WORKLOADS)
    ranks: int | None = option(
        "How many run; a replay has those of its record.",
        default=None,
        ge=1,
        le=2**31 - 1,
    )
    machine: MachineOfCase = option(
        "The machine.",
        default=MachineOfCase(),
        allowed="a machine's name, a machine file, or a group with base and options of a machine file",
    )
    topology: Topology | None = option(
        "The network, instead of the machine's.",
        default=None,
        allowed=f"a name such as fattree-M, or a group with type: {TYPES}",
    )
    routing: Routing | None = option("Instead of the machine's.", default=None, allowed=ROUTINGS)
    placement: Placement | None = option("Instead of the machine's.", default=None, allowed=PLACEMENTS)
    engine: Engine = group(Engine, "How the network is simulated.")
    record: Record = group(Record, "What is kept beside times.")
    series: list[dict[str, Any]] = option(
        "Variants of the case, each with a name and the options that it changes.",
        default=[],
        allowed="a list of groups such as {name: Bruck, workload.algorithm: bruck}",
    )
    sweep: dict[str, Annotated[list[Any], Field(min_length=1)]] = option(
        "Options, each with the values that it takes one after the other; several make all combinations.",
        default={},
        allowed="a group of lists such as {ranks: [100, 1000], workload.radix: [2, 4]}",
    )
    picture: Picture = group(Picture, "What is drawn.")
