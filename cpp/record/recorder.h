/* The recorder of MPI calls: a library that `halcyon record` preloads into every rank of an unmodified
 * program. Its wrappers call the MPI library by the names of the profiling interface (PMPI) and write one
 * file per rank.
 *
 * A file is compressed by zlib (gzip format): lines of text up to an empty line, then events of fixed size in
 * the order of the calls. docs/record.md describes the format.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden) /* only the wrappers are visible to the program */

/* Stored in files: append only. */
enum event_kind {
  kSend = 1,
  kReceive,
  kStartSend,    /* nonblocking or persistent; `request` identifies it */
  kStartReceive, /* the same; the source may be MPI_ANY_SOURCE, given by the event kWait */
  kWait,         /* completion of a request by a wait or a successful test */
  kSendrecv,     /* the send; kSendrecvReceive follows */
  kSendrecvReceive,
  kProbe, /* a message from `peer` with `tag` had arrived when the call ended */
  kCancel,
  kFree,        /* MPI_Request_free: no wait follows */
  kCollective,  /* `tag`: enum collective; `peer`: root; `bytes`: own contribution; kItem
                   events may follow */
  kNeighbors,   /* neighbourhood collective: `count` kItem events follow, those with tag 0 are
                   sent, others received */
  kItem,        /* element of a list: `peer`, `bytes` */
  kComm,        /* definition of communicator `comm`: `count` kItem events with world ranks follow;
                   of an intercommunicator, those of the remote group have tag 1 */
  kUnsupported, /* `tag`: enum unsupported */
  kEnd          /* MPI_Finalize */
};

enum collective {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv, /* kItem events: bytes to each rank */
  kReduceScatterBlock,
  kReduceScatter, /* `bytes`: received by this rank */
  kScan,
  kExscan
};

enum unsupported { kOneSided, kInterCollective, kDynamic };

struct event {
  uint16_t kind;
  uint16_t mode;   /* sends: 1 buffered, 2 synchronous, 3 ready */
  int32_t comm;    /* number of the communicator on this rank */
  int32_t peer;    /* world rank; of a collective, rank of the root in the communicator; -1: none or any */
  int32_t tag;     /* -1: any */
  int32_t request; /* number of a nonblocking operation on this rank; -1: blocking */
  int32_t count;   /* number of kItem events that follow */
  int64_t bytes;
  uint64_t compute_ns; /* from the end of the previous call to the beginning of this one */
  uint64_t call_ns;    /* duration of the call */
};

struct message { /* source and tag of a received message */
  int source, tag;
};

/* Surround the call of MPI. `record_leave` returns whether the wrapper writes events, and then calls
 * `record_resume`; this is not so in calls that MPI itself makes through its own entry points, and before
 * MPI_Init. */
void record_enter(void);
bool record_leave(void);
void record_resume(void);
bool record_is_active(void); /* after `record_enter`: whether `record_leave` will return true */
/* Restart the time of the call or of the computation, after work of the recorder outside that of the
 * functions above. */
void record_call_begins(void);
void record_computation_begins(void);
/* An unsuccessful test: the time until the next call counts as computation only if it is longer than a poll.
 */
void record_poll(void);

void record_begin(void); /* after MPI_Init */
void record_end(void);   /* before MPI_Finalize */
void record_abort(void); /* before MPI_Abort */

void record_message(int kind, int mode, MPI_Comm comm, int peer, int tag, int64_t bytes);
/* A nonblocking (`persistent` false: started) or persistent (started later) message. */
void record_request(int kind, int mode, MPI_Comm comm, int peer, int tag, int64_t bytes, MPI_Request request,
                    bool persistent);
void record_started(MPI_Request request); /* MPI_Start */
void record_cancelled(MPI_Request request);
void record_freed(MPI_Request request);
void record_probe(MPI_Comm comm, struct message found);

/* Matched probes. `request` is null for MPI_Mrecv. */
void record_matched(MPI_Message message, MPI_Comm comm, struct message found);
void record_matched_receive(MPI_Message message, int64_t bytes, const MPI_Request* request);

/* The handle is that before the call which completed the request. */
void record_completed(MPI_Request request, struct message found);

/* `request` is null for a blocking call; `sizes` has the bytes to each rank of the communicator, or is null.
 */
void record_collective(enum collective operation, MPI_Comm comm, int root, int64_t bytes,
                       const int64_t* sizes, const MPI_Request* request);
struct neighbors {
  int n_sources, n_targets;
  int *sources, *targets; /* world ranks, or -1 for MPI_PROC_NULL */
};
const struct neighbors* record_neighbors_of(MPI_Comm comm);
/* Bytes to each target and from each source. */
void record_neighbor_exchange(MPI_Comm comm, const int64_t* sent, const int64_t* received,
                              const MPI_Request* request);

/* Sizes [bytes], to be freed: of counts[i] elements of type_of(types, i), or all equal. */
int64_t* record_sizes(int n, const int* counts, MPI_Datatype (*type_of)(const void*, int), const void* types);
int64_t* record_equal(int n, int64_t bytes);
/* MPI_Alltoallv. */
void record_blocks(MPI_Comm comm, const int* counts, MPI_Datatype type, const MPI_Request* request);

void record_new_comm(MPI_Comm parent, MPI_Comm comm);
void record_free_comm(MPI_Comm comm);
void record_unsupported(enum unsupported kind);

int record_comm_size(MPI_Comm comm); /* of the remote group of an intercommunicator */
int record_comm_rank(MPI_Comm comm);
bool record_is_null(MPI_Comm comm);
bool record_is_in_place(const void* buffer);

#pragma GCC visibility pop

static inline int64_t bytes_of(int64_t count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return count * size;
}
