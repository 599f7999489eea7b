/* Prints the largest wind along y of a given vorticity on a periodic plane, computed on all ranks. */
#include <halcyon.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 48, NY = 40, LAST_M = 15, LAST_N = 13 };

static void check(int status) {
  if (status != HALCYON_OK) halcyon_stop(status);
}

int main(int argc, char** argv) {
  const double two_pi = 2 * acos(-1.0);
  const halcyon_plane plane = {NX, NY, 3.6e6, 2.4e6};
  const double k = 3 * two_pi / plane.length_x, l = 5 * two_pi / plane.length_y;
  int rank;
  double mine_fastest = 0, fastest = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  halcyon_bifourier* waves = NULL;
  halcyon_bifourier_held mine;
  check(halcyon_bifourier_create_shared(MPI_Comm_c2f(MPI_COMM_WORLD), &plane, LAST_M, LAST_N, "ellipse", NULL,
                                        &waves));
  check(halcyon_bifourier_share(waves, &mine)); /* points and waves m, n of this rank */

  double* values = malloc(mine.n_points * sizeof *values);
  double* psi = malloc(2 * mine.n_coefficients * sizeof *psi);
  for (int64_t i = 0; i < mine.n_points; ++i) /* of psi = 1e6 sin(k x + l y) */
    values[i] = -(k * k + l * l) * 1e6 *
                sin(two_pi * (3.0 * (mine.points[i] % NX) / NX + 5.0 * (mine.points[i] / NX) / NY));
  check(halcyon_bifourier_analysis(waves, mine.n_points, values, mine.n_coefficients, psi));
  check(halcyon_bifourier_inverse_laplacian(waves, mine.n_coefficients, psi, mine.n_coefficients, psi));
  check(halcyon_bifourier_x_derivative(waves, mine.n_coefficients, psi, mine.n_coefficients, psi));
  check(halcyon_bifourier_synthesis(waves, mine.n_coefficients, psi, mine.n_points, values));
  for (int64_t i = 0; i < mine.n_points; ++i) mine_fastest = fmax(mine_fastest, values[i]);
  MPI_Reduce(&mine_fastest, &fastest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.12f\n", fastest);
  free(psi);
  free(values);
  halcyon_bifourier_free(waves);
  MPI_Finalize();
  return 0;
}
