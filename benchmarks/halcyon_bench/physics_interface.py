"""Cost of the interface of physics schemes: of schemes called through it, and of their functions alone.

Schemes are built in (C++), compiled from C and Fortran, or written in Python. Alone are the same functions on
the same arrays: in C++, C and Fortran by their addresses, in Python on an object with plain attributes. The
difference is what the interface adds: zeros in the results, their check, fields that are kept, and the way to
Python. Threshold: 3 % of a step of dry hydrostatic air, per cell and level.
"""

import subprocess
import tempfile
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from mpi4py import MPI

import rows
from halcyon.mesh import uniform
from halcyon.physics import Columns, column_scheme, include_dir
from halcyon.plan.probes.atmosphere_cost import AtmosphereSetup, make_core

EXAMPLES = Path(__file__).parents[2] / "examples/physics"
N_COLUMNS, N_LEVELS, STEP_S, MOST = 64, 30, 300.0, 1.03
WATER = ["water_vapour", "cloud_water", "rain_water"]
# The scheme of heating.py, in C.
HEATING_C = """\
#include <halcyon_physics.h>
#include <math.h>

int heating(const halcyon_columns *c) {
  for (int k = 0; k < c->n_levels; ++k)
    for (int i = 0; i < c->n_columns; ++i) {
      const int here = k * c->n_columns + i;
      c->temperature_tendency[here] = 2.0 / 86400 * exp(-pow(c->latitude[i] / 0.2618, 2)) *
                                      sin(3.14159265358979 * c->pressure[here] / c->surface_pressure[i]);
    }
  return 0;
}
"""


def interface_rows(quick):
    """Rows of a block of columns of each scheme."""
    times, repetitions = (50, 5) if quick else (200, 41)
    core = make_core(MPI.COMM_SELF, AtmosphereSetup("hydrostatic"), uniform(4, tolerance=1e-4))
    n_values = core.n_owned * core.n_levels
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for language, name in (
            ("C++", "kessler"),
            ("C++", "reed_jablonowski"),
            ("C++", "held_suarez"),
            ("C", f"{compiled(folder, 'heating.c', HEATING_C)}:heating"),
            ("Fortran", f"{compiled(folder, 'radiation.f90')}:radiation"),
            ("Python", f"{EXAMPLES / 'heating.py'}:tropics"),
        ):
            columns, state = block_of(name)
            seconds = rows.interleaved(
                {
                    "interface": partial(columns.repeat, STEP_S, times),
                    "alone": partial(call_alone, state, times)
                    if language == "Python"
                    else partial(columns.repeat, STEP_S, times, directly=True),
                    "step": partial(core.step, STEP_S),
                },
                repetitions,
            )
            each = 1e9 / (times * N_COLUMNS * N_LEVELS)
            ours, other = seconds["interface"] * each, seconds["alone"] * each
            step = 1e9 * seconds["step"] / n_values
            label = f"{name.rpartition(':')[2]} ({language})"
            found.append(rows.row(label, ours, other, "function alone", "ns", bar=0))
            with_it = step + ours - other
            found.append(rows.row(f"{label}: a step", with_it, step, "without interface", "ns", bar=1 / MOST))
    return found


def compiled(folder, name, text=None):
    """The path of the library of an example, or of a text."""
    source = Path(folder) / name
    source.write_text((EXAMPLES / name).read_text() if text is None else text)
    library = source.with_name(f"lib{source.stem}.so")
    include = Path(include_dir())
    fortran = ["gfortran", f"-J{folder}", include / "halcyon_physics.f90"]
    compiler = fortran if source.suffix == ".f90" else ["cc", f"-I{include}"]
    subprocess.run([*compiler, "-shared", "-fPIC", "-O2", source, "-o", library, "-lm"], check=True)
    return library


def block_of(name):
    """Columns of a block with a scheme that was called once, and their state: air with cloud and rain."""
    here = np.linspace(-1.5, 1.5, N_COLUMNS)
    columns = Columns(
        [column_scheme(name)],
        longitude=list(0 * here),
        latitude=list(here),
        n_levels=N_LEVELS,
        tracers=WATER,
    )
    interfaces = np.linspace(300, 1e5, N_LEVELS + 1)[:, None] * np.ones(N_COLUMNS)
    pressure = (interfaces[1:] + interfaces[:-1]) / 2
    temperature = 215 + 85 * pressure / 1e5
    vapour = 380 / pressure * np.exp(17.27 * (temperature - 273) / (temperature - 36))
    wet = pressure > 3e4
    heights = -287 * 260 * np.log(interfaces / 1e5)
    state = {
        "surface_pressure": interfaces[-1],
        "surface_geopotential": heights[-1],
        "interface_pressure": interfaces,
        "interface_geopotential": heights,
        "pressure": pressure,
        "exner": (pressure / 1e5) ** (287 / 1004.5),
        "geopotential": (heights[1:] + heights[:-1]) / 2,
        "temperature": temperature,
        "eastward_wind": 10 + 0 * pressure,
        "northward_wind": 5 + 0 * pressure,
        "tracers": np.array([vapour, 1e-3 * wet, 1e-3 * wet]),
    }
    columns.step(state, STEP_S)
    return columns, state | {"latitude": here}


def call_alone(state, times):
    """Calls the example in Python on plain attributes."""
    scope = {}
    exec((EXAMPLES / "heating.py").read_text(), scope)
    plain = SimpleNamespace(**state)
    for _ in range(times):
        scope["tropics"](plain)
