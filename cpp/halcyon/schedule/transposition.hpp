#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "halcyon/schedule/collectives/alltoall.hpp"
#include "halcyon/schedule/sequence.hpp"

namespace halcyon::schedule {

/// A grid of nx x ny x nz items on cx x cy ranks (rank x + cx y), at the four states of a spectral transform
/// (Zheng and Marguinaud 2018, Geosci. Model Dev. 11, 3409-3426, figure 3):
///   a: x over cx, y over cy, all z;  b: all x, y over cy, z over cx;
///   c: x over cy, all y, z over cx;  d: x over cy, y over cx, all z.
/// Parts differ by one where they do not come out even.
struct TransposedGrid {
  std::int64_t nx = 0, ny = 0, nz = 0;
  Rank cx = 1, cy = 1;
  std::int64_t item_bytes = 8;

  Rank n_ranks() const { return cx * cy; }
};

/// @param item_s of work for each item that a rank holds
/// @throws ConfigError for an empty grid, more ranks along a dimension than it has points, and work that
/// takes
///         less than no time
void require_grid(const TransposedGrid& grid, double item_s);

/// A rank's box at one of the states.
struct Box {
  std::array<std::int64_t, 3> begin, size;  ///< x, y, z

  std::int64_t n_items() const { return size[0] * size[1] * size[2]; }
};

/// @param state 0 .. 3: a .. d
Box box_at(const TransposedGrid& grid, int state, Rank rank);

/// An all-to-all from one state to the next: within which groups, and of which blocks.
struct StateExchange {
  Groups groups;
  BlocksPointer blocks;
};
StateExchange between(const TransposedGrid& grid, int state, int next);

/// The way from state a to d: all-to-alls within rows, columns and rows of the ranks. Between them stand
/// pieces of work 0 .. 3, of each state, which bring what has come ("receive") into the order in which it is
/// to leave ("send"): `reorder`, or a transform that does so.
///
/// A block is a box of items, x fastest, then y, then z. Buffers: those of the all-to-alls.
/// @param item_s of work for each item that a rank holds, where time alone counts
/// @throws ConfigError as `require_grid` does
Sequence transposition(const TransposedGrid& grid, AlltoallBy by, double item_s = 0);

/// The way back, from d to a; the work at d has the number 0, that at a 3.
Sequence transposition_back(const TransposedGrid& grid, AlltoallBy by, double item_s = 0);

/// A rank's items at one state as one array (z, y, x) from the blocks that it has received in the all-to-all
/// from the state `before`, or into the blocks that it is to send in that to the state `after`.
void from_blocks(const TransposedGrid& grid, int state, int before, Rank rank,
                 std::span<const std::byte> blocks, std::span<std::byte> items);
void to_blocks(const TransposedGrid& grid, int state, int after, Rank rank, std::span<const std::byte> items,
               std::span<std::byte> blocks);

}  // namespace halcyon::schedule
