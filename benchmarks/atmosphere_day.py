"""CPU time of a simulated day of the air on G7 with 26 levels, on one rank.

Published: 5220 s for 24 hours of GRIST's core on G7, serial, in 288 steps, on a 2.5 GHz Xeon E5-2680 v3
(Intel Fortran, -O2; the paper gives no number of levels).
"""

import time

from mpi4py import MPI

import rows
from halcyon.mesh import ordered, uniform
from halcyon.plan.probes.atmosphere_cost import AtmosphereSetup, make_core

GRIST_S = 5220.2
SAFETY = 0.8  # time step over the longest stable initial step


def main():
    parser = rows.parser(__doc__.splitlines()[0])
    parser.add_argument(
        "--steps", type=int, help="steps to time, from which the day is computed; default: all"
    )
    options = parser.parse_args()
    level = 4 if options.quick else 7
    mesh = ordered(uniform(level, tolerance=1e-4), "hilbert")
    found = []
    for equations in ("hydrostatic", "nonhydrostatic"):
        core = make_core(MPI.COMM_SELF, AtmosphereSetup(equations), mesh)
        n_steps = int(86400 / (SAFETY * core.longest_step())) + 1
        n_timed = min(options.steps or n_steps, n_steps)
        begin = time.process_time()
        for _ in range(n_timed):
            core.step(86400 / n_steps)
        core.products([])  # checks the last state
        assert core.failure.cell == -1
        step_s = (time.process_time() - begin) / n_timed
        print(
            f"{equations}, G{level} x {core.n_levels}: {n_steps} steps of {86400 / n_steps:.1f} s,"
            f" {n_timed} timed: {step_s:.3f} s each, {n_steps * step_s:.0f} s a day",
            flush=True,
        )
        if level == 7:
            day_s = n_steps * step_s
            found.append(rows.row(f"{equations}: a day of G7", day_s, GRIST_S, "GRIST, quoted", "s", bar=1))
    rows.report(found, options.json)


if __name__ == "__main__":
    main()
