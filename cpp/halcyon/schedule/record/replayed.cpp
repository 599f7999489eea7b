#include "halcyon/schedule/record/replayed.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {
namespace {

bool is_collective(ReplayStep::Kind kind) {
  return kind >= ReplayStep::Kind::collective;
}

}  // namespace

ReplayedTrace::ReplayedTrace(std::vector<std::int64_t> offsets, std::vector<ReplayStep> steps,
                             std::vector<Collective> collectives)
    : offsets_(std::move(offsets)), steps_(std::move(steps)), collectives_(std::move(collectives)) {
  std::int64_t most_steps = 0;
  for (Rank rank = 0; rank < n_ranks(); ++rank) {
    auto& most_bytes = buffer_bytes_.emplace_back(0);
    most_steps = std::max(most_steps, offsets_[rank + 1] - offsets_[rank]);
    for (auto i = offsets_[rank]; i < offsets_[rank + 1]; ++i) {
      const auto& step = steps_[i];
      most_bytes = std::max(most_bytes, step.bytes);
      if (!is_collective(step.kind)) continue;
      require<InputError>(step.collective >= 0 && step.collective < std::ssize(collectives_) &&
                              step.peer >= 0 && step.peer < std::ssize(collectives_[step.collective].members),
                          "Rank {} of a trace is at position {} of collective {}, which does not exist.",
                          rank, step.peer, step.collective);
      const auto& schedule = *collectives_[step.collective].schedule;
      inner_bits_ = std::max(inner_bits_, schedule.detail_bits());
      for (std::int32_t b = 0; b < std::ssize(schedule.buffers()); ++b)
        most_bytes = std::max(most_bytes, schedule.buffer_bytes(step.peer, b));
    }
  }
  step_bits_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most_steps)));
  require<InputError>(detail_bits() < 64,
                      "A rank of a trace has {} steps, and collectives of many parts. Record a shorter run.",
                      most_steps);
}

/// Writes the next operation of a collective, or of its part that the step executes.
bool ReplayedTrace::next_of_collective(const ReplayStep& step, Cursor& inner, Operation& operation) const {
  const auto& [schedule, members] = collectives_[step.collective];
  if (step.kind == ReplayStep::Kind::end && inner.position == 0 && inner.detail == 0) {
    for (Cursor ahead; schedule->next(step.peer, ahead, operation) && operation.action != Action::wait;)
      inner = ahead;
  }
  auto after = inner;
  if (!schedule->next(step.peer, after, operation)) return false;
  if (step.kind == ReplayStep::Kind::begin && operation.action == Action::wait) return false;
  inner = after;
  if (operation.peer >= 0 && operation.action <= Action::receive) operation.peer = members[operation.peer];
  operation.round += step.round;
  operation.block.buffer = operation.target.buffer = 0;
  return true;
}

/// The detail of a cursor is the index of the step, above the detail of its collective's cursor. The position
/// of a cursor is that of the collective's cursor, or the number of operations of a message so far.
bool ReplayedTrace::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto inner_mask = (std::uint64_t{1} << inner_bits_) - 1;
  const auto n_steps = offsets_[rank + 1] - offsets_[rank];
  for (auto index = static_cast<std::int64_t>(cursor.detail >> inner_bits_); index < n_steps; ++index) {
    const auto& step = steps_[offsets_[rank] + index];
    const auto begin_next_step = [&] { cursor = {0, static_cast<std::uint64_t>(index + 1) << inner_bits_}; };
    const Block block{0, 0, step.bytes};
    switch (step.kind) {
      case ReplayStep::Kind::compute:
        operation = {.action = Action::compute, .seconds = step.seconds};
        begin_next_step();
        return true;
      case ReplayStep::Kind::send:
      case ReplayStep::Kind::receive:
        if (cursor.position == 0) {
          operation = {.action = step.kind == ReplayStep::Kind::send ? Action::send : Action::receive,
                       .peer = step.peer,
                       .round = step.round,
                       .block = block};
          cursor.position = 1;
        } else {
          operation = {.action = Action::start, .round = step.round};
          begin_next_step();
        }
        return true;
      case ReplayStep::Kind::wait:
        operation = {.action = Action::wait, .round = step.round};
        begin_next_step();
        return true;
      case ReplayStep::Kind::copy:
        operation = {.action = Action::copy, .block = block, .target = block};
        begin_next_step();
        return true;
      default:
        if (Cursor inner{cursor.position, cursor.detail & inner_mask};
            next_of_collective(step, inner, operation)) {
          cursor = {inner.position, static_cast<std::uint64_t>(index) << inner_bits_ | inner.detail};
          return true;
        }
        begin_next_step();
    }
  }
  return false;
}

}  // namespace halcyon::schedule
