/* Five small MPI programs for benchmarks/large/recorded.py: programs NAME. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, n;
static double *a, *b;
enum { kNumbers = 1 << 18 };

/* Some floating-point work. */
static double work(int passes) {
  double sum = 0;
  for (int pass = 0; pass < passes; ++pass)
    for (int i = 0; i < 4096; ++i) sum += a[i] * 1.0000001 + b[i];
  a[0] = sum > 1e300 ? 0 : a[0];
  return sum;
}

/* Conjugate gradients on a grid divided into strips: a halo and two sums in each iteration. */
static void cg(void) {
  const int up = rank + 1 < n ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  for (int iteration = 0; iteration < 40; ++iteration) {
    MPI_Request requests[4];
    MPI_Irecv(b, 1500, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(b + 2000, 1500, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(a, 1500, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(a + 2000, 1500, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[3]);
    double local = work(200), sum;
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    local = work(100);
    MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* Transforms along rows, a transposition, and transforms along columns. */
static void fft(void) {
  for (int step = 0; step < 12; ++step) {
    work(600);
    MPI_Alltoall(a, 8192, MPI_DOUBLE, b, 8192, MPI_DOUBLE, MPI_COMM_WORLD);
    work(600);
    MPI_Alltoall(b, 8192, MPI_DOUBLE, a, 8192, MPI_DOUBLE, MPI_COMM_WORLD);
  }
}

/* Sweeps of blocks over a grid of ranks from one corner to the other, as in the LU benchmark of NAS. */
static void lu(void) {
  const int columns = n >= 8 ? 4 : n >= 4 ? 2 : n, x = rank % columns, y = rank / columns;
  for (int sweep = 0; sweep < 6; ++sweep) {
    for (int block = 0; block < 12; ++block) {
      if (x > 0) MPI_Recv(b, 300, MPI_DOUBLE, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (y > 0) MPI_Recv(b, 300, MPI_DOUBLE, rank - columns, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      work(150);
      if (x + 1 < columns) MPI_Send(a, 300, MPI_DOUBLE, rank + 1, 3, MPI_COMM_WORLD);
      if (rank + columns < n) MPI_Send(a, 300, MPI_DOUBLE, rank + columns, 4, MPI_COMM_WORLD);
    }
  }
}

/* All ranks send results to the first, from any source, and get a new task each. */
static void incast(void) {
  for (int round = 0; round < 15; ++round) {
    if (rank == 0) {
      for (int i = 1; i < n; ++i) {
        MPI_Status status;
        MPI_Recv(b, 8192, MPI_DOUBLE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
        MPI_Send(a, 10, MPI_DOUBLE, status.MPI_SOURCE, 6, MPI_COMM_WORLD);
      }
    } else {
      work(300);
      MPI_Send(a, 8192, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
      MPI_Recv(b, 10, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

/* Items pass through the ranks; the next one arrives while a rank works on one. */
static void pipeline(void) {
  MPI_Request in = MPI_REQUEST_NULL, out = MPI_REQUEST_NULL;
  if (rank > 0) MPI_Irecv(b, 4096, MPI_DOUBLE, rank - 1, 7, MPI_COMM_WORLD, &in);
  for (int item = 0; item < 40; ++item) {
    MPI_Wait(&in, MPI_STATUS_IGNORE);
    if (rank > 0 && item + 1 < 40) MPI_Irecv(b, 4096, MPI_DOUBLE, rank - 1, 7, MPI_COMM_WORLD, &in);
    work(250);
    MPI_Wait(&out, MPI_STATUS_IGNORE);
    if (rank + 1 < n) MPI_Isend(a, 4096, MPI_DOUBLE, rank + 1, 7, MPI_COMM_WORLD, &out);
  }
  MPI_Wait(&out, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  a = calloc(kNumbers, sizeof *a);
  b = calloc(kNumbers, sizeof *b);
  const struct {
    const char* name;
    void (*run)(void);
  } programs[] = {{"cg", cg}, {"fft", fft}, {"lu", lu}, {"incast", incast}, {"pipeline", pipeline}};
  for (int i = 0; i < 5; ++i)
    if (argc > 1 && strcmp(argv[1], programs[i].name) == 0) programs[i].run();
  MPI_Finalize();
  return 0;
}
