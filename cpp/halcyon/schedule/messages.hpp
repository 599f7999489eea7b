#pragma once

#include <vector>

#include "halcyon/schedule/schedule.hpp"
#include "halcyon/schedule/volumes.hpp"

namespace halcyon::schedule {

/// In which order a rank goes through its neighbours.
enum class MessageOrder {
  at_once,   ///< all messages in one round, as a neighbourhood collective has them
  in_order,  ///< all sends leave, then the receives, one after the other: FVWAM's way
};

/// The messages of an exchange, from their volumes alone: any number of ranks in one process with some bytes
/// a pair that exchanges. What `decomposition::halo_volumes` counts is so the halo of a mesh.
///
/// Buffers: "send", "receive", messages by ascending peer.
class Messages final : public Schedule {
 public:
  /// @throws InputError where the volumes are no matrix of the ranks
  Messages(Volumes volumes, MessageOrder order);

  Rank n_ranks() const override { return received_.n_ranks(); }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;

 private:
  bool next_message(Rank rank, bool sends, Cursor& cursor, Operation& operation) const;

  Volumes received_, sent_;
  MessageOrder order_;
  std::vector<Buffer> buffers_{{"send"}, {"receive"}};
};

}  // namespace halcyon::schedule
