/* Part of halcyon.h: statuses, and types that several headers share. */
#ifndef HALCYON_BASE_H
#define HALCYON_BASE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HALCYON_API __attribute__((visibility("default")))

/* Statuses; halcyon_stop uses them as exit codes. */
enum {
  HALCYON_OK = 0,
  HALCYON_INTERNAL_ERROR = 1, /* an error of the calling program, or a bug of Halcyon */
  HALCYON_INPUT_ERROR = 2,    /* an option, a file or data of the user */
  HALCYON_RUN_ERROR = 3       /* the operating system or MPI failed */
};

/* Returns the text of the last error in this thread: what was given, what is allowed, how to fix it. */
HALCYON_API const char* halcyon_error_message(void);
/* Ends the job with a status: this process writes the text of the last error to stderr and exits without
 * waiting for other ranks. Ranks other than 0 first wait some seconds for rank 0, so that the text appears
 * once. */
HALCYON_API void halcyon_stop(int32_t status);
/* Returns the version, such as "0.1.0". */
HALCYON_API const char* halcyon_version(void);

typedef enum { HALCYON_INT32, HALCYON_INT64, HALCYON_FLOAT32, HALCYON_FLOAT64 } halcyon_type;

/* Half of a complex number: arrays hold pairs of real and imaginary part. */
typedef double halcyon_complex;

/* An array that receives the values of a variable, for this rank's items in this rank's order. */
typedef struct {
  const char* variable;
  halcyon_type type;
  void* data;
  int64_t count; /* number of values */
} halcyon_target;

/* Accumulated time, messages and bytes of the exchanges of a halo or transform on this rank. */
typedef struct {
  double pack_s, transfer_s, wait_s, unpack_s;
  int64_t n_exchanges, n_sent, n_received; /* n_sent, n_received: numbers of messages */
  int64_t sent_bytes, received_bytes;
} halcyon_statistics;

#ifdef __cplusplus
}
#endif

#endif
