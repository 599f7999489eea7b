#pragma once

#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange/execution.hpp"
#include "halcyon/comm/measure/common_clock.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// Runs of a schedule on memory of its own, to be timed: what calibrates a machine file, and what a
/// simulation is compared with. `combine` adds doubles; `compute` does nothing.
class Rehearsal {
 public:
  /// Collective.
  /// @param clock of the same ranks, which must live as long as this
  /// @throws ConfigError, on all ranks, where the method cannot carry the schedule
  Rehearsal(const Communicator& comm, CommonClock& clock, const schedule::Schedule& schedule, Method method);
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;
  ~Rehearsal();

  /// Collective. Of each of so many runs, the wall time [s] from its start until this rank was done. The
  /// ranks that have something to do in the schedule agree on the moment, and start together; the others
  /// sleep meanwhile, so that they take no core, and their times are 0.
  std::vector<double> times_s(int runs);

 private:
  double start_together();

  Communicator comm_;
  CommonClock& clock_;
  double notice_s_ = 100e-6;         ///< that ranks have of a start; longer once it was too short
  MPI_Comm active_ = MPI_COMM_NULL;  ///< the ranks that have something to do; null on others
  Execution execution_;
};

}  // namespace halcyon::comm
