"""The case file of `halcyon simulate`: workload, machine and variations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from halcyon.choices import names
from halcyon.config.load_machine import machine_names
from halcyon.config.machine import Machine
from halcyon.config.network import PLACEMENTS, ROUTINGS, TYPES, Placement, Routing, Topology
from halcyon.config.option import Group, group, option
from halcyon.config.workload import WORKLOADS, Workload


class MachineOfCase(Machine):
    """A machine, given by its name or file, with some options replaced."""

    base: str = option(
        "Machine that provides the options that are not given: a name, or a machine file.",
        default="reference",
        allowed=", ".join(map(repr, machine_names())) + " or the name of a machine file",
    )


if TYPE_CHECKING:
    _Fidelity = str
else:
    _Fidelity = Literal[(*names("fidelities"), "auto")]


class Engine(Group):
    """Options of the network simulation."""

    fidelity: _Fidelity = option(
        "Level of detail of the simulation. auto: packet up to 1,000 ranks, else chunk.", default="chunk"
    )
    chunk_bytes: int = option(
        "Chunk size; 0: 16, 32 or 64 KiB, depending on the number of ranks; a quarter of it if packets of a "
        "message may take different routes.",
        default=0,
        unit="bytes",
        ge=0,
        le=2**31 - 1,
    )
    chunk_error: Literal["auto", True, False] = option(
        "Estimate of the chunk-size error, with fidelity chunk: the case is simulated again with half "
        "the chunk size, and the difference of the times is reported. auto: for a single simulation of "
        "up to 10,000 ranks.",
        default="auto",
        allowed="'auto', true or false",
    )
    back_pressure: bool = option(
        "Blocking of links by full buffers, with fidelity packet or chunk.", default=True
    )
    seed: int = option(
        "Seed of random routings, placements and phases of noise.", default=1, ge=0, le=2**63 - 1
    )


class FailedCables(Group):
    """Cables of the network that do not work, in both directions: chosen at random."""

    number: int = option("Number of failed cables; 0: none.", default=0, ge=0, le=2**31 - 1)
    kind: str = option("Kind of links among which they are; empty: all.", default="")
    seed: int = option("Seed of the choice.", default=1, ge=0, le=2**63 - 1)


class Record(Group):
    """Additional results of a simulation."""

    ranks: bool = option("Time at which each rank finishes each stage.", default=False)
    links: bool = option("Bytes and busy time of each link.", default=False)
    link_bins: int = option(
        "Number of time bins for the load of each link; 0: none.", default=0, ge=0, le=4096
    )
    slowdown: bool = option(
        "Delays of messages over those by minimal routes of the idle network, as a distribution.",
        default=False,
    )
    pairs: int = option(
        "Number of blocks of ranks, for the delays between every two of the blocks; 0: no delays.",
        default=0,
        ge=0,
        le=4096,
    )


class Picture(Group):
    """The picture that `halcyon simulate` draws."""

    kind: Literal["auto", "times", "delays", "pairs", "pattern", "radix", "links", "network"] = option(
        "Kind of picture. times: times of all simulations; delays, pairs: message delays, as a distribution "
        "or by pairs of ranks; pattern: communication matrix; radix: best radix of a sweep; links: link "
        "loads; network: a web page of link loads over time. auto: times, or delays of a single "
        "simulation.",
        default="auto",
    )
    subtitle: str = option("Subtitle of the picture.", default="")


class Simulation(Group):
    """A case of `halcyon simulate`."""

    title: str = option("Title of the picture.", default="")
    workload: Workload = option("Communication and computation of the ranks.", allowed=WORKLOADS)
    ranks: int | None = option(
        "Number of ranks; a replay has as many as the recorded run.", default=None, ge=1, le=2**31 - 1
    )
    machine: MachineOfCase = option(
        "Machine that is simulated.",
        default=MachineOfCase(),
        allowed="a machine's name, a machine file, or a group with base and options of a machine file",
    )
    topology: Topology | None = option(
        "Network; by default that of the machine.",
        default=None,
        allowed=f"a name such as fattree-M, or a group with type: {TYPES}",
    )
    failed_cables: FailedCables = group(FailedCables, "Cables of the network that do not work.")
    routing: Routing | None = option(
        "Routing; by default that of the machine.", default=None, allowed=ROUTINGS
    )
    placement: Placement | None = option(
        "Placement; by default that of the machine.", default=None, allowed=PLACEMENTS
    )
    engine: Engine = group(Engine, "Options of the network simulation.")
    record: Record = group(Record, "Additional results.")
    repetitions: int = option(
        "Simulations of each variant, with engine.seed and the following seeds; the median, the least and the"
        " greatest time are given.",
        default=1,
        ge=1,
        le=1000,
    )
    series: list[dict[str, Any]] = option(
        "Variants of the case, each with a name and the options that it changes.",
        default=[],
        allowed="a list of groups such as {name: Bruck, workload.algorithm: bruck}",
    )
    sweep: dict[str, Annotated[list[Any], Field(min_length=1)]] = option(
        "Values of options that are varied; several options are varied in all combinations.",
        default={},
        allowed="a group of lists such as {ranks: [100, 1000], workload.radix: [2, 4]}",
    )
    picture: Picture = group(Picture, "Picture of the results.")
