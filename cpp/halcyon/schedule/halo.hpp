#pragma once

#include <functional>
#include <vector>

#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// Positions in a rank's local arrays: the k-th item that one side sends is the k-th that the other receives.
struct HaloItems {
  std::vector<LocalIndex> send, receive;
};

/// What a rank exchanges with one neighbour, by kind of entity (cells, edges, ...).
struct HaloNeighbour {
  Rank rank = kNone;
  std::vector<HaloItems> items;
};

/// A field of the group that travels together: the kind of entity that it lives on, and its size at one of
/// them.
struct HaloField {
  int entity = 0;
  std::int64_t item_bytes = 0;
};

/// The exchange of the halos of a group of fields, in one message to a neighbour: pack by copies, one round,
/// and, where the halo items of a message do not lie together in one field, unpack by copies.
///
/// Buffers: one a field, in the given order, then "send" and "receive" (empty where all messages land in
/// place).
class Halo final : public Schedule {
 public:
  using Neighbours = std::vector<HaloNeighbour>;

  /// @param neighbours_of a rank's neighbours; asked only for ranks whose operations are asked for, and what
  /// it
  ///        returns must stay valid
  Halo(Rank n_ranks, std::vector<HaloField> fields, std::function<const Neighbours&(Rank)> neighbours_of);

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;

  std::int32_t send_buffer() const { return static_cast<std::int32_t>(fields_.size()); }
  std::int32_t receive_buffer() const { return send_buffer() + 1; }

 private:
  enum class Way { send, receive };

  bool next_copy(const Neighbours& neighbours, Cursor& cursor, Way way, Operation& operation) const;
  bool next_message(const Neighbours& neighbours, Cursor& cursor, Way way, Operation& operation) const;
  std::int64_t message_bytes(const HaloNeighbour& neighbour, Way way) const;
  bool lands_in_place(const Neighbours& neighbours) const;
  Block landing(const HaloNeighbour& neighbour) const;
  const std::vector<LocalIndex>& items(const HaloNeighbour& neighbour, std::size_t field, Way way) const;

  Rank n_ranks_;
  std::vector<HaloField> fields_;
  std::vector<Buffer> buffers_;
  std::function<const Neighbours&(Rank)> neighbours_of_;
};

}  // namespace halcyon::schedule
