#include <stdlib.h>

#include "internal.h"

/* Requests: a table of those that are active or persistent. Several may have one handle, since Open MPI returns the
 * same one for all sends that have completed at once; the oldest is found first. */

struct request {
  MPI_Request handle;
  struct event start; /* of a persistent request: written by MPI_Start */
  int number;         /* -1: persistent and inactive */
  bool persistent, wildcard;
  uint64_t age, claim; /* claim: the call that waits for it */
};

static struct request *requests;
static int n_requests, n_request_numbers;
static uint64_t n_ages, n_calls;
static __thread uint64_t claim;

/* The oldest request with this handle that the current call has not claimed. */
static int find_request(MPI_Request handle) {
  int found = -1;
  for (int i = 0; i < n_requests && handle != record_no_request; ++i) {
    if (requests[i].handle == handle && (found < 0 || requests[i].age < requests[found].age) &&
        requests[i].claim != claim)
      found = i;
  }
  return found;
}

static int add_request(MPI_Request handle, struct event start, bool persistent) {
  if ((n_requests & (n_requests - 1)) == 0)
    requests = realloc(requests, (size_t)(n_requests ? 2 * n_requests : 1) * sizeof *requests);
  requests[n_requests] = (struct request){.handle = handle,
                                          .start = start,
                                          .number = -1,
                                          .persistent = persistent,
                                          .wildcard = start.kind == kStartReceive && (start.peer == -1 || start.tag == -1),
                                          .age = n_ages++};
  return n_requests++;
}

static int activate(int index) {
  requests[index].start.request = requests[index].number = n_request_numbers++;
  return requests[index].number;
}

static void remove_request(int index) { requests[index] = requests[--n_requests]; }

static struct event message_event(int kind, int mode, MPI_Comm comm, int peer, int tag, int64_t bytes) {
  const struct comm *of = record_find_comm(comm);
  return (struct event){.kind = (uint16_t)kind,
                        .mode = (uint16_t)mode,
                        .comm = of->number,
                        .peer = record_world_rank(of, peer),
                        .tag = tag == MPI_ANY_TAG ? -1 : tag,
                        .request = -1,
                        .bytes = bytes};
}

void record_message(int kind, int mode, MPI_Comm comm, int peer, int tag, int64_t bytes) {
  const struct event event = message_event(kind, mode, comm, peer, tag, bytes);
  if (event.peer != kUnknownRank || kind == kSendrecv || kind == kSendrecvReceive) record_write(event);
}

void record_request(int kind, int mode, MPI_Comm comm, int peer, int tag, int64_t bytes, MPI_Request handle,
                    bool persistent) {
  const struct event event = message_event(kind, mode, comm, peer, tag, bytes);
  if (event.peer == kUnknownRank) return;
  const int index = add_request(handle, event, persistent);
  if (persistent) return;
  activate(index);
  record_write(requests[index].start);
}

void record_started(MPI_Request handle) {
  const int index = find_request(handle);
  if (index < 0) return;
  activate(index);
  record_write(requests[index].start);
}

void record_cancelled(MPI_Request handle) {
  const int index = find_request(handle);
  if (index >= 0) record_write((struct event){.kind = kCancel, .request = requests[index].number});
}

void record_freed(MPI_Request handle) {
  const int index = find_request(handle);
  if (index < 0) return;
  if (requests[index].number >= 0) record_write((struct event){.kind = kFree, .request = requests[index].number});
  remove_request(index);
}

void record_pending(int n, MPI_Request (*handle_of)(const void *, int), const void *handles, struct pending *pending) {
  for (int i = 0; i < n; ++i) pending[i] = (struct pending){-1, false};
  if (!record_is_active()) return;
  pthread_mutex_lock(&record_lock);
  claim = ++n_calls;
  for (int i = 0; i < n; ++i) {
    const int index = find_request(handle_of(handles, i));
    if (index < 0 || requests[index].number < 0) continue;
    pending[i] = (struct pending){requests[index].number, requests[index].wildcard};
    requests[index].claim = claim;
  }
  claim = ++n_calls;
  pthread_mutex_unlock(&record_lock);
}

void record_completed(struct pending pending, struct message found) {
  if (pending.number < 0) return;
  for (int i = 0; i < n_requests; ++i) {
    struct request *request = &requests[i];
    if (request->number != pending.number) continue;
    struct event event = {.kind = kWait, .peer = -1, .tag = -1, .request = pending.number};
    if (request->wildcard) {
      const struct comm *comm = record_comm_numbered(request->start.comm);
      if (comm) event.peer = record_world_rank(comm, found.source);
      event.tag = found.tag;
    }
    record_write(event);
    if (request->persistent)
      request->number = -1;
    else
      remove_request(i);
    return;
  }
}

void record_probe(MPI_Comm comm, struct message found) {
  record_write(message_event(kProbe, 0, comm, found.source, found.tag, 0));
}

static int number_of(const MPI_Request *handle, struct event event) {
  return handle ? activate(add_request(*handle, event, false)) : -1;
}

void record_collective(enum collective operation, MPI_Comm handle, int root, int64_t bytes, const int64_t *sizes,
                       const MPI_Request *request) {
  const struct comm *comm = record_find_comm(handle);
  if (comm->is_inter) record_unsupported(kInterCollective);
  struct event event = {.kind = kCollective,
                        .comm = comm->number,
                        .peer = root,
                        .tag = (int32_t)operation,
                        .count = sizes ? comm->size : 0,
                        .bytes = bytes};
  event.request = number_of(request, event);
  record_write(event);
  for (int i = 0; sizes && i < comm->size; ++i) record_write_item(i, 0, sizes[i]);
}

void record_neighbor_exchange(MPI_Comm handle, const int64_t *sent, const int64_t *received,
                              const MPI_Request *request) {
  const struct neighbors *around = record_neighbors_of(handle);
  struct event event = {
      .kind = kNeighbors, .comm = record_find_comm(handle)->number, .peer = -1, .count = around->n_sources + around->n_targets};
  event.request = number_of(request, event);
  record_write(event);
  for (int i = 0; i < around->n_targets; ++i) record_write_item(around->targets[i], 0, sent[i]);
  for (int i = 0; i < around->n_sources; ++i) record_write_item(around->sources[i], 1, received[i]);
}

/* Messages of matched probes, until they are received. */
static struct {
  MPI_Message message;
  MPI_Comm comm;
  struct message found;
} *matched;
static int n_matched;

void record_matched(MPI_Message message, MPI_Comm comm, struct message found) {
  matched = realloc(matched, (size_t)(n_matched + 1) * sizeof *matched);
  matched[n_matched].message = message;
  matched[n_matched].comm = comm;
  matched[n_matched++].found = found;
}

void record_matched_receive(MPI_Message message, int64_t bytes, const MPI_Request *request) {
  for (int i = 0; i < n_matched; ++i) {
    if (matched[i].message != message) continue;
    const struct message found = matched[i].found;
    if (request)
      record_request(kStartReceive, 0, matched[i].comm, found.source, found.tag, bytes, *request, false);
    else
      record_message(kReceive, 0, matched[i].comm, found.source, found.tag, bytes);
    matched[i] = matched[--n_matched];
    return;
  }
}

int64_t *record_sizes(int n, const int *counts, MPI_Datatype (*type_of)(const void *, int), const void *types) {
  int64_t *sizes = malloc((size_t)(n + 1) * sizeof *sizes);
  for (int i = 0; i < n; ++i) sizes[i] = bytes_of(counts[i], type_of(types, i));
  return sizes;
}

int64_t *record_equal(int n, int64_t bytes) {
  int64_t *sizes = malloc((size_t)(n + 1) * sizeof *sizes);
  for (int i = 0; i < n; ++i) sizes[i] = bytes;
  return sizes;
}

static MPI_Datatype this_type(const void *type, int i) {
  (void)i;
  return *(const MPI_Datatype *)type;
}

void record_blocks(MPI_Comm comm, const int *counts, MPI_Datatype type, const MPI_Request *request) {
  int64_t *sizes = record_sizes(record_comm_size(comm), counts, this_type, &type);
  record_collective(kAlltoallv, comm, -1, 0, sizes, request);
  free(sizes);
}

void record_unsupported(enum unsupported kind) {
  static bool seen[3];
  if (seen[kind]) return;
  seen[kind] = true;
  record_write((struct event){.kind = kUnsupported, .tag = (int32_t)kind, .request = -1});
}
