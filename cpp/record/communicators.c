#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Communicators: one entry for each that is in use, found by its handle. */

static struct comm* comms;
static int n_comms, n_numbers, last_comm;

static int* world_ranks_of(MPI_Comm comm, bool remote, int* size) {
  MPI_Group group, world_group;
  if (remote)
    PMPI_Comm_remote_group(comm, &group);
  else
    PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(record_world, &world_group);
  PMPI_Group_size(group, size);
  int *ranks = malloc((size_t)(*size + 1) * 2 * sizeof(int)), *translated = ranks + *size + 1;
  for (int i = 0; i < *size; ++i) ranks[i] = i;
  PMPI_Group_translate_ranks(group, *size, ranks, world_group, translated);
  for (int i = 0; i < *size; ++i) ranks[i] = translated[i] == MPI_UNDEFINED ? kUnknownRank : translated[i];
  PMPI_Group_free(&group);
  PMPI_Group_free(&world_group);
  return ranks;
}

struct comm* record_find_comm(MPI_Comm handle) {
  if (last_comm < n_comms && comms[last_comm].handle == handle) return &comms[last_comm];
  for (int i = 0; i < n_comms; ++i) {
    if (comms[i].handle == handle) return &comms[last_comm = i];
  }
  comms = realloc(comms, (size_t)(n_comms + 1) * sizeof *comms);
  struct comm* comm = &comms[last_comm = n_comms++];
  *comm = (struct comm){.handle = handle, .number = n_numbers++};
  int is_inter = 0, local_size = 0;
  PMPI_Comm_test_inter(handle, &is_inter);
  PMPI_Comm_rank(handle, &comm->rank);
  comm->is_inter = is_inter;
  int* local = world_ranks_of(handle, false, &local_size);
  comm->world_ranks = is_inter ? world_ranks_of(handle, true, &comm->size) : local;
  if (!is_inter) comm->size = local_size;
  const struct times times = record_take_times(); /* of the event that uses the communicator */
  record_write((struct event){
      .kind = kComm, .comm = comm->number, .request = -1, .count = local_size + (is_inter ? comm->size : 0)});
  bool is_dynamic = false;
  for (int i = 0; i < local_size; ++i) {
    record_write_item(local[i], 0, 0);
    is_dynamic |= local[i] == kUnknownRank;
  }
  for (int i = 0; is_inter && i < comm->size; ++i) {
    record_write_item(comm->world_ranks[i], 1, 0);
    is_dynamic |= comm->world_ranks[i] == kUnknownRank;
  }
  if (is_inter) free(local);
  if (is_dynamic) record_unsupported(kDynamic);
  record_give_times(times);
  return comm;
}

void record_new_comm(MPI_Comm parent, MPI_Comm handle) {
  struct comm* comm = record_find_comm(parent);
  if (!comm->is_inter)
    record_write((struct event){
        .kind = kCollective, .comm = comm->number, .peer = -1, .tag = kAllgather, .request = -1, .bytes = 8});
  if (!record_is_null(handle)) record_find_comm(handle);
}

void record_free_comm(MPI_Comm handle) {
  for (int i = 0; i < n_comms; ++i) {
    if (comms[i].handle != handle) continue;
    free(comms[i].world_ranks);
    free(comms[i].neighbors.sources);
    free(comms[i].neighbors.targets);
    comms[i] = comms[--n_comms];
    return;
  }
}

bool record_is_null(MPI_Comm comm) {
  return comm == record_no_comm;
}
const struct comm* record_comm_numbered(int number) {
  for (int i = 0; i < n_comms; ++i) {
    if (comms[i].number == number) return &comms[i];
  }
  return NULL;
}

int record_comm_size(MPI_Comm comm) {
  return record_find_comm(comm)->size;
}
int record_comm_rank(MPI_Comm comm) {
  return record_find_comm(comm)->rank;
}

int record_world_rank(const struct comm* comm, int peer) {
  if (peer == MPI_ANY_SOURCE) return -1;
  return peer >= 0 && peer < comm->size ? comm->world_ranks[peer] : kUnknownRank;
}

static void find_neighbors(struct comm* comm) {
  struct neighbors* found = &comm->neighbors;
  int topology = MPI_UNDEFINED, n = 0, m = 0, is_weighted = 0;
  PMPI_Topo_test(comm->handle, &topology);
  if (topology == MPI_CART) {
    PMPI_Cartdim_get(comm->handle, &n);
    n = m = 2 * n;
  } else if (topology == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm->handle, comm->rank, &n);
    m = n;
  } else if (topology == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm->handle, &n, &m, &is_weighted);
  }
  found->n_sources = n;
  found->n_targets = m;
  found->sources = malloc((size_t)(n + 1) * sizeof(int));
  found->targets = malloc((size_t)(m + 1) * sizeof(int));
  if (topology == MPI_CART) {
    for (int d = 0; d < n / 2; ++d)
      PMPI_Cart_shift(comm->handle, d, 1, &found->sources[2 * d], &found->sources[2 * d + 1]);
  } else if (topology == MPI_GRAPH) {
    PMPI_Graph_neighbors(comm->handle, comm->rank, n, found->sources);
  } else if (topology == MPI_DIST_GRAPH) {
    int* weights = malloc((size_t)(n + m + 1) * sizeof(int));
    PMPI_Dist_graph_neighbors(comm->handle, n, found->sources, weights, m, found->targets, weights + n);
    free(weights);
  }
  if (topology != MPI_DIST_GRAPH) memcpy(found->targets, found->sources, (size_t)n * sizeof(int));
  for (int i = 0; i < n; ++i) found->sources[i] = record_world_rank(comm, found->sources[i]);
  for (int i = 0; i < m; ++i) found->targets[i] = record_world_rank(comm, found->targets[i]);
  comm->has_neighbors = true;
}

const struct neighbors* record_neighbors_of(MPI_Comm handle) {
  struct comm* comm = record_find_comm(handle);
  if (!comm->has_neighbors) find_neighbors(comm);
  return &comm->neighbors;
}
