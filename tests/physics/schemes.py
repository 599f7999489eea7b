"""Schemes in Python for tests, and compilation of the schemes in C and Fortran."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from halcyon.physics import Field, include_dir

EXAMPLES = Path(__file__).parents[2] / "examples/physics"
DAY_S = 86400

COUNTING_C = """\
#include <halcyon_physics.h>

/* Heats by `rate` [K day-1] times the number of calls so far, and keeps that number. */
void counting_declare(const halcyon_declarations *d) {
  d->option(d->scheme, "rate", 1, "K day-1", "Heating per call.", 0, 10);
  d->field(d->scheme, "calls", 0, "1", "number of calls so far");
  d->field(d->scheme, "heat", 1, "K", "heating so far");
}
int counting(const halcyon_columns *c) {
  for (int i = 0; i < c->n_columns; ++i) {
    c->fields[0][i] += 1;
    for (int k = 0; k < c->n_levels; ++k) {
      const int here = k * c->n_columns + i;
      c->temperature_tendency[here] = c->options[0] / 86400 * c->fields[0][i];
      c->fields[1][here] += c->temperature_tendency[here] * c->step;
    }
  }
  return 0;
}
int failing(const halcyon_columns *c) { return c->n_levels; }
int latin(const halcyon_columns *c) {
  const char text[] = "no caf\\xe9, \\xc3\\xa9t\\xc3\\xa9";
  for (int i = 0; i < (int)sizeof text; ++i) c->message[i] = text[i];
  return 1;
}
void taking_step_declare(const halcyon_declarations *d) { d->option(d->scheme, "step", 1, "s", "", 0, 10); }
int taking_step(const halcyon_columns *c) { return 0; }
"""

DECAYING_C = """\
#include <halcyon_physics.h>

/* Removes the tracer `constant_tracer` at 1e-4 [s-1]. */
int decaying(const halcyon_columns *c) {
  const int tracer = halcyon_tracer(c, "constant_tracer"), n = c->n_levels * c->n_columns;
  if (tracer < 0) return 1;
  for (int i = tracer * n; i < (tracer + 1) * n; ++i) c->tracer_tendencies[i] = -1e-4 * c->tracers[i];
  return 0;
}
"""

DECAYING_F90 = """\
function decaying(columns) result(status) bind(C, name="decaying")
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use halcyon_physics
  type(halcyon_columns), intent(in) :: columns
  integer(c_int) :: status
  real(c_double), pointer :: tracers(:, :, :), tendencies(:, :, :)
  integer :: tracer
  tracer = halcyon_tracer(columns, "constant_tracer")
  status = 1
  if (tracer == 0) return
  tracers => halcyon_array(columns%tracers, columns%n_columns, columns%n_levels, columns%n_tracers)
  tendencies => halcyon_array(columns%tracer_tendencies, columns%n_columns, columns%n_levels, &
                              columns%n_tracers)
  tendencies(:, :, tracer) = -1e-4_c_double*tracers(:, :, tracer)
  status = 0
end function
"""

DAMPING_C = """\
#include <halcyon_physics.h>

void damping_declare(const halcyon_declarations *d) {
  d->option(d->scheme, "rate", 1e-5, "s-1", "Rate of the damping.", 0, 1);
}
int damping(const halcyon_spectra *s) {
  const int n = s->n_cells * s->n_frequencies * s->n_directions;
  for (int i = 0; i < n; ++i) {
    s->source[i] = -s->options[0] * s->density[i];
    s->source_derivative[i] = -s->options[0];
  }
  return 0;
}
"""

DAMPING_F90 = """\
function damping(spectra) result(status) bind(C, name="damping")
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  use halcyon_physics
  type(halcyon_spectra), intent(in) :: spectra
  integer(c_int) :: status
  real(c_double), pointer :: density(:, :, :), source(:, :, :), derivative(:, :, :), calls(:)
  density => halcyon_array(spectra%density, spectra%n_directions, spectra%n_frequencies, spectra%n_cells)
  source => halcyon_array(spectra%source, spectra%n_directions, spectra%n_frequencies, spectra%n_cells)
  derivative => halcyon_array(spectra%source_derivative, spectra%n_directions, &
                              spectra%n_frequencies, spectra%n_cells)
  calls => halcyon_scheme_field(spectra, 1)
  source = -halcyon_option(spectra, 1)*density
  derivative = -halcyon_option(spectra, 1)
  calls = calls + 1
  status = 0
  if (spectra%n_directions /= 36) status = halcyon_fail(spectra%message, "36 directions are needed")
end function
subroutine damping_declare(declarations) bind(C, name="damping_declare")
  use, intrinsic :: iso_c_binding, only: c_double
  use halcyon_physics
  type(halcyon_declarations), intent(in) :: declarations
  call halcyon_declare_option(declarations, "rate", 1e-5_c_double, "s-1", "Rate of the damping.")
  call halcyon_declare_field(declarations, "damping_calls", .false., "1", "number of calls so far")
end subroutine
"""


def uniform(block, *, rate=1.0):
    """Heats all air by `rate` [K day-1]."""
    block.temperature_tendency[:] = rate / DAY_S


def counting(block, *, rate=1.0):
    """The same as COUNTING_C."""
    block.calls += 1
    block.temperature_tendency[:] = rate / DAY_S * block.calls
    block.heat += block.temperature_tendency * block.step


counting.fields = [
    Field("calls", "1", "number of calls so far", levels=False),
    Field("heat", "K", "heating so far"),
]


def accelerating(block, *, rate=30.0):
    """Accelerates all air eastwards by `rate` [m s-1 h-1] at the equator."""
    block.eastward_wind_tendency[:] = rate / 3600 * np.cos(block.latitude)


def everything(block):
    """Changes all results by formulas of the whole state."""
    wind = block.eastward_wind**2 + block.northward_wind**2
    block.temperature_tendency = 1e-6 * block.exner * wind + 1e-9 * block.geopotential * block.date / 1e9
    block.eastward_wind_tendency = 1e-6 * block.northward_wind + 1e-13 * block.interface_geopotential[1:]
    block.northward_wind_tendency = -1e-6 * block.eastward_wind - 1e-12 * block.interface_pressure[:-1]
    block.drag = 1e-6 * block.pressure / block.surface_pressure
    if len(block.tracers):
        block.tracer_tendencies = -1e-6 * block.tracers


def decaying(block):
    """The same as DECAYING_C."""
    number = block.tracer("constant_tracer")
    block.tracer_tendencies[number] = -1e-4 * block.tracers[number]


def damping(spectra, *, rate=1e-5, north=-100.0):
    """Damps waves at `rate` [s-1], north of a latitude [degree], and keeps the damped variance density."""
    is_north = np.degrees(spectra.latitude) > north
    spectra.source = -rate * spectra.density * is_north[:, None, None]
    spectra.source_derivative[:] = -rate * is_north[:, None, None]
    spectra.damped_density -= spectra.source.sum(axis=(1, 2)) * spectra.step


damping.fields = [
    Field("damped_density", "m2 s", "sum of the damped variance density over bins", levels=False)
]


def not_finite_source(spectra):
    spectra.source[:, 2, 3] = np.where(spectra.depth > 0, np.inf, 0)


def wrong_source(spectra):
    spectra.source = spectra.density[:, :, 0]


def failing(block):
    return 1 / 0 * block.temperature


def wrong_shape(block):
    block.temperature_tendency = block.temperature[:3]


def too_few_columns(block):
    block.drag = block.latitude


def state(block):
    block.temperature = 280


def empty_state(block):
    block.tracers = block.tracers


def misspelt_result(block):
    block.heating = 1


def misspelt_state(block):
    block.drag = block.temprature


def stopping(block):
    raise SystemExit(3)


def foreign(block):
    raise ValueError(f"{'é' * 200}")  # cut in the middle of a character


def surrogate(block):
    raise ValueError("caf\udce9")


def returning(block):
    return 2 * block.temperature


def not_finite(block):
    rate = 0 * block.temperature
    rate[4, block.latitude > 1.4] = float("nan")
    block.temperature_tendency = rate


def compiled(folder, name, source=None):
    """Compiles a scheme with the commands of docs/physics.md: C or Fortran source, or the Fortran example."""
    is_c = source is not None and "#include" in source
    compiler = "cc" if is_c else "gfortran"
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    library, include = folder / f"lib{name}.so", include_dir()
    flags = ["-shared", "-fPIC", "-O2", "-o", str(library)]
    path = EXAMPLES / f"{name}.f90"
    if source is not None:
        path = folder / f"{name}{'.c' if is_c else '.f90'}"
        path.write_text(source)
    module = [f"-I{include}"] if is_c else [str(include / "halcyon_physics.f90")]
    subprocess.run([compiler, *flags, *module, str(path)], check=True, cwd=folder)
    return library
