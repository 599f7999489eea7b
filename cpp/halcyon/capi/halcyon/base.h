/* Part of halcyon.h: statuses, and types that several headers share. */
#ifndef HALCYON_BASE_H
#define HALCYON_BASE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HALCYON_API __attribute__((visibility("default")))

/* A status, which is also the corresponding exit code. */
enum {
  HALCYON_OK = 0,
  HALCYON_INTERNAL_ERROR = 1, /* an error of the calling program, or a bug of Halcyon */
  HALCYON_INPUT_ERROR = 2,    /* an option, a file or data of the user */
  HALCYON_RUN_ERROR = 3       /* the operating system or MPI failed */
};

/* Returns the text of the last error of this thread: the given value, the allowed values, the remedy. */
HALCYON_API const char* halcyon_error_message(void);
/* Ends the job with a status: this process writes the text of the last error to stderr and exits without
 * waiting for other ranks. Ranks other than 0 first wait some seconds for rank 0, so that the text appears
 * once. */
HALCYON_API void halcyon_stop(int32_t status);
/* "0.1.0" */
HALCYON_API const char* halcyon_version(void);

typedef enum { HALCYON_INT32, HALCYON_INT64, HALCYON_FLOAT32, HALCYON_FLOAT64 } halcyon_type;

/* Complex numbers: pairs of real and imaginary parts. */
typedef double halcyon_complex;

/* Destination of values of a variable: one per local item, in this rank's order. */
typedef struct {
  const char* variable;
  halcyon_type type;
  void* data;
  int64_t count; /* number of values */
} halcyon_target;

/* Accumulated time, messages and bytes of the exchanges of a halo or transform on this rank. */
typedef struct {
  double pack_s, transfer_s, wait_s, unpack_s;
  int64_t n_exchanges, n_sent, n_received; /* exchanges; messages sent and received */
  int64_t sent_bytes, received_bytes;
} halcyon_statistics;

#ifdef __cplusplus
}
#endif

#endif
