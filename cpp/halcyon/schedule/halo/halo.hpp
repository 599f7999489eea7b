#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// The items (cells, edges or vertices) of one message, as positions in a rank's local arrays, by halo layer.
struct HaloItems {
  std::vector<LocalIndex> positions;
  std::vector<std::size_t> layer_ends;  ///< (layer) number of positions up to the end of the layer

  /// Returns the positions of the first `n_layers` layers, or of all layers for 0.
  std::span<const LocalIndex> of_layers(int n_layers) const {
    if (n_layers == 0 || positions.empty()) return positions;
    require<ConfigError>(n_layers <= std::ssize(layer_ends),
                         "A field needs {} halo layers, but the decomposition has {}.", n_layers,
                         layer_ends.size());
    return std::span(positions).first(layer_ends[n_layers - 1]);
  }
  /// Appends an item of a layer (0, 1, ...); layers must be added in ascending order.
  void add(LocalIndex position, std::size_t layer, std::size_t n_layers) {
    layer_ends.resize(n_layers, positions.size());
    positions.push_back(position);
    std::fill(layer_ends.begin() + static_cast<std::ptrdiff_t>(layer), layer_ends.end(), positions.size());
  }
};

/// Items exchanged between a rank and a neighbour: the neighbour receives items in the order of the sends.
struct HaloLists {
  HaloItems send, receive;
};

/// Items that a rank exchanges with one neighbour.
struct HaloNeighbour {
  Rank rank = kNone;
  std::vector<HaloLists> items;  ///< (kind of entity: cells, edges, ...)
};

/// A field of a halo exchange. The exchanged bytes may be a part of each item of the field.
struct HaloField {
  int entity = 0;                 ///< kind of entity: index in HaloNeighbour::items
  std::int64_t item_bytes = 0;    ///< exchanged bytes of an item
  int layers = 0;                 ///< number of exchanged halo layers; 0: all
  std::int64_t stride_bytes = 0;  ///< distance between items; 0: item_bytes
  std::int64_t offset_bytes = 0;  ///< of the exchanged bytes in an item

  bool is_whole() const { return stride_bytes == 0 || stride_bytes == item_bytes; }
  std::int64_t stride() const { return stride_bytes == 0 ? item_bytes : stride_bytes; }
  std::int64_t offset_of(std::int64_t item) const { return item * stride() + offset_bytes; }
};

/// How messages reach the fields. The staging buffers are "send" and "receive".
enum class Unpack {
  none,      ///< sent from and received into the fields where the layout allows, otherwise as `together`
  together,  ///< through staging buffers, unpacked when all messages have arrived (as in FVWAM)
  singly,    ///< through staging buffers, unpacked one message at a time, in the order of the neighbours
};

/// The halo exchange of a group of fields, with one message per neighbour: packed by copies, sent in one
/// round (with Unpack::singly, in one round per neighbour), unpacked by copies. A single field is sent or
/// received in place if the items of each message are contiguous: halos of one layer are received in place,
/// and sent in place by ranks with a single neighbour.
///
/// Buffers: one per field, in the given order; "send" and "receive" (empty if all messages are in place).
class Halo final : public Schedule {
 public:
  using Neighbours = std::vector<HaloNeighbour>;

  /// @param neighbours_of returns a rank's neighbours; called only for ranks whose operations are generated;
  /// the result must stay valid
  Halo(Rank n_ranks, std::vector<HaloField> fields, std::function<const Neighbours&(Rank)> neighbours_of,
       Unpack unpack = Unpack::none);

  Rank n_ranks() const override { return n_ranks_; }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;

  std::int32_t send_buffer() const { return static_cast<std::int32_t>(fields_.size()); }
  std::int32_t receive_buffer() const { return send_buffer() + 1; }

 private:
  enum class Direction { send, receive };

  bool next_copy(const Neighbours& neighbours, Cursor& cursor, Direction direction,
                 Operation& operation) const;
  bool next_round(const Neighbours& neighbours, Cursor& cursor, Action action, Operation& operation) const;
  bool next_message(const Neighbours& neighbours, Cursor& cursor, Direction direction,
                    Operation& operation) const;
  bool advance_to_next_wait(const Neighbours& neighbours, Cursor& cursor) const;
  std::int64_t message_bytes(const HaloNeighbour& neighbour, Direction direction) const;
  bool is_in_place(const Neighbours& neighbours, Direction direction) const;
  Block block_in_field(const HaloNeighbour& neighbour, Direction direction) const;
  std::span<const LocalIndex> items(const HaloNeighbour& neighbour, std::size_t field,
                                    Direction direction) const;

  Rank n_ranks_;
  std::vector<HaloField> fields_;
  std::vector<Buffer> buffers_;
  std::function<const Neighbours&(Rank)> neighbours_of_;
  Unpack unpack_;
};

}  // namespace halcyon::schedule
