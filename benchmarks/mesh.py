"""Speed and quality of mesh generation, compared with scipy, Qhull, published figures and thresholds.

Parts of the generation: CPU time of one core, medians of interleaved repetitions. Whole meshes: wall time on
all cores, each mesh in a new process. JIGSAW and the MPAS mesh converter are not on PyPI; their rates at G7
are quoted: 2.8 thousand cells/s for generation by JIGSAW, and 27 thousand cells/s for conversion.
"""

import statistics
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull, SphericalVoronoi

import mesh_examples
import mesh_quality
import rows
from halcyon._core.mesh import relax
from halcyon.mesh import scvt, voronoi_mesh
from halcyon.mesh.sphere import normalized
from halcyon_bench.mesh_making import in_new_process, on_levels, table

US = 1e6  # microseconds per second
JIGSAW, CONVERTER = US / 2.8e3, US / 27e3  # [us per cell]
STEPS = 10  # iterations per call of `relax`, which share the set-up of the call
RADIUS_TOLERANCE = 1e-7  # mean displacement relative to the radius of the earth
GIB = 2**30


def main():
    options = command_line()
    level, repetitions = (5, 3) if options.quick else (7, 5)
    result_rows = iteration_rows(level, repetitions) + geometry_rows(level, repetitions)
    result_rows += making_rows(level, 1 if options.quick else 3)
    if not options.quick:
        result_rows += growth_rows(options.finest, options.plot)
    if options.g10:
        result_rows += bisection_rows()
    result_rows += mesh_quality.uniform_rows() + mesh_quality.stretched_rows(6 if options.quick else 7)
    result_rows += mesh_quality.varied_rows(10_000 if options.quick else 40_000)
    if options.examples:
        result_rows += mesh_examples.example_rows()
    rows.report(result_rows, options.json)


def command_line():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument(
        "--finest",
        type=int,
        default=8,
        metavar="LEVEL",
        help="finest level of the meshes from G5 on, at most 9",
    )
    parser.add_argument("--plot", type=Path, metavar="PNG", help="figure of time and memory by level")
    parser.add_argument("--g10", action="store_true", help="also bisect G9, which needs 20 GiB")
    parser.add_argument("--examples", action="store_true", help="also generate the meshes of examples/meshes")
    return parser.parse_args()


def iteration_rows(level, repetitions):
    """Rows of one iteration of Halcyon (centroids, displacement, edge flips), compared with only computing
    the Voronoi diagram by scipy."""
    points = np.asarray(scvt.uniform(level, tolerance=1e-3).points)
    noise = np.random.default_rng(1).normal(size=points.shape) * 0.1 * np.sqrt(4 * np.pi / len(points))
    points = normalized(points + noise)
    start = scvt.in_order(scvt.triangulate(points))
    times = rows.interleaved(
        {
            "ours": lambda: relax(start, None, tolerance=1e-300, limit=STEPS, threads=1),
            "SphericalVoronoi": lambda: SphericalVoronoi(points).sort_vertices_of_regions(),
            "Qhull alone": lambda: ConvexHull(points),
        },
        repetitions,
    )
    us = {name: seconds * US / len(points) for name, seconds in times.items()}
    us["ours"] /= STEPS
    claim = f"an iteration, G{level}, one core"
    return [
        rows.row(claim, us["ours"], us["SphericalVoronoi"], "SphericalVoronoi, sorted", "us/cell", bar=20),
        rows.row(claim, us["ours"], us["Qhull alone"], "Qhull alone", "us/cell", bar=0),
    ]


def geometry_rows(level, repetitions):
    triangulation = scvt.uniform(level, tolerance=1e-4)
    times = rows.interleaved({"ours": lambda: voronoi_mesh(triangulation, threads=1)}, repetitions)
    ours = times["ours"] * US / triangulation.n_points
    claim = f"connectivity and geometry, G{level}, one core"
    return [
        rows.row(claim, ours, US / 300e3, "the bar", "us/cell", bar=1),
        rows.row(claim, ours, US / 1e6, "the aim", "us/cell", bar=0),
        rows.row(claim, ours, CONVERTER, "MPAS converter, quoted", "us/cell", bar=0),
    ]


def making_rows(level, repetitions):
    """Rows of generating a mesh and writing its file: wall time on all cores, and CPU time, which other load
    affects less."""
    spacing = np.sqrt(2 / np.sqrt(3) * 4 * np.pi / (10 * 4**level + 2))
    tolerances = {"1e-7 R": (RADIUS_TOLERANCE / spacing, 80e3), "1e-6 of the spacing": (1e-6, 30e3)}
    result_rows = []
    for text, (tolerance, rate) in tolerances.items():
        costs = [in_new_process(level, tolerance=tolerance) for _ in range(repetitions)]
        for clock, stage in (("wall", "to_file"), ("CPU", "to_file_cpu")):
            ours = statistics.median(m[stage] / m["n_cells"] for m in costs) * US
            claim = f"nothing to file, G{level}, {text}, {clock}"
            result_rows.append(rows.row(claim, ours, US / rate, "the bar", "us/cell", bar=int(level == 7)))
            result_rows.append(rows.row(claim, ours, JIGSAW, "JIGSAW, quoted", "us/cell", bar=0))
    return result_rows


def growth_rows(finest, plot):
    costs = on_levels(range(5, finest + 1), tolerance=scvt.UNIFORM_TOLERANCE)
    print(table(costs), end="\n\n")
    if plot is not None:
        from halcyon_bench.pictures.growth import growth_plot

        growth_plot(plot, costs)
    cost = costs[finest]
    share = cost["n_cells"] / (10 * 4**9 + 2)  # relative to G9, for which the thresholds hold
    claim = f"G{finest} made, written and read"
    bar = "the bar" if finest == 9 else "G9's bar, in proportion"
    return [
        rows.row(claim, cost["to_file"] + cost["read"], 600 * share, bar, "s", bar=1),
        rows.row(f"{claim}: memory", cost["most_bytes"] / GIB, 8 * share, bar, "GiB", bar=1),
    ]


def bisection_rows():
    cost = in_new_process(10, tolerance=1e-4, by_bisection=True)
    print(
        f"G10 by bisection: points {cost['points']:.0f} s, connectivity and geometry {cost['mesh']:.0f} s\n"
    )
    return [
        rows.row("G10 with connectivity: memory", cost["most_bytes"] / GIB, 20, "the bar", "GiB", bar=1),
    ]


if __name__ == "__main__":
    main()
