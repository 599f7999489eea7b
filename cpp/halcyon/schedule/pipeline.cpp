#include "halcyon/schedule/pipeline.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {
namespace {

constexpr int kStateCount = 4;  // states a to d of a transposition: see TransposedGrid
constexpr const char* kDimensionNames = "xyz";

/// How a dimension is distributed in a state: not at all, over the cx columns of ranks, or over the cy rows.
enum class Split { whole, column, row };

/// (state, dimension)
constexpr Split kSplits[kStateCount][3]{{Split::column, Split::row, Split::whole},
                                        {Split::whole, Split::row, Split::column},
                                        {Split::row, Split::whole, Split::column},
                                        {Split::row, Split::column, Split::whole}};
/// The dimension that is not distributed in each state.
constexpr int kUnsplitDimension[kStateCount]{2, 0, 1, 2};

BlockDistribution distribution_of(const TransposedGrid& grid, int state, int dimension) {
  const std::int64_t n[]{grid.nx, grid.ny, grid.nz};
  const auto split = kSplits[state][dimension];
  return {n[dimension], split == Split::column ? grid.cx : split == Split::row ? grid.cy : 1};
}

Rank part_of(const TransposedGrid& grid, int state, int dimension, Rank rank) {
  const auto split = kSplits[state][dimension];
  return split == Split::column ? rank % grid.cx : split == Split::row ? rank / grid.cx : 0;
}

SchedulePointer computation_at(const TransposedGrid& grid, int state, int work, double item_s) {
  return std::make_shared<Computation>(grid.n_ranks(), work, [=](Rank rank) {
    return item_s > 0 ? item_s * static_cast<double>(box_at(grid, state, rank).n_items()) : 0.0;
  });
}

Sequence transposition_sequence(const TransposedGrid& grid, AlltoallMethod method, double item_s,
                                bool is_reverse) {
  require_valid_grid(grid, item_s);
  const auto state = [&](int i) { return is_reverse ? kStateCount - 1 - i : i; };
  std::vector<SchedulePointer> parts{computation_at(grid, state(0), 0, item_s)};
  for (int i = 1; i < kStateCount; ++i) {
    auto [groups, blocks] = exchange_between(grid, state(i - 1), state(i));
    parts.push_back(alltoall(grid.n_ranks(), groups, std::move(blocks), method));
    parts.push_back(computation_at(grid, state(i), i, item_s));
  }
  return Sequence(std::move(parts));
}

/// Calls move(offset in the blocks, offset in the array, bytes) for every contiguous row of items (along x)
/// in the blocks that a rank exchanges between `state`, the state of the array, and `other_state`.
template <class Move>
void for_each_row(const TransposedGrid& grid, int state, int other_state, Rank rank, const Move& move) {
  const auto size = box_at(grid, state, rank).size;
  const int dimension = kUnsplitDimension[state];
  const auto distribution = distribution_of(grid, other_state, dimension);
  std::int64_t block_offset = 0;
  for (Rank block = 0; block < distribution.parts; ++block) {
    std::array<std::int64_t, 3> begin{0, 0, 0}, end = size;
    begin[dimension] = distribution.begin(block);
    end[dimension] = distribution.begin(block + 1);
    const auto bytes = (end[0] - begin[0]) * grid.item_bytes;
    for (auto z = begin[2]; z < end[2]; ++z)
      for (auto y = begin[1]; y < end[1]; ++y, block_offset += bytes)
        move(block_offset, ((z * size[1] + y) * size[0] + begin[0]) * grid.item_bytes, bytes);
  }
}

}  // namespace

void require_valid_grid(const TransposedGrid& grid, double item_s) {
  require<ConfigError>(item_s >= 0, "item_s is {} s per item. Give 0 or more.", item_s);
  require<ConfigError>(grid.cx >= 1 && grid.cy >= 1 && grid.item_bytes >= 1,
                       "A transposition has {} x {} ranks and items of {} bytes. Give 1 or more of each.",
                       grid.cx, grid.cy, grid.item_bytes);
  for (int state = 0; state < kStateCount; ++state) {
    for (int dimension = 0; dimension < 3; ++dimension) {
      const auto distribution = distribution_of(grid, state, dimension);
      require<ConfigError>(distribution.n >= distribution.parts,
                           "The {} points along {} are too few for {} ranks. Use at most min(nx, ny, nz) "
                           "ranks for cx and min(nx, ny) for cy.",
                           distribution.n, kDimensionNames[dimension], distribution.parts);
    }
  }
}

Box box_at(const TransposedGrid& grid, int state, Rank rank) {
  Box box{};
  for (int dimension = 0; dimension < 3; ++dimension) {
    const auto distribution = distribution_of(grid, state, dimension);
    const auto part = part_of(grid, state, dimension, rank);
    box.begin[dimension] = distribution.begin(part);
    box.size[dimension] = distribution.size(part);
  }
  return box;
}

/// The whole dimension of `state` becomes distributed, and the whole dimension of `next_state` is collected.
StateExchange exchange_between(const TransposedGrid& grid, int state, int next_state) {
  const int split_dimension = kUnsplitDimension[state], joined_dimension = kUnsplitDimension[next_state],
            fixed_dimension = 3 - split_dimension - joined_dimension;
  const bool in_rows = kSplits[next_state][split_dimension] == Split::column;
  return {in_rows ? RankGroups{grid.cx, 1} : RankGroups{grid.cy, grid.cx},
          std::make_shared<SlabBlocks>(distribution_of(grid, state, joined_dimension),
                                       distribution_of(grid, next_state, split_dimension),
                                       distribution_of(grid, state, fixed_dimension), in_rows ? grid.cx : 1,
                                       grid.item_bytes)};
}

Sequence transposition(const TransposedGrid& grid, AlltoallMethod method, double item_s) {
  return transposition_sequence(grid, method, item_s, /*is_reverse=*/false);
}

Sequence reverse_transposition(const TransposedGrid& grid, AlltoallMethod method, double item_s) {
  return transposition_sequence(grid, method, item_s, /*is_reverse=*/true);
}

void unpack_blocks(const TransposedGrid& grid, int state, int before, Rank rank,
                   std::span<const std::byte> blocks, std::span<std::byte> items) {
  for_each_row(grid, state, before, rank, [&](auto block_offset, auto item_offset, auto bytes) {
    std::memcpy(items.data() + item_offset, blocks.data() + block_offset, bytes);
  });
}

void pack_blocks(const TransposedGrid& grid, int state, int after, Rank rank,
                 std::span<const std::byte> items, std::span<std::byte> blocks) {
  for_each_row(grid, state, after, rank, [&](auto block_offset, auto item_offset, auto bytes) {
    std::memcpy(blocks.data() + block_offset, items.data() + item_offset, bytes);
  });
}

namespace {

std::vector<PipelineStage> in_and_out_stages(RankGroups in, RankGroups out,
                                             const std::vector<FieldGroup>& groups) {
  const auto n_outgoing = std::ranges::count_if(groups, [](const auto& g) { return bool(g.outgoing); });
  require<ConfigError>(
      n_outgoing == 0 || n_outgoing == std::ssize(groups),
      "{} of a pipeline's {} groups have outgoing blocks. Give all groups outgoing blocks, or none.",
      n_outgoing, groups.size());
  PipelineStage arrival{.name = "in", .ranks = in}, departure{.name = "out", .ranks = out};
  for (const auto& group : groups) {
    arrival.blocks.push_back(group.incoming);
    arrival.compute_s.push_back(group.compute_s);
    if (group.outgoing) departure.blocks.push_back(group.outgoing);
  }
  if (n_outgoing == 0) return {std::move(arrival)};
  return {std::move(arrival), std::move(departure)};
}

}  // namespace

struct Pipeline::PipelineStep {
  StepKind kind;
  std::int32_t stage, group;
};

Pipeline::Pipeline(Rank n_ranks, AlltoallMethod method, std::vector<PipelineStage> stages,
                   int prefetched_groups)
    : n_ranks_(n_ranks) {
  for (const auto& stage : stages)
    n_groups_ = static_cast<std::int32_t>(
        std::max({std::size_t(n_groups_), stage.blocks.size(), stage.compute_s.size()}));
  require<ConfigError>(
      n_groups_ >= 1 && prefetched_groups >= 0,
      "A pipeline has {} groups and prefetches {}. Give 1 or more groups, and prefetch 0 or more.", n_groups_,
      prefetched_groups);
  prefetched_groups_ = std::min(prefetched_groups, static_cast<int>(n_groups_));
  for (auto& stage : stages) {
    rounds_per_alltoall_ =
        method.algorithm == AlltoallAlgorithm::burst ? 1 : std::max(rounds_per_alltoall_, stage.ranks.size);
    add_stage(std::move(stage), method);
  }
  const auto n_turns = n_groups_ + stages_.back().lag - (has_final_waits() ? prefetched_groups_ : 0);
  n_steps_ = std::uint64_t(n_turns) * stages_.size() * kStepKinds + (has_final_waits() ? n_groups_ : 0);
}

Pipeline::Pipeline(Rank n_ranks, RankGroups in, RankGroups out, const std::vector<FieldGroup>& groups,
                   int prefetched_groups)
    : Pipeline(n_ranks, {AlltoallAlgorithm::burst}, in_and_out_stages(in, out, groups), prefetched_groups) {}

void Pipeline::add_stage(PipelineStage stage, AlltoallMethod method) {
  for (const auto n : {std::ssize(stage.blocks), std::ssize(stage.compute_s)})
    require<ConfigError>(n == 0 || n == n_groups_,
                         "Stage '{0}' has {2} groups in a pipeline of {1} groups. Give equal numbers.",
                         stage.name, n_groups_, n);
  Stage added{.lag = stages_.empty() ? 0 : stages_.back().lag, .compute_s = std::move(stage.compute_s)};
  if (!added.compute_s.empty()) added.first_work = std::exchange(n_work_items_, n_work_items_ + n_groups_);
  if (!stage.blocks.empty()) {
    added.first_alltoall = static_cast<std::int32_t>(alltoalls_.size());
    added.lag += prefetched_groups_;
  }
  for (std::size_t g = 0; g < stage.blocks.size(); ++g) {
    const auto& exchange = alltoalls_.emplace_back(alltoall(n_ranks_, stage.ranks, stage.blocks[g], method));
    for (const auto& buffer : exchange->buffers())
      buffers_.push_back({fmt::format("{} {} {}", stage.name, buffer.name, g), buffer.scratch});
    buffers_per_alltoall_ = static_cast<std::int32_t>(exchange->buffers().size());
    inner_bits_ = std::max(inner_bits_, exchange->detail_bits());
  }
  stages_.push_back(std::move(added));
}

std::int64_t Pipeline::buffer_bytes(Rank rank, std::int32_t buffer) const {
  return alltoalls_[buffer / buffers_per_alltoall_]->buffer_bytes(rank, buffer % buffers_per_alltoall_);
}

int Pipeline::detail_bits() const {
  return inner_bits_ + static_cast<int>(std::bit_width(n_steps_));
}

/// In each turn, each stage waits for a group, starts the exchange of a later group, and computes on the
/// group for which it waited. Without prefetching, a stage starts, waits for and computes on the same group.
/// If the last stage has no work, its waits are the last n_groups steps of the pipeline.
Pipeline::PipelineStep Pipeline::step(std::uint64_t number) const {
  const auto n_stages = static_cast<std::int32_t>(stages_.size());
  const auto final_wait = static_cast<std::int64_t>(number - n_steps_) + n_groups_;
  if (has_final_waits() && final_wait >= 0)
    return {StepKind::wait, n_stages - 1, static_cast<std::int32_t>(final_wait)};
  const auto index = static_cast<std::int32_t>(number);
  const auto turn = index / (kStepKinds * n_stages), stage = index / kStepKinds % n_stages;
  const auto kind = kStepOrder[prefetched_groups_ > 0][index % kStepKinds];
  const auto group = turn - stages_[stage].lag + (kind == StepKind::start ? prefetched_groups_ : 0);
  const bool is_final_wait = kind == StepKind::wait && stage == n_stages - 1 && has_final_waits();
  return {kind, stage, is_final_wait ? -1 : group};
}

/// Generates the next operation of an all-to-all. A start step generates the operations up to the first start
/// of the all-to-all, a wait step the operations after that start.
bool Pipeline::next_of_alltoall(Rank rank, const PipelineStep& step, Cursor& cursor,
                                Operation& operation) const {
  const auto index = stages_[step.stage].first_alltoall + step.group;
  const auto& exchange = *alltoalls_[index];
  const auto step_bits = cursor.detail >> inner_bits_ << inner_bits_;
  Cursor inner{cursor.position, cursor.detail - step_bits};
  if (step.kind == StepKind::wait && inner.position == 0 && inner.detail == 0)
    for (Operation skipped; exchange.next(rank, inner, skipped) && skipped.action != Action::start;) continue;
  if (!exchange.next(rank, inner, operation)) return false;
  const bool ends_step = step.kind == StepKind::start && operation.action == Action::start;
  cursor = ends_step ? Cursor{0, step_bits + (std::uint64_t{1} << inner_bits_)}
                     : Cursor{inner.position, step_bits + inner.detail};
  operation.round += index * rounds_per_alltoall_;
  operation.block.buffer += index * buffers_per_alltoall_;
  operation.target.buffer += index * buffers_per_alltoall_;
  return true;
}

bool Pipeline::next_in_step(Rank rank, const PipelineStep& step, Cursor& cursor, Operation& operation) const {
  const auto& stage = stages_[step.stage];
  if (step.group < 0 || step.group >= n_groups_) return false;
  if (step.kind != StepKind::compute)
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
    if (next_in_step(rank, step(number), cursor, operation)) return true;
    cursor = {0, (number + 1) << inner_bits_};
  }
}

Pipeline spectral_pipeline(const TransposedGrid& grid, int n_groups, double item_s, int prefetched_groups) {
  require_valid_grid(grid, item_s);
  require<ConfigError>(n_groups >= 1 && n_groups <= grid.nz,
                       "{} fields and levels cannot be divided into {} groups. Give 1 to {}.", grid.nz,
                       n_groups, grid.nz);
  enum State { a, b, c };
  const BlockDistribution fields(grid.nz, n_groups);
  std::vector<FieldGroup> groups;
  for (int g = 0; g < n_groups; ++g) {
    auto group = grid;
    group.nz = fields.size(g);
    groups.push_back({.incoming = exchange_between(group, a, b).blocks,
                      .outgoing = exchange_between(group, b, c).blocks,
                      .compute_s = [group, item_s](Rank rank) {
                        return item_s * static_cast<double>(box_at(group, b, rank).n_items());
                      }});
  }
  return {grid.n_ranks(), exchange_between(grid, a, b).groups, exchange_between(grid, b, c).groups,
          std::move(groups), prefetched_groups};
}

}  // namespace halcyon::schedule
