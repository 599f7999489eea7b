"""`halcyon compare-networks`: simulates one workload on several networks, and prints, stores and draws the
comparison."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from halcyon.cli.options import AsJson, Overrides, argument, option, reject

EQUALS = ("nodes", "bisection")


def compare_networks(
    case: Path = argument("Case file (YAML) of a simulation; its network is replaced.", "CASE"),
    networks: list[str] | None = option(
        "Network, repeatable: a type, such as fat_tree, sized for the nodes of the case; a named network; or"
        " a machine, whose network counts [default: the types but crossbar].",
        "NAME",
        "--network",
    ),
    routings: list[str] | None = option(
        "Routing, repeatable: a name, all, or usual [default]: the routing by which networks of the type"
        " are known.",
        "NAME",
        "--routing",
    ),
    ports: int = option("Largest number of ports of a switch of sized networks.", "N", min=2, default=64),
    equal: str = option(
        "What is equal: nodes, with the links of the machine; or bisection too, with links scaled so that the"
        " bisection carries what half of the nodes inject.",
        "nodes|bisection",
        default="nodes",
    ),
    output: Path | None = option("Folder of the results [default: CASE.networks].", "DIR"),
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Compare networks of equal numbers of nodes by the time that a workload takes on them.

    Results go into DIR: networks.nc, the times, and networks.html, a page with table and picture."""
    from halcyon.base import ConfigError
    from halcyon.cli.simulate import RESUME_HINT, progress, results_folder, write_results
    from halcyon.launch.interrupt import exit_on_interrupt
    from halcyon.launch.output_file import output_file
    from halcyon.plot.network_comparison import comparison_page
    from halcyon.simulate.compared_networks import networks_to_compare, simulate_networks, summary
    from halcyon.simulate.results import table
    from halcyon.simulate.sized_networks import BUILDERS

    if equal not in EQUALS:
        reject(f"--equal {equal}: give {' or '.join(EQUALS)}.")
    chosen = list(dict.fromkeys(networks or [kind for kind in BUILDERS if kind != "crossbar"]))
    with exit_on_interrupt(RESUME_HINT):
        compared = networks_to_compare(
            case,
            overrides or [],
            chosen,
            list(dict.fromkeys(routings or ["usual"])),
            ports=ports,
            equal_bisection=equal == "bisection",
        )
        if not compared:
            raise ConfigError(
                f"--routing {', '.join(routings or [])}: none of the networks has this routing."
            )
        folder = results_folder(output or case.with_suffix(".networks"))
        files = {name: output_file(folder / f"networks.{name}", [case]) for name in ("nc", "html")}
        with progress(len(compared), quiet=as_json) as on_result:
            results = simulate_networks(compared, on_result)
    rows = summary(compared, results)
    points = [each.point for each in compared]
    write_results(files["nc"], table(points, results))
    comparison_page(
        files["html"], points[0].case.title or case.stem, rows, equal_bisection=equal == "bisection"
    )
    if as_json:
        typer.echo(json.dumps({"case": str(case), "equal": equal, "networks": rows}))
        return
    _print(rows)
    for name, file in (("results", files["nc"]), ("page", files["html"])):
        typer.echo(f"{name:<10} {file}")


def _print(rows: Sequence[Mapping[str, Any]]) -> None:
    from halcyon.cli.common import print_table
    from halcyon.plot.network_comparison import TITLES, cells

    print_table(TITLES, [cells(row) for row in rows])
    for reason in dict.fromkeys(row["approximate"] for row in rows if row["approximate"]):
        typer.echo(f"approximate {reason}")
    for name, kinds in {row["network"]: row["ignored_kinds"] for row in rows}.items():
        if kinds:
            typer.echo(f"note       {name} has no links of kind {', '.join(kinds)}: their speed is not used")
