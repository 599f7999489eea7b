#pragma once

#include <span>
#include <vector>

#include "halcyon/schedule/halo/volumes.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// Order in which a rank exchanges messages with its neighbours.
enum class MessageOrder {
  at_once,   ///< all messages in one round, as in a neighbourhood collective
  in_order,  ///< all sends start, then each receive starts and completes, one after the other (as in FVWAM)
  unwaited,  ///< as in_order, but the rank waits for its sends only after the computation
};

/// A neighbour exchange given by its volumes: a receiver gets one message from each rank in its row of the
/// volumes. With the volumes of `decomposition::halo_volumes`, this is the halo exchange of a mesh,
/// described in one process for any number of ranks. Optionally, each rank computes after the exchange.
///
/// Buffers: "send" and "receive", each with its messages in ascending order of the peers.
class VolumeExchange final : public Schedule {
 public:
  /// @param compute_s (rank) duration of the computation [s], or empty
  /// @throws InputError if the volumes are inconsistent
  VolumeExchange(Volumes volumes, MessageOrder order, std::vector<double> compute_s = {});

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

/// A message of a `MessageList`.
struct Message {
  std::int32_t round = 0;  ///< number of the round of the list, on both ranks
  Rank source = kNone, target = kNone;
  std::int64_t bytes = 0;
};

/// A list of messages, such as the messages of a benchmark: any number between two ranks, in any rounds. A
/// rank executes its rounds in ascending order: it adds its receives and then its sends, in the order of the
/// list, starts the round and waits for it. A round does not synchronize ranks: only ranks with a common
/// message wait for each other.
///
/// Buffers: "send" and "receive", reused in each round, with the messages of the round one after the other.
class MessageList final : public Schedule {
 public:
  /// @throws ConfigError for a message of a rank to itself, an invalid rank, a size below 0, or a round
  /// outside 0 .. 2^29
  MessageList(Rank n_ranks, std::span<const Message> list);

  Rank n_ranks() const override { return static_cast<Rank>(offsets_.size()) - 1; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;

 private:
  /// The send or the receive of a message.
  struct Transfer {
    std::int64_t bytes;
    Rank peer;
    std::int32_t sort_key;  ///< 2 * round for receives, 2 * round + 1 for sends

    std::int32_t round() const { return sort_key / 2; }
    bool is_receive() const { return sort_key % 2 == 0; }
  };

  std::span<const Transfer> transfers_of(Rank rank) const;

  std::vector<std::int64_t> offsets_;  ///< (n_ranks + 1) into `transfers_`
  std::vector<Transfer> transfers_;    ///< sends and receives of each rank, in the order of its operations
  std::vector<Buffer> buffers_{{"send"}, {"receive"}};
};

}  // namespace halcyon::schedule
