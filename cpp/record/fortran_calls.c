/* The wrappers of the Fortran calls that do not go through the C symbols: under Open MPI those of mpif.h and
 * `use mpi` (mpi_send_) and of `use mpi_f08` (mpi_send_f08_); under MPICH only the latter (mpi_send_f08ts_ if
 * a buffer is an argument, given by a descriptor, else mpi_wait_f08_). */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#include "recorder.h"

#define LIST(...) __VA_ARGS__
#define IN(x) void* x
#define OUT(x) void* x
#define INT(x) MPI_Fint* x
#define INTS(x) MPI_Fint* x
#define AINT(x) MPI_Aint* x
#define AINTS(x) MPI_Aint* x
#define TYPE(x) MPI_Fint* x
#define TYPES(x) MPI_Fint* x
#define OP(x) MPI_Fint* x
#define COMM(x) MPI_Fint* x
#define INFO(x) MPI_Fint* x
#define GROUP(x) MPI_Fint* x
#define WINDOW(x) MPI_Fint* x
#define MESSAGE(x) MPI_Fint* x
#define REQUEST(x) MPI_Fint* x
#define REQUESTS(x) MPI_Fint* x
#define FLAG(x) MPI_Fint* x
#define RESULT(x) MPI_Fint* x
#define RESULT_COMM(x) MPI_Fint* x
#define STATUS(x) MPI_Fint* x
#define STATUSES(x) MPI_Fint* x
#define V(x) (*(x))
#define T(x) PMPI_Type_f2c(*(x))
#define C(x) PMPI_Comm_f2c(*(x))
#define M(x) PMPI_Message_f2c(*(x))
#define R(x) PMPI_Request_f2c(*(x))
#define NEW(x) PMPI_Comm_f2c(*(x))
#define INDEX(x) (*(x) - 1)
#define IS(x) (*(x) != 0)

#ifdef OPEN_MPI
#define NAMES(entry, lower, ...) entry(mpi_##lower##_, __VA_ARGS__) entry(mpi_##lower##_f08_, __VA_ARGS__)
#define IN_PLACE record_is_in_place(sent)
#else
#define NAMES(entry, lower, ...) \
  entry(mpi_##lower##_f08_, __VA_ARGS__) entry(mpi_##lower##_f08ts_, __VA_ARGS__)
/* The address is the first member of a descriptor. */
#define IN_PLACE (*(void**)sent == dlsym(RTLD_DEFAULT, "MPIR_F08_MPI_IN_PLACE"))
#endif

enum { /* the layout of a status is that in C */
       kStatusInts = sizeof(MPI_Status) / sizeof(MPI_Fint),
       kSource = offsetof(MPI_Status, MPI_SOURCE) / sizeof(MPI_Fint),
       kTag = offsetof(MPI_Status, MPI_TAG) / sizeof(MPI_Fint)
};

static bool is_ignored(const MPI_Fint* status) {
  static const void *one, *all;
  if (!one) {
#ifdef OPEN_MPI /* pointers */
    MPI_Fint** const pointers[] = {dlsym(RTLD_DEFAULT, "MPI_F_STATUS_IGNORE"),
                                   dlsym(RTLD_DEFAULT, "MPI_F_STATUSES_IGNORE")};
    if (pointers[0]) one = *pointers[0];
    if (pointers[1]) all = *pointers[1];
#else
    one = dlsym(RTLD_DEFAULT, "MPIR_F08_MPI_STATUS_IGNORE_OBJ");
    all = dlsym(RTLD_DEFAULT, "MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
#endif
  }
  return status == one || status == all;
}
static struct message found_at(const MPI_Fint* statuses, int i) {
  return (struct message){statuses[i * kStatusInts + kSource], statuses[i * kStatusInts + kTag]};
}
#define FOUND(status) found_at(status, 0)
#define OWN(status)                 \
  MPI_Fint own_status[kStatusInts]; \
  if (is_ignored(status)) status = own_status

static MPI_Datatype type_at(const void* types, int i) {
  return PMPI_Type_f2c(((const MPI_Fint*)types)[i]);
}
static MPI_Datatype same_type(const void* type, int i) {
  (void)i;
  return PMPI_Type_f2c(*(const MPI_Fint*)type);
}
#define TYPES_OF(types) type_at, types
#define ONE_TYPE(type) same_type, type

struct completion {
  MPI_Request* requests;
  MPI_Fint* statuses;
};
static void end_completion(struct completion* completion) {
  if (!completion->requests) return;
  free(completion->requests);
  free(completion->statuses);
  record_computation_begins();
}
static MPI_Fint* begin_completion(struct completion* completion, int n, const MPI_Fint* requests,
                                  MPI_Fint* statuses) {
  *completion = (struct completion){NULL, NULL};
  if (!record_is_active()) return statuses;
  const size_t size = n > 0 ? (size_t)n : 1;
  completion->requests = malloc(size * sizeof *completion->requests);
  completion->statuses = malloc(size * kStatusInts * sizeof *completion->statuses);
  for (int i = 0; i < n; ++i) completion->requests[i] = PMPI_Request_f2c(requests[i]);
  record_call_begins();
  return is_ignored(statuses) ? completion->statuses : statuses;
}
#define BEGIN(n, requests, status)                                       \
  struct completion completion __attribute__((cleanup(end_completion))); \
  status = begin_completion(&completion, n, requests, status)
#define COMPLETE(request, i) record_completed(completion.requests[request], found_at(status, i))

#define ENTRY(symbol, parameters, arguments, before, after) \
  void symbol(LIST parameters, MPI_Fint* ierror) {          \
    static void (*next)(LIST parameters, MPI_Fint*);        \
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, #symbol);  \
    record_enter();                                         \
    LIST before;                                            \
    next(LIST arguments, ierror);                           \
    if (record_leave()) {                                   \
      LIST after;                                           \
      record_resume();                                      \
    }                                                       \
  }
#define CALL(name, lower, ...) NAMES(ENTRY, lower, __VA_ARGS__)
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "calls.def"

/* The begin and the end. */
#define PLAIN(symbol, parameters, arguments, before, after) \
  void symbol parameters {                                  \
    static void(*next) parameters;                          \
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, #symbol);  \
    before;                                                 \
    next arguments;                                         \
    after;                                                  \
  }
#define AFTER_INIT (record_leave(), record_begin())
NAMES(PLAIN, init, (MPI_Fint * ierror), (ierror), record_enter(), AFTER_INIT)
NAMES(PLAIN, init_thread, (MPI_Fint * required, MPI_Fint* provided, MPI_Fint* ierror),
      (required, provided, ierror), record_enter(), AFTER_INIT)
NAMES(PLAIN, finalize, (MPI_Fint * ierror), (ierror), record_end(), (void)0)
NAMES(PLAIN, abort, (MPI_Fint * comm, MPI_Fint* code, MPI_Fint* ierror), (comm, code, ierror), record_abort(),
      (void)0)
