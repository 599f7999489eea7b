/* The wrappers of the C calls. */

#include <stdlib.h>

#include "recorder.h"

#define LIST(...) __VA_ARGS__
#define IN(x) const void* x
#define OUT(x) void* x
#define INT(x) int x
#define INTS(x) const int x[]
#define AINT(x) MPI_Aint x
#define AINTS(x) const MPI_Aint x[]
#define TYPE(x) MPI_Datatype x
#define TYPES(x) const MPI_Datatype x[]
#define OP(x) MPI_Op x
#define COMM(x) MPI_Comm x
#define INFO(x) MPI_Info x
#define GROUP(x) MPI_Group x
#define WINDOW(x) MPI_Win x
#define MESSAGE(x) MPI_Message* x
#define REQUEST(x) MPI_Request* x
#define REQUESTS(x) MPI_Request x[]
#define FLAG(x) int* x
#define RESULT(x) int* x
#define RESULT_COMM(x) MPI_Comm* x
#define STATUS(x) MPI_Status* x
#define STATUSES(x) MPI_Status x[]
#define IN_PLACE record_is_in_place(sent)
#define V(x) (x)
#define T(x) (x)
#define C(x) (x)
#define M(x) (*(x))
#define R(x) (*(x))
#define NEW(x) (*(x))
#define INDEX(x) (*(x))
#define IS(x) (*(x))

static struct message found_at(const MPI_Status* statuses, int i) {
  return (struct message){statuses[i].MPI_SOURCE, statuses[i].MPI_TAG};
}
#define FOUND(status) found_at(status, 0)
#define OWN(status)      \
  MPI_Status own_status; \
  if (status == MPI_STATUS_IGNORE) status = &own_status

static MPI_Datatype type_at(const void* types, int i) {
  return ((const MPI_Datatype*)types)[i];
}
static MPI_Datatype same_type(const void* type, int i) {
  (void)i;
  return *(const MPI_Datatype*)type;
}
#define TYPES_OF(types) type_at, types
#define ONE_TYPE(type) same_type, &type

/* The requests of a call before it, and statuses if the caller ignores them. */
struct completion {
  MPI_Request few[64], *requests;
  MPI_Status few_statuses[64], *statuses;
};
static void end_completion(struct completion* completion) {
  if (completion->requests == completion->few) return;
  free(completion->requests);
  free(completion->statuses);
  record_computation_begins();
}
static MPI_Status* begin_completion(struct completion* completion, int n, const MPI_Request* requests,
                                    MPI_Status* statuses) {
  completion->requests = completion->few;
  completion->statuses = completion->few_statuses;
  if (!record_is_active()) return statuses;
  const size_t size = n > 0 ? (size_t)n : 0;
  if (size > 64) {
    completion->requests = malloc(size * sizeof *completion->requests);
    completion->statuses = malloc(size * sizeof *completion->statuses);
  }
  for (size_t i = 0; i < size; ++i) completion->requests[i] = requests[i];
  record_call_begins();
  return statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE ? completion->statuses : statuses;
}
#define BEGIN(n, requests, status)                                       \
  struct completion completion __attribute__((cleanup(end_completion))); \
  status = begin_completion(&completion, n, requests, status)
#define COMPLETE(request, i) record_completed(completion.requests[request], found_at(status, i))

#define CALL(name, lower, parameters, arguments, before, after) \
  int MPI_##name(LIST parameters) {                             \
    record_enter();                                             \
    LIST before;                                                \
    const int code = PMPI_##name(LIST arguments);               \
    if (record_leave()) {                                       \
      LIST after;                                               \
      record_resume();                                          \
    }                                                           \
    return code;                                                \
  }
#include "calls.def"

int MPI_Init(int* argc, char*** argv) {
  record_enter();
  const int code = PMPI_Init(argc, argv);
  record_leave();
  record_begin();
  return code;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  record_enter();
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  record_leave();
  record_begin();
  return code;
}

int MPI_Finalize(void) {
  record_end();
  return PMPI_Finalize();
}

int MPI_Abort(MPI_Comm comm, int code) {
  record_abort();
  return PMPI_Abort(comm, code);
}
