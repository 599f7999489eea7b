#include "halcyon/schedule/pipeline.hpp"

#include <algorithm>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

struct Pipeline::Step {
  Kind kind;
  std::int32_t group;
};

Pipeline::Pipeline(Rank n_ranks, Groups in, Groups out, std::vector<PipelineGroup> groups, int ahead)
    : n_ranks_(n_ranks), in_(in), out_(out), ahead_(ahead) {
  require<ConfigError>(!groups.empty() && ahead >= 1,
                       "A pipeline has {} groups, and {} come while one is worked on. Give 1 or more.",
                       groups.size(), ahead);
  const auto leaves = std::ranges::count_if(groups, [](const auto& g) { return bool(g.outgoing); });
  require<ConfigError>(leaves == 0 || leaves == std::ssize(groups),
                       "{} of a pipeline's {} groups leave. Let all, or none.", leaves, groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    incoming_.emplace_back(n_ranks, in, groups[g].incoming, std::max(in.size - 1, 1));
    compute_s_.push_back(groups[g].compute_s);
    for (const auto* name : {"in send", "in receive"}) buffers_.push_back({fmt::format("{} {}", name, g)});
  }
  for (std::size_t g = 0; leaves > 0 && g < groups.size(); ++g) {
    outgoing_.emplace_back(n_ranks, out, groups[g].outgoing, std::max(out.size - 1, 1));
    for (const auto* name : {"out send", "out receive"}) buffers_.push_back({fmt::format("{} {}", name, g)});
  }
}

std::int64_t Pipeline::buffer_bytes(Rank rank, std::int32_t buffer) const {
  const auto ring = buffer / 2;
  return ring < n_groups() ? incoming_[ring].buffer_bytes(rank, buffer % 2)
                           : outgoing_[ring - n_groups()].buffer_bytes(rank, buffer % 2);
}

/// The steps: the first groups come; of each group, it is waited for, another one comes, it is worked on,
/// leaves; and all are waited for that leave.
Pipeline::Step Pipeline::step(std::uint64_t number) const {
  const auto n = static_cast<std::int32_t>(number);
  if (n < ahead_) return {Kind::take, n};
  const auto of_group = n - ahead_, group = of_group / 4;
  if (group >= n_groups()) return {Kind::wait_out, of_group - 4 * n_groups()};
  switch (of_group % 4) {
    case 0:
      return {Kind::wait_in, group};
    case 1:
      return {Kind::take, group + ahead_};
    case 2:
      return {Kind::compute, group};
    default:
      return {Kind::give, group};
  }
}

/// The operations of a group's all-to-all up to its start. Its buffers and round get the group's numbers.
bool Pipeline::next_of_ring(Rank rank, const Step& step, Cursor& cursor, Operation& operation) const {
  const bool in = step.kind == Kind::take;
  const auto& rings = in ? incoming_ : outgoing_;
  if (step.group >= std::ssize(rings)) return false;
  Cursor inner{cursor.position, 0};
  if (!rings[step.group].next(rank, inner, operation)) return false;
  const auto number = in ? step.group : n_groups() + step.group;
  operation.round = number;
  operation.block.buffer += 2 * number;
  operation.target.buffer += 2 * number;
  cursor = operation.action == Action::start ? Cursor{0, cursor.detail + 1}
                                             : Cursor{inner.position, cursor.detail};
  return true;
}

/// A cursor's detail is the number of the step, its position that within an all-to-all.
bool Pipeline::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto n_steps = static_cast<std::uint64_t>(ahead_ + 5 * n_groups());
  for (; cursor.detail < n_steps; cursor = {0, cursor.detail + 1}) {
    const auto at = step(cursor.detail);
    const bool waits_out = at.kind == Kind::wait_out;
    switch (at.kind) {
      case Kind::take:
      case Kind::give:
        if (next_of_ring(rank, at, cursor, operation)) return true;
        continue;
      case Kind::wait_in:
      case Kind::wait_out:
        if ((waits_out ? out_ : in_).size == 1 || (waits_out && outgoing_.empty())) continue;
        operation = {.action = Action::wait, .round = waits_out ? n_groups() + at.group : at.group};
        break;
      case Kind::compute:
        operation = {.action = Action::compute,
                     .work = at.group,
                     .seconds = compute_s_[at.group] ? compute_s_[at.group](rank) : 0};
    }
    cursor = {0, cursor.detail + 1};
    return true;
  }
  return false;
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
