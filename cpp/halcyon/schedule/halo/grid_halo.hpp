#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "halcyon/schedule/blocks.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

// In this file, a column is a grid point with all its levels and fields, and ranks along one dimension are
// numbered by their position in the grid of ranks.

/// A range of columns along one dimension that a rank exchanges with another rank; may be empty.
struct Segment {
  std::int64_t rank = 0;   ///< position of the other rank along the dimension
  std::int64_t begin = 0;  ///< first column, counted from the beginning of the rank's halo
  std::int64_t size = 0;
};

/// One dimension of a grid with halos: the segments of a rank's halo and the ranks that own them.
///
/// Sender and receiver give a segment the same code: 1, 2, ... for senders before the receiver, nearest
/// first, kAfter + 1, ... for senders after the receiver, nearest first. Code 0 is the range of columns that
/// a rank owns: a neighbour straight along the other dimension has the same range.
struct GridSegments {
  static constexpr std::uint32_t kAfter = 0x8000, kEnd = 0xffff;

  BlockDistribution division;  ///< of the columns over the ranks
  std::int64_t width;          ///< columns of the halo on each side
  bool periodic;

  Segment received(std::int64_t rank, std::uint32_t code) const;
  Segment sent(std::int64_t rank, std::uint32_t code) const;
  Segment segment(std::int64_t rank, std::uint32_t code, bool sends) const {
    return sends ? sent(rank, code) : received(rank, code);
  }
  /// The code of the next segment that the rank sends or receives, or kEnd.
  std::uint32_t next_code(std::int64_t rank, std::uint32_t code, bool sends) const;
  /// The rank's columns and the columns of its halo that exist in the grid.
  Segment filled(std::int64_t rank) const;

 private:
  /// First column that a rank owns. Ranks before or after the grid are periodic images.
  std::int64_t begin(std::int64_t rank) const;
  bool is_inside(std::int64_t rank) const { return rank >= 0 && rank < division.parts; }
  bool exists(std::int64_t rank) const { return periodic || is_inside(rank); }
  std::int64_t rank_in_grid(std::int64_t rank) const;
};

/// A grid of nx x ny columns on px x py ranks (rank = x + px y), with a halo of `width` columns around each
/// rank's box. The width is arbitrary: the halo may extend beyond the neighbours, and wrap around the grid.
struct HaloGrid {
  std::int64_t nx = 0, ny = 0;
  Rank px = 1, py = 1;
  std::int64_t width = 1;
  std::int64_t item_bytes = 8;               ///< bytes of a column
  std::array<bool, 2> periodic{true, true};  ///< along x, y

  Rank n_ranks() const { return px * py; }
};

enum class HaloOrder {
  sweeps,   ///< x, then y including the corners: two rounds
  at_once,  ///< all neighbours, including those across corners: one round
};

/// The halo exchange of a grid (Zheng and Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, section 3.2; its
/// figure 4b shows the sweeps). Buffers: "field", the columns (y, x) of the rank's box and its halo; scratch
/// "send", "receive", for the packed messages of boxes that are not contiguous in "field".
class GridHalo final : public Schedule {
 public:
  static constexpr std::int64_t kMaxWraps = 100;       ///< maximum number of wraps of a halo around the grid
  static constexpr std::int64_t kMaxAtOnce = 100'000;  ///< maximum number of simultaneous messages of a rank

  /// @throws ConfigError for a width or size below 1, more ranks along a dimension than columns, and a width
  /// that wraps around the grid too often or needs too many messages or bytes per rank
  GridHalo(const HaloGrid& grid, HaloOrder order);

  Rank n_ranks() const override { return grid_.n_ranks(); }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  std::int32_t n_rounds() const { return order_ == HaloOrder::sweeps ? 2 : 1; }

  const HaloGrid& grid() const { return grid_; }
  /// Block distribution of the columns along x or y (dimension 0, 1).
  const BlockDistribution& division(int dimension) const { return segments_[dimension].division; }

 private:
  void require_valid_width(const GridSegments& segments) const;
  void require_bounded_size() const;
  struct CursorState;
  struct ExchangedBox;
  /// Position of a rank in the grid of ranks, and the number of columns in a row of the rank's field.
  struct GridPosition {
    Rank rank, x, y;
    std::int64_t row_length;
  };

  GridPosition position(Rank rank) const {
    const auto y = rank / grid_.px, x = rank - y * grid_.px;
    return {rank, x, y, division(0).size(x) + 2 * grid_.width};
  }
  bool next_box(const GridPosition& position, CursorState& state, Operation& operation) const;
  bool advance(const GridPosition& position, CursorState& state, bool sends) const;
  ExchangedBox exchanged_box(const GridPosition& position, const CursorState& state, bool sends) const;
  Block block_in_field(const GridPosition& position, const ExchangedBox& box) const;
  bool is_in_place(const GridPosition& position, std::uint64_t round) const;

  HaloGrid grid_;
  HaloOrder order_;
  std::array<GridSegments, 2> segments_;  ///< x, y
  std::vector<Buffer> buffers_{{"field"}, {"send", /*scratch=*/true}, {"receive", /*scratch=*/true}};
};

}  // namespace halcyon::schedule
