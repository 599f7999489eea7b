/* The interface of physics schemes: functions that compute tendencies of columns of air, or source terms of
 * wave spectra (docs/physics.md). A scheme is compiled to a shared library, without a library of Halcyon:
 *
 *     cc -shared -fPIC -O2 -I$(python -m halcyon.physics) cooling.c -o libcooling.so
 *
 * and named in the case as `libcooling.so:cooling`. The library exports the function `cooling`, of type
 * halcyon_column_scheme or halcyon_spectrum_scheme, and, if it has options or fields of its own,
 * `cooling_declare`, of type halcyon_declare. A function returns 0, or another number for an error, whose
 * text it writes to `message`. Results of a column or cell must depend on data of this column or cell only,
 * so that they do not depend on the distribution over ranks. Blocks have a constant number of columns or
 * cells: the last ones of a block may repeat others. Calls are never concurrent within a process. */
#ifndef HALCYON_PHYSICS_H
#define HALCYON_PHYSICS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HALCYON_MESSAGE_SIZE = 256, HALCYON_PHYSICS_VERSION = 2 };

/* The version of the interface that a library was compiled with; Halcyon loads no other version. */
extern const int32_t halcyon_physics_version __attribute__((weak, visibility("default")));
const int32_t halcyon_physics_version = HALCYON_PHYSICS_VERSION;

/* A block of columns. Levels are counted from the top, interfaces too: level k is between the interfaces k
 * and k + 1. Arrays named (level, column) have the value of level k and column i at [k * n_columns + i]. All
 * schemes of a case see the same state: that at the start of a step (of the leapfrog scheme: at its middle).
 */
typedef struct halcyon_columns {
  int32_t n_columns, n_levels, n_tracers, n_options, n_fields;
  double time;                                 /* of the state, since the start of the run [s] */
  double date;                                 /* of the state, since 1970-01-01 00:00 UTC [s] */
  double step;                                 /* time for which the tendencies are used [s] */
  double gravity, gas_constant, heat_capacity; /* [m s-2]; of dry air, at constant pressure [J kg-1 K-1] */
  /* The state. */
  const double *longitude, *latitude;                    /* [rad] (column) */
  const double *surface_pressure, *surface_geopotential; /* [Pa], [m2 s-2] (column) */
  const double* interface_pressure;                      /* [Pa] (interface, column) */
  const double* interface_geopotential;                  /* [m2 s-2] (interface, column) */
  const double *pressure, *exner;                        /* [Pa], (p / 10^5 Pa)^kappa (level, column) */
  const double *geopotential, *temperature;              /* [m2 s-2], [K] (level, column) */
  const double *eastward_wind, *northward_wind;          /* [m s-1] (level, column) */
  const double* tracers;           /* mixing ratios to dry air [kg kg-1] (tracer, level, column) */
  const char* const* tracer_names; /* names in the case, such as water_vapour (tracer) */
  const double* options;           /* values, in the order of the declarations (option) */
  /* The results, zeros before the call. */
  double* temperature_tendency;                             /* [K s-1] (level, column) */
  double *eastward_wind_tendency, *northward_wind_tendency; /* [m s-2] (level, column) */
  double* drag;              /* r [s-1]: the tendency -r v of the wind v at the time of use (level, column) */
  double* tracer_tendencies; /* [s-1] (tracer, level, column) */
  /* The fields of the scheme, in the order of the declarations: kept from call to call, zeros before the
   * first call (field), each (column) or (level, column). */
  double* const* fields;
  char* message; /* text of an error, of HALCYON_MESSAGE_SIZE characters with the final zero */
  void* context; /* for internal use */
} halcyon_columns;

/* A block of wave spectra: variance densities F per rad and Hz. Arrays named (cell, frequency, direction)
 * have the value of cell i, frequency f and direction d at [(i * n_frequencies + f) * n_directions + d]. */
typedef struct halcyon_spectra {
  int32_t n_cells, n_frequencies, n_directions, n_options, n_fields;
  double time;             /* of the spectra, since the start of the run [s] */
  double date;             /* of the spectra, since 1970-01-01 00:00 UTC [s] */
  double step;             /* time for which the source terms are used [s] */
  double gravity;          /* [m s-2] */
  const double* frequency; /* [Hz] (frequency) */
  const double* direction; /* of propagation [rad], clockwise from north (direction) */
  /* The state. */
  const double *longitude, *latitude;           /* [rad] (cell) */
  const double* depth;                          /* [m] (cell) */
  const double *eastward_wind, *northward_wind; /* at 10 m [m s-1] (cell) */
  const double* ice_fraction;                   /* (cell) */
  const double* wavenumber;                     /* [m-1] (cell, frequency) */
  const double* density;                        /* F [m2 Hz-1 rad-1] (cell, frequency, direction) */
  const double* options;                        /* values, in the order of the declarations (option) */
  /* The results, zeros before the call. */
  double* source;            /* S [m2 rad-1], that is [m2 Hz-1 rad-1 s-1] (cell, frequency, direction) */
  double* source_derivative; /* dS/dF of the bin [s-1], for the implicit step (cell, frequency, direction) */
  /* The fields of the scheme, in the order of the declarations: kept from call to call, zeros before the
   * first call (field), each (cell). */
  double* const* fields;
  char* message; /* text of an error, of HALCYON_MESSAGE_SIZE characters with the final zero */
  void* context; /* for internal use */
} halcyon_spectra;

/* The number of the tracer of a name, from 0. Without such a tracer, writes an error to `message` and returns
 * -1; the scheme then returns another number than 0. */
static inline int halcyon_tracer(const halcyon_columns* columns, const char* name) {
  for (int32_t t = 0; t < columns->n_tracers; ++t)
    if (strcmp(columns->tracer_names[t], name) == 0) return t;
  snprintf(columns->message, HALCYON_MESSAGE_SIZE, "the model has no tracer '%s'", name);
  return -1;
}

typedef int halcyon_column_scheme(const halcyon_columns* columns);
typedef int halcyon_spectrum_scheme(const halcyon_spectra* spectra);

/* What a scheme declares, once, before its first call. Names are those of the case and of output files. */
typedef struct halcyon_declarations {
  void* scheme; /* the first argument of the functions */
  /* An option: its default, unit, meaning, and the smallest and the largest allowed value. */
  void (*option)(void* scheme, const char* name, double value, const char* unit, const char* text,
                 double minimum, double maximum);
  /* A field, which restart files hold and `output.variables` may name; has_levels: 0 or 1. */
  void (*field)(void* scheme, const char* name, int has_levels, const char* units, const char* long_name);
} halcyon_declarations;

typedef void halcyon_declare(const halcyon_declarations* declarations);

#ifdef __cplusplus
}
#endif
#endif
