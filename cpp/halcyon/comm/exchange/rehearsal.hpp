#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/exchange/exchange.hpp"
#include "halcyon/schedule/in_process.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// A schedule by MPI with memory of its own, to be run again and again: what measurements need, and what asks
/// for no more than the schedule. Computations take their seconds, asleep, and
/// call Exchange::progress 19 times meanwhile.
class Execution {
 public:
  /// Collective. All memory is zero, and touched.
  /// @param combine the operator of `combine`; the sum of doubles where none is given
  /// @throws as Exchange does
  Execution(const Communicator& comm, const schedule::Schedule& schedule, Method method,
            schedule::CombineOperator combine = {}, std::shared_ptr<const Progress> progress = {});

  /// Collective. Runs the whole schedule once.
  void run();

  /// This rank's memory by the buffer's name.
  /// @throws ConfigError that lists the names
  std::span<std::byte> buffer(const std::string& name);

  const Exchange& exchange() const { return *exchange_; }

 private:
  void compute();

  std::vector<schedule::Buffer> buffers_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<double> compute_s_;  ///< of all computations, in their order
  std::size_t computed_ = 0;
  std::unique_ptr<Exchange> exchange_;
};

/// Of this process' steady clock [s].
double steady_s();

/// A clock that all ranks read alike. Barriers cannot replace it: whoever comes to one last leaves it first,
/// a latency before the others.
class CommonClock {
 public:
  /// Collective. Sets the clock.
  /// @param own_s what a rank's own clock shows [s]
  explicit CommonClock(const Communicator& comm, std::function<double()> own_s = steady_s);

  /// Collective. Sets the clock anew, for clocks drift. Ranks that share memory share a clock; the first of
  /// each node asks rank 0 for its time, and takes the answer that came quickest to be from the middle of the
  /// way there and back (Cristian 1989, Distributed Computing 3, 146-158). So nodes are apart by at most half
  /// of what that took. It asks on while all answers are slower than they have been before.
  void set();

  /// By the clock of rank 0 [s].
  double now_s() const { return own_s_() - ahead_s_; }

 private:
  double ask(int tag);
  void answer(Rank asking, int tag) const;

  Communicator comm_;
  std::function<double()> own_s_;
  double ahead_s_ = 0;  ///< of this rank's clock
  double quickest_s_;   ///< answer so far
};

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
