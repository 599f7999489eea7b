#include "halcyon/schedule/pipeline.hpp"

#include <algorithm>
#include <bit>
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

namespace {

std::vector<PipelineStage> two_stages(Groups in, Groups out, const std::vector<PipelineGroup>& groups) {
  const auto leave = std::ranges::count_if(groups, [](const auto& g) { return bool(g.outgoing); });
  require<ConfigError>(leave == 0 || leave == std::ssize(groups),
                       "{} of a pipeline's {} groups leave. Let all, or none.", leave, groups.size());
  PipelineStage comes{.name = "in", .ranks = in}, leaves{.name = "out", .ranks = out};
  for (const auto& group : groups) {
    comes.blocks.push_back(group.incoming);
    comes.compute_s.push_back(group.compute_s);
    if (group.outgoing) leaves.blocks.push_back(group.outgoing);
  }
  if (leave == 0) return {std::move(comes)};
  return {std::move(comes), std::move(leaves)};
}

}  // namespace

struct Pipeline::Step {
  Kind kind;
  std::int32_t stage, group;
};

Pipeline::Pipeline(Rank n_ranks, AlltoallBy by, std::vector<PipelineStage> stages, int ahead)
    : n_ranks_(n_ranks) {
  for (const auto& stage : stages)
    n_groups_ = static_cast<std::int32_t>(
        std::max({std::size_t(n_groups_), stage.blocks.size(), stage.compute_s.size()}));
  require<ConfigError>(n_groups_ >= 1 && ahead >= 0,
                       "A pipeline has {} groups, and {} come while one is worked on. Give 1 or more groups, "
                       "and 0 or more that come.",
                       n_groups_, ahead);
  ahead_ = std::min(ahead, static_cast<int>(n_groups_));  // more than all cannot come
  for (auto& stage : stages) {
    rounds_each_ = by.algorithm == AlltoallAlgorithm::burst ? 1 : std::max(rounds_each_, stage.ranks.size);
    add(std::move(stage), by);
  }
  const auto turns = n_groups_ + stages_.back().lag - (waits_at_end() ? ahead_ : 0);
  n_steps_ = std::uint64_t(turns) * stages_.size() * kKinds + (waits_at_end() ? n_groups_ : 0);
}

Pipeline::Pipeline(Rank n_ranks, Groups in, Groups out, const std::vector<PipelineGroup>& groups, int ahead)
    : Pipeline(n_ranks, {AlltoallAlgorithm::burst}, two_stages(in, out, groups), ahead) {}

void Pipeline::add(PipelineStage stage, AlltoallBy by) {
  for (const auto n : {std::ssize(stage.blocks), std::ssize(stage.compute_s)}) {
    require<ConfigError>(n == 0 || n == n_groups_,
                         "Stage '{}' of a pipeline of {} groups has {}. Give as many.", stage.name, n_groups_,
                         n);
  }
  Stage made{.lag = stages_.empty() ? 0 : stages_.back().lag, .compute_s = std::move(stage.compute_s)};
  if (!made.compute_s.empty()) made.first_work = std::exchange(n_works_, n_works_ + n_groups_);
  if (!stage.blocks.empty()) {
    made.first_alltoall = static_cast<std::int32_t>(alltoalls_.size());
    made.lag += ahead_;
  }
  for (std::size_t g = 0; g < stage.blocks.size(); ++g) {
    const auto& added = alltoalls_.emplace_back(alltoall(n_ranks_, stage.ranks, stage.blocks[g], by));
    for (const auto& buffer : added->buffers())
      buffers_.push_back({fmt::format("{} {} {}", stage.name, buffer.name, g), buffer.scratch});
    buffers_each_ = static_cast<std::int32_t>(added->buffers().size());
    inner_bits_ = std::max(inner_bits_, added->detail_bits());
  }
  stages_.push_back(std::move(made));
}

std::int64_t Pipeline::buffer_bytes(Rank rank, std::int32_t buffer) const {
  return alltoalls_[buffer / buffers_each_]->buffer_bytes(rank, buffer % buffers_each_);
}

int Pipeline::detail_bits() const {
  return inner_bits_ + static_cast<int>(std::bit_width(n_steps_));
}

/// In each turn, a stage's group is waited for, another one sets out, and the first is worked on. The waits
/// for a last stage without work are at the end. With none ahead the same group sets out, is waited for and
/// worked on.
Pipeline::Step Pipeline::step(std::uint64_t number) const {
  const auto n_stages = static_cast<std::int32_t>(stages_.size());
  const auto at_end = static_cast<std::int64_t>(number - n_steps_) + n_groups_;
  if (waits_at_end() && at_end >= 0) return {Kind::wait, n_stages - 1, static_cast<std::int32_t>(at_end)};
  const auto n = static_cast<std::int32_t>(number);
  const auto turn = n / (kKinds * n_stages), stage = n / kKinds % n_stages;
  const auto kind = kOrders[ahead_ > 0][n % kKinds];
  const auto group = turn - stages_[stage].lag + (kind == Kind::start ? ahead_ : 0);
  const bool later = kind == Kind::wait && stage == n_stages - 1 && waits_at_end();
  return {kind, stage, later ? -1 : group};
}

/// The operations of an all-to-all up to its first start, or those after that.
bool Pipeline::next_of_alltoall(Rank rank, const Step& step, Cursor& cursor, Operation& operation) const {
  const auto number = stages_[step.stage].first_alltoall + step.group;
  const auto& moves = *alltoalls_[number];
  const auto before = cursor.detail >> inner_bits_ << inner_bits_;
  Cursor inner{cursor.position, cursor.detail - before};
  if (step.kind == Kind::wait && inner.position == 0 && inner.detail == 0)
    for (Operation past; moves.next(rank, inner, past) && past.action != Action::start;) continue;
  if (!moves.next(rank, inner, operation)) return false;
  const bool last = step.kind == Kind::start && operation.action == Action::start;
  cursor = last ? Cursor{0, before + (std::uint64_t{1} << inner_bits_)}
                : Cursor{inner.position, before + inner.detail};
  operation.round += number * rounds_each_;
  operation.block.buffer += number * buffers_each_;
  operation.target.buffer += number * buffers_each_;
  return true;
}

bool Pipeline::next_of(Rank rank, const Step& step, Cursor& cursor, Operation& operation) const {
  const auto& stage = stages_[step.stage];
  if (step.group < 0 || step.group >= n_groups_) return false;
  if (step.kind != Kind::compute)
    return stage.first_alltoall >= 0 && next_of_alltoall(rank, step, cursor, operation);
  if (stage.first_work < 0) return false;
  const auto& seconds = stage.compute_s[step.group];
  operation = {.action = Action::compute,
               .work = stage.first_work + step.group,
               .seconds = seconds ? seconds(rank) : 0};
  cursor.detail += std::uint64_t{1} << inner_bits_;
  return true;
}

bool Pipeline::next(Rank rank, Cursor& cursor, Operation& operation) const {
  for (;;) {
    const auto number = cursor.detail >> inner_bits_;
    if (number >= n_steps_) return false;
    if (next_of(rank, step(number), cursor, operation)) return true;
    cursor = {0, (number + 1) << inner_bits_};
  }
}

Pipeline spectral_pipeline(const TransposedGrid& grid, int n_groups, double item_s, int ahead) {
  require_grid(grid, item_s);
  require<ConfigError>(n_groups >= 1 && n_groups <= grid.nz,
                       "{} fields and levels make no {} groups. Use 1 to {}.", grid.nz, n_groups, grid.nz);
  const Division fields(grid.nz, n_groups);
  std::vector<PipelineGroup> groups;
  for (int g = 0; g < n_groups; ++g) {
    auto part = grid;
    part.nz = fields.size(g);
    groups.push_back({between(part, 0, 1).blocks, between(part, 1, 2).blocks, [part, item_s](Rank rank) {
                        return item_s * static_cast<double>(box_at(part, 1, rank).n_items());
                      }});
  }
  return {grid.n_ranks(), between(grid, 0, 1).groups, between(grid, 1, 2).groups, std::move(groups), ahead};
}

}  // namespace halcyon::schedule
