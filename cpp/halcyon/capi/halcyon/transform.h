/* Part of halcyon.h: spherical harmonics on Gaussian grids, and waves on planes. */
#ifndef HALCYON_TRANSFORM_H
#define HALCYON_TRANSFORM_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- Gaussian grids -------------------------------------------------------------------------------------- */

/* Rows of points from north to south, each eastward from longitude 0 with uniform spacing. A field on a grid
 * is (point), row by row. */
typedef struct halcyon_grid halcyon_grid;

/* The rows of a grid from north to south: number of points, sine and cosine of latitude, and Gaussian weights
 * of integrals over the sine of latitude, whose sum is 2. */
typedef struct {
  int32_t n_rows;
  int64_t n_points;
  const int32_t* row_lengths;
  const double *sines, *cosines, *weights;
} halcyon_rows;

/* row_lengths: n_rows, symmetric about the equator, not decreasing towards it. */
HALCYON_API int halcyon_grid_create(int32_t n_rows, const int32_t row_lengths[], halcyon_grid** grid);
/* A full grid: all rows have n_longitudes points. */
HALCYON_API int halcyon_grid_full(int32_t n_rows, int32_t n_longitudes, halcyon_grid** grid);
/* A reduced grid: the shortest rows that a truncation allows, with points_per_wave = 2 (linear), 3
 * (quadratic) or more. */
HALCYON_API int halcyon_grid_reduced(int32_t n_rows, int32_t truncation, int32_t points_per_wave,
                                     halcyon_grid** grid);
/* An octahedral grid: 2 n rows of 20, 24, 28 ... points from the poles. */
HALCYON_API int halcyon_grid_octahedral(int32_t n, halcyon_grid** grid);
/* Returns the rows of a grid. The arrays are valid until the grid is freed. */
HALCYON_API int halcyon_grid_rows(const halcyon_grid* grid, halcyon_rows* rows);
HALCYON_API void halcyon_grid_free(halcyon_grid* grid);

/* -- spherical harmonics --------------------------------------------------------------------------------- */

/* Transforms between values on a Gaussian grid and coefficients F_nm of spherical harmonics with triangular
 * truncation T: f(lambda, mu) = sum_{m=-T..T} sum_{n=|m|..T} F_nm P_nm(mu) exp(i m lambda),  F_n,-m =
 * conj(F_nm) where the mean square of each P_nm is 1, so that F_00 is the mean of f. Values are (field,
 * point), coefficients (field, coefficient, 2): ordered by m, then by n = m..T, real and imaginary part.
 * Results have the same bits on any number of ranks. */
typedef struct halcyon_transform halcyon_transform;

typedef struct {
  double radius;         /* radius of the sphere [m]; not used for planes */
  int64_t memory;        /* memory for cached Legendre functions [bytes]; not used for planes */
  int32_t group;         /* largest number of fields computed at once (not one of the groups) */
  int32_t v, w;          /* V sets of W ranks: fields (on the sphere) are divided among the sets,
                            wavenumbers m and rows among the ranks of a set; 0, 0: 1 set of all ranks */
  int32_t groups;        /* number of groups of fields in the pipeline, at most one per field */
  int32_t ahead;         /* number of groups in flight while another is computed; 0: exchanges block */
  const char* method;    /* "isend_irecv", ... */
  const char* algorithm; /* "burst", "bruck", "ring-4", ... */
  const char* progress;  /* how messages progress during computation: "none", "poll", "thread" */
  const char* core;      /* core of the progress thread: "auto", "shared" (with its rank), a number such as
                            "3", or one per rank of a node such as "2,3" */
  int32_t share_coefficients; /* 1: V sets share the coefficients of each field, so that a rank has all fields
                                 of its coefficients, whole spectral columns; 0: V sets divide the fields.
                                 Not used for planes, whose coefficients are always shared */
} halcyon_transform_options;

HALCYON_API void halcyon_transform_options_default(halcyon_transform_options* options);

/* Settings of the exchange, and the time of a round trip [s]. The texts are valid until the next tune
 * of the transform, or until it is freed. */
typedef struct {
  int32_t groups, ahead;
  const char *method, *algorithm, *progress;
  double seconds;
} halcyon_tried;

/* A transform on one rank; MPI need not be initialised. options: NULL for the defaults; options from v on are
 * ignored. The grid is copied. */
HALCYON_API int halcyon_transform_create(const halcyon_grid* grid, int32_t truncation,
                                         const halcyon_transform_options* options,
                                         halcyon_transform** transform);
/* Collective. A transform on all ranks of a communicator (its Fortran handle); a duplicate is used. All
 * functions of such a transform are collective, except ..._share, ..._fields and ..._statistics. */
HALCYON_API int halcyon_transform_create_shared(int32_t comm, const halcyon_grid* grid, int32_t truncation,
                                                const halcyon_transform_options* options,
                                                halcyon_transform** transform);

/* The part of rank v W + w: all fields at n_points points, given by their indices in the grid; n_coefficients
 * coefficients of each of the rank's fields, given by their wavenumbers m and degrees n. If V sets share
 * coefficients, a wavenumber's coefficients may be on several ranks. */
typedef struct {
  int32_t v, w;
  int64_t n_points, n_coefficients;
  const int64_t* points;
  const int32_t *wavenumbers, *degrees;
} halcyon_transform_held;

/* Returns the part of this rank. The arrays are valid until the transform is freed. */
HALCYON_API int halcyon_transform_share(const halcyon_transform* transform, halcyon_transform_held* held);
/* Of n_fields fields, this rank has coefficients of n fields, beginning with first: of all if V is 1 or if V
 * sets share coefficients. */
HALCYON_API int halcyon_transform_fields(const halcyon_transform* transform, int32_t n_fields, int32_t* first,
                                         int32_t* n);

/* Synthesis: values from coefficients; analysis: coefficients from values. Counts are for all fields, a
 * complex value counted once; the number of fields follows from them. Coefficients are those of this rank's
 * fields. Errors in arrays are returned on this rank only. */
HALCYON_API int halcyon_transform_synthesis(halcyon_transform* transform, int64_t n_coefficients,
                                            const halcyon_complex coefficients[], int64_t n_values,
                                            double values[]);
HALCYON_API int halcyon_transform_analysis(halcyon_transform* transform, int64_t n_values,
                                           const double values[], int64_t n_coefficients,
                                           halcyon_complex coefficients[]);
/* Eastward and northward wind [m s-1] from vorticity and divergence [s-1], whose global means are ignored. */
HALCYON_API int halcyon_transform_winds(halcyon_transform* transform, int64_t n_vorticity,
                                        const halcyon_complex vorticity[], int64_t n_divergence,
                                        const halcyon_complex divergence[], int64_t n_u, double u[],
                                        int64_t n_v, double v[]);
HALCYON_API int halcyon_transform_vorticity_divergence(halcyon_transform* transform, int64_t n_u,
                                                       const double u[], int64_t n_v, const double v[],
                                                       int64_t n_vorticity, halcyon_complex vorticity[],
                                                       int64_t n_divergence, halcyon_complex divergence[]);
/* Eastward and northward derivatives, in the unit of the field per metre. */
HALCYON_API int halcyon_transform_gradient(halcyon_transform* transform, int64_t n_coefficients,
                                           const halcyon_complex coefficients[], int64_t n_east,
                                           double east[], int64_t n_north, double north[]);
/* -- start and wait: these functions start the five calls above. Each computes and sends what needs no data
 * of other ranks: at most `ahead` of the `groups` (times the number of arrays of values, such as u and v), or
 * the only group. Their messages are in flight until halcyon_transform_wait, which makes the rest of the
 * call. Until then inputs may be read but not written, results may be neither read nor written, and other
 * calls of the transform are errors, except ..._share, ..._fields, ..._laplacian, ..._inverse_laplacian and
 * ..._statistics. Errors in arrays are returned on this rank only. */
HALCYON_API int halcyon_transform_start_synthesis(halcyon_transform* transform, int64_t n_coefficients,
                                                  const halcyon_complex coefficients[], int64_t n_values,
                                                  double values[]);
HALCYON_API int halcyon_transform_start_analysis(halcyon_transform* transform, int64_t n_values,
                                                 const double values[], int64_t n_coefficients,
                                                 halcyon_complex coefficients[]);
HALCYON_API int halcyon_transform_start_winds(halcyon_transform* transform, int64_t n_vorticity,
                                              const halcyon_complex vorticity[], int64_t n_divergence,
                                              const halcyon_complex divergence[], int64_t n_u, double u[],
                                              int64_t n_v, double v[]);
HALCYON_API int halcyon_transform_start_vorticity_divergence(halcyon_transform* transform, int64_t n_u,
                                                             const double u[], int64_t n_v, const double v[],
                                                             int64_t n_vorticity, halcyon_complex vorticity[],
                                                             int64_t n_divergence,
                                                             halcyon_complex divergence[]);
HALCYON_API int halcyon_transform_start_gradient(halcyon_transform* transform, int64_t n_coefficients,
                                                 const halcyon_complex coefficients[], int64_t n_east,
                                                 double east[], int64_t n_north, double north[]);
/* Lets MPI progress the messages of a started call, to be called during a computation; when they have
 * arrived, computes the next stage and sends its results, so that all messages of the call can be hidden.
 * Does not block, and does nothing with the methods "alltoallv" and "neighbor". Not collective. */
HALCYON_API int halcyon_transform_progress(halcyon_transform* transform);
/* Completes a started call; returns immediately if there is none. */
HALCYON_API int halcyon_transform_wait(halcyon_transform* transform);

/* -n (n + 1) / a^2 F_nm, in the unit of the field per m2; in-place operation is allowed. No communication. */
HALCYON_API int halcyon_transform_laplacian(const halcyon_transform* transform, int64_t n_coefficients,
                                            const halcyon_complex coefficients[], int64_t n_laplacian,
                                            halcyon_complex laplacian[]);
/* The field with mean 0 that has a given Laplacian, whose mean is ignored; in-place operation is allowed. */
HALCYON_API int halcyon_transform_inverse_laplacian(const halcyon_transform* transform, int64_t n_laplacian,
                                                    const halcyon_complex laplacian[], int64_t n_coefficients,
                                                    halcyon_complex coefficients[]);
/* Collective. Finds the fastest exchange settings for n_fields fields (groups, ahead, method, algorithm and
 * progress), and uses them from now on. `repetitions` round trips are timed for each candidate (5 suffice),
 * on the slowest rank; of candidates with the same time within the noise the simplest is chosen. Settings do
 * not change the bits of results. found: receives the settings, or NULL. */
HALCYON_API int halcyon_transform_tune(halcyon_transform* transform, int32_t n_fields, int32_t repetitions,
                                       halcyon_tried* found);
HALCYON_API int halcyon_transform_statistics(const halcyon_transform* transform,
                                             halcyon_statistics* statistics);
/* Collective during a started call, which it completes. */
HALCYON_API void halcyon_transform_free(halcyon_transform* transform);

/* -- waves on a plane ------------------------------------------------------------------------------------ */

/* ny rows of nx points with uniform spacing, periodic in x and y. A field is (y, x). */
typedef struct {
  int32_t nx, ny;
  double length_x, length_y; /* periods [m] */
} halcyon_plane;

/* Transforms between values on a plane and coefficients F_mn of waves with truncation (M, N):
 *   f(x, y) = sum_m sum_n F_mn exp(2 pi i (m x / Lx + n y / Ly)),  F_-m,-n = conj(F_mn),
 * over |m| <= M, |n| <= N(m), so that F_00 is the mean of f. Values are (field, point), coefficients (field,
 * coefficient, 2): ordered by m from 0, then by n = -N(m)..N(m), real and imaginary part; for m = 0 both
 * signs of n are stored, complex conjugates. Results have the same bits on any number of ranks. */
typedef struct halcyon_bifourier halcyon_bifourier;

/* A transform on one rank; MPI need not be initialised. The plane has at least 2 M + 1 by 2 N + 1 points.
 * last_m, last_n: M, N. shape: "ellipse" keeps (m / M)^2 + (n / N)^2 <= 1, "rectangle" keeps all wavenumbers.
 * options: NULL for the defaults; radius, memory and options from v on are ignored. */
HALCYON_API int halcyon_bifourier_create(const halcyon_plane* plane, int32_t last_m, int32_t last_n,
                                         const char* shape, const halcyon_transform_options* options,
                                         halcyon_bifourier** bifourier);
/* Collective. A transform on all ranks of a communicator (its Fortran handle); a duplicate is used.
 * Synthesis, analysis and free are collective, too. */
HALCYON_API int halcyon_bifourier_create_shared(int32_t comm, const halcyon_plane* plane, int32_t last_m,
                                                int32_t last_n, const char* shape,
                                                const halcyon_transform_options* options,
                                                halcyon_bifourier** bifourier);

/* The part of rank v W + w, of all fields: n_points points, given by their indices y nx + x in the plane;
 * n_coefficients coefficients, given by their wavenumbers m, n. */
typedef struct {
  int32_t v, w;
  int64_t n_points, n_coefficients;
  const int64_t* points;
  const int32_t *m, *n;
} halcyon_bifourier_held;

/* Returns the part of this rank. The arrays are valid until the bifourier is freed. */
HALCYON_API int halcyon_bifourier_share(const halcyon_bifourier* bifourier, halcyon_bifourier_held* held);

/* Counts are as for halcyon_transform_synthesis. */
HALCYON_API int halcyon_bifourier_synthesis(halcyon_bifourier* bifourier, int64_t n_coefficients,
                                            const halcyon_complex coefficients[], int64_t n_values,
                                            double values[]);
HALCYON_API int halcyon_bifourier_analysis(halcyon_bifourier* bifourier, int64_t n_values,
                                           const double values[], int64_t n_coefficients,
                                           halcyon_complex coefficients[]);
/* As halcyon_transform_start_synthesis ..., halcyon_transform_progress and halcyon_transform_wait. */
HALCYON_API int halcyon_bifourier_start_synthesis(halcyon_bifourier* bifourier, int64_t n_coefficients,
                                                  const halcyon_complex coefficients[], int64_t n_values,
                                                  double values[]);
HALCYON_API int halcyon_bifourier_start_analysis(halcyon_bifourier* bifourier, int64_t n_values,
                                                 const double values[], int64_t n_coefficients,
                                                 halcyon_complex coefficients[]);
HALCYON_API int halcyon_bifourier_progress(halcyon_bifourier* bifourier);
HALCYON_API int halcyon_bifourier_wait(halcyon_bifourier* bifourier);
/* Coefficients of derivatives, in the unit of the field per metre: i k F_mn and i l F_mn, k = 2 pi m / Lx, l
 * = 2 pi n / Ly. In-place operation is allowed. These four functions do not communicate. */
HALCYON_API int halcyon_bifourier_x_derivative(const halcyon_bifourier* bifourier, int64_t n_coefficients,
                                               const halcyon_complex coefficients[], int64_t n_derivative,
                                               halcyon_complex derivative[]);
HALCYON_API int halcyon_bifourier_y_derivative(const halcyon_bifourier* bifourier, int64_t n_coefficients,
                                               const halcyon_complex coefficients[], int64_t n_derivative,
                                               halcyon_complex derivative[]);
/* -(k^2 + l^2) F_mn, in the unit of the field per m2. */
HALCYON_API int halcyon_bifourier_laplacian(const halcyon_bifourier* bifourier, int64_t n_coefficients,
                                            const halcyon_complex coefficients[], int64_t n_laplacian,
                                            halcyon_complex laplacian[]);
/* The field with mean 0 that has a given Laplacian, whose mean is ignored; in-place operation is allowed. */
HALCYON_API int halcyon_bifourier_inverse_laplacian(const halcyon_bifourier* bifourier, int64_t n_laplacian,
                                                    const halcyon_complex laplacian[], int64_t n_coefficients,
                                                    halcyon_complex coefficients[]);
/* Collective. As halcyon_transform_tune. */
HALCYON_API int halcyon_bifourier_tune(halcyon_bifourier* bifourier, int32_t n_fields, int32_t repetitions,
                                       halcyon_tried* found);
HALCYON_API int halcyon_bifourier_statistics(const halcyon_bifourier* bifourier,
                                             halcyon_statistics* statistics);
HALCYON_API void halcyon_bifourier_free(halcyon_bifourier* bifourier);

#ifdef __cplusplus
}
#endif

#endif
