"""Cost of steps with forcings in Python (Simulation.add_forcing), relative to built-in ones of the same work.

The forcing of Held and Suarez (1994) in numpy against the built-in scheme, and a constant wind in Python
against one of the case. Threshold: 1.2 times the CPU time of a step with the built-in forcing.
"""

import sys
from pathlib import Path

import numpy as np

import halcyon as hc

sys.path.insert(0, str(Path(__file__).parents[1]))
import rows

BAR = 1 / 1.2
DAY = 1 / 86400  # [s-1]
START = {"start": "2022-09-01", "end": "2022-09-11", "interval": 864000}


def held_suarez(columns):
    """Constants of one column are multiplied before those of its levels, as it saves operations on arrays."""
    cosine2 = np.cos(columns.latitude) ** 2
    boundary = np.maximum(0, columns.pressure * (1 / (0.3 * columns.surface_pressure)) - 0.7 / 0.3)
    warm = 255 + 60 * cosine2 - 10 * 3.5 * cosine2 * np.log(columns.exner)  # kappa = 1 / 3.5
    equilibrium = np.maximum(200, warm * columns.exner)
    rate = DAY / 40 + DAY * (1 / 4 - 1 / 40) * cosine2**2 * boundary
    columns.temperature_tendency = rate * (equilibrium - columns.temperature)
    columns.drag = DAY * boundary


def wind(cells):
    cells.eastward_wind, cells.northward_wind = 15 * np.sin(0.35), 15 * np.cos(0.35)


def air(quick):
    """Simulations of air with the built-in scheme and with that in Python."""
    options = START | {"set": "hydrostatic", "level": 3 if quick else 4, "step": 600}
    options |= {"initial": {"type": "baroclinic_wave"}, "levels": {"count": 26}}
    in_python = hc.atmosphere(**options)
    in_python.add_forcing(held_suarez)
    return {"built-in": hc.atmosphere(**options, physics="held_suarez"), "Python": in_python}


def waves(quick):
    """Simulations of waves with a constant wind of the case and with one in Python."""
    spectrum = {"frequencies": 12, "directions": 12} if quick else {"frequencies": 25, "directions": 24}
    options = START | {"level": 3 if quick else 4, "spectrum": spectrum, "coast": {"resolution": "c"}}
    in_python = hc.wave(**options, wind="none")
    in_python.add_forcing(wind, "wind")
    direction = 180 + np.degrees(0.35)
    constant = {"constant": {"speed": 15, "direction": float(direction)}}
    return {"built-in": hc.wave(**options, wind=constant), "Python": in_python}


def main():
    options = rows.parser(__doc__.splitlines()[0]).parse_args()
    found = []
    for claim, make in (("a step of air, Held and Suarez (1994)", air), ("a step of waves, wind", waves)):
        runs = make(options.quick)
        steps = {name: lambda run=run: run.step(steps=4) for name, run in runs.items()}
        for step in steps.values():
            step()  # sets up
        seconds = rows.interleaved(steps, 3 if options.quick else 21)
        milliseconds = [250 * seconds[name] for name in ("Python", "built-in")]
        found.append(rows.row(claim, *milliseconds, "the built-in forcing", "ms", bar=BAR))
    rows.report(found, options.json)


if __name__ == "__main__":
    main()
