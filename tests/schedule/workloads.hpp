#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "halcyon/schedule/collectives/alltoall.hpp"
#include "halcyon/schedule/halo/grid_halo.hpp"
#include "halcyon/schedule/pipeline.hpp"
#include "schedule/examples.hpp"

namespace halcyon::test {

inline const std::vector<AlltoallMethod> kAlltoalls{{AlltoallAlgorithm::burst},
                                                    {AlltoallAlgorithm::bruck},
                                                    {AlltoallAlgorithm::ring, 1},
                                                    {AlltoallAlgorithm::ring, 3}};

/// Block sizes [bytes] (sender, receiver) from 0 to 10.
inline std::vector<std::int64_t> uneven_bytes(Rank n) {
  std::vector<std::int64_t> bytes;
  for (Rank from = 0; from < n; ++from) {
    for (Rank to = 0; to < n; ++to) bytes.push_back((7 * from + 5 * to) % 11);
  }
  return bytes;
}

/// Value of byte `i` of the block from one rank to another.
inline std::byte content(Rank from, Rank to, std::int64_t i) {
  return static_cast<std::byte>(from * 37 + to * 101 + i * 13 + 1);
}

/// Fills the blocks that a rank sends.
inline void fill_blocks(const RankGroups& groups, const Blocks& blocks, Rank rank, std::byte* send) {
  const auto group = groups.group(rank), from = groups.position(rank);
  for (Rank to = 0; to < groups.size; ++to) {
    const auto offset = blocks.sent(group, from, to).offset_bytes;
    for (std::int64_t i = 0; i < blocks.bytes(group, from, to); ++i)
      send[offset + i] = content(rank, groups.member(group, to), i);
  }
}

/// Whether a rank has received the blocks that all ranks of its group filled.
inline bool has_blocks(const RankGroups& groups, const Blocks& blocks, Rank rank, const std::byte* received) {
  const auto group = groups.group(rank), to = groups.position(rank);
  bool is_equal = true;
  for (Rank from = 0; from < groups.size; ++from) {
    const auto offset = blocks.received(group, from, to).offset_bytes;
    for (std::int64_t i = 0; i < blocks.bytes(group, from, to); ++i)
      is_equal &= received[offset + i] == content(groups.member(group, from), rank, i);
  }
  return is_equal;
}

/// The work of a transposition (states 0 to 3), or of the reverse one (`is_reverse`): at each state, unpacks
/// the received blocks into `items` and packs the blocks for the next state. `items` holds the initial items
/// before, and the final items after the transposition.
inline Work reordering(const TransposedGrid& grid, Rank rank, Buffers buffers,
                       std::vector<std::int64_t>& items, bool is_reverse = false) {
  return [=, &items](std::int32_t number) {
    const auto state_at = [is_reverse](int i) { return is_reverse ? 3 - i : i; };
    const int state = state_at(number);
    if (number > 0) {
      items.resize(box_at(grid, state, rank).n_items());
      unpack_blocks(grid, state, state_at(number - 1), rank, buffers[1],
                    std::as_writable_bytes(std::span(items)));
    }
    if (number < 3)
      pack_blocks(grid, state, state_at(number + 1), rank, std::as_bytes(std::span(items)), buffers[0]);
  };
}

/// A rank's items at a state of the transposition: each item is its number in the grid.
inline std::vector<std::int64_t> items_at(const TransposedGrid& grid, int state, Rank rank) {
  const auto box = box_at(grid, state, rank);
  std::vector<std::int64_t> items;
  for (std::int64_t z = 0; z < box.size[2]; ++z) {
    for (std::int64_t y = 0; y < box.size[1]; ++y) {
      for (std::int64_t x = 0; x < box.size[0]; ++x)
        items.push_back(((box.begin[2] + z) * grid.ny + box.begin[1] + y) * grid.nx + box.begin[0] + x);
    }
  }
  return items;
}

/// A rank's field with its halo: each column contains its number in the grid plus 1; halo columns contain 0
/// outside a grid that is not periodic, and everywhere without `with_halo`.
inline std::vector<std::int64_t> field_of(const HaloGrid& grid, Rank rank, bool with_halo) {
  const BlockDistribution columns{grid.nx, grid.px}, lines{grid.ny, grid.py};
  const auto width = grid.width, x0 = columns.begin(rank % grid.px), y0 = lines.begin(rank / grid.px);
  const auto nx = columns.size(rank % grid.px), ny = lines.size(rank / grid.px);
  std::vector<std::int64_t> field;
  for (std::int64_t y = -width; y < ny + width; ++y) {
    for (std::int64_t x = -width; x < nx + width; ++x) {
      const bool is_owned = x >= 0 && x < nx && y >= 0 && y < ny;
      const auto gx = x0 + x, gy = y0 + y;  // position in the grid
      const bool is_outside = (!grid.periodic[0] && (gx < 0 || gx >= grid.nx)) ||
                              (!grid.periodic[1] && (gy < 0 || gy >= grid.ny));
      const auto wrapped = [](std::int64_t i, std::int64_t n) { return (i % n + n) % n; };
      field.push_back((is_owned || with_halo) && !is_outside
                          ? wrapped(gy, grid.ny) * grid.nx + wrapped(gx, grid.nx) + 1
                          : 0);
    }
  }
  return field;
}

/// Numbers whose sum over ranks depends on the order of addition.
inline double rough(Rank rank, std::int64_t i) {
  return 1.0 / (1 + 3 * rank + static_cast<double>(i)) * (rank % 5 == 0 ? 1e10 : 1);
}

/// Numbers of rounds, sent messages and operations of a rank, and its bytes.
struct Counts {
  std::int64_t rounds = 0, sent = 0, sent_bytes = 0, received_bytes = 0, operations = 0;
};

inline Counts count(const Schedule& schedule, Rank rank) {
  Counts counts;
  Cursor cursor;
  for (Operation operation; schedule.next(rank, cursor, operation); ++counts.operations) {
    counts.rounds += operation.action == Action::start;
    counts.sent += operation.action == Action::send;
    if (operation.action == Action::send) counts.sent_bytes += operation.block.total_bytes();
    if (operation.action == Action::receive) counts.received_bytes += operation.block.total_bytes();
  }
  return counts;
}

}  // namespace halcyon::test
