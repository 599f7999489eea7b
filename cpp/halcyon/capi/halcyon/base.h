/* Of halcyon.h: statuses, and what several rooms have in common. */
#ifndef HALCYON_BASE_H
#define HALCYON_BASE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HALCYON_API __attribute__((visibility("default")))

/* A status, which is also the exit code that suits it. */
enum {
  HALCYON_OK = 0,
  HALCYON_INTERNAL_ERROR = 1, /* the calling program's mistake, or a bug of Halcyon */
  HALCYON_INPUT_ERROR = 2,    /* an option, a file or data of the user */
  HALCYON_RUN_ERROR = 3       /* the system refused */
};

/* What the last call of this thread that failed has to say: what was given, what is allowed, the remedy. */
HALCYON_API const char* halcyon_error_message(void);
/* Ends the job with a status: this process writes the last error's text to stderr and exits at once, waiting
 * for nobody. Ranks other than 0 give rank 0 seconds to do so, that the text be there once. */
HALCYON_API void halcyon_stop(int32_t status);
/* "0.1.0" */
HALCYON_API const char* halcyon_version(void);

typedef enum { HALCYON_INT32, HALCYON_INT64, HALCYON_FLOAT32, HALCYON_FLOAT64 } halcyon_type;

/* Complex numbers: the real and the imaginary part of each, one after the other. */
typedef double halcyon_complex;

/* Where numbers of a variable go: those of this rank's items, in its own order. */
typedef struct {
  const char* variable;
  halcyon_type type;
  void* data;
  int64_t count; /* of numbers */
} halcyon_target;

/* What the exchanges of a halo or transform have cost and moved on this rank so far. */
typedef struct {
  double pack_s, transfer_s, wait_s, unpack_s;
  int64_t n_exchanges, n_sent, n_received; /* messages */
  int64_t sent_bytes, received_bytes;
} halcyon_statistics;

#ifdef __cplusplus
}
#endif

#endif
