#pragma once

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

}  // namespace halcyon::schedule
