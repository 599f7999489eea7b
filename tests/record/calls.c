/* Calls MPI in all the ways that `halcyon record` knows, on 4 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, n;
static double a[64], b[64];

static void point_to_point(MPI_Comm comm) {
  const int next = (rank + 1) % n, before = (rank + n - 1) % n;
  MPI_Request requests[4];
  MPI_Status status;
  MPI_Message message;
  int flag = 0, index, done, indices[2];
  /* tags out of order, and any source with any tag */
  MPI_Isend(a, 1, MPI_DOUBLE, next, 1, comm, &requests[0]);
  MPI_Isend(a, 2, MPI_DOUBLE, next, 2, comm, &requests[1]);
  MPI_Irecv(b, 64, MPI_DOUBLE, before, 2, comm, &requests[2]);
  MPI_Irecv(b + 8, 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  /* persistent, twice */
  MPI_Send_init(a, 3, MPI_DOUBLE, next, 3, comm, &requests[0]);
  MPI_Recv_init(b, 3, MPI_DOUBLE, before, 3, comm, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitany(2, requests, &index, &status);
    MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  /* probes, tests, matched probes */
  MPI_Isend(a, 4, MPI_DOUBLE, next, 4, comm, &requests[0]);
  MPI_Probe(MPI_ANY_SOURCE, 4, comm, &status);
  MPI_Recv(b, 4, MPI_DOUBLE, status.MPI_SOURCE, 4, comm, MPI_STATUS_IGNORE);
  while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Issend(a, 5, MPI_DOUBLE, next, 5, comm, &requests[0]);
  MPI_Mprobe(before, MPI_ANY_TAG, comm, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(b, 5, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Sendrecv(a, 6, MPI_DOUBLE, next, 6, b, 6, MPI_DOUBLE, before, 6, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(a, 7, MPI_DOUBLE, rank == n - 1 ? MPI_PROC_NULL : rank + 1, 7,
                       rank == 0 ? MPI_PROC_NULL : rank - 1, 7, comm, &status);
  /* a message to itself, and to nobody */
  MPI_Irecv(b, 1, MPI_DOUBLE, rank, 8, comm, &requests[0]);
  MPI_Send(a, 1, MPI_DOUBLE, rank, 8, comm);
  MPI_Wait(&requests[0], &status);
  MPI_Isend(a, 1, MPI_DOUBLE, MPI_PROC_NULL, 9, comm, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  /* a derived type: 2 of 3 numbers */
  MPI_Datatype pairs;
  MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &pairs);
  MPI_Type_commit(&pairs);
  if (rank == 0) MPI_Ssend(a, 5, pairs, 1, 10, comm);
  if (rank == 1) MPI_Recv(b, 10, MPI_DOUBLE, 0, 10, comm, &status);
  MPI_Type_free(&pairs);
}

static void collectives(MPI_Comm comm) {
  const int ones[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3}, counts[4] = {1, 2, 3, 4},
            offsets[4] = {0, 1, 3, 6};
  MPI_Request requests[2];
  int sent[4], received[4];
  for (int i = 0; i < 4; ++i) {
    sent[i] = rank + i;
    received[i] = rank + i;
  }
  MPI_Barrier(comm);
  MPI_Bcast(a, 8, MPI_DOUBLE, 1, comm);
  MPI_Reduce(rank == 2 ? MPI_IN_PLACE : a, rank == 2 ? a : b, 8, MPI_DOUBLE, MPI_SUM, 2, comm);
  MPI_Allreduce(MPI_IN_PLACE, a, 8, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Gather(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, 0, comm);
  MPI_Gatherv(a, rank + 1, MPI_DOUBLE, b, counts, offsets, MPI_DOUBLE, 3, comm);
  MPI_Scatter(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, 0, comm);
  MPI_Scatterv(a, counts, offsets, MPI_DOUBLE, b, rank + 1, MPI_DOUBLE, 0, comm);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_DOUBLE, comm);
  MPI_Allgatherv(a, rank + 1, MPI_DOUBLE, b, counts, offsets, MPI_DOUBLE, comm);
  MPI_Alltoall(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, comm);
  MPI_Alltoallv(a, ones, places, MPI_DOUBLE, b, ones, places, MPI_DOUBLE, comm);
  int displacements[4] = {0, 8, 16, 24};
  MPI_Datatype types[4] = {MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE, MPI_DOUBLE};
  MPI_Alltoallw(a, ones, displacements, types, b, ones, displacements, types, comm);
  MPI_Reduce_scatter_block(a, b, 2, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Scan(a, b, 2, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Exscan(a, b, 2, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Iallreduce(a, b, 16, MPI_DOUBLE, MPI_SUM, comm, &requests[0]);
  MPI_Ibcast(a + 32, 8, MPI_DOUBLE, 0, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  if (argc > 1) { /* one-sided communication */
    MPI_Win window;
    MPI_Win_create(b, sizeof b, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(a, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
  }
  point_to_point(MPI_COMM_WORLD);
  collectives(MPI_COMM_WORLD);
  MPI_Comm half, reversed, grid, graph, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Allreduce(a, b, 2, MPI_DOUBLE, MPI_SUM, half);
  MPI_Bcast(a, 3, MPI_DOUBLE, 0, reversed); /* from rank 3 */
  const int sizes[2] = {2, 2}, periods[2] = {1, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
  MPI_Neighbor_alltoall(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, grid);
  const int before = (rank + n - 1) % n, after = (rank + 1) % n;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  const int counts[1] = {4}, offsets[1] = {0};
  MPI_Request request;
  MPI_Ineighbor_alltoallv(a, counts, offsets, MPI_DOUBLE, b, counts, offsets, MPI_DOUBLE, graph, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 11, &between);
  int in_half;
  MPI_Comm_rank(half, &in_half);
  MPI_Sendrecv(a, 9, MPI_DOUBLE, in_half, 12, b, 9, MPI_DOUBLE, in_half, 12, between, MPI_STATUS_IGNORE);
  MPI_Comm_free(&between);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&half);
  MPI_Finalize();
  if (rank == 0) puts("done");
  return 0;
}
