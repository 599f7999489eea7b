"""`halcyon plan`: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def plan(
    model: Annotated[str, typer.Option(metavar="MODEL", help="wave or atmosphere.")] = "wave",
    mesh: Annotated[str, typer.Option(metavar="MESH", help="G0..G10.")] = "G10",
    cells: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Cells, where not all of the mesh.", show_default=False),
    ] = None,
    cut: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="estimate: halos by the law of patches; metis: the mesh is made and cut here.",
        ),
    ] = "estimate",
    machine: Annotated[
        str, typer.Option(metavar="FILE", help="A machine file, or a machine's name.")
    ] = "reference",
    topology: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A network such as fattree-L, instead of the machine's."),
    ] = None,
    routing: Annotated[
        str | None, typer.Option(metavar="NAME", help="Such as d_mod_k, instead of the machine's.")
    ] = None,
    ranks: Annotated[
        str, typer.Option(metavar="A..B", help="Such as 1e3..1e6 (by 1, 2, 5), or a list 512,4096.")
    ] = "1e3..1e6",
    step: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Of transport, 60 by default; of the atmosphere, by default what is stable on the mesh.",
        ),
    ] = None,
    source_step: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="wave: of the source terms; 1200 by default.")
    ] = None,
    scheme: Annotated[
        str | None, typer.Option(metavar="NAME", help="wave: upwind or, by default, second_order.")
    ] = None,
    physics: Annotated[
        str | None, typer.Option(metavar="NAME", help="wave: wam3, wam4, ard (by default) or fvwam.")
    ] = None,
    equations: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="atmosphere: shallow_water, hydrostatic (by default) or nonhydrostatic.",
        ),
    ] = None,
    levels: Annotated[int | None, typer.Option(metavar="N", help="atmosphere: 26 by default.")] = None,
    bits: Annotated[
        int | None, typer.Option(metavar="N", help="atmosphere: of a number, 32 or 64 (by default).")
    ] = None,
    speed: Annotated[
        float, typer.Option(metavar="X", help="Of a core there over one of this machine.")
    ] = 1.0,
    cost: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Costs of computation (JSON) instead of a measurement here."),
    ] = None,
    at_once: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Ranks that compute at once in that measurement; by default one a core.",
        ),
    ] = None,
    overhead: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help="Of an MPI: that a message point to point takes beyond one of a neighbourhood collective.",
        ),
    ] = 0.0,
    unwaited: Annotated[
        bool,
        typer.Option("--unwaited", help="Plan sends that are not waited for before the next exchange, too."),
    ] = False,
    fidelity: Annotated[
        str, typer.Option(metavar="NAME", help="packet, chunk, reserve or analytic.")
    ] = "chunk",
    plot: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Draw the curve there.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Plan runs of a model on a machine: how long a step takes on how many ranks, and what a day costs.

    Computation is measured on this machine once, against the size of a rank's patch, on all cores at once;
    the exchange of halos is simulated on the machine of the file, with volumes by a law of patches, or
    counted where METIS cuts the mesh (docs/simulate.md)."""
    from halcyon.cli.plan import plan as make

    make(
        model=model,
        mesh=mesh,
        cells=cells,
        network={"machine": machine, "topology": topology, "routing": routing, "fidelity": fidelity},
        ranks=ranks,
        options={
            "step": step,
            "source_step": source_step,
            "scheme": scheme,
            "physics": physics,
            "equations": equations,
            "levels": levels,
            "bits": bits,
            "speed": speed,
            "cut": cut,
        },
        cost=cost,
        at_once=at_once,
        software=(overhead, unwaited),
        plot=plot,
        as_json=as_json,
    )
