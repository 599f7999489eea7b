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

/// Executes a schedule by MPI any number of times, on buffers that it allocates, for measurements. A compute
/// operation sleeps for its duration, in 20 parts, and calls Exchange::progress between the parts.
class Execution {
 public:
  /// Collective. The buffers are filled with zeros.
  /// @param combine the operator of `combine` operations; by default the sum of doubles
  /// @throws as the constructor of Exchange
  Execution(const Communicator& comm, const schedule::Schedule& schedule, Method method,
            schedule::CombineOperator combine = {}, std::shared_ptr<const Progress> progress = {});

  /// Collective. Executes the whole schedule once.
  void run();

  /// Memory of the buffer with the given name on this rank.
  /// @throws ConfigError that lists the names
  std::span<std::byte> buffer(const std::string& name);

  const Exchange& exchange() const { return *exchange_; }

 private:
  void compute();

  std::vector<schedule::Buffer> buffers_;
  std::vector<std::vector<std::byte>> memory_;  ///< (buffer)
  std::vector<double> compute_s_;  ///< durations of the compute operations, in order of execution [s]
  std::size_t n_computed_ = 0;     ///< compute operations completed in the current run
  std::unique_ptr<Exchange> exchange_;
};

/// Reads the steady clock of this process [s].
double steady_clock_s();

/// A clock that is synchronized between ranks, for a common start of all ranks. A barrier is not enough: the
/// rank that enters a barrier last leaves it one message latency before the others.
class SynchronizedClock {
 public:
  /// Collective. Synchronizes the clock.
  /// @param local_clock_s reads the clock of the calling rank [s]
  explicit SynchronizedClock(const Communicator& comm,
                             std::function<double()> local_clock_s = steady_clock_s);

  /// Collective. Synchronizes the clock again, since clocks drift. Ranks of one node share a clock, so only
  /// the first rank of each node requests the time of rank 0, up to twelve times. The reply with the shortest
  /// round trip is taken as the time at the middle of this round trip (Cristian 1989, Distributed Computing
  /// 3, 146-158), with an error of at most half of the round trip. An earlier reply is kept while its error,
  /// which grows by the drift of clocks, is the smaller one; a rank requests nothing while that error exceeds
  /// the one of its shortest round trip by less than 10 %.
  void synchronize();

  /// Time of the clock of rank 0 [s].
  double now_s() const { return local_clock_s_() - offset_s_; }

 private:
  void measure_offset(int tag);
  void serve_time(Rank client, int tag) const;
  double error_s() const;

  Communicator comm_;
  std::function<double()> local_clock_s_;
  std::vector<Rank> first_on_node_;  ///< (rank) first rank of its node
  double offset_s_ = 0;              ///< clock of this rank minus clock of rank 0
  double measured_at_s_ = 0;         ///< local time of `offset_s_`
  double round_trip_s_;              ///< of the reply that gave `offset_s_`
  double shortest_round_trip_s_;     ///< of all synchronizations so far
};

/// Times executions of a schedule, to calibrate a machine file, or for comparison with a simulation.
/// `combine` adds doubles; `compute` sleeps, as in `Execution`.
class TimedExecution {
 public:
  /// Collective.
  /// @param clock synchronized between the ranks of `comm`; must outlive this object
  /// @throws ConfigError, on all ranks, if the method does not support the schedule
  TimedExecution(const Communicator& comm, SynchronizedClock& clock, const schedule::Schedule& schedule,
                 Method method);
  TimedExecution(const TimedExecution&) = delete;
  TimedExecution& operator=(const TimedExecution&) = delete;
  ~TimedExecution();

  /// Collective. Executes the schedule `n_runs` times. The ranks with messages start each execution at a
  /// common time; the other ranks sleep, so that they occupy no core.
  /// @returns the wall times, from the common start until this rank has completed [s]; 0 without messages
  std::vector<double> times_s(int n_runs);

 private:
  double synchronized_start();

  static constexpr double kLeastStartDelay = 100e-6;  ///< [s]

  Communicator comm_;
  SynchronizedClock& clock_;
  double start_delay_s_ =
      100e-6;  ///< from now to the next common start; grows if too short, shrinks if too long
  MPI_Comm active_ = MPI_COMM_NULL;  ///< the ranks with messages; null on others
  Execution execution_;
};

}  // namespace halcyon::comm
