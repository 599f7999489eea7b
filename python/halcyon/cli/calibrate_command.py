"""`halcyon calibrate` and `halcyon predict`: their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Ranks = Annotated[
    int | None,
    typer.Option("-n", "--ranks", metavar="N", help="MPI ranks; by default one a core, 2 at least."),
]


def calibrate(
    output: Annotated[
        Path, typer.Option("--output", metavar="FILE", help="The machine file to write.")
    ] = Path("machine.yaml"),
    ranks: Ranks = None,
    budget: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.001, help="Of each of some 20 to 60 measurements.")
    ] = 0.1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the machine file as JSON instead of a table.")
    ] = False,
) -> None:
    """Measure latency, overhead, bandwidth and contention of this machine, and write a machine file.

    Under mpirun or srun this process is one of the ranks; their nodes are found, and a network is measured
    where there are several."""
    from halcyon.cli.calibrate import calibrate as measure

    measure(output, ranks, budget, as_json=as_json)


def predict(
    machine: Annotated[
        str, typer.Option("--machine", metavar="FILE", help="A machine file, or a machine's name.")
    ] = "machine.yaml",
    ranks: Ranks = None,
    budget: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.001, help="Of the runs of each schedule.")
    ] = 0.3,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Compare simulated times with those of this machine, and state the error.

    Halo exchanges, all-to-alls and allreduces run by MPI, and are simulated on the machine of the file."""
    from halcyon.cli.calibrate import predict as compare

    compare(machine, ranks, budget, as_json=as_json)
