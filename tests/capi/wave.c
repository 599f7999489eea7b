/* Prints |X_44|^2 of cos^4(latitude) cos(4 longitude), whose other coefficients vanish, computed on all
 * ranks. */
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
  double mine_squared = 0, squared = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  halcyon_grid* grid = NULL;
  halcyon_rows rows;
  halcyon_transform* t42 = NULL;
  halcyon_transform_held mine;
  check(halcyon_grid_full(N_ROWS, N_LONGITUDES, &grid));
  check(halcyon_grid_rows(grid, &rows));
  check(halcyon_transform_create_shared(MPI_Comm_c2f(MPI_COMM_WORLD), grid, 42, NULL, &t42));
  check(halcyon_transform_share(t42, &mine)); /* points, wavenumbers, degrees of this rank */

  double* values = malloc(N_FIELDS * mine.n_points * sizeof *values);
  double* coefficients = malloc(2 * N_FIELDS * mine.n_coefficients * sizeof *coefficients);
  for (int field = 0; field < N_FIELDS; ++field)
    for (int64_t i = 0; i < mine.n_points; ++i)
      values[field * mine.n_points + i] = (field + 1) * pow(rows.cosines[mine.points[i] / N_LONGITUDES], 4) *
                                          cos(4 * 2 * pi / N_LONGITUDES * (mine.points[i] % N_LONGITUDES));
  check(halcyon_transform_analysis(t42, N_FIELDS * mine.n_points, values, N_FIELDS * mine.n_coefficients,
                                   coefficients));
  const double* last = coefficients + 2 * (N_FIELDS - 1) * mine.n_coefficients;
  for (int64_t i = 0; i < mine.n_coefficients; ++i) {
    const double square = last[2 * i] * last[2 * i] + last[2 * i + 1] * last[2 * i + 1];
    const int is_wave = mine.wavenumbers[i] == 4 && mine.degrees[i] == 4;
    if (is_wave)
      mine_squared = square;
    else if (square > 1e-28)
      printf("rank %d has %g of m = %d, n = %d\n", rank, square, mine.wavenumbers[i], mine.degrees[i]);
  }
  MPI_Reduce(&mine_squared, &squared, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.12f\n", squared);
  free(coefficients);
  free(values);
  halcyon_transform_free(t42);
  halcyon_grid_free(grid);
  MPI_Finalize();
  return 0;
}
