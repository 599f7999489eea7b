"""How fast meshes are made and how good they are, beside scipy, Qhull, published figures and the bars.

CPU time of one core for parts, medians by turns; wall time on all processors for whole meshes, each made in
a process of its own. Quoted, as neither can be had from PyPI: at G7, JIGSAW's 2.8 thousand cells/s from
nothing to a mesh, and the 27 thousand of the MPAS mesh converter.
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
from halcyon_bench.mesh_making import in_child, on_levels, table

US = 1e6
JIGSAW, CONVERTER = US / 2.8e3, US / 27e3  # [us a cell]
STEPS = 10  # iterations that share the set-up of one call
OF_RADIUS = 1e-7  # a mean move, as a part of the earth's radius
GIB = 2**30


def main():
    options = command_line()
    level, repetitions = (5, 3) if options.quick else (7, 5)
    found = iteration_rows(level, repetitions) + geometry_rows(level, repetitions)
    found += making_rows(level, 1 if options.quick else 3)
    if not options.quick:
        found += growth_rows(options.finest, options.plot)
    if options.g10:
        found += bisection_rows()
    found += mesh_quality.uniform_rows() + mesh_quality.stretched_rows(6 if options.quick else 7)
    found += mesh_quality.varied_rows(10_000 if options.quick else 40_000)
    if options.examples:
        found += mesh_examples.example_rows()
    rows.report(found, options.json)


def command_line():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument(
        "--finest", type=int, default=8, metavar="LEVEL", help="of the growth from G5: up to 9"
    )
    parser.add_argument("--plot", type=Path, metavar="PNG", help="draw time and memory of the growth there")
    parser.add_argument("--g10", action="store_true", help="bisect G9 too: 20 GiB")
    parser.add_argument("--examples", action="store_true", help="make the meshes of examples/meshes too")
    return parser.parse_args()


def iteration_rows(level, repetitions):
    """One iteration of ours: centroids, the move, flips; theirs: the Voronoi diagram that it would need."""
    points = np.asarray(scvt.uniform(level, tolerance=1e-3).points)
    shaken = np.random.default_rng(1).normal(size=points.shape) * 0.1 * np.sqrt(4 * np.pi / len(points))
    points = normalized(points + shaken)
    start = scvt.in_order(scvt.triangulate(points))
    taken = rows.interleaved(
        {
            "ours": lambda: relax(start, None, tolerance=1e-300, limit=STEPS, threads=1),
            "SphericalVoronoi": lambda: SphericalVoronoi(points).sort_vertices_of_regions(),
            "Qhull alone": lambda: ConvexHull(points),
        },
        repetitions,
    )
    us = {name: seconds * US / len(points) for name, seconds in taken.items()}
    us["ours"] /= STEPS
    claim = f"an iteration, G{level}, one core"
    return [
        rows.row(claim, us["ours"], us["SphericalVoronoi"], "SphericalVoronoi, sorted", "us/cell", bar=20),
        rows.row(claim, us["ours"], us["Qhull alone"], "Qhull alone", "us/cell", bar=0),
    ]


def geometry_rows(level, repetitions):
    triangulation = scvt.uniform(level, tolerance=1e-4)
    taken = rows.interleaved({"ours": lambda: voronoi_mesh(triangulation, threads=1)}, repetitions)
    ours = taken["ours"] * US / triangulation.n_points
    claim = f"connectivity and geometry, G{level}, one core"
    return [
        rows.row(claim, ours, US / 300e3, "the bar", "us/cell", bar=1),
        rows.row(claim, ours, US / 1e6, "the aim", "us/cell", bar=0),
        rows.row(claim, ours, CONVERTER, "MPAS converter, quoted", "us/cell", bar=0),
    ]


def making_rows(level, repetitions):
    """Wall time on all processors, and CPU time, which other work on the machine spares."""
    spacing = np.sqrt(2 / np.sqrt(3) * 4 * np.pi / (10 * 4**level + 2))
    wanted = {"1e-7 R": (OF_RADIUS / spacing, 80e3), "1e-6 of the spacing": (1e-6, 30e3)}
    found = []
    for text, (tolerance, rate) in wanted.items():
        made = [in_child(level, tolerance=tolerance) for _ in range(repetitions)]
        for clock, stage in (("wall", "to_file"), ("CPU", "to_file_cpu")):
            ours = statistics.median(m[stage] / m["n_cells"] for m in made) * US
            claim = f"nothing to file, G{level}, {text}, {clock}"
            found.append(rows.row(claim, ours, US / rate, "the bar", "us/cell", bar=int(level == 7)))
            found.append(rows.row(claim, ours, JIGSAW, "JIGSAW, quoted", "us/cell", bar=0))
    return found


def growth_rows(finest, plot):
    made = on_levels(range(5, finest + 1), tolerance=scvt.UNIFORM_TOLERANCE)
    print(table(made), end="\n\n")
    if plot is not None:
        from halcyon_bench.pictures.growth import growth_plot

        growth_plot(plot, made)
    last = made[finest]
    share = last["n_cells"] / (10 * 4**9 + 2)  # of the cells of G9, for which the bars are
    claim = f"G{finest} made, written and read"
    bar = "the bar" if finest == 9 else "G9's bar, in proportion"
    return [
        rows.row(claim, last["to_file"] + last["read"], 600 * share, bar, "s", bar=1),
        rows.row(f"{claim}: memory", last["most_bytes"] / GIB, 8 * share, bar, "GiB", bar=1),
    ]


def bisection_rows():
    made = in_child(10, tolerance=1e-4, by_bisection=True)
    print(
        f"G10 by bisection: points {made['points']:.0f} s, connectivity and geometry {made['mesh']:.0f} s\n"
    )
    return [
        rows.row("G10 with connectivity: memory", made["most_bytes"] / GIB, 20, "the bar", "GiB", bar=1),
    ]


if __name__ == "__main__":
    main()
