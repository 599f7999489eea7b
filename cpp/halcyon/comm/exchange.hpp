#pragma once

#include <memory>
#include <span>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/method.hpp"
#include "halcyon/comm/statistics.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

class Plan;

/// An exchange under way. Move-only; its destructor waits, so no buffer is left to MPI by accident.
class [[nodiscard]] Pending {
 public:
  explicit Pending(Plan& plan) : plan_(&plan) {}
  Pending(Pending&& other) noexcept;
  Pending& operator=(Pending&&) = delete;
  ~Pending();

  /// Runs what is left of the schedule. A second call does nothing.
  void wait();

 private:
  Plan* plan_;  ///< outlives a move of its Exchange
};

/// Executes one rank's part of a schedule by MPI: a plan, built once, used many times, allocating nothing
/// after that. One start at a time.
class Exchange {
 public:
  /// Collective. Reads and checks the rank's operations once.
  /// @param actors the operator of `combine` and the work of `compute`, where the schedule has any
  /// @throws ConfigError, on all ranks, where the method cannot carry the schedule (docs/comm.md)
  Exchange(const Communicator& comm, const schedule::Schedule& schedule, Method method,
           schedule::Actors actors = {});
  Exchange(Exchange&&) noexcept;
  ~Exchange();

  /// Runs the operations up to the first wait.
  /// @param buffers in the order of the schedule's; they must stay valid until the exchange has ended
  /// @throws InternalError where a buffer is smaller than the schedule says
  Pending start(std::span<const std::span<std::byte>> buffers);

  Statistics statistics() const;

 private:
  std::unique_ptr<Plan> plan_;
};

}  // namespace halcyon::comm
