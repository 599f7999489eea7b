#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "halcyon/schedule/blocks.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// A part of a rank's columns along one dimension that it exchanges with another rank. Empty where there is
/// none.
struct Leg {
  std::int64_t rank = 0;   ///< the other rank's place along the dimension
  std::int64_t begin = 0;  ///< in the rank's own box with its halo
  std::int64_t size = 0;
};

/// One dimension of a grid with halos: which parts of a rank's halo come from whom.
///
/// A leg has a code, the same for both ends: 0 for what the receiver owns itself, then 1, 2, ... for the
/// ranks before the receiver, nearest first, then kAfter + 1, ... for those after it.
struct GridLegs {
  static constexpr std::uint32_t kAfter = 0x8000, kEnd = 0xffff;

  Division division;
  std::int64_t width;
  bool periodic;

  /// The columns that a rank receives.
  Leg received(std::int64_t rank, std::uint32_t code) const;
  /// The columns that a rank sends.
  Leg sent(std::int64_t rank, std::uint32_t code) const;
  Leg leg(std::int64_t rank, std::uint32_t code, bool sends) const {
    return sends ? sent(rank, code) : received(rank, code);
  }
  /// The code of the leg after one, or kEnd.
  std::uint32_t after(std::int64_t rank, std::uint32_t code, bool sends) const;
  /// All columns that a rank has once its halo is filled.
  Leg filled(std::int64_t rank) const;

 private:
  std::int64_t begin(std::int64_t rank) const;  ///< of a rank beyond the ends, too, as if the grid went on
  bool is_inside(std::int64_t rank) const { return rank >= 0 && rank < division.parts; }
  bool is_there(std::int64_t rank) const { return periodic || is_inside(rank); }
  std::int64_t within(std::int64_t rank) const;
};

/// A grid of nx x ny columns on px x py ranks (rank x + px y), with a halo of `width` columns around each
/// rank's box, of any width: it may reach beyond the neighbours, and around the grid.
struct HaloGrid {
  std::int64_t nx = 0, ny = 0;
  Rank px = 1, py = 1;
  std::int64_t width = 1;
  std::int64_t item_bytes = 8;  ///< of a column: all its levels and fields
  std::array<bool, 2> periodic{true, true};

  Rank n_ranks() const { return px * py; }
};

enum class HaloOrder {
  sweeps,   ///< x, then y with the corners that have come by then: two rounds
  at_once,  ///< all neighbours, those across corners too: one round
};

/// The exchange of a grid's halo (Zheng and Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, 3.2 and figure
/// 4b: in sweeps). Buffers: "field", (ny + 2 width, nx + 2 width) columns of the rank's box and its halo, x
/// fastest; scratch "send", "receive", into and out of which rows are copied where they do not lie together.
class GridHalo final : public Schedule {
 public:
  static constexpr std::int64_t kMostTurns = 100;       ///< of a halo around the grid
  static constexpr std::int64_t kMostAtOnce = 100'000;  ///< messages of a rank

  /// @throws ConfigError for a width or size below 1, more ranks along a dimension than points, and a width
  /// that goes around the grid too often, or makes too many messages or bytes of a rank
  GridHalo(const HaloGrid& grid, HaloOrder order);

  Rank n_ranks() const override { return grid_.n_ranks(); }
  const std::vector<Buffer>& buffers() const override { return buffers_; }
  std::int64_t buffer_bytes(Rank rank, std::int32_t buffer) const override;
  bool next(Rank rank, Cursor& cursor, Operation& operation) const override;
  std::int32_t n_rounds() const { return order_ == HaloOrder::sweeps ? 2 : 1; }

  const HaloGrid& grid() const { return grid_; }
  /// How the columns along x or y (dimension 0, 1) are divided.
  const Division& division(int dimension) const { return legs_[dimension].division; }

 private:
  void require_reach(const GridLegs& legs) const;
  void require_countable() const;
  struct Place;
  struct Piece;
  /// A rank's column and line in the grid of ranks, and the columns in a row of its field.
  struct Spot {
    Rank rank, column, line;
    std::int64_t row;
  };

  Spot spot(Rank rank) const {
    const auto line = rank / grid_.px, column = rank - line * grid_.px;
    return {rank, column, line, division(0).size(column) + 2 * grid_.width};
  }
  bool next_piece(const Spot& spot, Place& at, Operation& operation) const;
  bool advance(const Spot& spot, Place& at, bool sends) const;
  Piece piece(const Spot& spot, const Place& at, bool sends) const;
  Block in_field(const Spot& spot, const Piece& piece) const;
  bool in_place(const Spot& spot, std::uint64_t round) const;

  HaloGrid grid_;
  HaloOrder order_;
  std::array<GridLegs, 2> legs_;  ///< x, y
  std::vector<Buffer> buffers_{{"field"}, {"send", true}, {"receive", true}};
};

}  // namespace halcyon::schedule
