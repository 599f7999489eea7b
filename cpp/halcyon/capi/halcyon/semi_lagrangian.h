/* Part of halcyon.h: semi-Lagrangian advection on Gaussian grids. */
#ifndef HALCYON_SEMI_LAGRANGIAN_H
#define HALCYON_SEMI_LAGRANGIAN_H

#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Advection of a group of fields at the grid points of this rank. A field is (point, level), float64; winds
 * and departure points are, too. Results have the same bits on any number of ranks, and for all options but
 * interpolation, monotone and radius. */
typedef struct halcyon_advection halcyon_advection;

typedef struct {
  int32_t levels, fields; /* numbers of levels, and of fields that are advected together */
  int32_t px, py;   /* py bands of rows with balanced numbers of points, each cut into px parts; 0, 0: one
                       band per rank. Rank x + px y has part x of band y */
  const char* halo; /* "wide": planned once, sufficient for winds of width - 2 grid points per step;
                       "on_demand": in each step every rank requests the columns that it needs */
  int32_t width;    /* width of a wide halo, in grid points (halcyon_advection_width_for) */
  const char* interpolation; /* "linear" (4 points), "quasi_cubic" (12) or "cubic" (16) */
  int32_t monotone;          /* 1: results are limited to the range of the four values around the departure
                                point; 0: they are not */
  int32_t groups;            /* number of groups of levels; one is exchanged while another is interpolated */
  const char* method;        /* "isend_irecv", ... */
  const char* progress;      /* how messages progress during computation: "none", "poll", "thread" */
  const char* core;          /* core of the progress thread, as in halcyon_transform_options */
  double radius;             /* radius of the sphere [m] */
} halcyon_advection_options;

HALCYON_API void halcyon_advection_options_default(halcyon_advection_options* options);

/* Collective. Advection on all ranks of a communicator (its Fortran handle); a duplicate is used. The grid is
 * copied. options: NULL for the defaults. */
HALCYON_API int halcyon_advection_create(int32_t comm, const halcyon_grid* grid,
                                         const halcyon_advection_options* options,
                                         halcyon_advection** advection);
/* Returns the halo width for winds up to `wind` [m s-1] at steps of `step` seconds: the distance in grid
 * points, rounded up, plus 2. radius: of the sphere [m]. */
HALCYON_API int halcyon_advection_width_for(const halcyon_grid* grid, double wind, double step, double radius,
                                            int32_t* width);

/* The points of this rank, row by row: their indices in the grid, [degrees north] and [degrees east]. */
typedef struct {
  int64_t n_points;
  const int64_t* points;
  const double *latitudes, *longitudes;
} halcyon_advection_held;

/* Returns the part of this rank. The arrays are valid until the advection is freed. */
HALCYON_API int halcyon_advection_share(const halcyon_advection* advection, halcyon_advection_held* held);

/* Collective. Computes the departure points of the air that arrives at the grid points. The trajectory of
 * `step` seconds is a great circle with the wind at its midpoint, which is found by iteration (3 suffice). u,
 * v: eastward and northward winds [m s-1] (point, level) at the middle of the step. */
HALCYON_API int halcyon_advection_find_departures(halcyon_advection* advection, int64_t n_u, const double u[],
                                                  int64_t n_v, const double v[], double step,
                                                  int32_t iterations);
/* Collective. Sets known departure points: [degrees north], [degrees east] (point, level). */
HALCYON_API int halcyon_advection_set_departures(halcyon_advection* advection, int64_t n_latitudes,
                                                 const double latitudes[], int64_t n_longitudes,
                                                 const double longitudes[]);
/* Copies the last departure points: [degrees north], [degrees east] (point, level). */
HALCYON_API int halcyon_advection_departures(const halcyon_advection* advection, int64_t n_latitudes,
                                             double latitudes[], int64_t n_longitudes, double longitudes[]);

/* Collective. Advects n fields by one step, in place. fields: as many as in the options, HALCYON_FLOAT64,
 * (point, level); their names appear in errors. */
HALCYON_API int halcyon_advection_advance(halcyon_advection* advection, int32_t n,
                                          const halcyon_target fields[]);
/* Collective. find_departures and advance in one call: with a wide halo, the exchange of the fields overlaps
 * with the computation of the departure points. If it fails, the fields are unchanged. */
HALCYON_API int halcyon_advection_step(halcyon_advection* advection, int64_t n_u, const double u[],
                                       int64_t n_v, const double v[], double step, int32_t iterations,
                                       int32_t n, const halcyon_target fields[]);

/* Collective. Starts an advance: the messages of all groups of levels are in flight until
 * halcyon_advection_wait, which interpolates. Until then the fields may be read but not written. With a wide
 * halo, departure points may be found or set between the two calls; with a halo on demand, they are those of
 * the start. */
HALCYON_API int halcyon_advection_start(halcyon_advection* advection, int32_t n,
                                        const halcyon_target fields[]);
/* Lets MPI progress the messages in flight, to be called during a computation. Not collective. */
HALCYON_API int halcyon_advection_progress(halcyon_advection* advection);
/* Collective. Completes a started advance; returns immediately if there is none. */
HALCYON_API int halcyon_advection_wait(halcyon_advection* advection);

/* Collective. As halcyon_transform_tune: finds the fastest groups, method and progress of advance with the
 * last departure points, measured with fields of zeros. found: receives the settings, or NULL. */
HALCYON_API int halcyon_advection_tune(halcyon_advection* advection, int32_t repetitions,
                                       halcyon_tried* found);

/* Accumulated time on this rank [s]: of departure points and plans, of starts and waits of exchanges, of
 * interpolation. With the current plan: number of columns in the halo, of ranks that this rank exchanges
 * with, and bytes that it receives per advance. */
typedef struct {
  double plan_s, start_s, wait_s, interpolate_s;
  int64_t n_halo, n_neighbours, received_bytes;
} halcyon_advection_costs_held;

HALCYON_API int halcyon_advection_costs(const halcyon_advection* advection,
                                        halcyon_advection_costs_held* costs);
HALCYON_API void halcyon_advection_free(halcyon_advection* advection);

#ifdef __cplusplus
}
#endif

#endif
