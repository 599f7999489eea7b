"""The calls of tools/same_results: small uses of the public API.

CALLS maps a name to (ranks, function of the communicator); the results of the function on all ranks are
checksummed.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

CALLS = {}
MESH = (
    "n_cells n_edges n_vertices cell_offsets edge_offsets cells_on_cell cells_on_edge cells_on_vertex "
    "edges_on_cell edges_on_edge edges_on_vertex vertices_on_cell vertices_on_edge weights_on_edge "
    "cell_latitude cell_longitude cell_points edge_latitude edge_longitude vertex_latitude vertex_longitude "
    "angle_edge area_cell area_triangle dc_edge dv_edge kite_areas_on_vertex mesh_density bottom_depth"
)


def call(*ranks, levels=("",)):
    """Adds a function under its name, for each number of ranks and each level of SIMD."""

    def add(function):
        for n in ranks or (1,):
            for level in levels:
                name = function.__name__.replace("_", "-") + (f"-{n}" if len(ranks) > 1 else "") + level
                CALLS[name] = (n, function)
        return function

    return add


@call()
def mesh_generation(comm):
    from halcyon import mesh
    from halcyon.mesh import scvt

    circle = mesh.Circle(longitude=128, latitude=33, radius=1500e3, spacing=700e3, transition=3000e3)
    spacing = mesh.Spacing(background=1500e3, circles=(circle,))
    meshes = [
        mesh.uniform(2),
        mesh.uniform(3, tolerance=1e-3),
        mesh.uniform(2, stretch=mesh.Stretch(ratio=3)),
    ]
    meshes += [mesh.make(mesh.MeshSpec(spacing=spacing)), mesh.voronoi_mesh(scvt.even(300, tolerance=1e-3))]
    meshes += [
        mesh.make(mesh.MeshSpec(points=200, zoom=mesh.Zoom(ratio=2, transition=2500e3), order="morton"))
    ]
    return [arrays_of(each) for each in meshes]


@call()
def mesh_of_the_sea(comm):
    from halcyon import mesh

    region = mesh.Region(west=120, east=150, south=10, north=40)
    spec = mesh.MeshSpec(
        spacing=mesh.Spacing(background=300e3, coast=150e3, transition=600e3),
        region=region,
        sea=True,
        depth=mesh.Depth(),
    )
    return arrays_of(mesh.make(spec))


def arrays_of(mesh):
    """The public arrays of a mesh, and its quality measures."""
    from halcyon.mesh import identities, quality

    measures = [
        getattr(identities(mesh), name) for name in ("antisymmetry", "area", "divergence", "orthogonality")
    ]
    measures += [
        getattr(quality(mesh), name) for name in ("cell_min", "cell_mean", "triangle_min", "n_obtuse")
    ]
    return [getattr(mesh, name) for name in MESH.split()], measures


@call()
def mesh_files(comm):
    from halcyon import mesh

    g2 = mesh.ordered(mesh.uniform(2, tolerance=1e-3), "bfs")
    mesh.write_mpas("mpas.nc", g2)
    mesh.write_ugrid("ugrid.nc", g2)
    mesh.write_graph_info("graph.info", g2)
    return [Path("mpas.nc"), Path("ugrid.nc"), Path("graph.info"), arrays_of(mesh.read_mesh("mpas.nc"))]


@call()
def graph_orders(comm):
    from halcyon import graph, mesh

    g3 = mesh.uniform(3, tolerance=1e-3)
    adjacency = g3.cell_offsets, g3.cells_on_cell
    positions = g3.cell_longitude, g3.cell_latitude
    results = [
        graph.partition(*adjacency, n, method=m, seed=s)
        for n in (2, 5, 16)
        for m in graph.METHODS
        for s in (1, 9)
    ]
    results += [mesh.ordered(g3, order).cells_on_cell for order in graph.ORDERS]
    orders = graph.bfs_order(*adjacency), graph.rcm_order(*adjacency)
    return [*results, *orders, graph.geohash(57.6, 10.4, 8), positions]


@call()
def decomposition(comm):
    from halcyon import graph, mesh, schedule
    from halcyon.decomposition import Decomposition, block_map, halo_volumes, reordered_map, traffic

    g3 = mesh.uniform(3, tolerance=1e-3)
    owners = graph.partition(g3.cell_offsets, g3.cells_on_cell, 8)
    results = []
    for layers in (1, 2, 3):
        halo = halo_volumes(g3, owners, 8, layers=layers, cell_bytes=1260 * 4)
        results += [
            halo.bytes,
            halo.messages,
            halo.peers,
            halo.offsets,
            traffic(halo, block_map(8, 4)).bytes_between,
        ]
        results += [reordered_map(halo, 4), str(schedule.counts(schedule.messages(halo)))]
        for rank in (0, 5):
            part = Decomposition(g3, owners, rank, layers)
            results += [part.n_inner, part.cells.to_global, part.edges.to_global, part.vertices.to_global]
    return results


@call(1, 2, 3, 4)
def halo(comm):
    from halcyon import graph, mesh
    from halcyon.halo import METHODS, Decomposition, Field, Halo

    g3 = mesh.uniform(3, tolerance=1e-3)
    part = Decomposition(g3, graph.partition(g3.cell_offsets, g3.cells_on_cell, comm.size), comm.rank, 2)
    fields = [
        Field("cell", np.float64, (3,)),
        Field("edge", np.float32, (2,), layers=1),
        Field("vertex", np.int64),
    ]
    results = []
    for method in METHODS:
        try:
            exchange = Halo(comm, part, fields, method=method)
        except Exception as error:  # not supported by this MPI
            results.append(type(error).__name__)
            continue
        values = [
            np.zeros((len(part.cells.to_global), 3)),
            np.zeros((len(part.edges.to_global), 2), np.float32),
        ]
        values.append(np.zeros(len(part.vertices.to_global), np.int64))
        for field, items in zip(values, (part.cells, part.edges, part.vertices), strict=True):
            owned_ids = items.to_global[: items.n_owned]
            field[: items.n_owned] = np.add.outer(owned_ids, np.zeros(field.shape[1:]))
        with exchange.start(values):
            exchange.progress()
        results.append(values)
    return results


@call()
def operators(comm):
    from halcyon import mesh
    from halcyon.base import EARTH_RADIUS
    from halcyon.decomposition import LocalMesh
    from halcyon.operators import Operators

    g3 = mesh.uniform(3, tolerance=1e-3)
    operators = Operators(LocalMesh(g3, np.zeros(g3.n_cells, np.int32), 0, 2), EARTH_RADIUS)
    cell, vertex = np.sin(g3.cell_latitude)[:, None] * [1, 2], np.cos(g3.vertex_latitude)[:, None] * [1, 3]
    edge = operators.tangential_gradient(vertex)
    arguments = {"gradient": cell, "tangential_gradient": vertex, "at_vertices": cell}
    arguments |= dict.fromkeys(("divergence", "curl", "tangential", "kinetic_energy"), edge)
    results = [getattr(operators, name)(values) for name, values in arguments.items()]
    return [results, operators.at_cells(vertex)]


@call()
def remap(comm):
    from halcyon import mesh, remap

    g3 = mesh.uniform(3, tolerance=1e-3)
    results = []
    for grid in (
        remap.regular_grid(resolution=10),
        remap.regular_grid(shape=(20, 12), region=(100, 150, 0, 40)),
    ):
        means = remap.Conservative(remap.Faces.of_mesh(g3), grid)
        results += [means.mean(2 + np.cos(g3.cell_latitude)), means.overlaps.box_areas]
    return results


@call()
def vertical(comm):
    from halcyon import atmosphere
    from halcyon.atmosphere.levels import interfaces

    results = [
        interfaces(n, top, spacing=s, kind=c)
        for n, top in ((8, 5000.0), (26, 219.4))
        for s in ("stretched", "pressure", "height")
        for c in ("hybrid", "sigma")
    ]
    a, b = results[0]
    interface_pressure = a + b * np.array([[1e5], [7e4]])
    pressure = (interface_pressure[:, 1:] + interface_pressure[:, :-1]) / 2
    return [
        results,
        atmosphere.interpolate(
            pressure, 288 * (pressure / 1e5) ** 0.19, np.array([85000.0, 50000.0]), logarithmic=True
        ),
    ]


@call()
def schedules(comm):
    from halcyon import schedule

    schedules = [
        schedule.alltoall(n, bytes=64, algorithm=a)
        for n in (5, 12)
        for a in ("burst", "bruck", "ring", "ring-3")
    ]
    schedules += [schedule.allreduce(n, bytes=64, radix=k) for n in (7, 10) for k in (2, 3, 4)]
    schedules += [
        schedule.transposition((12, 8, 6), (3, 2)),
        schedule.spectral_pipeline((12, 8, 6), (3, 2), groups=3),
    ]
    schedules += [
        schedule.grid_halo((24, 12), (3, 2), width=w, order=o) for w in (2, 9) for o in ("sweeps", "at_once")
    ]
    schedules += [schedule.gcr(6, radix=2), schedule.pipeline(4, [400, 400, 200], compute_s=0.001)]
    results = [
        [[str(op) for op in schedule.operations(each, rank)] for rank in (0, each.n_ranks - 1)]
        for each in schedules
    ]
    buffers = [{"data": np.array([1.0 / (rank + 1)])} for rank in range(10)]
    schedule.run(schedule.allreduce(10, radix=4), buffers, combine=schedule.summing())
    return [results, [each["data"] for each in buffers]]


@call(2, 3, 4)
def executions(comm):
    from halcyon import schedule
    from halcyon.comm import Execution

    results = []
    for method in ("isend_irecv", "persistent", "ineighbor", "alltoallv", "ialltoallv", "shared"):
        for algorithm in ("burst", "bruck", "ring-1"):
            execution = Execution(comm, schedule.alltoall(comm.size, bytes=80, algorithm=algorithm), method)
            execution.buffer("send").view(float)[:] = np.arange(10 * comm.size) + 100 * comm.rank
            execution.run()
            results.append(np.array(execution.buffer("receive")))
    return results


@call(2, 4)
def grouped_files(comm):
    from halcyon.comm import communicator
    from halcyon.io import IoOptions, Placement, Reader, Schema, Type, Writer, io_ranks

    ids, results = np.arange(comm.rank, 97, comm.size), []
    for layout in ("direct", "groups", "box", "gather"):
        schema = Schema()
        schema.dimension("time", 0)
        schema.dimension("cell", 97)
        schema.variable("temperature", Type.float32, ["time", "cell"])
        ranks = io_ranks(
            communicator(comm), IoOptions(layout=layout, ranks=2, group_size=2), n_bytes=schema.bytes(2)
        )
        placement = Placement(ranks, ids, 97)
        writer = Writer(ranks, f"{layout}-{comm.size}.nc", schema, n_records=2)
        for record in range(2):
            writer.write(record, placement, [("temperature", (ids + 1000 * record).astype(np.float32))])
        writer.close()
        writer.wait()
        temperature = np.empty(len(ids), np.float32)
        reader = Reader(ranks, f"{layout}-{comm.size}.nc")
        reader.read(1, placement, [("temperature", temperature)])
        reader.close()
        results += [temperature, Path(f"{layout}-{comm.size}.nc")]
    return results


def output_of(*arguments):
    """Runs `halcyon ARGUMENTS` and returns its output."""
    done = subprocess.run(
        [sys.executable, "-m", "halcyon", *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


@call()
def tables(comm):
    """Names, types and defaults of all options, without their descriptions; variables of the models."""
    lists = [output_of("describe", "case", "--model", model) for model in ("wave", "atmosphere", "spectral")]
    lists += [output_of("describe", "simulation"), output_of("describe", "machine")]
    options = [[line for line in text.splitlines() if line[:2] == "  " and line[2] != " "] for text in lists]
    options = [[sorted(re.findall(r"[\w.'-]+", line)) for line in each] for each in options]  # in any order
    models = [output_of("describe", model).splitlines() for model in ("wave", "atmosphere", "spectral")]
    return [options, [[re.split(r"\s{2,}", line)[:4] for line in model] for model in models]]


@call()
def volumes(comm):
    return json.loads(
        output_of("schedule", "G3", "--ranks", "4,16", "--json", "--on", "edges", "--layers", "2")
    )


@call()
def partitions(comm):
    Path("parts").mkdir()
    output_of("partition", "G3", "--parts", "4,7", "--output", "parts")
    output_of(
        "partition",
        "G3",
        "--parts",
        "8",
        "--method",
        "recursive",
        "--ranks-per-node",
        "4",
        "--output",
        "parts",
    )
    return sorted(Path("parts").glob("graph.info*"))


@call()
def plan(comm):
    cost = {"cells": [42, 10242], "transport": [2e-8, 1e-8], "sources": [2e-7, 1e-7], "ranks_at_once": 1}
    Path("cost.json").write_text(json.dumps(cost))
    results = [
        output_of(
            "plan",
            "--mesh",
            "G5",
            "--ranks",
            "64,256",
            "--topology",
            "fattree-M",
            "--cost",
            "cost.json",
            "--json",
        )
    ]
    Path("cost.json").write_text(
        json.dumps({"cells": [42, 10242], "sweeps": [2e-6, 1e-6], "ranks_at_once": 1})
    )
    results.append(
        output_of(
            "plan",
            "--model",
            "atmosphere",
            "--mesh",
            "G5",
            "--ranks",
            "64,256",
            "--topology",
            "torus-M",
            "--cost",
            "cost.json",
            "--json",
        )
    )
    return [json.loads(each) for each in results]


@call()
def conversions(comm):
    from halcyon import mesh

    g3 = mesh.uniform(3, tolerance=1e-3)
    g3.bottom_depth = 1000 + 500 * np.sin(g3.cell_latitude)
    mesh.write_mpas("g3.nc", g3)
    output_of("convert", "g3.nc", "ugrid.nc", "--to", "ugrid")
    output_of("convert", "g3.nc", "latlon.nc", "--to", "latlon", "--grid", "36x18")
    output_of("convert", "g3.nc", "four.nc", "--to", "netcdf4")
    return [Path("ugrid.nc"), Path("latlon.nc"), Path("four.nc")]
