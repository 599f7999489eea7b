#pragma once

#include <span>
#include <vector>

#include "halcyon/schedule/halo/volumes.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// In which order a rank goes through its neighbours.
enum class MessageOrder {
  at_once,   ///< all messages in one round, as a neighbourhood collective has them
  in_order,  ///< all sends leave, then the receives, one after the other: FVWAM's way
  unwaited,  ///< as in_order, but the sends are waited for only after the computation
};

/// The messages of an exchange, from their volumes alone: any number of ranks in one process with some bytes
/// a pair that exchanges. What `decomposition::halo_volumes` counts is so the halo of a mesh.
///
/// Each rank then computes for a while, if so asked.
///
/// Buffers: "send", "receive", messages by ascending peer.
class Messages final : public Schedule {
 public:
  /// @param compute_s [s] (rank), or none
  /// @throws InputError where the volumes are no matrix of the ranks
  Messages(Volumes volumes, MessageOrder order, std::vector<double> compute_s = {});

  Rank n_ranks() const override { return received_.n_ranks(); }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;

 private:
  bool next_message(Rank rank, bool sends, Cursor& cursor, Operation& operation) const;

  Volumes received_, sent_;
  MessageOrder order_;
  std::vector<double> compute_s_;
  std::vector<Buffer> buffers_{{"send"}, {"receive"}};
};

/// A message of a list, and the round in which it travels.
struct Message {
  std::int32_t round = 0;
  Rank source = kNone, target = kNone;
  std::int64_t bytes = 0;
};

/// Messages that are listed, such as those of a measurement: any number between two ranks, in any rounds. Of
/// each round that it has a part in, by ascending numbers, a rank adds what it receives and then what it
/// sends, in the order of the list, starts the round and waits for it. Rounds of ranks that share no message
/// do not wait for each other.
///
/// Buffers: "send" and "receive", in which the messages of a round lie one after the other.
class MessageList final : public Schedule {
 public:
  /// @throws ConfigError for a message to oneself, a rank that is not there, a size below 0, a round outside
  ///         0..2^29
  MessageList(Rank n_ranks, std::span<const Message> list);

  Rank n_ranks() const override { return static_cast<Rank>(offsets_.size()) - 1; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;

 private:
  /// One end of a message.
  struct End {
    std::int64_t bytes;
    Rank peer;
    std::int32_t order;  ///< twice the round, and 1 for what is sent

    std::int32_t round() const { return order / 2; }
    bool is_receive() const { return order % 2 == 0; }
  };

  std::span<const End> ends_of(Rank rank) const;

  std::vector<std::int64_t> offsets_;
  std::vector<End> ends_;
  std::vector<Buffer> buffers_{{"send"}, {"receive"}};
};

}  // namespace halcyon::schedule
