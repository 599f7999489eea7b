/* Prints |X_44|^2 of the last field: 3 cos^4(latitude) cos(4 longitude), whose other coefficients vanish; all
 * ranks share the work. */
#include <halcyon.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_ROWS = 64, N_LONGITUDES = 128, N_FIELDS = 3 };

static void check(int status) {
  if (status != HALCYON_OK) halcyon_stop(status);
}

int main(int argc, char** argv) {
  const double pi = acos(-1.0);
  int rank;
  double local_square = 0, global_square = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  halcyon_grid* grid = NULL;
  halcyon_rows rows;
  halcyon_transform* t42 = NULL;
  halcyon_transform_held share;
  check(halcyon_grid_full(N_ROWS, N_LONGITUDES, &grid));
  check(halcyon_grid_rows(grid, &rows));
  check(halcyon_transform_create_shared(MPI_Comm_c2f(MPI_COMM_WORLD), grid, 42, NULL, &t42));
  check(halcyon_transform_share(t42, &share)); /* points, wavenumbers, degrees of this rank */

  double* values = malloc(N_FIELDS * share.n_points * sizeof *values);
  double* coefficients = malloc(2 * N_FIELDS * share.n_coefficients * sizeof *coefficients);
  for (int field = 0; field < N_FIELDS; ++field)
    for (int64_t i = 0; i < share.n_points; ++i)
      values[field * share.n_points + i] = (field + 1) *
                                           pow(rows.cosines[share.points[i] / N_LONGITUDES], 4) *
                                           cos(4 * 2 * pi / N_LONGITUDES * (share.points[i] % N_LONGITUDES));
  check(halcyon_transform_analysis(t42, N_FIELDS * share.n_points, values, N_FIELDS * share.n_coefficients,
                                   coefficients));
  const double* last_field = coefficients + 2 * (N_FIELDS - 1) * share.n_coefficients;
  for (int64_t i = 0; i < share.n_coefficients; ++i) {
    const double square =
        last_field[2 * i] * last_field[2 * i] + last_field[2 * i + 1] * last_field[2 * i + 1];
    const int is_wave = share.wavenumbers[i] == 4 && share.degrees[i] == 4;
    if (is_wave)
      local_square = square;
    else if (square > 1e-28)
      printf("rank %d has %g of m = %d, n = %d\n", rank, square, share.wavenumbers[i], share.degrees[i]);
  }
  MPI_Reduce(&local_square, &global_square, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.12f\n", global_square);
  free(coefficients);
  free(values);
  halcyon_transform_free(t42);
  halcyon_grid_free(grid);
  MPI_Finalize();
  return 0;
}
