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

/// Executes a schedule by MPI on buffers of its own, any number of times, for measurements. Compute
/// operations sleep for their duration, in 20 parts, with calls of Exchange::progress between them.
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
  std::vector<std::vector<std::byte>> memory_;
  std::vector<double> compute_s_;  ///< durations of the compute operations, in order
  std::size_t n_computed_ = 0;
  std::unique_ptr<Exchange> exchange_;
};

/// Time of the steady clock of this process [s].
double steady_clock_s();

/// A clock that is synchronized between ranks. Barriers cannot replace it: the rank that enters a barrier
/// last leaves it one message latency before the others.
class SynchronizedClock {
 public:
  /// Collective. Synchronizes the clock.
  /// @param local_clock_s the clock of a rank [s]
  explicit SynchronizedClock(const Communicator& comm,
                             std::function<double()> local_clock_s = steady_clock_s);

  /// Collective. Synchronizes the clock again, since clocks drift. Ranks of one node share a clock; the first
  /// rank of each node requests the time of rank 0 several times, and assumes that the reply with the
  /// shortest round trip shows the time at the middle of the round trip (Cristian 1989, Distributed Computing
  /// 3, 146-158), so the error is at most half of that round trip. Requests are repeated while all round
  /// trips are longer than in earlier synchronizations.
  void synchronize();

  /// Time of the clock of rank 0 [s].
  double now_s() const { return local_clock_s_() - offset_s_; }

 private:
  double measure_offset(int tag);
  void serve_time(Rank client, int tag) const;

  Communicator comm_;
  std::function<double()> local_clock_s_;
  double offset_s_ = 0;  ///< of the clock of this rank from that of rank 0
  double shortest_round_trip_s_;
};

/// Times executions of a schedule, to calibrate a machine file, or for comparison with a simulation.
/// `combine` adds doubles; `compute` does nothing.
class TimedExecution {
 public:
  /// Collective.
  /// @param clock of the same ranks; must outlive this object
  /// @throws ConfigError, on all ranks, if the method does not support the schedule
  TimedExecution(const Communicator& comm, SynchronizedClock& clock, const schedule::Schedule& schedule,
                 Method method);
  TimedExecution(const TimedExecution&) = delete;
  TimedExecution& operator=(const TimedExecution&) = delete;
  ~TimedExecution();

  /// Collective. Returns the wall time [s] of each of `runs` executions, from the common start until this
  /// rank has completed. The ranks with messages start at a common time; the other ranks sleep, so that they
  /// occupy no core, and their times are 0.
  std::vector<double> times_s(int runs);

 private:
  double synchronized_start();

  Communicator comm_;
  SynchronizedClock& clock_;
  double start_delay_s_ = 100e-6;    ///< from the agreement to the start; increased when it was too short
  MPI_Comm active_ = MPI_COMM_NULL;  ///< the ranks with messages; null on others
  Execution execution_;
};

}  // namespace halcyon::comm
