#include "halcyon/schedule/sequence.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

Sequence::Sequence(std::vector<SchedulePointer> parts, std::int64_t repetitions)
    : parts_(std::move(parts)), repetitions_(repetitions), stages_before_{0} {
  require<ConfigError>(!parts_.empty(), "A sequence needs a schedule at least.");
  require<ConfigError>(repetitions >= 1, "A sequence is repeated {} times, but must be 1 or more.",
                       repetitions);
  for (const auto& part : parts_) {
    require<ConfigError>(part->n_ranks() == n_ranks(),
                         "A schedule of {} ranks and one of {} make no sequence.", n_ranks(),
                         part->n_ranks());
    stages_before_.push_back(stages_before_.back() + part->n_stages());
    inner_bits_ = std::max(inner_bits_, part->detail_bits());
  }
  const auto n_steps = static_cast<std::uint64_t>(repetitions) * parts_.size();
  own_bits_ = static_cast<int>(std::bit_width(n_steps));
  require<ConfigError>(
      repetitions <= std::numeric_limits<std::int32_t>::max() / std::max(stages_before_.back(), 1) &&
          detail_bits() < 64,
      "{} repetitions of {} schedules are more than a cursor can count. Repeat less often.", repetitions,
      parts_.size());
  take_buffers();
}

void Sequence::take_buffers() {
  for (const auto& part : parts_) {
    auto& numbers = numbers_.emplace_back();
    for (const auto& buffer : part->buffers()) {
      const auto known = std::ranges::find(buffers_, buffer.name, &Buffer::name);
      numbers.push_back(static_cast<std::int32_t>(known - buffers_.begin()));
      if (known == buffers_.end())
        buffers_.push_back(buffer);
      else
        known->scratch &= buffer.scratch;
    }
  }
}

std::int64_t Sequence::buffer_bytes(Rank rank, std::int32_t buffer) const {
  std::int64_t bytes = 0;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const auto number = std::ranges::find(numbers_[part], buffer) - numbers_[part].begin();
    if (number < std::ssize(numbers_[part]))
      bytes = std::max(bytes, parts_[part]->buffer_bytes(rank, static_cast<std::int32_t>(number)));
  }
  return bytes;
}

bool Sequence::next(Rank rank, Cursor& cursor, Operation& operation) const {
  const auto n_steps = static_cast<std::uint64_t>(repetitions_) * parts_.size();
  for (;;) {
    const auto step = cursor.detail >> inner_bits_;
    if (step >= n_steps) return false;
    const auto part = step % parts_.size();
    auto inner = inside(cursor);
    if (parts_[part]->next(rank, inner, operation)) {
      cursor = {inner.position, step << inner_bits_ | inner.detail};
      rename(part, operation.block);
      rename(part, operation.target);
      return true;
    }
    cursor = {0, (step + 1) << inner_bits_};
  }
}

std::int32_t Sequence::n_stages() const {
  return static_cast<std::int32_t>(repetitions_) * stages_before_.back();
}

std::int32_t Sequence::stage(const Cursor& cursor) const {
  const auto step = cursor.detail >> inner_bits_;
  const auto n_steps = static_cast<std::uint64_t>(repetitions_) * parts_.size();
  if (step >= n_steps) return std::max(n_stages() - 1, 0);
  const auto part = step % parts_.size();
  const auto inner = parts_[part]->stage(inside(cursor));
  const auto before = static_cast<std::int32_t>(step / parts_.size()) * stages_before_.back();
  return std::clamp(before + stages_before_[part] + inner, 0, std::max(n_stages() - 1, 0));
}

bool Computation::next(Rank rank, Cursor& cursor, Operation& operation) const {
  if (cursor.position > 0) return false;
  ++cursor.position;
  operation = {.action = Action::compute, .work = work_, .seconds = seconds_(rank)};
  return true;
}

}  // namespace halcyon::schedule
