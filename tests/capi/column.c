/* Prints |X_44|^2 of the last level after a semi-implicit solution, which couples the levels of each
 * coefficient. Levels of coefficients are complete on each rank, and the rank computes while coefficients are
 * in flight. */
#include <halcyon.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_ROWS = 64, N_LONGITUDES = 128, N_LEVELS = 3 };

static void check(int status) {
  if (status != HALCYON_OK) halcyon_stop(status);
}

/* Solves x_k + 0.05 n (n + 1) mean(x) = b_k for the levels k of a coefficient with degree n, of which
 * `distance` doubles are between levels. */
static void solve(double* column, int64_t distance, int n) {
  const double factor = 0.05 * n * (n + 1);
  double mean = 0;
  for (int level = 0; level < N_LEVELS; ++level) mean += column[level * distance] / N_LEVELS;
  for (int level = 0; level < N_LEVELS; ++level) column[level * distance] -= factor * mean / (1 + factor);
}

int main(int argc, char** argv) {
  const double pi = acos(-1.0);
  int rank, n_ranks;
  double energy = 0, local_square = 0, global_square = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);

  halcyon_grid* grid = NULL;
  halcyon_rows rows;
  halcyon_transform* t42 = NULL;
  halcyon_transform_held share;
  check(halcyon_grid_full(N_ROWS, N_LONGITUDES, &grid));
  check(halcyon_grid_rows(grid, &rows));
  halcyon_transform_options options;
  halcyon_transform_options_default(&options);
  options.v = n_ranks % 2 == 0 ? 2 : 1;
  options.w = n_ranks / options.v;
  options.share_coefficients = 1; /* whole spectral columns */
  check(halcyon_transform_create_shared(MPI_Comm_c2f(MPI_COMM_WORLD), grid, 42, &options, &t42));
  check(halcyon_transform_share(t42, &share));

  const int64_t n_values = N_LEVELS * share.n_points, n_coefficients = N_LEVELS * share.n_coefficients;
  double* values = malloc(n_values * sizeof *values);
  double* columns = malloc(2 * n_coefficients * sizeof *columns);
  for (int64_t i = 0; i < n_values; ++i) { /* (level, point) */
    const int64_t level = i / share.n_points, point = share.points[i % share.n_points];
    values[i] = (double)(level + 1) * pow(rows.cosines[point / N_LONGITUDES], 4) *
                cos(4 * 2 * pi / N_LONGITUDES * (double)(point % N_LONGITUDES));
  }
  check(halcyon_transform_start_analysis(t42, n_values, values, n_coefficients, columns));
  for (int64_t i = 0; i < n_values; ++i) {
    energy += values[i] * values[i]; /* computation of the program */
    if (i % 1000 == 0) check(halcyon_transform_progress(t42));
  }
  check(halcyon_transform_wait(t42));
  for (int64_t i = 0; i < share.n_coefficients; ++i)
    for (int part = 0; part < 2; ++part)
      solve(columns + 2 * i + part, 2 * share.n_coefficients, share.degrees[i]);
  const double* last_level = columns + 2 * (N_LEVELS - 1) * share.n_coefficients;
  for (int64_t i = 0; i < share.n_coefficients; ++i)
    if (share.wavenumbers[i] == 4 && share.degrees[i] == 4)
      local_square = last_level[2 * i] * last_level[2 * i] + last_level[2 * i + 1] * last_level[2 * i + 1];
  MPI_Reduce(&local_square, &global_square, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && energy > 0) printf("%.12f\n", global_square);
  free(columns);
  free(values);
  halcyon_transform_free(t42);
  halcyon_grid_free(grid);
  MPI_Finalize();
  return 0;
}
