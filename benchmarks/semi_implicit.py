"""What a simulated day of shallow water costs by semi-implicit steps, beside explicit ones.

One rank, CPU time, medians by turns; Voronoi meshes in Hilbert's order, each scheme with the step that a run
takes by itself. The bar: no dearer than explicit steps.
"""

import math

import rows
from mpi4py import MPI

from halcyon.bench.atmosphere_cost import Air, core_of
from halcyon.mesh import ordered, uniform

STARTS = ("mountain", "solid_rotation", "barotropic_jet")
DAY_S = 86400.0
SAFETY = 0.9  # as of a run's automatic step
PART = 0.25  # of a day, that is timed at once


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
    level, repetitions = (4, 3) if options.quick else (5, 7)
    mesh = ordered(uniform(level, tolerance=1e-4), "hilbert")
    rows.report([row_of(mesh, level, start, repetitions) for start in STARTS], options.json)


def row_of(mesh, level, start, repetitions):
    cores = {name: core_at(mesh, start, name == "semi-implicit") for name in ("semi-implicit", "explicit")}
    steps = {
        name: math.ceil(PART * DAY_S / (SAFETY * core.longest_step_with_room()))
        for name, core in cores.items()
    }
    taken = rows.interleaved({name: advance(cores[name], steps[name]) for name in cores}, repetitions)
    ms = {name: 1e3 * seconds / PART for name, seconds in taken.items()}
    iterations = cores["semi-implicit"].n_iterations / (repetitions * steps["semi-implicit"])
    lengths = " for ".join(f"{PART * DAY_S / count:.0f} s" for count in steps.values())
    print(f"{start} on G{level}: steps of {lengths}, {iterations:.1f} iterations a step of three solutions")
    claim = f"G{level}, {start}: a day, semi-implicit"
    return rows.row(claim, ms["semi-implicit"], ms["explicit"], "explicit", "ms", bar=1)


def core_at(mesh, start, semi_implicit):
    core = core_of(MPI.COMM_SELF, Air("shallow_water"), mesh, semi_implicit=semi_implicit)
    core.set(start, {})
    return core


def advance(core, steps):
    def work():
        for _ in range(steps):
            core.step(PART * DAY_S / steps)

    return work


if __name__ == "__main__":
    main()
