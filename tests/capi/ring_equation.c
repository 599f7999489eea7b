/* Prints the sum of the solution of an equation on a ring of 96 items, with an operator of the program: 1
 * everywhere. */
#include <halcyon.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { N_ITEMS = 96 };

static void check(int status) {
  if (status != HALCYON_OK) halcyon_stop(status);
}

typedef struct {
  int west, east; /* neighbouring ranks */
  double d[N_ITEMS];
} ring;

/* y_i = (d_i + 2) x_i - x_(i-1) - x_(i+1) */
static int apply(void* context, int64_t n, const double* x, double* y) {
  const ring* r = context;
  double before, after;
  MPI_Sendrecv(x + n - 1, 1, MPI_DOUBLE, r->east, 0, &before, 1, MPI_DOUBLE, r->west, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(x, 1, MPI_DOUBLE, r->west, 1, &after, 1, MPI_DOUBLE, r->east, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int64_t i = 0; i < n; ++i)
    y[i] = (r->d[i] + 2) * x[i] - (i > 0 ? x[i - 1] : before) - (i + 1 < n ? x[i + 1] : after);
  return 0; /* another number is an error */
}

int main(int argc, char** argv) {
  int rank, n_ranks;
  double local_sum = 0, sum = 0, b[N_ITEMS], x[N_ITEMS], diagonal[N_ITEMS];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);

  const int64_t n = N_ITEMS / n_ranks;
  ring r = {(rank + n_ranks - 1) % n_ranks, (rank + 1) % n_ranks, {0}};
  for (int64_t i = 0; i < n; ++i) {
    b[i] = r.d[i] = 1 + 0.5 * sin((double)(rank * n + i)); /* the solution of b = d is 1 */
    diagonal[i] = r.d[i] + 2;
    x[i] = 0;
  }
  halcyon_map *a = NULL, *jacobi = NULL;
  halcyon_gcr* gcr = NULL;
  halcyon_solution solution;
  check(halcyon_map_create(n, apply, &r, &a));
  check(halcyon_map_jacobi(n, diagonal, &jacobi));
  check(halcyon_gcr_create(MPI_Comm_c2f(MPI_COMM_WORLD), n, NULL, &gcr));
  check(halcyon_gcr_solve(gcr, a, jacobi, n, b, n, x, &solution));
  if (solution.outcome != HALCYON_CONVERGED) printf("%s\n", solution.explanation);
  for (int64_t i = 0; i < n; ++i) local_sum += x[i];
  MPI_Reduce(&local_sum, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.12f\n", sum);
  halcyon_gcr_free(gcr);
  halcyon_map_free(jacobi);
  halcyon_map_free(a);
  MPI_Finalize();
  return 0;
}
