#define _GNU_SOURCE
#include "recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <zlib.h>

/* A gap after an unsuccessful test up to this time [ns] is a poll, not computation. */
enum { kPollNs = 10000 };
enum { kUnknownRank = -2 };

static gzFile file;
static clockid_t compute_clock = CLOCK_MONOTONIC;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm world = (MPI_Comm)0, no_comm = (MPI_Comm)0;
static MPI_Request no_request = (MPI_Request)0;

static __thread int depth;
static __thread bool polled;
static __thread uint64_t resumed_ns, resumed_compute_ns, entered_ns, compute_ns, call_ns;

static uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Programs such as Python load MPI with symbols that other libraries cannot see. The names of the profiling interface
 * in this library are bound when they are first called, so the MPI library is made visible before that. */
static int make_visible(struct dl_phdr_info *info, size_t size, void *done) {
  (void)size;
  const char *name = strrchr(info->dlpi_name, '/');
  if (name && (strncmp(name, "/libmpi.so", 10) == 0 || strncmp(name, "/libmpich", 9) == 0))
    *(void **)done = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL);
  return 0;
}

static void __attribute__((unused)) * symbol(const char *name) { return dlsym(RTLD_DEFAULT, name); }

static void find_mpi(void) {
  static bool done = false;
  if (done) return;
  done = true;
  void *library = NULL;
  if (!dlsym(RTLD_DEFAULT, "PMPI_Init")) dl_iterate_phdr(make_visible, &library);
#ifdef OPEN_MPI /* predefined handles are addresses of variables of the library */
  world = symbol("ompi_mpi_comm_world");
  no_comm = symbol("ompi_mpi_comm_null");
  no_request = symbol("ompi_request_null");
#else
  world = MPI_COMM_WORLD;
  no_comm = MPI_COMM_NULL;
  no_request = MPI_REQUEST_NULL;
#endif
}

void record_enter(void) {
  if (++depth > 1) return;
  find_mpi();
  if (!file) return;
  entered_ns = now(CLOCK_MONOTONIC);
  const uint64_t start = compute_clock == CLOCK_MONOTONIC ? entered_ns : now(compute_clock);
  const uint64_t gap = resumed_ns ? start - resumed_compute_ns : 0;
  if (!polled || gap > kPollNs) compute_ns += gap;
  polled = false;
}

bool record_leave(void) {
  if (--depth > 0 || !file) return false;
  call_ns = now(CLOCK_MONOTONIC) - entered_ns;
  pthread_mutex_lock(&lock);
  ++depth; /* calls of the recorder itself */
  return true;
}

void record_resume(void) {
  --depth;
  pthread_mutex_unlock(&lock);
  resumed_ns = now(CLOCK_MONOTONIC);
  resumed_compute_ns = compute_clock == CLOCK_MONOTONIC ? resumed_ns : now(compute_clock);
}

void record_poll(void) { polled = true; }

static void fail(const char *action) {
  fprintf(stderr, "halcyon record: the file of a rank cannot be %s (%s). The recording is incomplete.\n", action,
          strerror(errno));
  file = NULL;
}

static void write_event(struct event event) {
  if (!file) return;
  event.compute_ns = compute_ns;
  event.call_ns = call_ns;
  compute_ns = call_ns = 0;
  if (gzwrite(file, &event, sizeof event) != sizeof event) fail("written");
}

static void write_item(int peer, int tag, int64_t bytes) {
  write_event((struct event){.kind = kItem, .peer = peer, .tag = tag, .bytes = bytes, .request = -1});
}

/* Communicators: one entry for each that is in use, found by its handle. */

struct comm {
  MPI_Comm handle;
  int number, size, rank; /* size of the group that peers refer to */
  bool is_inter;
  int *world_ranks; /* (size) */
  struct neighbors neighbors;
  bool has_neighbors;
};

static struct comm *comms;
static int n_comms, n_numbers, last_comm;

static int *world_ranks_of(MPI_Comm comm, bool remote, int *size) {
  MPI_Group group, world_group;
  if (remote)
    PMPI_Comm_remote_group(comm, &group);
  else
    PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(world, &world_group);
  PMPI_Group_size(group, size);
  int *ranks = malloc((size_t)(*size + 1) * 2 * sizeof(int)), *translated = ranks + *size + 1;
  for (int i = 0; i < *size; ++i) ranks[i] = i;
  PMPI_Group_translate_ranks(group, *size, ranks, world_group, translated);
  for (int i = 0; i < *size; ++i) ranks[i] = translated[i] == MPI_UNDEFINED ? kUnknownRank : translated[i];
  PMPI_Group_free(&group);
  PMPI_Group_free(&world_group);
  return ranks;
}

static struct comm *find_comm(MPI_Comm handle) {
  if (last_comm < n_comms && comms[last_comm].handle == handle) return &comms[last_comm];
  for (int i = 0; i < n_comms; ++i) {
    if (comms[i].handle == handle) return &comms[last_comm = i];
  }
  comms = realloc(comms, (size_t)(n_comms + 1) * sizeof *comms);
  struct comm *comm = &comms[last_comm = n_comms++];
  *comm = (struct comm){.handle = handle, .number = n_numbers++};
  int is_inter = 0, local_size = 0;
  PMPI_Comm_test_inter(handle, &is_inter);
  PMPI_Comm_rank(handle, &comm->rank);
  comm->is_inter = is_inter;
  int *local = world_ranks_of(handle, false, &local_size);
  comm->world_ranks = is_inter ? world_ranks_of(handle, true, &comm->size) : local;
  if (!is_inter) comm->size = local_size;
  const uint64_t saved_compute = compute_ns, saved_call = call_ns;
  compute_ns = call_ns = 0; /* these times belong to the event that uses the communicator */
  write_event((struct event){
      .kind = kComm, .comm = comm->number, .request = -1, .count = local_size + (is_inter ? comm->size : 0)});
  bool is_dynamic = false;
  for (int i = 0; i < local_size; ++i) {
    write_item(local[i], 0, 0);
    is_dynamic |= local[i] == kUnknownRank;
  }
  for (int i = 0; is_inter && i < comm->size; ++i) {
    write_item(comm->world_ranks[i], 1, 0);
    is_dynamic |= comm->world_ranks[i] == kUnknownRank;
  }
  if (is_inter) free(local);
  if (is_dynamic) record_unsupported(kDynamic);
  compute_ns = saved_compute;
  call_ns = saved_call;
  return comm;
}

void record_new_comm(MPI_Comm parent, MPI_Comm handle) {
  struct comm *comm = find_comm(parent);
  if (!comm->is_inter)
    write_event((struct event){
        .kind = kCollective, .comm = comm->number, .peer = -1, .tag = kAllgather, .request = -1, .bytes = 8});
  if (!record_is_null(handle)) find_comm(handle);
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

bool record_is_null(MPI_Comm comm) { return comm == no_comm; }
int record_comm_size(MPI_Comm comm) { return find_comm(comm)->size; }
int record_comm_rank(MPI_Comm comm) { return find_comm(comm)->rank; }

/* The world rank of a peer; -1 for any source, kUnknownRank for MPI_PROC_NULL and processes outside the world. */
static int world_rank(const struct comm *comm, int peer) {
  if (peer == MPI_ANY_SOURCE) return -1;
  return peer >= 0 && peer < comm->size ? comm->world_ranks[peer] : kUnknownRank;
}

static void find_neighbors(struct comm *comm) {
  struct neighbors *found = &comm->neighbors;
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
    int *weights = malloc((size_t)(n + m + 1) * sizeof(int));
    PMPI_Dist_graph_neighbors(comm->handle, n, found->sources, weights, m, found->targets, weights + n);
    free(weights);
  }
  if (topology != MPI_DIST_GRAPH) memcpy(found->targets, found->sources, (size_t)n * sizeof(int));
  for (int i = 0; i < n; ++i) found->sources[i] = world_rank(comm, found->sources[i]);
  for (int i = 0; i < m; ++i) found->targets[i] = world_rank(comm, found->targets[i]);
  comm->has_neighbors = true;
}

const struct neighbors *record_neighbors_of(MPI_Comm handle) {
  struct comm *comm = find_comm(handle);
  if (!comm->has_neighbors) find_neighbors(comm);
  return &comm->neighbors;
}

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
  for (int i = 0; i < n_requests && handle != no_request; ++i) {
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
  const struct comm *of = find_comm(comm);
  return (struct event){.kind = (uint16_t)kind,
                        .mode = (uint16_t)mode,
                        .comm = of->number,
                        .peer = world_rank(of, peer),
                        .tag = tag == MPI_ANY_TAG ? -1 : tag,
                        .request = -1,
                        .bytes = bytes};
}

void record_message(int kind, int mode, MPI_Comm comm, int peer, int tag, int64_t bytes) {
  const struct event event = message_event(kind, mode, comm, peer, tag, bytes);
  if (event.peer != kUnknownRank || kind == kSendrecv || kind == kSendrecvReceive) write_event(event);
}

void record_request(int kind, int mode, MPI_Comm comm, int peer, int tag, int64_t bytes, MPI_Request handle,
                    bool persistent) {
  const struct event event = message_event(kind, mode, comm, peer, tag, bytes);
  if (event.peer == kUnknownRank) return;
  const int index = add_request(handle, event, persistent);
  if (persistent) return;
  activate(index);
  write_event(requests[index].start);
}

void record_started(MPI_Request handle) {
  const int index = find_request(handle);
  if (index < 0) return;
  activate(index);
  write_event(requests[index].start);
}

void record_cancelled(MPI_Request handle) {
  const int index = find_request(handle);
  if (index >= 0) write_event((struct event){.kind = kCancel, .request = requests[index].number});
}

void record_freed(MPI_Request handle) {
  const int index = find_request(handle);
  if (index < 0) return;
  if (requests[index].number >= 0) write_event((struct event){.kind = kFree, .request = requests[index].number});
  remove_request(index);
}

void record_pending(int n, MPI_Request (*handle_of)(const void *, int), const void *handles, struct pending *pending) {
  for (int i = 0; i < n; ++i) pending[i] = (struct pending){-1, false};
  if (!file || depth > 0) return;
  pthread_mutex_lock(&lock);
  claim = ++n_calls;
  for (int i = 0; i < n; ++i) {
    const int index = find_request(handle_of(handles, i));
    if (index < 0 || requests[index].number < 0) continue;
    pending[i] = (struct pending){requests[index].number, requests[index].wildcard};
    requests[index].claim = claim;
  }
  claim = ++n_calls;
  pthread_mutex_unlock(&lock);
}

void record_completed(struct pending pending, struct message found) {
  if (pending.number < 0) return;
  for (int i = 0; i < n_requests; ++i) {
    struct request *request = &requests[i];
    if (request->number != pending.number) continue;
    struct event event = {.kind = kWait, .peer = -1, .tag = -1, .request = pending.number};
    if (request->wildcard) {
      for (int c = 0; c < n_comms; ++c) {
        if (comms[c].number == request->start.comm) event.peer = world_rank(&comms[c], found.source);
      }
      event.tag = found.tag;
    }
    write_event(event);
    if (request->persistent)
      request->number = -1;
    else
      remove_request(i);
    return;
  }
}

void record_probe(MPI_Comm comm, struct message found) {
  write_event(message_event(kProbe, 0, comm, found.source, found.tag, 0));
}

static int number_of(const MPI_Request *handle, struct event event) {
  return handle ? activate(add_request(*handle, event, false)) : -1;
}

void record_collective(enum collective operation, MPI_Comm handle, int root, int64_t bytes, const int64_t *sizes,
                       const MPI_Request *request) {
  const struct comm *comm = find_comm(handle);
  if (comm->is_inter) record_unsupported(kInterCollective);
  struct event event = {.kind = kCollective,
                        .comm = comm->number,
                        .peer = root,
                        .tag = (int32_t)operation,
                        .count = sizes ? comm->size : 0,
                        .bytes = bytes};
  event.request = number_of(request, event);
  write_event(event);
  for (int i = 0; sizes && i < comm->size; ++i) write_item(i, 0, sizes[i]);
}

void record_neighbor_exchange(MPI_Comm handle, const int64_t *sent, const int64_t *received,
                              const MPI_Request *request) {
  const struct neighbors *around = record_neighbors_of(handle);
  struct event event = {
      .kind = kNeighbors, .comm = find_comm(handle)->number, .peer = -1, .count = around->n_sources + around->n_targets};
  event.request = number_of(request, event);
  write_event(event);
  for (int i = 0; i < around->n_targets; ++i) write_item(around->targets[i], 0, sent[i]);
  for (int i = 0; i < around->n_sources; ++i) write_item(around->sources[i], 1, received[i]);
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
  write_event((struct event){.kind = kUnsupported, .tag = (int32_t)kind, .request = -1});
}

bool record_is_in_place(const void *buffer) {
#ifdef OPEN_MPI
  static const void *of_fortran;
  if (!of_fortran) of_fortran = symbol("mpi_fortran_in_place_");
  return buffer == MPI_IN_PLACE || (of_fortran && buffer == of_fortran);
#else
  return buffer == MPI_IN_PLACE;
#endif
}

/* The file. */

void record_begin(void) {
  const char *folder = getenv("HALCYON_RECORD"), *clock = getenv("HALCYON_RECORD_CLOCK");
  if (!folder || !*folder || file) return;
  if (clock && strcmp(clock, "cpu") == 0) compute_clock = CLOCK_THREAD_CPUTIME_ID;
  int rank = 0, size = 0, length = 0;
  char library[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME], path[4096];
  PMPI_Comm_rank(world, &rank);
  PMPI_Comm_size(world, &size);
  PMPI_Get_library_version(library, &length);
  library[strcspn(library, "\n")] = 0;
  PMPI_Get_processor_name(host, &length);
  mkdir(folder, 0777);
  snprintf(path, sizeof path, "%s/rank.%06d.gz", folder, rank);
  file = gzopen(path, "wb1");
  if (!file) {
    fail("created");
    return;
  }
  gzbuffer(file, 1 << 18);
  gzprintf(file, "halcyon recording 1\nrank %d\nranks %d\nhost %s\nlibrary %s\nclock %s\nprogram %s\nevent_bytes %d\n\n",
           rank, size, host, library, compute_clock == CLOCK_MONOTONIC ? "wall" : "cpu", program_invocation_short_name,
           (int)sizeof(struct event));
  PMPI_Barrier(world); /* the ranks begin together */
  ++depth;
  find_comm(world);
  --depth;
  resumed_ns = now(CLOCK_MONOTONIC);
  resumed_compute_ns = compute_clock == CLOCK_MONOTONIC ? resumed_ns : now(compute_clock);
}

static void close_file(void) {
  gzFile closed = file;
  file = NULL;
  if (closed && gzclose(closed) != Z_OK) fail("written");
}

void record_end(void) {
  if (!file || depth > 0) return;
  record_enter();
  if (!record_leave()) return;
  write_event((struct event){.kind = kEnd, .request = -1});
  record_resume();
  close_file();
}

void record_abort(void) { close_file(); }
