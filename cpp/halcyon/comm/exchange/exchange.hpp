#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/methods/method.hpp"
#include "halcyon/comm/progress.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// What the exchanges of a plan have cost and moved on this rank so far. Times are wall times. A method that
/// copies messages itself does so in `transfer` and `wait`.
struct Statistics {
  double pack_s = 0;      ///< copies of what is to be sent
  double transfer_s = 0;  ///< starting rounds
  double wait_s = 0;
  double unpack_s = 0;  ///< copies and combinations of what has arrived
  std::int64_t n_exchanges = 0;
  std::int64_t n_sent = 0, n_received = 0;  ///< messages
  std::int64_t sent_bytes = 0, received_bytes = 0;

  Statistics& operator+=(const Statistics& more) {
    pack_s += more.pack_s, transfer_s += more.transfer_s, wait_s += more.wait_s, unpack_s += more.unpack_s;
    n_exchanges += more.n_exchanges, n_sent += more.n_sent, n_received += more.n_received;
    sent_bytes += more.sent_bytes, received_bytes += more.received_bytes;
    return *this;
  }
  double total_s() const { return pack_s + transfer_s + wait_s + unpack_s; }
};

/// Where the buffers of an exchange will lie.
enum class Placement { anywhere, node_memory };

struct Timed {
  Method method;
  double time_s;  ///< of an exchange
};

/// The fastest of methods, at least one; but where methods that overlap take at most a tenth longer, the
/// fastest of these: measurements differ by as much, and callers compute meanwhile.
Method preferred(std::span<const Timed> methods);

struct Choice {
  Method method;
  std::string reason;  ///< the times of all methods that can carry the schedule
};

/// Collective. The preferred of all methods that can carry the schedule, measured on scratch buffers: a few
/// exchanges each, taken in turns, from a common start to the end of the wait, which follows at once. The
/// slowest rank counts, and of its exchanges the fastest, so that what else the machine does weighs little.
/// All ranks choose the same.
/// @param placement of buffers that are not scratch
Choice chosen_method(const Communicator& comm, const schedule::Schedule& schedule, Placement placement);

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
  /// @param placement of the buffers to come, by which `automatic` chooses; any method serves them anywhere
  /// @param progress while the rank computes, between start and wait and in `work`; none where there is none
  /// @throws ConfigError, on all ranks, where the method cannot carry the schedule (docs/comm.md)
  Exchange(const Communicator& comm, const schedule::Schedule& schedule, Method method,
           schedule::Actors actors = {}, Placement placement = Placement::anywhere,
           std::shared_ptr<const Progress> progress = {});
  Exchange(Exchange&&) noexcept;
  ~Exchange();

  /// Runs the operations up to the first wait.
  /// @param buffers in the order of the schedule's; they must stay valid, and what is sent and lies in
  ///        NodeMemory unchanged, until the exchange has ended
  /// @param work of `compute` in this exchange, instead of the actors'; until the exchange has ended
  /// @throws InternalError where a buffer is smaller than the schedule says
  Pending start(std::span<const std::span<std::byte>> buffers, const schedule::Work* work = nullptr);

  /// For a computation to call between its pieces: where progress is by polls, gives MPI a turn to move what
  /// this exchange has under way; else does nothing.
  void progress();

  /// The method that was given, or chosen.
  Method method() const { return method_; }
  /// Its name and, where it was chosen, why: "auto: persistent (persistent 157.2, isend_irecv 158.0 us,
  /// ...)".
  const std::string& description() const { return description_; }
  Statistics statistics() const;

 private:
  Method method_;
  std::string description_;
  std::unique_ptr<Plan> plan_;
};

}  // namespace halcyon::comm
