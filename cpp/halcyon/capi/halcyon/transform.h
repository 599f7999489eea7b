/* Of halcyon.h: spherical harmonics on Gaussian grids, and waves on planes. */
#ifndef HALCYON_TRANSFORM_H
#define HALCYON_TRANSFORM_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- Gaussian grids -------------------------------------------------------------------------------------- */

/* Rows of values from north to south, each eastward from longitude 0, evenly spaced. A field on a grid is
 * (point), row after row. */
typedef struct halcyon_grid halcyon_grid;

/* Of the rows of a grid, from north to south: how many values each has, its latitude, and the weight of Gauss
 * of integrals over the sine of latitude, whose sum is 2. */
typedef struct {
  int32_t n_rows;
  int64_t n_points;
  const int32_t* row_lengths;
  const double *sines, *cosines, *weights;
} halcyon_rows;

/* row_lengths: n_rows, alike north and south, never shrinking towards the equator. */
HALCYON_API int halcyon_grid_create(int32_t n_rows, const int32_t row_lengths[], halcyon_grid** grid);
/* All rows have the same length. */
HALCYON_API int halcyon_grid_full(int32_t n_rows, int32_t n_longitudes, halcyon_grid** grid);
/* Rows as short as they may be for a truncation, with points_per_wave = 2 (linear), 3 (quadratic) or more. */
HALCYON_API int halcyon_grid_reduced(int32_t n_rows, int32_t truncation, int32_t points_per_wave,
                                     halcyon_grid** grid);
/* 2 n rows, of 20, 24, 28 .. values from the poles on. */
HALCYON_API int halcyon_grid_octahedral(int32_t n, halcyon_grid** grid);
/* What it points to lasts as long as the grid. */
HALCYON_API int halcyon_grid_rows(const halcyon_grid* grid, halcyon_rows* rows);
HALCYON_API void halcyon_grid_free(halcyon_grid* grid);

/* -- spherical harmonics --------------------------------------------------------------------------------- */

/* Between values on a Gaussian grid and coefficients of spherical harmonics X_nm of a triangular truncation
 * T: x(lambda, mu) = sum_{m=-T..T} sum_{n=|m|..T} X_nm P_nm(mu) exp(i m lambda),  X_n,-m = conj(X_nm) with
 * mean squares of P_nm of 1, so that X_00 is the mean of x. Values are (field, point), coefficients (field,
 * coefficient, 2): m by m, n = m..T, real and imaginary part. The same bits on any ranks. */
typedef struct halcyon_transform halcyon_transform;

typedef struct {
  double radius;      /* [m] of the sphere; planes have none */
  int64_t memory;     /* [bytes] for functions of Legendre of single fields, which planes have not */
  int32_t group;      /* fields that are computed together, at most */
  int32_t v, w;       /* sets of ranks, whose product is their number; 0 and 0: 1 and all */
  int32_t groups;     /* that fields travel in, at most one a field, winds in as many of each component: while
                         one is computed, others travel. In 1 group the panels of all fields are in memory */
  int32_t ahead;      /* how many others; 0: none, ranks block */
  const char* method; /* "isend_irecv", ... */
  const char* algorithm; /* "burst", "bruck", "ring-4", ... */
  const char* progress;  /* while ranks compute: "none", "poll", "thread" */
  const char* core;      /* of threads, also those that tuning tries: "auto", "shared", or "3", or "2,3" of
                            the ranks of a node one after another */
} halcyon_transform_options;

HALCYON_API void halcyon_transform_options_default(halcyon_transform_options* options);

/* How ranks exchange, and how long a round trip took [s]. The texts last until the next tune of the
 * transform, or until it is freed. */
typedef struct {
  int32_t groups, ahead;
  const char *method, *algorithm, *progress;
  double seconds;
} halcyon_tried;

/* Of one rank, which holds all; MPI need not run. options: NULL for the defaults; those from v on are not
 * read. The grid is copied. */
HALCYON_API int halcyon_transform_create(const halcyon_grid* grid, int32_t truncation,
                                         const halcyon_transform_options* options,
                                         halcyon_transform** transform);
/* Collective. Of all ranks of a communicator (its Fortran handle), of which a duplicate is used. All that is
 * done with such a transform is collective but for sizes, shares and statistics. */
HALCYON_API int halcyon_transform_create_shared(int32_t comm, const halcyon_grid* grid, int32_t truncation,
                                                const halcyon_transform_options* options,
                                                halcyon_transform** transform);

/* What this rank, v W + w, holds: the values of all fields at n_points points, of which points tells the
 * places among all of the grid; n_coefficients coefficients, of the wavenumbers m and degrees n, of its
 * fields. */
typedef struct {
  int32_t v, w;
  int64_t n_points, n_coefficients;
  const int64_t* points;
  const int32_t *wavenumbers, *degrees;
} halcyon_transform_held;

/* What it points to lasts as long as the transform. */
HALCYON_API int halcyon_transform_share(const halcyon_transform* transform, halcyon_transform_held* held);
/* Of n_fields fields this rank has the coefficients of n from first on: all where V is 1. */
HALCYON_API int halcyon_transform_fields(const halcyon_transform* transform, int32_t n_fields, int32_t* first,
                                         int32_t* n);

/* Counts are those of an array's numbers, complex ones counted once; the number of fields follows from that
 * of values. Coefficients are those of this rank's fields. What is wrong with arrays is said on the rank
 * where it is. */
HALCYON_API int halcyon_transform_synthesis(halcyon_transform* transform, int64_t n_coefficients,
                                            const halcyon_complex coefficients[], int64_t n_values,
                                            double values[]);
HALCYON_API int halcyon_transform_analysis(halcyon_transform* transform, int64_t n_values,
                                           const double values[], int64_t n_coefficients,
                                           halcyon_complex coefficients[]);
/* Eastward and northward wind [m s-1] of vorticity and divergence [s-1], whose means are taken as 0. */
HALCYON_API int halcyon_transform_winds(halcyon_transform* transform, int64_t n_vorticity,
                                        const halcyon_complex vorticity[], int64_t n_divergence,
                                        const halcyon_complex divergence[], int64_t n_u, double u[],
                                        int64_t n_v, double v[]);
HALCYON_API int halcyon_transform_vorticity_divergence(halcyon_transform* transform, int64_t n_u,
                                                       const double u[], int64_t n_v, const double v[],
                                                       int64_t n_vorticity, halcyon_complex vorticity[],
                                                       int64_t n_divergence, halcyon_complex divergence[]);
/* Derivatives eastward and northward [x m-1] of fields [x]. */
HALCYON_API int halcyon_transform_gradient(halcyon_transform* transform, int64_t n_coefficients,
                                           const halcyon_complex coefficients[], int64_t n_east,
                                           double east[], int64_t n_north, double north[]);
/* -n (n + 1) / a^2 X_nm [x m-2] of fields [x]. It may go to where the coefficients are. These two talk to
 * nobody. */
HALCYON_API int halcyon_transform_laplacian(const halcyon_transform* transform, int64_t n_coefficients,
                                            const halcyon_complex coefficients[], int64_t n_laplacian,
                                            halcyon_complex laplacian[]);
/* Of the field of mean 0 that has this Laplacian; the mean of this is taken as 0. */
HALCYON_API int halcyon_transform_inverse_laplacian(const halcyon_transform* transform, int64_t n_laplacian,
                                                    const halcyon_complex laplacian[], int64_t n_coefficients,
                                                    halcyon_complex coefficients[]);
/* Collective. From now on the ranks that share a transform exchange as is fastest here for n_fields fields:
 * of groups, groups ahead, methods, algorithms and all progress that MPI can have a search tries what looks
 * well, by so many round trips each (5 are enough). The slowest rank counts, of its times the best, and what
 * is simpler where the gain is within the noise; all choose the same, and no bit depends on it. found: what
 * was chosen, or NULL. */
HALCYON_API int halcyon_transform_tune(halcyon_transform* transform, int32_t n_fields, int32_t repetitions,
                                       halcyon_tried* found);
/* What the exchanges have cost and moved on this rank so far. */
HALCYON_API int halcyon_transform_statistics(const halcyon_transform* transform,
                                             halcyon_statistics* statistics);
HALCYON_API void halcyon_transform_free(halcyon_transform* transform);

/* -- waves on a plane ------------------------------------------------------------------------------------ */

/* ny rows of nx values, evenly spaced, periodic along x and y. A field on it is (y, x). */
typedef struct {
  int32_t nx, ny;
  double length_x, length_y; /* [m] periods */
} halcyon_plane;

/* Between values on a plane and coefficients of waves X_mn of a truncation (M, N):
 *   x(x, y) = sum_m sum_n X_mn exp(2 pi i (m x / Lx + n y / Ly)),  X_-m,-n = conj(X_mn),
 * over |m| <= M, |n| <= N(m), so that X_00 is the mean of x. Values are (field, point), coefficients (field,
 * coefficient, 2): m by m from 0, n = -N(m)..N(m), real and imaginary part; of m = 0 both signs of n, each
 * the conjugate of the other. The same bits on any ranks. */
typedef struct halcyon_bifourier halcyon_bifourier;

/* Of one rank, which holds all; MPI need not run. The plane has 2 M + 1 by 2 N + 1 values or more.
 * last_m, last_n: M, N. shape: "ellipse" keeps (m / M)^2 + (n / N)^2 <= 1, "rectangle" all.
 * options: NULL for the defaults; of them radius, memory and those from v on are not read. */
HALCYON_API int halcyon_bifourier_create(const halcyon_plane* plane, int32_t last_m, int32_t last_n,
                                         const char* shape, const halcyon_transform_options* options,
                                         halcyon_bifourier** bifourier);
/* Collective. Of all ranks of a communicator (its Fortran handle), of which a duplicate is used. Synthesis,
 * analysis and free are collective, too. */
HALCYON_API int halcyon_bifourier_create_shared(int32_t comm, const halcyon_plane* plane, int32_t last_m,
                                                int32_t last_n, const char* shape,
                                                const halcyon_transform_options* options,
                                                halcyon_bifourier** bifourier);

/* What this rank, v W + w, holds of all fields, so that columns are whole: the values at n_points points, of
 * which points tells the places in the plane, y nx + x; n_coefficients coefficients, of the waves m, n. */
typedef struct {
  int32_t v, w;
  int64_t n_points, n_coefficients;
  const int64_t* points;
  const int32_t *m, *n;
} halcyon_bifourier_held;

/* What it points to lasts as long as the bifourier. */
HALCYON_API int halcyon_bifourier_share(const halcyon_bifourier* bifourier, halcyon_bifourier_held* held);

/* Counts as those of a transform on the sphere. */
HALCYON_API int halcyon_bifourier_synthesis(halcyon_bifourier* bifourier, int64_t n_coefficients,
                                            const halcyon_complex coefficients[], int64_t n_values,
                                            double values[]);
HALCYON_API int halcyon_bifourier_analysis(halcyon_bifourier* bifourier, int64_t n_values,
                                           const double values[], int64_t n_coefficients,
                                           halcyon_complex coefficients[]);
/* Coefficients of derivatives [x m-1] of fields [x]: i k X_mn and i l X_mn, k = 2 pi m / Lx, l = 2 pi n / Ly.
 * They may go to where the coefficients are. These four talk to nobody. */
HALCYON_API int halcyon_bifourier_x_derivative(const halcyon_bifourier* bifourier, int64_t n_coefficients,
                                               const halcyon_complex coefficients[], int64_t n_derivative,
                                               halcyon_complex derivative[]);
HALCYON_API int halcyon_bifourier_y_derivative(const halcyon_bifourier* bifourier, int64_t n_coefficients,
                                               const halcyon_complex coefficients[], int64_t n_derivative,
                                               halcyon_complex derivative[]);
/* -(k^2 + l^2) X_mn [x m-2] */
HALCYON_API int halcyon_bifourier_laplacian(const halcyon_bifourier* bifourier, int64_t n_coefficients,
                                            const halcyon_complex coefficients[], int64_t n_laplacian,
                                            halcyon_complex laplacian[]);
/* Of the field of mean 0 that has this Laplacian; the mean of this is taken as 0. */
HALCYON_API int halcyon_bifourier_inverse_laplacian(const halcyon_bifourier* bifourier, int64_t n_laplacian,
                                                    const halcyon_complex laplacian[], int64_t n_coefficients,
                                                    halcyon_complex coefficients[]);
/* Collective. As halcyon_transform_tune. */
HALCYON_API int halcyon_bifourier_tune(halcyon_bifourier* bifourier, int32_t n_fields, int32_t repetitions,
                                       halcyon_tried* found);
/* What the exchanges have cost and moved on this rank so far. */
HALCYON_API int halcyon_bifourier_statistics(const halcyon_bifourier* bifourier,
                                             halcyon_statistics* statistics);
HALCYON_API void halcyon_bifourier_free(halcyon_bifourier* bifourier);

#ifdef __cplusplus
}
#endif

#endif
