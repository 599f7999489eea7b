/* Completes 2000 open receives, one per call, in the order of tags 0, 7, 14, ... modulo 2000; then all
 * receives and sends in one call. Prints the time of the latter [s], with that of the recorder, for 3000 and
 * for 24000 of each. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { kOpen = 2000, kFew = 3000, kMany = 24000 };
static MPI_Request requests[2 * kMany];
static char data[2 * kMany];

static void receive(int n) {
  for (int i = 0; i < n; ++i) MPI_Irecv(&data[i], 1, MPI_CHAR, 0, i, MPI_COMM_SELF, &requests[i]);
}

static double seconds(int n) {
  double least = 1e30;
  for (int repeat = 0; repeat < 5; ++repeat) {
    receive(n);
    for (int i = 0; i < n; ++i) MPI_Isend(&data[n + i], 1, MPI_CHAR, 0, i, MPI_COMM_SELF, &requests[n + i]);
    const clock_t start = clock();
    MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE);
    const double time = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (time < least) least = time;
  }
  return least;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  receive(kOpen);
  for (int i = 0; i < kOpen; ++i) {
    const int tag = 7 * i % kOpen;
    int index;
    MPI_Send(data, 1, MPI_CHAR, 0, tag, MPI_COMM_SELF);
    MPI_Waitany(kOpen, requests, &index, MPI_STATUS_IGNORE);
    if (index != tag) return 1;
  }
  const double few = seconds(kFew);
  printf("%g %g\n", few, seconds(kMany));
  MPI_Finalize();
  return 0;
}
