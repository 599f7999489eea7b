#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon::schedule {

/// A range of a named buffer, or `count` such ranges, `stride_bytes` from one beginning to the next. The name
/// is an index into `Schedule::buffers()`.
struct Block {
  std::int32_t buffer = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t size_bytes = 0;  ///< of one range
  std::int64_t count = 1;
  std::int64_t stride_bytes = 0;

  std::int64_t total_bytes() const { return count * size_bytes; }
  bool operator==(const Block&) const = default;
};

/// What a rank does next.
///
/// - `send`, `receive`: adds a message, a block of one range, to a round; nothing moves before that starts.
/// - `start`: the messages of the round may move; its send blocks may not change until its `wait`, and its
///   receive blocks may not be touched.
/// - `wait`: every message of the round has left, or has arrived.
/// - `copy`: target = block, range by range, at once; both have the same count and size.
/// - `combine`: target = target (op) block, at once, with the operator that the executor was given. Each
///   block has one range; the order of a rank's combinations is that of its operations, so the result is the
///   same to the bit wherever the schedule runs.
/// - `compute`: the rank's own work number `work`, which an executor was given, or `seconds` of it where time
///   alone counts.
///
/// Messages from one rank to another match in the order in which they start: rounds as they start, and within
/// a round as they were added. A rank waits for every round that it starts, exactly once; a number may serve
/// again after that.
enum class Action : std::uint8_t { send, receive, start, wait, copy, combine, compute };

struct Operation {
  Action action = Action::compute;
  Rank peer = kNone;       ///< send: to whom; receive: from whom
  std::int32_t round = 0;  ///< send, receive, start, wait
  Block block{};           ///< send, receive: what travels; copy, combine: what is read
  Block target{};          ///< copy, combine: what is written
  std::int32_t work = 0;   ///< compute: which piece of work
  double seconds = 0;      ///< compute: how long it takes
};

/// A round of one receive and one send that its rank starts and awaits at once: four operations, as in
/// MPI_Sendrecv.
struct Sendrecv {
  Rank to = kNone, from = kNone;
  std::int32_t round = 0;
  std::int64_t sent_bytes = 0, received_bytes = 0;
};

/// Where a rank stands in its list of operations. The meaning of the fields belongs to the schedule; a cursor
/// starts as Cursor{}. It is small, so that one process can hold a million of them.
struct Cursor {
  std::uint64_t position = 0;
  std::uint64_t detail = 0;
};

/// A buffer that every rank has.
struct Buffer {
  std::string name;
  bool scratch = false;  ///< nobody reads what a schedule leaves in it, so an executor may leave anything
};

/// target = target (op) block, for `combine`.
using CombineOperator = std::function<void(std::span<std::byte> target, std::span<const std::byte> block)>;

/// A rank's own piece of work, for `compute`.
using Work = std::function<void(std::int32_t work)>;

/// What a schedule leaves to whoever runs it. Without `work`, `compute` does nothing.
struct Actors {
  CombineOperator combine;
  Work work;
};

/// What every rank does, one rank at a time and lazily: the one description of communication that is executed
/// by MPI (`comm`), moved between pretended ranks (`in_process.hpp`), simulated, counted, drawn and replayed.
/// It knows nothing of MPI, fields or networks, and nothing ever holds all ranks at once.
class Schedule {
 public:
  virtual ~Schedule() = default;

  virtual Rank n_ranks() const = 0;

  /// The buffers that blocks refer to, the same on every rank.
  virtual const std::vector<Buffer>& buffers() const = 0;

  /// The bytes that a rank's buffer must have at least.
  virtual std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const = 0;

  /// Writes the rank's next operation and moves the cursor on.
  /// @returns false, and leaves `operation` alone, when the rank is done
  virtual bool next(Rank rank, Cursor& cursor, Operation& operation) const = 0;

  /// Where the rank's next four operations are a `Sendrecv`, writes it and moves the cursor behind them: a
  /// shorter way for those who want messages alone, millions of them. A schedule need not have it.
  /// @returns false, and leaves both alone, where they are others or nothing is known of them
  virtual bool next_sendrecv(Rank, Cursor&, Sendrecv&) const { return false; }

  /// How many stages reports tell apart: the parts of a sequence, one after the other.
  virtual std::int32_t n_stages() const { return 1; }

  /// The stage of the operation that moved the cursor to where it stands, 0 .. n_stages() - 1.
  virtual std::int32_t stage(const Cursor&) const { return 0; }

  /// How many of the lower bits of `Cursor::detail` the schedule uses; a composition keeps its own place
  /// above them.
  virtual int detail_bits() const { return 40; }
};

/// The rank's whole list. For executors that compile it, for pictures and for tests.
inline std::vector<Operation> operations(const Schedule& schedule, Rank rank) {
  std::vector<Operation> all;
  Cursor cursor;
  for (Operation operation; schedule.next(rank, cursor, operation);) all.push_back(operation);
  return all;
}

/// Holds a rank's operations to the contract, before any executor trusts them.
/// @throws InternalError that names the rank and the slip: a block outside its buffer, a message of several
///         ranges, copies and combinations of different sizes, a peer that is not there, a message added to a
///         round that has started, a round started twice or waited for without a start, a round never started
///         or never waited for
void check(const Schedule& schedule, Rank rank);

}  // namespace halcyon::schedule
