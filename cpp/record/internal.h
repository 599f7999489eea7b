/* What the files of the recorder share. */
#pragma once

#include <pthread.h>

#include "recorder.h"

#pragma GCC visibility push(hidden)

enum { kUnknownRank = -2 };

/* A communicator in use. */
struct comm {
  MPI_Comm handle;
  int number, size, rank; /* size of the group that peers refer to */
  bool is_inter;
  int* world_ranks; /* (size) */
  struct neighbors neighbors;
  bool has_neighbors;
};

/* Predefined handles, which are addresses of variables of the MPI library in Open MPI. */
extern MPI_Comm record_world, record_no_comm;
extern MPI_Request record_no_request;
extern pthread_mutex_t record_lock;

void record_write(struct event event);
void record_write_item(int peer, int tag, int64_t bytes);
/* Sets the times of the next event aside, and restores them. */
struct times {
  uint64_t compute_ns, call_ns;
};
struct times record_take_times(void);
void record_give_times(struct times times);

struct comm* record_find_comm(MPI_Comm handle);
const struct comm* record_comm_numbered(int number); /* null if it has been freed */
/* The world rank of a peer; -1 for any source, kUnknownRank for MPI_PROC_NULL and processes outside the
 * world. */
int record_world_rank(const struct comm* comm, int peer);

#pragma GCC visibility pop
