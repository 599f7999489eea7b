#include "halcyon/schedule/transposition.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

namespace {

constexpr int kStates = 4;
constexpr const char* kDimensions = "xyz";

/// By what a dimension is split at a state: not, by the column of a rank (cx parts), or by its row (cy).
enum class Split { whole, column, row };

constexpr Split kSplits[kStates][3]{{Split::column, Split::row, Split::whole},
                                    {Split::whole, Split::row, Split::column},
                                    {Split::row, Split::whole, Split::column},
                                    {Split::row, Split::column, Split::whole}};
/// Which dimension a rank has whole at a state.
constexpr int kWhole[kStates]{2, 0, 1, 2};

Division division(const TransposedGrid& grid, int state, int dimension) {
  const std::int64_t n[]{grid.nx, grid.ny, grid.nz};
  const auto split = kSplits[state][dimension];
  return {n[dimension], split == Split::column ? grid.cx : split == Split::row ? grid.cy : 1};
}

Rank part(const TransposedGrid& grid, int state, int dimension, Rank rank) {
  const auto split = kSplits[state][dimension];
  return split == Split::column ? rank % grid.cx : split == Split::row ? rank / grid.cx : 0;
}

SchedulePointer work_at(const TransposedGrid& grid, int state, int number, double item_s) {
  return std::make_shared<Computation>(grid.n_ranks(), number, [=](Rank rank) {
    return item_s > 0 ? item_s * static_cast<double>(box_at(grid, state, rank).n_items()) : 0.0;
  });
}

Sequence through(const TransposedGrid& grid, AlltoallBy by, double item_s, bool back) {
  require_grid(grid, item_s);
  const auto state = [&](int i) { return back ? kStates - 1 - i : i; };
  std::vector<SchedulePointer> parts{work_at(grid, state(0), 0, item_s)};
  for (int i = 1; i < kStates; ++i) {
    auto [groups, blocks] = between(grid, state(i - 1), state(i));
    parts.push_back(alltoall(grid.n_ranks(), groups, std::move(blocks), by));
    parts.push_back(work_at(grid, state(i), i, item_s));
  }
  return Sequence(std::move(parts));
}

/// Calls move(offset among the blocks, offset in the array, bytes) for every row of the blocks in which a
/// rank's array is sent to, or received from, another state.
template <class Move>
void for_rows(const TransposedGrid& grid, int state, int other, Rank rank, const Move& move) {
  const auto size = box_at(grid, state, rank).size;
  const int split = kWhole[state];
  const auto parts = division(grid, other, split);
  std::int64_t at = 0;
  for (Rank block = 0; block < parts.parts; ++block) {
    std::array<std::int64_t, 3> begin{0, 0, 0}, end = size;
    begin[split] = parts.begin(block);
    end[split] = parts.begin(block + 1);
    const auto bytes = (end[0] - begin[0]) * grid.item_bytes;
    for (auto z = begin[2]; z < end[2]; ++z) {
      for (auto y = begin[1]; y < end[1]; ++y, at += bytes) {
        move(at, ((z * size[1] + y) * size[0] + begin[0]) * grid.item_bytes, bytes);
      }
    }
  }
}

}  // namespace

void require_grid(const TransposedGrid& grid, double item_s) {
  require<ConfigError>(item_s >= 0, "An item takes {} s of work (item_s). Give 0 or more.", item_s);
  require<ConfigError>(grid.cx >= 1 && grid.cy >= 1 && grid.item_bytes >= 1,
                       "A transposition on {} x {} ranks of items of {} bytes. Give 1 or more.", grid.cx,
                       grid.cy, grid.item_bytes);
  for (int state = 0; state < kStates; ++state) {
    for (int dimension = 0; dimension < 3; ++dimension) {
      const auto points = division(grid, state, dimension);
      require<ConfigError>(points.n >= points.parts,
                           "The {} points along {} are too few for {} ranks. Use at most min(nx, ny, nz) "
                           "ranks for cx and min(nx, ny) for cy.",
                           points.n, kDimensions[dimension], points.parts);
    }
  }
}

Box box_at(const TransposedGrid& grid, int state, Rank rank) {
  Box box{};
  for (int dimension = 0; dimension < 3; ++dimension) {
    const auto parts = division(grid, state, dimension);
    const auto mine = part(grid, state, dimension, rank);
    box.begin[dimension] = parts.begin(mine);
    box.size[dimension] = parts.size(mine);
  }
  return box;
}

/// The dimension that was whole is split, another one becomes whole.
StateExchange between(const TransposedGrid& grid, int state, int next) {
  const int leaves = kWhole[state], comes = kWhole[next], stays = 3 - leaves - comes;
  const bool in_rows = kSplits[next][leaves] == Split::column;
  return {in_rows ? Groups{grid.cx, 1} : Groups{grid.cy, grid.cx},
          std::make_shared<SlabBlocks>(division(grid, state, comes), division(grid, next, leaves),
                                       division(grid, state, stays), in_rows ? grid.cx : 1, grid.item_bytes)};
}

Sequence transposition(const TransposedGrid& grid, AlltoallBy by, double item_s) {
  return through(grid, by, item_s, false);
}

Sequence transposition_back(const TransposedGrid& grid, AlltoallBy by, double item_s) {
  return through(grid, by, item_s, true);
}

void from_blocks(const TransposedGrid& grid, int state, int before, Rank rank,
                 std::span<const std::byte> blocks, std::span<std::byte> items) {
  for_rows(grid, state, before, rank, [&](auto block, auto item, auto bytes) {
    std::memcpy(items.data() + item, blocks.data() + block, bytes);
  });
}

void to_blocks(const TransposedGrid& grid, int state, int after, Rank rank, std::span<const std::byte> items,
               std::span<std::byte> blocks) {
  for_rows(grid, state, after, rank, [&](auto block, auto item, auto bytes) {
    std::memcpy(blocks.data() + block, items.data() + item, bytes);
  });
}

}  // namespace halcyon::schedule
