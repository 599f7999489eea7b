#include <stdlib.h>

#include "internal.h"

/* Requests that are active or persistent, in a hash table by handle. Several may have one handle, since Open
 * MPI returns the same one for all sends that have completed at once; the oldest is found first. */

struct request {
  MPI_Request handle;
  struct event start; /* of a persistent request: written by MPI_Start */
  int number;         /* -1: persistent and inactive */
  bool persistent, wildcard;
  struct request* next;               /* with another handle and the same hash */
  struct request *younger, *youngest; /* with the same handle; `youngest` is set in the oldest */
};

static struct request** buckets;
static int n_bucket_bits = -1, n_requests, n_request_numbers;

/* The link to the oldest request with this handle, which is null if there is none. */
static struct request** find_request(MPI_Request handle) {
  const uint64_t hash =
      (uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 / the golden ratio */
  struct request** link = &buckets[hash >> (64 - n_bucket_bits)];
  while (*link && (*link)->handle != handle) link = &(*link)->next;
  return link;
}

static struct request* oldest_request(MPI_Request handle) {
  return n_requests == 0 || handle == record_no_request ? NULL : *find_request(handle);
}

static void double_buckets(void) {
  struct request** const old = buckets;
  const int n_old = old ? 1 << n_bucket_bits : 0;
  n_bucket_bits = old ? n_bucket_bits + 1 : 6;
  buckets = calloc((size_t)1 << n_bucket_bits, sizeof(struct request*));
  for (int i = 0; i < n_old; ++i) {
    for (struct request *request = old[i], *next; request; request = next) {
      next = request->next;
      request->next = NULL;
      *find_request(request->handle) = request;
    }
  }
  free(old);
}

static struct request* add_request(MPI_Request handle, struct event start, bool persistent) {
  if (!buckets || n_requests >> n_bucket_bits) double_buckets();
  struct request* request = malloc(sizeof *request);
  *request =
      (struct request){.handle = handle,
                       .start = start,
                       .number = -1,
                       .persistent = persistent,
                       .wildcard = start.kind == kStartReceive && (start.peer == -1 || start.tag == -1),
                       .youngest = request};
  struct request** const link = find_request(handle);
  if (*link) {
    (*link)->youngest->younger = request;
    (*link)->youngest = request;
  } else {
    *link = request;
  }
  ++n_requests;
  return request;
}

static int activate(struct request* request) {
  request->start.request = request->number = n_request_numbers++;
  return request->number;
}

/* Removes the oldest request with its handle. */
static void remove_request(struct request* request) {
  struct request* const younger = request->younger;
  if (younger) {
    younger->next = request->next;
    younger->youngest = request->youngest;
  }
  *find_request(request->handle) = younger ? younger : request->next;
  free(request);
  --n_requests;
}

static struct event message_event(int kind, int mode, MPI_Comm comm, int peer, int tag, int64_t bytes) {
  const struct comm* of = record_find_comm(comm);
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
  struct request* const request = add_request(handle, event, persistent);
  if (persistent) return;
  activate(request);
  record_write(request->start);
}

void record_started(MPI_Request handle) {
  struct request* const request = oldest_request(handle);
  if (!request) return;
  activate(request);
  record_write(request->start);
}

void record_cancelled(MPI_Request handle) {
  const struct request* const request = oldest_request(handle);
  if (request) record_write((struct event){.kind = kCancel, .request = request->number});
}

void record_freed(MPI_Request handle) {
  struct request* const request = oldest_request(handle);
  if (!request) return;
  if (request->number >= 0) record_write((struct event){.kind = kFree, .request = request->number});
  remove_request(request);
}

void record_completed(MPI_Request handle, struct message found) {
  struct request* const request = oldest_request(handle);
  if (!request || request->number < 0) return;
  struct event event = {.kind = kWait, .peer = -1, .tag = -1, .request = request->number};
  if (request->wildcard) {
    const struct comm* comm = record_comm_numbered(request->start.comm);
    if (comm) event.peer = record_world_rank(comm, found.source);
    event.tag = found.tag;
  }
  record_write(event);
  if (request->persistent)
    request->number = -1;
  else
    remove_request(request);
}

void record_probe(MPI_Comm comm, struct message found) {
  record_write(message_event(kProbe, 0, comm, found.source, found.tag, 0));
}

static int number_of(const MPI_Request* handle, struct event event) {
  return handle ? activate(add_request(*handle, event, false)) : -1;
}

void record_collective(enum collective operation, MPI_Comm handle, int root, int64_t bytes,
                       const int64_t* sizes, const MPI_Request* request) {
  const struct comm* comm = record_find_comm(handle);
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

void record_neighbor_exchange(MPI_Comm handle, const int64_t* sent, const int64_t* received,
                              const MPI_Request* request) {
  const struct neighbors* around = record_neighbors_of(handle);
  struct event event = {.kind = kNeighbors,
                        .comm = record_find_comm(handle)->number,
                        .peer = -1,
                        .count = around->n_sources + around->n_targets};
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
}* matched;
static int n_matched;

void record_matched(MPI_Message message, MPI_Comm comm, struct message found) {
  matched = realloc(matched, (size_t)(n_matched + 1) * sizeof *matched);
  matched[n_matched].message = message;
  matched[n_matched].comm = comm;
  matched[n_matched++].found = found;
}

void record_matched_receive(MPI_Message message, int64_t bytes, const MPI_Request* request) {
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

int64_t* record_sizes(int n, const int* counts, MPI_Datatype (*type_of)(const void*, int),
                      const void* types) {
  int64_t* sizes = malloc((size_t)(n + 1) * sizeof *sizes);
  for (int i = 0; i < n; ++i) sizes[i] = bytes_of(counts[i], type_of(types, i));
  return sizes;
}

int64_t* record_equal(int n, int64_t bytes) {
  int64_t* sizes = malloc((size_t)(n + 1) * sizeof *sizes);
  for (int i = 0; i < n; ++i) sizes[i] = bytes;
  return sizes;
}

static MPI_Datatype this_type(const void* type, int i) {
  (void)i;
  return *(const MPI_Datatype*)type;
}

void record_blocks(MPI_Comm comm, const int* counts, MPI_Datatype type, const MPI_Request* request) {
  int64_t* sizes = record_sizes(record_comm_size(comm), counts, this_type, &type);
  record_collective(kAlltoallv, comm, -1, 0, sizes, request);
  free(sizes);
}

void record_unsupported(enum unsupported kind) {
  static bool seen[3];
  if (seen[kind]) return;
  seen[kind] = true;
  record_write((struct event){.kind = kUnsupported, .tag = (int32_t)kind, .request = -1});
}
