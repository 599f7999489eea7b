/* Part of halcyon.h: linear equations A x = b over all ranks by the generalised conjugate residual method. */
#ifndef HALCYON_KRYLOV_H
#define HALCYON_KRYLOV_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- linear maps -------------------------------------------------------------------------------------------
 */

/* A linear map of vectors, of which each rank has the items that it owns: an operator or a preconditioner. */
typedef struct halcyon_map halcyon_map;

/* A function of the program that computes y = A x for the n items of this rank, and returns 0; any other
 * number is an error, which halcyon_gcr_solve returns on all ranks. If it communicates, all ranks call it,
 * and it may fail on some of them only after its communication. context: the pointer given to
 * halcyon_map_create. */
typedef int (*halcyon_apply)(void* context, int64_t n, const double* x, double* y);

/* context is passed to the function, and must exist as long as the map. */
HALCYON_API int halcyon_map_create(int64_t n, halcyon_apply apply, void* context, halcyon_map** map);
/* Jacobi preconditioner: division by the diagonal of the operator. */
HALCYON_API int halcyon_map_jacobi(int64_t n, const double diagonal[], halcyon_map** map);
/* Zonal line preconditioner: solves l_i y_(i-1) + d_i y_i + u_i y_(i+1) = x_i along each circle of latitude,
 * where the first and last item are adjacent. lower, diagonal, upper: l, d, u, n = n_rows n_items values
 * (row, item) of complete rows. */
HALCYON_API int halcyon_map_zonal_line(int64_t n_rows, int64_t n_items, int64_t n, const double lower[],
                                       const double diagonal[], const double upper[], halcyon_map** map);
/* y = A x; collective if the map communicates. */
HALCYON_API int halcyon_map_apply(const halcyon_map* map, int64_t n_x, const double x[], int64_t n_y,
                                  double y[]);
HALCYON_API void halcyon_map_free(halcyon_map* map);

/* -- the Helmholtz equation --------------------------------------------------------------------------------
 */

/* (1 - L^2 del^2) x = b on the unit sphere, by second-order finite volumes on a regular longitude-latitude
 * grid, not a Gaussian one. Rows are circles of latitude, numbered from the south; each rank has complete
 * rows, and its vectors are (row, longitude). */
typedef struct halcyon_helmholtz halcyon_helmholtz;

/* Collective. length_squared: L^2 in squared radii. */
HALCYON_API int halcyon_helmholtz_create(int32_t comm, int64_t n_latitudes, int64_t n_longitudes,
                                         double length_squared, halcyon_helmholtz** helmholtz);
/* Returns the rows of this rank: the first one, counted from 0, and their number. */
HALCYON_API int halcyon_helmholtz_rows(const halcyon_helmholtz* helmholtz, int64_t* first_row,
                                       int64_t* n_rows);
/* Returns the operator y = x - L^2 del^2 x, whose applications are collective, and its preconditioners. They
 * may be used after the equation is freed. */
HALCYON_API int halcyon_helmholtz_operator(const halcyon_helmholtz* helmholtz, halcyon_map** map);
HALCYON_API int halcyon_helmholtz_jacobi(const halcyon_helmholtz* helmholtz, halcyon_map** map);
HALCYON_API int halcyon_helmholtz_zonal_line(const halcyon_helmholtz* helmholtz, halcyon_map** map);
HALCYON_API void halcyon_helmholtz_free(halcyon_helmholtz* helmholtz);

/* -- GCR ---------------------------------------------------------------------------------------------------
 */

typedef struct halcyon_gcr halcyon_gcr;

typedef struct {
  const char* variant; /* "classical": two operator applications and two allreduces per iteration; "fused":
                          one of each; "pipelined": one of each, and the allreduce overlaps with both maps */
  int32_t k;           /* number of kept directions */
  double tolerance;    /* bound of |b - A x| / |b| */
  int32_t most_iterations; /* maximum number of iterations */
  int32_t replace_every;   /* iterations between recomputations of b - A x; 0: only after drift */
  int32_t radix;           /* radix of the allreduce */
} halcyon_gcr_options;

HALCYON_API void halcyon_gcr_options_default(halcyon_gcr_options* options);

/* Collective. A solver for vectors of n_owned items on this rank, which may be used many times, on all ranks
 * of a communicator (its Fortran handle); a duplicate is used. options: NULL for the defaults. */
HALCYON_API int halcyon_gcr_create(int32_t comm, int64_t n_owned, const halcyon_gcr_options* options,
                                   halcyon_gcr** gcr);

/* Why the iteration ended. */
typedef enum {
  HALCYON_CONVERGED,
  HALCYON_MOST_ITERATIONS, /* not converged after the maximum number of iterations */
  HALCYON_STAGNATED,       /* b - A x no longer decreases: limit of rounding */
  HALCYON_NO_DESCENT,      /* <r, A M r> is zero */
  HALCYON_DEPENDENT,       /* A M r is zero, or in the span of the kept directions: a singular system */
  HALCYON_NOT_FINITE       /* NaN or infinity */
} halcyon_outcome;

/* The convergence record of a solution, valid until the next solution of the solver, or until it is freed. */
typedef struct {
  halcyon_outcome outcome;
  const char* explanation; /* what the outcome means, and a remedy */
  double residual;         /* true |b - A x| / |b| at the end */
  int64_t n_iterations;
  const double* residuals; /* (iteration) |r| / |b| at its end, r being updated, not recomputed */
  int64_t n_operator_calls, n_preconditioner_calls;
  int64_t n_allreduces, n_exposed; /* n_exposed: allreduces that no computation overlaps with */
  int64_t n_replaced;              /* recomputations r = b - A x */
  double waited_s;                 /* time that this rank waited for allreduces [s] */
} halcyon_solution;

/* Collective. Solves A x = b. x: first guess on entry; on return the solution, or the best approximation
 * found. m: preconditioner, an approximate inverse of A; NULL: none. solution: receives the record, or NULL.
 * An iteration that does not converge is not an error: look at the outcome. */
HALCYON_API int halcyon_gcr_solve(halcyon_gcr* gcr, const halcyon_map* a, const halcyon_map* m, int64_t n_b,
                                  const double b[], int64_t n_x, double x[], halcyon_solution* solution);
HALCYON_API void halcyon_gcr_free(halcyon_gcr* gcr);

#ifdef __cplusplus
}
#endif

#endif
