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

/// Wall times and message counts of an Exchange on this rank, summed over all its starts so far. Copies by
/// the methods `shared` and `put` are part of `transfer_s` and `wait_s`.
struct Statistics {
  double pack_s = 0;      ///< copies into send buffers
  double transfer_s = 0;  ///< starting rounds
  double wait_s = 0;      ///< waiting for messages
  double unpack_s = 0;    ///< copies out of receive buffers, and combine operations
  std::int64_t n_exchanges = 0;
  std::int64_t n_sent = 0, n_received = 0;  ///< numbers of messages
  std::int64_t sent_bytes = 0, received_bytes = 0;

  Statistics& operator+=(const Statistics& other) {
    pack_s += other.pack_s, transfer_s += other.transfer_s;
    wait_s += other.wait_s, unpack_s += other.unpack_s;
    n_exchanges += other.n_exchanges, n_sent += other.n_sent, n_received += other.n_received;
    sent_bytes += other.sent_bytes, received_bytes += other.received_bytes;
    return *this;
  }
  double total_s() const { return pack_s + transfer_s + wait_s + unpack_s; }
};

/// The kind of memory in which the caller allocates the buffers of an exchange.
enum class BufferPlacement { anywhere, node_memory };

struct MethodTime {
  Method method;
  double time_s;  ///< of one exchange [s]
};

/// Returns the fastest method that overlaps with computation if it takes at most 10 % longer than the fastest
/// of all methods, otherwise the fastest of all. (Times vary by 10 %, and callers compute during exchanges.)
/// @param methods not empty
Method preferred_method(std::span<const MethodTime> methods);

struct MethodChoice {
  Method method;
  std::string reason;  ///< text with the times of all methods that support the schedule
};

/// Collective. Measures all methods that support the schedule, and returns the preferred one. The methods
/// make a few exchanges in turn, on temporary buffers, without computation. An exchange is timed on the
/// slowest rank, from a barrier to the end of the wait; the time of a method is its shortest exchange, to
/// reduce the effect of other load on the machine. All ranks choose the same method.
/// @param placement memory of the temporary buffers, except of scratch buffers, which are private
MethodChoice choose_method(const Communicator& comm, const schedule::Schedule& schedule,
                           BufferPlacement placement);

class Plan;

/// An exchange in flight. Move-only; its destructor waits, so that MPI never accesses freed buffers.
class [[nodiscard]] PendingExchange {
 public:
  explicit PendingExchange(Plan& plan) : plan_(&plan) {}
  PendingExchange(PendingExchange&& other) noexcept;
  PendingExchange& operator=(PendingExchange&&) = delete;
  ~PendingExchange();

  /// Executes the remaining operations of the schedule. A second call does nothing.
  void wait();
  /// Progresses messages, and executes the operations up to the first wait for messages that have not
  /// arrived, without blocking. A computation between start and wait calls it from time to time. Does nothing
  /// with methods whose starts block (`alltoallv`, `neighbor`).
  void advance();

 private:
  Plan* plan_;  ///< null after `wait`; an Exchange can be moved, its plan does not move
};

/// Executes one rank's operations of a schedule by MPI: built once, used many times without further
/// allocation. `start` begins an exchange; the previous exchange of the object must have completed.
class Exchange {
 public:
  /// Collective. Reads and checks the operations of the rank once.
  /// @param callbacks the operator of `combine` and the callback of `compute` operations, if the schedule has
  /// any
  /// @param placement where the buffers for `start` will be, a hint to `auto`; all methods accept any memory
  /// @param progress progresses messages while the rank computes, between start and wait and in `compute`
  /// operations; null: Halcyon does nothing to progress messages
  /// @throws ConfigError, on all ranks, if the method does not support the schedule (docs/comm.md)
  Exchange(const Communicator& comm, const schedule::Schedule& schedule, Method method,
           schedule::Callbacks callbacks = {}, BufferPlacement placement = BufferPlacement::anywhere,
           std::shared_ptr<const Progress> progress = {});
  Exchange(Exchange&&) noexcept;
  ~Exchange();

  /// Executes the operations up to the first wait.
  /// @param buffers in the order of the schedule; must stay valid until the exchange has completed. Until
  /// then, data that are sent from NodeMemory must not change
  /// @param work callback of `compute` operations in this exchange, instead of `callbacks.work`; must stay
  /// valid until the exchange has completed
  /// @throws InternalError if a buffer is smaller than the schedule requires
  PendingExchange start(std::span<const std::span<std::byte>> buffers, const schedule::Work* work = nullptr);

  /// Progresses the messages of this exchange in progress mode `poll`: a computation calls it from time to
  /// time. Does nothing in the other modes.
  void progress();

  /// The method in use: the given one, or the one that `auto` chose.
  Method method() const { return method_; }
  /// Name of the method and, if `auto` chose it, the measured times: "auto: persistent (persistent 157.2,
  /// isend_irecv 158.0 us, ...)".
  const std::string& description() const { return description_; }
  Statistics statistics() const;

 private:
  Method method_;
  std::string description_;
  std::unique_ptr<Plan> plan_;
};

}  // namespace halcyon::comm
