#include "halcyon/schedule/sequence.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

void SharedBuffers::add(const Schedule& schedule) {
  auto& numbers = numbers_.emplace_back();
  for (const auto& buffer : schedule.buffers()) {
    const auto shared = std::ranges::find(buffers_, buffer.name, &Buffer::name);
    numbers.push_back(static_cast<std::int32_t>(shared - buffers_.begin()));
    are_equal_ &= numbers.back() + 1 == std::ssize(numbers);
    if (shared == buffers_.end())
      buffers_.push_back(buffer);
    else
      shared->scratch &= buffer.scratch;
  }
}

std::int64_t SharedBuffers::bytes(std::int64_t i, const Schedule& schedule, Rank rank,
                                  std::int32_t buffer) const {
  const auto number = std::ranges::find(numbers_[i], buffer) - numbers_[i].begin();
  return number < std::ssize(numbers_[i]) ? schedule.buffer_bytes(rank, static_cast<std::int32_t>(number))
                                          : 0;
}

Sequence::Sequence(std::vector<SchedulePointer> parts, std::int64_t repetitions)
    : parts_(std::move(parts)), repetitions_(repetitions), stages_before_{0} {
  require<ConfigError>(!parts_.empty(), "A sequence needs a schedule. Give one or more.");
  require<ConfigError>(repetitions >= 1, "A sequence is repeated {} times. Give 1 or more.", repetitions);
  for (const auto& part : parts_) {
    require<ConfigError>(
        part->n_ranks() == n_ranks(),
        "A sequence has schedules of {} and of {} ranks. Give schedules of equal numbers of ranks.",
        n_ranks(), part->n_ranks());
    stages_before_.push_back(stages_before_.back() + part->n_stages());
    inner_bits_ = std::max(inner_bits_, part->detail_bits());
    buffers_.add(*part);
  }
  part_bits_ = static_cast<int>(std::bit_width(parts_.size() - 1));
  repetition_bits_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(repetitions)));
  require<ConfigError>(
      repetitions <= std::numeric_limits<std::int32_t>::max() / std::max(stages_before_.back(), 1) &&
          detail_bits() < 64,
      "{} repetitions of {} schedules exceed the range of a cursor. Use fewer repetitions.", repetitions,
      parts_.size());
}

std::int64_t Sequence::buffer_bytes(Rank rank, std::int32_t buffer) const {
  std::int64_t bytes = 0;
  for (std::int64_t part = 0; part < std::ssize(parts_); ++part)
    bytes = std::max(bytes, buffers_.bytes(part, *parts_[part], rank, buffer));
  return bytes;
}

bool Sequence::next(Rank rank, Cursor& cursor, Operation& operation) const {
  for (;;) {
    const auto [repetition, part] = position(cursor);
    if (repetition >= repetitions_) return false;
    auto inner = inner_cursor(cursor);
    if (parts_[part]->next(rank, inner, operation)) {
      cursor = outer_cursor(cursor, inner);
      buffers_.renumber(part, operation);
      return true;
    }
    const bool is_last = part + 1 == std::ssize(parts_);
    const auto next_repetition = static_cast<std::uint64_t>(repetition + is_last),
               next_part = is_last ? 0 : std::uint64_t(part + 1);
    cursor = {0, (next_repetition << part_bits_ | next_part) << inner_bits_};
  }
}

bool Sequence::next_sendrecv(Rank rank, Cursor& cursor, Sendrecv& operation) const {
  const auto [repetition, part] = position(cursor);
  auto inner = inner_cursor(cursor);
  if (repetition >= repetitions_ || !parts_[part]->next_sendrecv(rank, inner, operation)) return false;
  cursor = outer_cursor(cursor, inner);
  return true;
}

std::int32_t Sequence::n_stages() const {
  return static_cast<std::int32_t>(repetitions_) * stages_before_.back();
}

std::int32_t Sequence::stage(const Cursor& cursor) const {
  const auto last_stage = std::max(n_stages() - 1, 0);
  const auto [repetition, part] = position(cursor);
  if (repetition >= repetitions_) return last_stage;
  const auto first_stage =
      static_cast<std::int32_t>(repetition) * stages_before_.back() + stages_before_[part];
  return std::clamp(first_stage + parts_[part]->stage(inner_cursor(cursor)), 0, last_stage);
}

bool Computation::next(Rank rank, Cursor& cursor, Operation& operation) const {
  if (cursor.position > 0) return false;
  ++cursor.position;
  operation = {.action = Action::compute, .work = work_, .seconds = seconds_(rank)};
  return true;
}

}  // namespace halcyon::schedule
