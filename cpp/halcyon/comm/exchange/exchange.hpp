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

/// Wall times and message counts of the exchanges of a plan on this rank so far. Methods that copy messages
/// themselves do so in `transfer` and `wait`.
struct Statistics {
  double pack_s = 0;      ///< copies into send buffers
  double transfer_s = 0;  ///< starting rounds
  double wait_s = 0;
  double unpack_s = 0;  ///< copies out of receive buffers, and combine operations
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

/// Memory in which the buffers of an exchange will be.
enum class BufferPlacement { anywhere, node_memory };

struct MethodTime {
  Method method;
  double time_s;  ///< of an exchange
};

/// Returns the fastest method; but if methods that overlap with computation take at most 10 % longer, the
/// fastest of these: measurements vary by as much, and callers overlap exchanges with computation.
/// @param methods at least one
Method preferred_method(std::span<const MethodTime> methods);

struct MethodChoice {
  Method method;
  std::string reason;  ///< the times of all methods that support the schedule
};

/// Collective. Returns the preferred method among all that support the schedule. Each method makes a few
/// exchanges of scratch buffers, alternating with the other methods, timed from a barrier to the end of the
/// wait, without computation. The time of a method is that of the slowest rank, minimized over the exchanges,
/// which reduces the effect of other load on the machine. All ranks choose the same method.
/// @param placement of buffers that are not scratch
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

 private:
  Plan* plan_;  ///< remains valid when its Exchange is moved
};

/// Executes the operations of one rank of a schedule by MPI: built once, used many times without further
/// allocation. Only one exchange of it may be in flight.
class Exchange {
 public:
  /// Collective. Reads and checks the operations of the rank once.
  /// @param callbacks the operator of `combine` and the callback of `compute` operations, if the schedule has
  /// any
  /// @param placement of the buffers that will be passed to `start`, a hint to the method `auto`; all methods
  /// accept any memory
  /// @param progress of messages while the rank computes, between start and wait and in `work`; null: none
  /// @throws ConfigError, on all ranks, if the method does not support the schedule (docs/comm.md)
  Exchange(const Communicator& comm, const schedule::Schedule& schedule, Method method,
           schedule::Callbacks callbacks = {}, BufferPlacement placement = BufferPlacement::anywhere,
           std::shared_ptr<const Progress> progress = {});
  Exchange(Exchange&&) noexcept;
  ~Exchange();

  /// Executes the operations up to the first wait.
  /// @param buffers in the order of the schedule. Until the exchange has completed they must stay valid, and
  /// data that are sent from NodeMemory must not change
  /// @param work callback of `compute` operations in this exchange, instead of the one in `callbacks`; must
  /// stay valid until the exchange has completed
  /// @throws InternalError if a buffer is smaller than the schedule requires
  PendingExchange start(std::span<const std::span<std::byte>> buffers, const schedule::Work* work = nullptr);

  /// To be called by computations from time to time: in progress mode `poll`, progresses the messages of this
  /// exchange; otherwise does nothing.
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
