/* Preloaded into ranks that share cores: a rank that waits for a message sleeps between its polls, where Open
 * MPI with mpi_yield_when_idle would only offer its core to others. */
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

int sched_yield(void) {
  static int is_precise = 0;
  if (!is_precise) is_precise = 1 + prctl(PR_SET_TIMERSLACK, 1000L, 0, 0, 0);
  const struct timespec pause = {0, 10000};
  nanosleep(&pause, 0);
  return 0;
}
