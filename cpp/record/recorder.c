#define _GNU_SOURCE
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

#include "internal.h"

/* A gap after an unsuccessful test up to this time [ns] is a poll, not computation. */
enum { kPollNs = 10000 };

static gzFile file;
static clockid_t compute_clock = CLOCK_MONOTONIC;
pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;
MPI_Comm record_world = (MPI_Comm)0, record_no_comm = (MPI_Comm)0;
MPI_Request record_no_request = (MPI_Request)0;

static __thread int depth;
static __thread bool polled;
static __thread uint64_t resumed_ns, resumed_compute_ns, entered_ns, compute_ns, call_ns;

static uint64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Programs such as Python load MPI with symbols that other libraries cannot see. The names of the profiling
 * interface in this library are bound when they are first called, so the MPI library is made visible before
 * that. */
static int make_visible(struct dl_phdr_info* info, size_t size, void* done) {
  (void)size;
  const char* name = strrchr(info->dlpi_name, '/');
  if (name && (strncmp(name, "/libmpi.so", 10) == 0 || strncmp(name, "/libmpich", 9) == 0))
    *(void**)done = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL);
  return 0;
}

static void __attribute__((unused)) * symbol(const char* name) {
  return dlsym(RTLD_DEFAULT, name);
}

static void find_mpi(void) {
  static bool done = false;
  if (done) return;
  done = true;
  void* library = NULL;
  if (!dlsym(RTLD_DEFAULT, "PMPI_Init")) dl_iterate_phdr(make_visible, &library);
#ifdef OPEN_MPI /* predefined handles are addresses of variables of the library */
  record_world = symbol("ompi_mpi_comm_world");
  record_no_comm = symbol("ompi_mpi_comm_null");
  record_no_request = symbol("ompi_request_null");
#else
  record_world = MPI_COMM_WORLD;
  record_no_comm = MPI_COMM_NULL;
  record_no_request = MPI_REQUEST_NULL;
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
  pthread_mutex_lock(&record_lock);
  ++depth; /* calls of the recorder itself */
  return true;
}

void record_resume(void) {
  --depth;
  pthread_mutex_unlock(&record_lock);
  record_computation_begins();
}

bool record_is_active(void) {
  return file && depth == 1;
}

void record_call_begins(void) {
  entered_ns = now(CLOCK_MONOTONIC);
}

void record_computation_begins(void) {
  resumed_ns = now(CLOCK_MONOTONIC);
  resumed_compute_ns = compute_clock == CLOCK_MONOTONIC ? resumed_ns : now(compute_clock);
}

void record_poll(void) {
  polled = true;
}

static void fail(const char* action) {
  fprintf(stderr, "halcyon record: the file of a rank cannot be %s (%s). The recording is incomplete.\n",
          action, strerror(errno));
  file = NULL;
}

void record_write(struct event event) {
  if (!file) return;
  event.compute_ns = compute_ns;
  event.call_ns = call_ns;
  compute_ns = call_ns = 0;
  if (gzwrite(file, &event, sizeof event) != sizeof event) fail("written");
}

void record_write_item(int peer, int tag, int64_t bytes) {
  record_write((struct event){.kind = kItem, .peer = peer, .tag = tag, .bytes = bytes, .request = -1});
}

struct times record_take_times(void) {
  const struct times times = {compute_ns, call_ns};
  compute_ns = call_ns = 0;
  return times;
}

void record_give_times(struct times times) {
  compute_ns = times.compute_ns;
  call_ns = times.call_ns;
}

bool record_is_in_place(const void* buffer) {
#ifdef OPEN_MPI
  static const void* of_fortran;
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
  PMPI_Comm_rank(record_world, &rank);
  PMPI_Comm_size(record_world, &size);
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
  gzprintf(
      file,
      "halcyon recording 1\nrank %d\nranks %d\nhost %s\nlibrary %s\nclock %s\nprogram %s\nevent_bytes %d\n\n",
      rank, size, host, library, compute_clock == CLOCK_MONOTONIC ? "wall" : "cpu",
      program_invocation_short_name, (int)sizeof(struct event));
  PMPI_Barrier(record_world); /* the ranks begin together */
  ++depth;
  record_find_comm(record_world);
  --depth;
  record_computation_begins();
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
  record_write((struct event){.kind = kEnd, .request = -1});
  record_resume();
  close_file();
}

void record_abort(void) {
  close_file();
}
