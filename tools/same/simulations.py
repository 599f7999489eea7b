"""The simulations of tools/same_results: topologies, routings, workloads, fidelities and machines.

SIMULATIONS maps a name to (1, function of the communicator), as CALLS of calls.py.
"""

import numpy as np

TOPOLOGIES = {
    "crossbar": {"type": "crossbar", "nodes": 64},
    "torus": {"type": "torus", "sizes": [4, 4, 2], "nodes_per_switch": 2},
    "hyperx": {"type": "hyperx", "sizes": [4, 4], "nodes_per_switch": 4},
    "fat-tree": {"type": "fat_tree", "levels": 2, "radix": 16},
    "fat-tree-ports": {"type": "fat_tree", "down": [4, 4, 4], "up": [2, 4]},
    "dragonfly": {"type": "dragonfly", "group": [4], "groups": 9, "global_links": 2, "nodes_per_switch": 2},
    "dragonfly-2d": {
        "type": "dragonfly",
        "group": [2, 3],
        "groups": 7,
        "global_links": 2,
        "nodes_per_switch": 2,
        "arrangement": "relative",
    },
    "named": "torus-M",
}
WORKLOADS = {
    "transposition": {"grid": [48, 24, 16], "algorithm": "ring-4"},
    "pipeline": {"grid": [48, 24, 16], "groups": 2, "computation": 1e-9},
    "alltoall": {"block_bytes": 20000, "algorithm": "bruck"},
    "grid_halo": {"grid": [96, 48, 16], "width": 5, "order": "at_once"},
    "mesh_halo": {"mesh": "G3", "bins": 60, "steps": 3, "computation": 1e-5},
    "allreduce": {"data_bytes": 8192, "radix": 4, "repetitions": 3},
    "gcr": {"iterations": 5, "radix": 2, "computation": 1e-6},
}


def simulated(**case):
    """The results of a simulation, without its CPU time."""
    from halcyon.simulate import simulate

    case = {"machine": "reference", "ranks": 32, "engine": {"chunk_error": False}} | case
    results = simulate(case)
    return {str(name): np.asarray(results[name]) for name in results.variables if "cpu" not in str(name)}


def _simulations():
    exchange = {"workload": {"type": "alltoall", "block_bytes": 30000, "algorithm": "ring-4"}}
    for name, topology in TOPOLOGIES.items():
        for routing in ("minimal", "valiant", "ugal", "ugal_of_sstmacro", "d_mod_k"):
            is_tree = name.startswith("fat-tree")
            if (routing == "d_mod_k") == is_tree or routing == "minimal":
                yield f"{name}-{routing}", exchange | {"topology": topology, "routing": routing}
    for fidelity in ("packet", "chunk", "reserve", "analytic"):
        for name, work in WORKLOADS.items():
            case = {"workload": {"type": name} | work, "topology": TOPOLOGIES["torus"]}
            record = {} if fidelity == "analytic" else {"links": True, "pairs": 4, "link_bins": 8}
            settings = {
                "engine": {"fidelity": fidelity, "chunk_error": False},
                "record": {"ranks": True} | record,
            }
            yield f"{fidelity}-{name}", case | settings
    machine = {
        "base": "reference",
        "eager_bytes": 8192,
        "ranks_per_node": 2,
        "messages_at_once": 4,
        "nics_per_node": 2,
        "send_overhead": 1e-7,
        "crossbar_factor": 2,
        "progress": "in_calls",
        "bypass_bytes": 64,
    }
    for placement in ("random", "mapped"):
        yield (
            placement,
            exchange | {"topology": TOPOLOGIES["dragonfly"], "placement": placement, "machine": machine},
        )
    small_buffers = {"base": "zheng2018", "buffer_packets": 2}
    packets = {"fidelity": "packet", "chunk_error": False}
    case = {"topology": TOPOLOGIES["hyperx"], "machine": small_buffers, "engine": packets}
    yield "back-pressure", exchange | case


def sweep(comm):
    from halcyon.simulate import sweep

    results = sweep(
        {
            "workload": {"type": "alltoall", "block_bytes": 4096},
            "topology": TOPOLOGIES["fat-tree"],
            "sweep": {"ranks": [16, 32], "routing": ["minimal", "d_mod_k"]},
        }
    )
    return {str(name): np.asarray(results[name]) for name in results.variables if "cpu" not in str(name)}


SIMULATIONS = {
    f"simulate-{name}": (1, lambda comm, case=case: simulated(**case)) for name, case in _simulations()
}
SIMULATIONS["simulate-sweep"] = (1, sweep)
