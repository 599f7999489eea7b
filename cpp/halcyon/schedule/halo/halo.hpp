#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// Positions in a rank's local arrays, those of the first halo layer first, then those of the second, ...
struct HaloItems {
  std::vector<LocalIndex> positions;
  std::vector<std::size_t> layer_ends;  ///< how many lie in the layers up to each

  /// Those of the first `n_layers`; of all layers where that is 0.
  std::span<const LocalIndex> of_layers(int n_layers) const {
    if (n_layers == 0 || positions.empty()) return positions;
    require<ConfigError>(n_layers <= std::ssize(layer_ends),
                         "A field needs {} halo layers, but the decomposition has {}.", n_layers,
                         layer_ends.size());
    return std::span(positions).first(layer_ends[n_layers - 1]);
  }
  /// Puts an item of a layer (0, 1, ...) behind the others, of the same layer or inner ones.
  void add(LocalIndex position, std::size_t layer, std::size_t n_layers) {
    layer_ends.resize(n_layers, positions.size());
    positions.push_back(position);
    std::fill(layer_ends.begin() + static_cast<std::ptrdiff_t>(layer), layer_ends.end(), positions.size());
  }
};

/// What travels between a rank and a neighbour: the k-th item that one side sends is the k-th that the other
/// receives.
struct HaloLists {
  HaloItems send, receive;
};

/// What a rank exchanges with one neighbour, by kind of entity (cells, edges, ...).
struct HaloNeighbour {
  Rank rank = kNone;
  std::vector<HaloLists> items;
};

/// A field of the group that travels together: the kind of entity that it lives on, its size at one of them,
/// and how many halo layers it needs (0: all). A part of each item may travel alone: `item_bytes` of it, from
/// `offset_bytes` on, of items that lie `stride_bytes` apart (0: item_bytes).
struct HaloField {
  int entity = 0;
  std::int64_t item_bytes = 0;
  int layers = 0;
  std::int64_t stride_bytes = 0;
  std::int64_t offset_bytes = 0;

  bool is_whole() const { return stride_bytes == 0 || stride_bytes == item_bytes; }
  std::int64_t stride() const { return stride_bytes == 0 ? item_bytes : stride_bytes; }
  std::int64_t place(std::int64_t item) const { return item * stride() + offset_bytes; }
};

/// How messages are made and taken apart.
enum class Unpack {
  none,      ///< sent from the field and received in it where the layout allows, else as `together`
  together,  ///< through buffers (FVWAM's way), unpacked when all have come
  singly,    ///< through buffers, each unpacked when it has come, in the order of the neighbours
};

/// The exchange of the halos of a group of fields, in one message to a neighbour: pack by copies, one round
/// (or one a neighbour), unpack by copies. A single field is sent, or received, in place where the items of
/// each message lie together in it: halos of one layer are so received, and sent where a rank has one
/// neighbour.
///
/// Buffers: one a field, in the given order, then "send" and "receive" (empty where all messages are in
/// place).
class Halo final : public Schedule {
 public:
  using Neighbours = std::vector<HaloNeighbour>;

  /// @param neighbours_of a rank's neighbours; asked only for ranks whose operations are asked for, and what
  ///        it returns must stay valid
  Halo(Rank n_ranks, std::vector<HaloField> fields, std::function<const Neighbours&(Rank)> neighbours_of,
       Unpack unpack = Unpack::none);

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;

  std::int32_t send_buffer() const { return static_cast<std::int32_t>(fields_.size()); }
  std::int32_t receive_buffer() const { return send_buffer() + 1; }

 private:
  enum class Way { send, receive };

  bool next_copy(const Neighbours& neighbours, Cursor& cursor, Way way, Operation& operation) const;
  bool next_round(const Neighbours& neighbours, Cursor& cursor, Action action, Operation& operation) const;
  bool next_message(const Neighbours& neighbours, Cursor& cursor, Way way, Operation& operation) const;
  bool waits_again(const Neighbours& neighbours, Cursor& cursor) const;
  std::int64_t message_bytes(const HaloNeighbour& neighbour, Way way) const;
  bool in_place(const Neighbours& neighbours, Way way) const;
  Block place(const HaloNeighbour& neighbour, Way way) const;
  std::span<const LocalIndex> items(const HaloNeighbour& neighbour, std::size_t field, Way way) const;

  Rank n_ranks_;
  std::vector<HaloField> fields_;
  std::vector<Buffer> buffers_;
  std::function<const Neighbours&(Rank)> neighbours_of_;
  Unpack unpack_;
};

}  // namespace halcyon::schedule
