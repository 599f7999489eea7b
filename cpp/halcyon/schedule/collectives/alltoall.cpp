#include "halcyon/schedule/collectives/alltoall.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {

namespace {

constexpr std::string_view kRing = "ring-";

/// The number behind "ring-", or 0 where there is none.
Rank radix_in(std::string_view name) {
  Rank k = 0;
  const auto digits = name.substr(kRing.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), k);
  return error == std::errc() && end == digits.data() + digits.size() ? k : 0;
}

}  // namespace

void require_groups(Rank n_ranks, Groups groups) {
  require<ConfigError>(
      n_ranks >= 1 && groups.size >= 1 && groups.stride >= 1 &&
          n_ranks % (std::int64_t{groups.size} * groups.stride) == 0,
      "{} ranks do not fall into groups of {} that lie {} apart. Use a number of ranks that {} x {} divides.",
      n_ranks, groups.size, groups.stride, groups.size, groups.stride);
}

std::shared_ptr<const Schedule> alltoall(Rank n_ranks, Groups groups, BlocksPointer blocks, AlltoallBy by) {
  if (by.algorithm == AlltoallAlgorithm::bruck)
    return std::make_shared<Bruck>(n_ranks, groups, std::move(blocks));
  const auto k = by.algorithm == AlltoallAlgorithm::burst ? std::max(groups.size - 1, 1) : by.k;
  return std::make_shared<Ring>(n_ranks, groups, std::move(blocks), k);
}

AlltoallBy alltoall_named(const std::string& name) {
  const auto named = std::ranges::find(kAlltoallNames, name) - kAlltoallNames.begin();
  if (named < std::ssize(kAlltoallNames)) return {static_cast<AlltoallAlgorithm>(named)};
  const auto k = name.starts_with(kRing) ? radix_in(name) : 0;
  require<ConfigError>(k >= 1,
                       "There is no all-to-all '{}'. Use burst, bruck, ring or ring-K with a number K from 1 "
                       "to {}, such as ring-4.",
                       name, std::numeric_limits<Rank>::max());
  return {AlltoallAlgorithm::ring, k};
}

std::string name_of(AlltoallBy by) {
  if (by.algorithm == AlltoallAlgorithm::ring) return fmt::format("{}{}", kRing, by.k);
  return std::string(kAlltoallNames[static_cast<std::size_t>(by.algorithm)]);
}

namespace {

constexpr std::int32_t kSend = 0, kReceive = 1;

}  // namespace

Ring::Ring(Rank n_ranks, Groups groups, BlocksPointer blocks, Rank k)
    : n_ranks_(n_ranks), groups_(groups), blocks_(std::move(blocks)) {
  require_groups(n_ranks, groups);
  require<ConfigError>(k >= 1, "ring-k exchanges with k = {} ranks at once, but needs 1 or more.", k);
  k_ = std::clamp(groups.size - 1, 1, k);
  n_rounds_ = (groups.size - 1 + k_ - 1) / k_;
}

std::int64_t Ring::buffer_bytes(Rank rank, std::int32_t buffer) const {
  const auto group = groups_.group(rank), at = groups_.position(rank);
  const auto last = groups_.size - 1;
  return (buffer == kSend ? blocks_->sent(group, at, last) : blocks_->received(group, last, at)).end();
}

/// What travels between a rank and the one `distance` after it (send) or before it (receive).
Operation Ring::message(Rank rank, Rank distance, std::int32_t round, Action way) const {
  const auto [at, group] = place(rank);
  const bool sends = way == Action::send;
  const auto other = sends ? after(at, distance) : before(at, distance);
  const auto [offset, bytes] = sends ? blocks_->sent(group, at, other) : blocks_->received(group, other, at);
  return {.action = way,
          .peer = groups_.member(group, other),
          .round = round,
          .block = {sends ? kSend : kReceive, offset, bytes}};
}

/// A cursor's position is round << 32 | slot. Slot 0 of the first round is the rank's own block; then come so
/// many receives, as many sends, the start and the wait.
bool Ring::next(Rank rank, Cursor& cursor, Operation& operation) const {
  for (;;) {
    const auto round = static_cast<std::int32_t>(cursor.position >> 32);
    const auto slot = static_cast<Rank>(cursor.position & 0xffffffff);
    if (slot == 0) {
      cursor.position |= 1;
      if (round > 0) continue;
      const auto own = message(rank, 0, 0, Action::send).block;
      operation = {
          .action = Action::copy, .block = own, .target = message(rank, 0, 0, Action::receive).block};
      if (own.size_bytes > 0) return true;
      continue;
    }
    if (round >= n_rounds_) return false;
    const auto before = round * k_, n = std::min(k_, groups_.size - 1 - before);
    ++cursor.position;
    if (slot <= 2 * n) {
      operation = slot <= n ? message(rank, before + slot, round, Action::receive)
                            : message(rank, before + slot - n, round, Action::send);
      if (operation.block.size_bytes > 0) return true;
      continue;
    }
    const bool starts = slot == 2 * n + 1;
    operation = {.action = starts ? Action::start : Action::wait, .round = round};
    if (!starts) cursor.position = std::uint64_t(round + 1) << 32;
    return true;
  }
}

/// Where a round has one receive and one send, from its first slot on.
bool Ring::next_sendrecv(Rank rank, Cursor& cursor, Sendrecv& operation) const {
  const auto round = static_cast<std::int32_t>(cursor.position >> 32);
  const auto slot = static_cast<Rank>(cursor.position & 0xffffffff);
  if (k_ > 1 || round >= n_rounds_ || slot > 1 || (slot == 0 && round == 0)) return false;
  const auto [at, group] = place(rank);
  const auto to = after(at, round + 1), from = before(at, round + 1);
  const auto sent_bytes = blocks_->bytes(group, at, to), received_bytes = blocks_->bytes(group, from, at);
  if (sent_bytes == 0 || received_bytes == 0) return false;
  operation = {groups_.member(group, to), groups_.member(group, from), round, sent_bytes, received_bytes};
  cursor.position = std::uint64_t(round + 1) << 32;
  return true;
}

}  // namespace halcyon::schedule
