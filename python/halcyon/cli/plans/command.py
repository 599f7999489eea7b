"""`halcyon plan`: prints and plots a model's time per step and cost per day against the number of ranks."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from halcyon.cli.options import AsJson, alternatives, figure_writer, flag, option, reject

if TYPE_CHECKING:
    from halcyon.plan.model import Model
    from halcyon.plan.output import Output

MAX_RANKS = 2**31 - 1
PORTS = 64  # of the switches of sized networks
ENERGY = "kilowatt_hours_a_day"  # present if the machine's power is known


def plan(
    model: str = option(
        "Model: wave, atmosphere or spectral, or a file (YAML) that describes its step; or several, separated"
        " by commas, for comparison.",
        "MODEL",
        default="wave",
    ),
    mesh: str = option("Mesh: G0..G10.", "MESH", default="G10"),
    cells: int | None = option("Number of cells, if it differs from that of the mesh.", "N", min=1),
    cut: str = option(
        "Source of the communication volumes. estimate: a formula for compact patches; metis: the mesh, "
        "which is generated and partitioned.",
        "NAME",
        default="estimate",
    ),
    machine: str = option("Machine file, or name of a machine.", "FILE", default="reference"),
    topology: str | None = option(
        "Network, instead of the machine's: a predefined one, such as fattree-L; or a type, such as"
        " fat_tree, sized for the most ranks, with switches of 64 ports.",
        "NAME",
    ),
    routing: str | None = option("Routing, such as d_mod_k, instead of the machine's.", "NAME"),
    ranks: str = option(
        "Numbers of ranks: a range 1e3..1e6 (in steps of 1, 2, 5), or a list 512,4096.",
        "A..B",
        default="1e3..1e6",
    ),
    step: float | None = option(
        "Time step: of transport [default: 60], or of the atmosphere [default: as for time.step: auto].",
        "SECONDS",
    ),
    source_step: float | None = option("wave: time step of the source terms [default: 1200].", "SECONDS"),
    scheme: str | None = option("wave: transport scheme, upwind or second_order [default].", "NAME"),
    physics: str | None = option(f"wave: source terms, {alternatives('physics sets', 'ard')}.", "NAME"),
    equations: str | None = option(
        f"atmosphere: equations, {alternatives('equation sets', 'hydrostatic')}.", "NAME"
    ),
    levels: int | None = option("atmosphere, spectral: number of levels [default: 26].", "N"),
    time_scheme: str | None = option(
        "atmosphere: time scheme, runge_kutta [default] or, for shallow_water, semi_implicit.", "NAME"
    ),
    iterations: float | None = option(
        "atmosphere: solver iterations per semi_implicit step [default: as measured].", "N"
    ),
    truncation: int | None = option(
        "spectral: truncation T [default: for a grid with as many points as the mesh has cells].", "T", min=1
    ),
    grid: str | None = option(f"spectral: grid, {alternatives('gaussian grids', 'octahedral')}.", "NAME"),
    advection: str | None = option("spectral: advection, eulerian or semi_lagrangian [default].", "NAME"),
    solver: str | None = option(
        "spectral: solver of semi-Lagrangian steps, direct [default] or gcr.", "NAME"
    ),
    bits: int | None = option("atmosphere, spectral: precision in bits, 32 or 64 [default].", "N"),
    speed: float = option(
        "Speed of the machine's cores, relative to the cores of this machine.", "X", default=1.0
    ),
    cost: Path | None = option("Cost file of the computation (JSON), instead of a measurement.", "FILE"),
    at_once: int | None = option(
        "Number of simultaneous ranks in the measurement [default: one per core].", "N", min=1
    ),
    overhead: float = option(
        "Additional MPI overhead of a point-to-point message, relative to a neighbourhood collective.",
        "SECONDS",
        default=0.0,
    ),
    unwaited: bool = flag(
        "Plan also a strategy whose sends complete only before the next exchange.", "--unwaited"
    ),
    fidelity: str = option(
        "Fidelity of the simulation: packet, chunk, reserve or analytic.", "NAME", default="chunk"
    ),
    output_bytes: float | None = option(
        "Bytes of a record of output, written in the background [default: no output].", "N"
    ),
    output_every: float = option("Simulated time from record to record.", "SECONDS", default=3600.0),
    io_ranks: int = option("Largest number of I/O ranks.", "N", min=1, default=64),
    plot: Path | None = option("Picture of the curve to draw.", "PNG"),
    as_json: AsJson = False,
) -> None:
    """Plan runs of a model on a machine: time per step and cost per day for each number of ranks.

    Computation is measured once on this machine, for different patch sizes, on all cores simultaneously. The
    halo exchange is simulated on the given machine, with volumes that are estimated for compact patches, or
    counted for a mesh partitioned by METIS (docs/simulate.md)."""
    from halcyon.cli.plans.comparison import compared, print_comparison
    from halcyon.cli.plans.models import planned_models
    from halcyon.cli.simulate import RESUME_HINT, progress
    from halcyon.config.load_machine import load_machine
    from halcyon.launch.interrupt import exit_on_interrupt
    from halcyon.launch.mpirun import usable_cores
    from halcyon.network import network_names
    from halcyon.plan.computation import measure_cost, read
    from halcyon.plan.curve import computed_rows, ranks_of_fastest, scaling_curve
    from halcyon.plan.studies import MpiCosts, planned_simulations
    from halcyon.simulate.compared_networks import kept_links
    from halcyon.simulate.sized_networks import BUILDERS, sized_network

    options = {"step": step, "source_step": source_step, "scheme": scheme, "physics": physics}
    options |= {"equations": equations, "levels": levels, "bits": bits, "speed": speed, "cut": cut}
    options |= {"time_scheme": time_scheme, "iterations": iterations}
    options |= {"truncation": truncation, "grid": grid, "advection": advection, "solver": solver}
    models = planned_models(model, mesh, cells, options)
    if not 0 <= overhead <= 10:
        reject(f"--overhead {overhead:g}: give 0 to 10 s.")
    rank_counts = rank_numbers(ranks)
    for flag_name, value, text in (("cost", cost, cost), ("plot", plot, plot), ("unwaited", unwaited, "")):
        if value and len(models) > 1:
            reject(f"--{flag_name} {text}: it is for a single model, but --model is {model}.")
    if unwaited and "unwaited" in models[0].WITHOUT:
        reject(f"--unwaited: it is not a strategy of {models[0].title}. Leave it out.")
    output = _output(output_bytes, output_every, io_ranks)
    if output is not None and any(each.output(rank_counts[0]) is not None for each in models):
        reject(f"--output-bytes {output_bytes:g}: {model} has an output of its own. Leave it out.")
    draw = figure_writer(plot, "halcyon.plot.plan:plan_plot")
    network: dict[str, Any] = {"topology": topology, "routing": routing}
    if topology in BUILDERS:
        planned = load_machine(machine)
        n_nodes = math.ceil(rank_counts[-1] / planned.ranks_per_node)
        ports, nics = planned.switch_ports or PORTS, planned.nics_per_node
        network["topology"] = sized_network(topology, n_nodes, ports, nics, planned.nic_attachment)
    elif topology is not None and topology not in network_names():
        known = ", ".join([*BUILDERS, *network_names()])
        reject(f"--topology {topology}: there is no such network. There are: {known}.")
    on_machine = {"base": machine} | (kept_links(machine, network["topology"]) if topology else {})
    case = {"machine": on_machine, "engine": {"fidelity": fidelity}}
    case |= {name: value for name, value in network.items() if value is not None}
    mpi_costs = MpiCosts(overhead, unwaited)
    if cost and models[0].known_cost is not None:
        reject(f"--cost {cost}: the computation is described in {model}. Leave it out.")
    costs = [read(cost, each.PARTS) if cost else each.known_cost for each in models]
    for each, given_cost in zip(models, costs, strict=True):
        planned_simulations(each, rank_counts, case, mpi_costs, given_cost)  # raises before the measurement
    n_at_once, report = at_once or usable_cores(), lambda text: typer.echo(text, err=as_json)
    all_costs = [
        given_cost or measure_cost(each, ranks_at_once=n_at_once, report=report)
        for each, given_cost in zip(models, costs, strict=True)
    ]
    curves = []
    for each, each_cost in zip(models, all_costs, strict=True):
        n_points = len(planned_simulations(each, rank_counts, case, mpi_costs, each_cost).points)
        with exit_on_interrupt(RESUME_HINT), progress(n_points, quiet=as_json) as on_result:
            curves.append(
                scaling_curve(
                    each, each_cost, rank_counts, case, mpi_costs, output=output, on_result=on_result
                )
            )
    draw(models[0], computed_rows(curves[0]))
    comparison = compared(models, curves) if len(models) > 1 else None
    if as_json:
        documents = [
            {"model": each.as_json(), "computation": each_cost.as_json(), "curve": rows}
            for each, each_cost, rows in zip(models, all_costs, curves, strict=True)
        ]
        single = documents[0] if comparison is None else {"plans": documents, "comparison": comparison}
        typer.echo(json.dumps(single))
        return
    for each, each_cost, rows in zip(models, all_costs, curves, strict=True):
        found = computed_rows(rows)
        _print(each, found)
        n = each_cost.ranks_at_once
        simultaneous = f", {n} simultaneous rank{'s' if n > 1 else ''} per node" if n else ""
        source = "as described" if each.known_cost else f"from {cost}" if cost else "measured on this machine"
        typer.echo(f"computation {source}{simultaneous}")
        if found[0]["approximate"]:
            typer.echo(f"approximate {found[0]['approximate']}")
        for row in found:
            if row["above_100_percent"]:
                typer.echo(f"above 100 % on {row['ranks']:,} ranks: {row['above_100_percent']}")
        fastest = ranks_of_fastest(found)
        if fastest is not None:
            typer.echo(f"scaling    ends at {fastest:,} ranks: more take longer")
        for row in rows:
            if "refused" in row:
                typer.echo(f"refused    {row['ranks']:,} ranks: {row['refused']}")
    if comparison is not None:
        print_comparison(models, comparison)
    if plot is not None:
        typer.echo(f"picture    {plot.resolve()}")


def _output(record_bytes: float | None, every_s: float, io_ranks: int) -> Output | None:
    from halcyon.plan.output import Output

    if record_bytes is None:
        return None
    for name, value in (("bytes", record_bytes), ("every", every_s)):
        if not 0 < value < 1e18:
            reject(f"--output-{name} {value:g}: give a number above 0.")
    return Output(record_bytes, every_s, io_ranks)


def rank_numbers(text: str) -> list[int]:
    """The numbers of ranks of `1e3..1e6` (1, 2 and 5 times powers of ten) or `512,4096`, ascending.

    Raises ConfigError for anything else."""
    first, dots, last = text.partition("..")
    try:
        ends = [_whole(first), _whole(last)] if dots else [_whole(word) for word in text.split(",")]
    except (ValueError, OverflowError):
        ends = []
    if not ends or min(ends) < 1 or max(ends) > MAX_RANKS or (dots and ends[0] > ends[1]):
        reject(f"--ranks {text}: give a range such as 1e3..1e6, or numbers such as 512,4096.")
    if not dots:
        return sorted(set(ends))
    inner = [m * 10**e for e in range(19) for m in (1, 2, 5) if ends[0] < m * 10**e < ends[1]]
    return list(dict.fromkeys([ends[0], *inner, ends[1]]))


def _whole(word: str) -> int:
    value = float(word)
    if value != int(value):
        raise ValueError(word)
    return int(value)


def _print(model: Model, rows: Sequence[Mapping[str, Any]]) -> None:
    from halcyon.base import format_seconds
    from halcyon.cli.common import print_rows

    typer.echo(f"{model.description}\n")
    print_rows(
        {
            "ranks": f"{row['ranks']:,}",
            "nodes": f"{row['nodes']:,}",
            **({"sets": "{} x {}".format(*row["sets"])} if "sets" in row else {}),
            "cells per rank": f"{row['cells_a_rank']:.3g}",
            "best strategy": row["best"],
            "step": format_seconds(best["step_s"]),
            "computing": format_seconds(row["computation_s"]),
            "exchange": format_seconds(row["exchange_s"][row["best"]]),
            **({"record": format_seconds(row["record_s"])} if "record_s" in row else {}),
            **({"waits for output": format_seconds(best["output_s"])} if "record_s" in row else {}),
            "simulated days per day": f"{best['days_a_day']:.4g}",
            "efficiency": f"{100 * best['efficiency']:.0f} %",
            "node-hours per day": f"{best['node_hours_a_day']:.4g}",
        }
        | ({"kWh per day": f"{best[ENERGY]:.4g}"} if ENERGY in best else {})
        for row in rows
        for best in (row["ways"][row["best"]],)
    )
