/* Prints the largest error of a tracer after a quarter of a day in a solid-body rotation of the air. */
#include <halcyon.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_ROWS = 64, N_LEVELS = 2, N_STEPS = 6 };
static const double kDegree = 0.017453292519943295, kRadius = 6371220, kWind = 60, kStep = 3600;

static void check(int status) {
  if (status != HALCYON_OK) halcyon_stop(status);
}

/* The tracer at a point [degrees], moved eastward by an angle [rad]. */
static double tracer_at(double latitude, double longitude, double angle) {
  return pow(cos(latitude * kDegree), 2) * cos(2 * (longitude * kDegree - angle));
}

int main(int argc, char** argv) {
  int rank;
  double local_error = 0, error = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  halcyon_grid* grid = NULL;
  halcyon_advection* advection = NULL;
  halcyon_advection_held share;
  halcyon_advection_options options;
  check(halcyon_grid_full(N_ROWS, 2 * N_ROWS, &grid));
  halcyon_advection_options_default(&options);
  options.levels = N_LEVELS;
  check(halcyon_advection_width_for(grid, kWind, kStep, kRadius, &options.width));
  check(halcyon_advection_create(MPI_Comm_c2f(MPI_COMM_WORLD), grid, &options, &advection));
  check(halcyon_advection_share(advection, &share)); /* points, latitudes, longitudes of this rank */

  const int64_t n = share.n_points * N_LEVELS;
  double *u = malloc(n * sizeof *u), *v = calloc(n, sizeof *v), *dust = malloc(n * sizeof *dust);
  for (int64_t i = 0; i < n; ++i) /* (point, level) */
    dust[i] = tracer_at(share.latitudes[i / N_LEVELS], share.longitudes[i / N_LEVELS], 0);
  const halcyon_target field = {"dust", HALCYON_FLOAT64, dust, n};
  for (int step = 0; step < N_STEPS; ++step) {
    check(halcyon_advection_start(advection, 1, &field));
    for (int64_t i = 0; i < n; ++i) u[i] = kWind * cos(share.latitudes[i / N_LEVELS] * kDegree);
    check(halcyon_advection_find_departures(advection, n, u, n, v, kStep, 3));
    check(halcyon_advection_wait(advection));
  }
  for (int64_t i = 0; i < n; ++i)
    local_error = fmax(local_error,
                       fabs(dust[i] - tracer_at(share.latitudes[i / N_LEVELS], share.longitudes[i / N_LEVELS],
                                                N_STEPS * kStep * kWind / kRadius)));
  MPI_Reduce(&local_error, &error, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.12f\n", error);
  free(dust);
  free(v);
  free(u);
  halcyon_advection_free(advection);
  halcyon_grid_free(grid);
  MPI_Finalize();
  return 0;
}
