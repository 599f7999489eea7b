"""Writes a machine file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from halcyon.base import format_seconds
from halcyon.calibrate.fit import Fit, error_statistics
from halcyon.calibrate.suite import Layout, Probe, Timing
from halcyon.mesh.atomic_file import write_file

HEADER = """\
# Measured by `halcyon calibrate`. This file has all nodes on a single switch, without links. If the
# machine has several switches, replace the topology, and set the speed of the links.
"""


def machine_options(
    layout: Layout, fit: Fit, probes: Sequence[Probe], timings: Sequence[Timing], library: str
) -> dict[str, Any]:
    """The options of a machine file, including the measurements."""
    network: dict[str, Any] = {}
    if layout.n_nodes > 1:
        bandwidth = fit.options["injection_bandwidth"]
        network = {"ejection_bandwidth": bandwidth, "ejection_latency": 0.0}
        network["links"] = {"bandwidth": bandwidth}
    return {
        "name": "calibrated",
        "topology": {"type": "crossbar", "nodes": layout.n_nodes},
        "ranks_per_node": layout.ranks_per_node,
        **dict(sorted(fit.options.items())),
        **network,
        "measured": _measurements(layout, fit, probes, timings, library),
    }


def _measurements(
    layout: Layout, fit: Fit, probes: Sequence[Probe], timings: Sequence[Timing], library: str
) -> dict[str, Any]:
    rows = [
        {
            "probe": probe.name,
            "median": _rounded(timing.median),
            "quartiles": [_rounded(timing.lower), _rounded(timing.upper)],
            "runs": timing.runs,
            "simulated": _rounded(simulated),
        }
        for probe, timing, simulated in zip(probes, timings, fit.simulated, strict=True)
    ]
    errors = error_statistics([timing.lower for timing in timings], fit.simulated)
    return {
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%MZ"),
        "mpi": library,
        "ranks": len(layout.nodes),
        "nodes": layout.n_nodes,
        "error": {name: _rounded(value) for name, value in errors.items()},
        "probes": rows,
    }


def quality(options: Mapping[str, Any]) -> str:
    """Text that says how well the fitted machine reproduces the measurements."""
    measured = options["measured"]
    error, rows = measured["error"], measured["probes"]
    farthest = max(rows, key=lambda row: abs(math.log(row["simulated"] / row["quartiles"][0])))
    return (
        f"simulated against measured, {len(rows)} measurements: deviation {100 * error['median']:.0f} % "
        f"(median), {100 * error['percentile_95']:.0f} % (95th percentile); "
        f"largest:\n{farthest['probe']}, measured {format_seconds(farthest['quartiles'][0])}, simulated "
        f"{format_seconds(farthest['simulated'])}"
    )


def _rounded(value: float) -> float:
    """The value with four significant digits."""
    return float(f"{value:.4g}")


def write_machine(path: Path, options: Mapping[str, Any]) -> None:
    """Writes a machine file. Raises RunError if it cannot be written."""
    text = yaml.dump(dict(options), Dumper=_Dumper, sort_keys=False, width=110, allow_unicode=True)
    write_file(path, lambda part: Path(part).write_text(HEADER + text))


class _Dumper(yaml.SafeDumper):
    """Writes small groups of options on one line."""


def _represent_group(dumper: yaml.SafeDumper, data: Mapping[str, Any]) -> yaml.Node:
    node = dumper.represent_mapping("tag:yaml.org,2002:map", data.items())
    has_long_value = any(isinstance(value, (dict, list)) and len(value) > 2 for value in data.values())
    node.flow_style = not has_long_value and len(data) <= 6
    return node


_Dumper.add_representer(dict, _represent_group)
