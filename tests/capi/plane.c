/* Prints the largest wind along y of a given vorticity on a periodic plane; all ranks share the work. */
#include <halcyon.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 48, NY = 40, MAX_M = 15, MAX_N = 13 };

static void check(int status) {
  if (status != HALCYON_OK) halcyon_stop(status);
}

int main(int argc, char** argv) {
  const double two_pi = 2 * acos(-1.0);
  const halcyon_plane plane = {NX, NY, 3.6e6, 2.4e6};
  const double k = 3 * two_pi / plane.length_x, l = 5 * two_pi / plane.length_y;
  int rank;
  double local_max = 0, global_max = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  halcyon_bifourier* waves = NULL;
  halcyon_bifourier_held share;
  check(halcyon_bifourier_create_shared(MPI_Comm_c2f(MPI_COMM_WORLD), &plane, MAX_M, MAX_N, "ellipse", NULL,
                                        &waves));
  check(halcyon_bifourier_share(waves, &share)); /* points and waves m, n of this rank */

  double* values = malloc(share.n_points * sizeof *values);
  double* psi = malloc(2 * share.n_coefficients * sizeof *psi);
  for (int64_t i = 0; i < share.n_points; ++i) /* the vorticity of psi = 1e6 sin(k x + l y) */
    values[i] = -(k * k + l * l) * 1e6 *
                sin(two_pi * (3.0 * (share.points[i] % NX) / NX + 5.0 * (share.points[i] / NX) / NY));
  check(halcyon_bifourier_analysis(waves, share.n_points, values, share.n_coefficients, psi));
  check(halcyon_bifourier_inverse_laplacian(waves, share.n_coefficients, psi, share.n_coefficients, psi));
  check(halcyon_bifourier_x_derivative(waves, share.n_coefficients, psi, share.n_coefficients, psi));
  check(halcyon_bifourier_synthesis(waves, share.n_coefficients, psi, share.n_points, values));
  for (int64_t i = 0; i < share.n_points; ++i) local_max = fmax(local_max, values[i]);
  MPI_Reduce(&local_max, &global_max, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.12f\n", global_max);
  free(psi);
  free(values);
  halcyon_bifourier_free(waves);
  MPI_Finalize();
  return 0;
}
