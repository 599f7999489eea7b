#include "halcyon/schedule/pipeline.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

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
