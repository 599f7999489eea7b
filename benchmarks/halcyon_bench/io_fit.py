"""The file system of a machine file, fitted to the times of the layouts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from halcyon.calibrate.file_system import fit_file_system
from halcyon.config.machine import Machine
from halcyon.config.workload import File
from halcyon.mesh.named import named_mesh
from halcyon.simulate.file_access import access_of
from halcyon.simulate.file_system import Access
from halcyon_bench.io_cases import EDGES, VERTICES, Case

ONE_NODE = Machine(ranks_per_node=65535)


def fit_table(results: Mapping[Case, Mapping[str, Mapping[str, Any]]], direction: str) -> str:
    """Table of the measured and modelled times of each layout, and the fitted options as YAML.

    @param results the times of `io_layouts.on_ranks` by layout, by case"""
    rows = [
        (f"{case}, {name}", access(case, name, direction), times[direction])
        for case, layouts in results.items()
        for name, times in layouts.items()
        if name != "auto"
    ]
    fit = fit_file_system([row[1] for row in rows], [row[2] for row in rows])
    lines = [f"{direction + ' [s]':<50}{'measured':>10}{'modelled':>10}{'ratio':>8}"]
    for (name, _, measured), modelled in zip(rows, fit.modelled_s, strict=True):
        lines.append(f"{name:<50}{measured:>10.4f}{modelled:>10.4f}{modelled / measured:>8.2f}")
    options = ", ".join(f"{name}: {value:g}" for name, value in fit.options.items())
    if fit.undetermined:
        lines.append(f"not determined by these times: {', '.join(fit.undetermined)}")
    return "\n".join([*lines, f"file_system: {{{options}}}"])


def access(case: Case, layout: str, direction: str) -> Access:
    """The access of a layout, on a single node."""
    n_cells = named_mesh(case.mesh).n_cells
    name, _, number = layout.partition(" of ")
    sizes = {"groups": "group_size", "box": "io_ranks"}
    work = File(
        type="file",
        items=n_cells * (1 + EDGES + VERTICES if case.items == "all" else 1),
        item_bytes=8 * case.levels,
        direction=direction,
        layout=name,
        order=case.order,
        **({sizes[name]: int(number)} if re.fullmatch(r"\d+", number) else {}),
    )
    return access_of(work, ONE_NODE, case.ranks)
