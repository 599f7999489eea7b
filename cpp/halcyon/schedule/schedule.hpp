#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon::schedule {

/// A range of a buffer, or `count` equal ranges, `stride_bytes` apart.
struct Block {
  std::int32_t buffer = 0;  ///< index into `Schedule::buffers()`
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;  ///< size of one range
  std::int64_t count = 1;
  std::int64_t stride_bytes = 0;

  std::int64_t total_bytes() const { return count * size_bytes; }
  bool operator==(const Block&) const = default;
};

/// The operations of a rank:
///
/// - `send`, `receive`: adds a message, a block of one range, to a round. A round is a group of the rank's
///   messages that start together; no data move before it starts.
/// - `start`: starts the messages of the round; until its `wait`, the send blocks must not be modified and
///   the receive blocks must not be accessed.
/// - `wait`: ends when every message of the round has been sent or received.
/// - `copy`: target = block, range by range, immediately; block and target have the same count and size.
/// - `combine`: target = target (op) block, immediately, with the operator of the executor. Each block has
///   one range; a rank's combinations are in the order of its operations, so the result is bitwise the same
///   wherever the schedule runs.
/// - `compute`: calls the rank's callback for piece of work number `work`; in simulations, lasts `seconds`.
///
/// Messages between two ranks match in the order in which they start: rounds in the order of their starts,
/// messages of a round in the order in which they were added. A rank waits for every round that it starts,
/// exactly once; the number of a completed round may be reused.
enum class Action : std::uint8_t { send, receive, start, wait, copy, combine, compute };

struct Operation {
  Action action = Action::compute;
  Rank peer = kNone;       ///< send: receiver; receive: sender
  std::int32_t round = 0;  ///< send, receive, start, wait: number of the round on this rank
  Block block{};           ///< send, receive: the message; copy, combine: the source
  Block target{};          ///< copy, combine: the target
  std::int32_t work = 0;   ///< compute: number of the piece of work
  double seconds = 0;      ///< compute: duration in simulations
};

/// A round with one receive and one send that its rank starts and immediately waits for, as MPI_Sendrecv.
struct Sendrecv {
  Rank to = kNone, from = kNone;  ///< receiver of the sent message, sender of the received message
  std::int32_t round = 0;
  std::int64_t sent_bytes = 0, received_bytes = 0;
};

/// Position of a rank in its sequence of operations. The meaning of the fields is private to the schedule; a
/// cursor starts as Cursor{}. Cursors are small, so that one process can hold a million of them.
struct Cursor {
  std::uint64_t position = 0;
  std::uint64_t detail = 0;
};

/// A buffer, of the same name on every rank.
struct Buffer {
  std::string name;
  bool scratch = false;  ///< not read after the schedule, so its final content is undefined
};

/// target = target (op) block, for `combine`.
using CombineOperator = std::function<void(std::span<std::byte> target, std::span<const std::byte> block)>;

using Work = std::function<void(std::int32_t work)>;  ///< a rank's piece of work, for `compute`

/// Callbacks of a rank for the actions `combine` and `compute`. Without `work`, `compute` does nothing.
struct Callbacks {
  CombineOperator combine;
  Work work;
};

/// The operations of every rank, generated lazily, one rank at a time: a single description of communication
/// that is executed by MPI (`comm`), run in one process (`in_process.hpp`), simulated, counted, drawn and
/// replayed. It depends neither on MPI nor on fields or networks.
class Schedule {
 public:
  virtual ~Schedule() = default;

  virtual Rank n_ranks() const = 0;

  /// The buffers that blocks refer to, the same on every rank.
  virtual const std::vector<Buffer>& buffers() const = 0;

  /// The minimum size of a rank's buffer.
  virtual std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const = 0;

  /// Writes the rank's next operation and advances the cursor.
  /// @returns false, without changing `operation`, when the rank has finished
  virtual bool next(Rank rank, Cursor& cursor, Operation& operation) const = 0;

  /// If the rank's next four operations are a `Sendrecv`, writes it and advances the cursor past them: a fast
  /// path for simulations with millions of messages. A schedule need not provide it.
  /// @returns false, without changing the arguments, if the next operations are no `Sendrecv`
  virtual bool next_sendrecv(Rank, Cursor&, Sendrecv&) const { return false; }

  /// Number of stages distinguished in reports, such as the parts of a `Sequence`.
  virtual std::int32_t n_stages() const { return 1; }

  /// The stage of the last operation before the cursor, 0 .. n_stages() - 1.
  virtual std::int32_t stage(const Cursor&) const { return 0; }

  /// Number of lower bits of `Cursor::detail` in use; a schedule that contains this one uses the bits above.
  virtual int detail_bits() const { return 40; }
};

inline std::vector<Operation> operations(const Schedule& schedule, Rank rank) {
  std::vector<Operation> operations;
  Cursor cursor;
  for (Operation operation; schedule.next(rank, cursor, operation);) operations.push_back(operation);
  return operations;
}

/// Checks the operations of a rank against the rules in `Action`.
/// @throws InternalError naming the rank and the error: a block outside its buffer, a message of several
/// ranges, copies and combinations of different sizes, an invalid peer, a message added to a started round, a
/// round started twice or waited for without a start, a round never started or never waited for
void check(const Schedule& schedule, Rank rank);

}  // namespace halcyon::schedule
