"""`halcyon plan`: the table, picture and JSON of a scaling curve."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from halcyon.cli.options import AsJson, alternatives, figure_writer, flag, option, reject

if TYPE_CHECKING:
    from halcyon.plan.model import Model

MOST_RANKS = 2**31 - 1
ENERGY = "kilowatt_hours_a_day"  # of machines whose power is known


def plan(
    model: str = option("Model: wave or atmosphere.", "MODEL", default="wave"),
    mesh: str = option("Mesh: G0..G10.", "MESH", default="G10"),
    cells: int | None = option("Number of cells; by default all of the mesh.", "N", min=1),
    cut: str = option(
        "Sizes of halos: estimate, by a fitted law; metis, by partitioning the mesh.",
        "NAME",
        default="estimate",
    ),
    machine: str = option("Machine file, or name of a machine.", "FILE", default="reference"),
    topology: str | None = option("Topology such as fattree-L, instead of the machine's.", "NAME"),
    routing: str | None = option("Routing such as d_mod_k, instead of the machine's.", "NAME"),
    ranks: str = option(
        "Numbers of ranks: a range such as 1e3..1e6 (in steps 1, 2, 5), or a list such as 512,4096.",
        "A..B",
        default="1e3..1e6",
    ),
    step: float | None = option(
        "Transport step (default 60), or step of the atmosphere (by default the stable step of the mesh).",
        "SECONDS",
    ),
    source_step: float | None = option("Step of the source terms (wave); default 1200.", "SECONDS"),
    scheme: str | None = option("Transport scheme (wave): upwind or second_order (default).", "NAME"),
    physics: str | None = option(f"Physics set (wave): {alternatives('physics sets', 'ard')}.", "NAME"),
    equations: str | None = option(
        f"Equation set (atmosphere): {alternatives('equation sets', 'hydrostatic')}.", "NAME"
    ),
    levels: int | None = option("Number of levels (atmosphere); default 26.", "N"),
    bits: int | None = option("Floating-point precision (atmosphere): 32 or 64 bits (default).", "N"),
    speed: float = option(
        "Speed of a core of that machine relative to one of this machine.", "X", default=1.0
    ),
    cost: Path | None = option(
        "File with the costs of computation (JSON), instead of a measurement.", "FILE"
    ),
    at_once: int | None = option(
        "Number of ranks that compute concurrently in the measurement; by default one per core.", "N", min=1
    ),
    overhead: float = option(
        "Additional overhead of a point-to-point message over one of a neighbourhood collective.",
        "SECONDS",
        default=0.0,
    ),
    unwaited: bool = flag("Plan also exchanges that do not wait for their sends.", "--unwaited"),
    fidelity: str = option(
        "Fidelity of the simulation: packet, chunk, reserve or analytic.", "NAME", default="chunk"
    ),
    plot: Path | None = option("Figure of the scaling curve.", "PNG"),
    as_json: AsJson = False,
) -> None:
    """Predict the scaling of a model on a machine: the time per step and the cost per simulated day.

    Computation is measured on this machine once, against the size of a rank's patch, on all cores at once;
    the exchange of halos is simulated on the machine of the file, with volumes by a law of patches, or
    counted where METIS cuts the mesh (docs/simulate.md)."""
    from halcyon.cli.plan_models import planned_model
    from halcyon.cli.simulate import GOES_ON, progress
    from halcyon.launch.interrupt import ending
    from halcyon.launch.mpirun import usable_cores
    from halcyon.plan.computation import measured, read
    from halcyon.plan.curve import curve
    from halcyon.plan.studies import Software, studies
    from halcyon.simulate.many import require_possible
    from halcyon.simulate.mesh_volumes import N_NEIGHBOURS

    options = {"step": step, "source_step": source_step, "scheme": scheme, "physics": physics}
    options |= {"equations": equations, "levels": levels, "bits": bits, "speed": speed, "cut": cut}
    planned = planned_model(model, mesh, cells, options)
    if not 0 <= overhead <= 10:
        reject(f"--overhead {overhead:g}: give 0 to 10 s.")
    numbers = rank_numbers(ranks)
    if planned.cut == "estimate" and numbers[0] <= N_NEIGHBOURS:
        reject(
            f"--ranks {ranks}: the halos of a plan are estimated, for {N_NEIGHBOURS + 1} ranks or more. For "
            f"fewer, cut the mesh (--cut metis)."
        )
    draw = figure_writer(plot, "halcyon.plot.plan:plan_plot")
    given = {"topology": topology, "routing": routing}
    case = {"machine": {"base": machine}, "engine": {"fidelity": fidelity}}
    case |= {name: value for name, value in given.items() if value is not None}
    ways = Software(overhead, unwaited)
    given_cost = read(cost, planned.PARTS) if cost else None
    points = studies(planned, numbers, case, ways, given_cost).points
    require_possible(points)
    found_cost = given_cost or measured(
        planned, ranks_at_once=at_once or usable_cores(), say=lambda text: typer.echo(text, err=as_json)
    )
    with ending(GOES_ON), progress(len(points), quiet=as_json) as done:
        rows = curve(planned, found_cost, numbers, case, ways, done=done)
    draw(planned, rows)
    if as_json:
        found = {"model": asdict(planned), "computation": found_cost.as_json(), "curve": rows}
        typer.echo(json.dumps(found))
        return
    _print(planned, rows)
    n = found_cost.ranks_at_once
    many = f", {n} rank{'s' if n > 1 else ''} of a node at once" if n else ""
    typer.echo(f"computation {f'of {cost}' if cost else 'as measured on this machine'}{many}")
    if rows[0]["approximate"]:
        typer.echo(f"approximate {rows[0]['approximate']}")
    if plot is not None:
        typer.echo(f"picture    {plot.resolve()}")


def rank_numbers(text: str) -> list[int]:
    """The numbers of `1e3..1e6`, 1, 2 and 5 times powers of ten, or of `512,4096`, ascending.

    Raises ConfigError for anything else."""
    first, dots, last = text.partition("..")
    try:
        ends = [_whole(first), _whole(last)] if dots else [_whole(word) for word in text.split(",")]
    except (ValueError, OverflowError):
        ends = []
    if not ends or min(ends) < 1 or max(ends) > MOST_RANKS or (dots and ends[0] > ends[1]):
        reject(f"--ranks {text}: give a range such as 1e3..1e6, or numbers such as 512,4096.")
    if not dots:
        return sorted(set(ends))
    between = [m * 10**e for e in range(19) for m in (1, 2, 5) if ends[0] < m * 10**e < ends[1]]
    return list(dict.fromkeys([ends[0], *between, ends[1]]))


def _whole(word: str) -> int:
    value = float(word)
    if value != int(value):
        raise ValueError(word)
    return int(value)


def _print(model: Model, rows: Sequence[Mapping[str, Any]]) -> None:
    from halcyon.base import seconds
    from halcyon.cli.common import print_rows

    layers = f"{model.layers} halo layer{'s' if model.layers > 1 else ''}"
    typer.echo(f"{model.mesh}: {model.cells:,} cells of {model.values}, {layers}, {model.steps}\n")
    print_rows(
        {
            "ranks": f"{row['ranks']:,}",
            "nodes": f"{row['nodes']:,}",
            "cells a rank": f"{row['cells_a_rank']:.3g}",
            "best way": row["best"],
            "a step": seconds(best["step_s"]),
            "computing": seconds(row["computation_s"]),
            "exchange": seconds(row["exchange_s"][row["best"]]),
            "days a day": f"{best['days_a_day']:.4g}",
            "efficiency": f"{100 * best['efficiency']:.0f} %",
            "node-hours a day": f"{best['node_hours_a_day']:.4g}",
        }
        | ({"kWh a day": f"{best[ENERGY]:.4g}"} if ENERGY in best else {})
        for row in rows
        for best in (row["ways"][row["best"]],)
    )
