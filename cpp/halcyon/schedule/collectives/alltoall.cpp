#include "halcyon/schedule/collectives/alltoall.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {
namespace {

constexpr std::string_view kRingPrefix = "ring-";

/// Returns K of a name "ring-K", or 0 if K is not a number.
Rank k_of_ring(std::string_view name) {
  Rank k = 0;
  const auto digits = name.substr(kRingPrefix.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), k);
  return error == std::errc() && end == digits.data() + digits.size() ? k : 0;
}

}  // namespace

void require_groups(Rank n_ranks, RankGroups groups) {
  require<ConfigError>(
      n_ranks >= 1 && groups.size >= 1 && groups.stride >= 1 &&
          n_ranks % (std::int64_t{groups.size} * groups.stride) == 0,
      "{} ranks cannot be divided into groups of {} ranks with stride {}. Use a multiple of {} x {} ranks.",
      n_ranks, groups.size, groups.stride, groups.size, groups.stride);
}

std::shared_ptr<const Schedule> alltoall(Rank n_ranks, RankGroups groups, BlocksPointer blocks,
                                         AlltoallMethod method) {
  if (method.algorithm == AlltoallAlgorithm::bruck)
    return std::make_shared<BruckAlltoall>(n_ranks, groups, std::move(blocks));
  const auto k = method.algorithm == AlltoallAlgorithm::burst ? std::max(groups.size - 1, 1) : method.k;
  return std::make_shared<RingAlltoall>(n_ranks, groups, std::move(blocks), k);
}

AlltoallMethod alltoall_method_named(const std::string& name) {
  const auto index = std::ranges::find(kAlltoallNames, name) - kAlltoallNames.begin();
  if (index < std::ssize(kAlltoallNames)) return {static_cast<AlltoallAlgorithm>(index)};
  const auto k = name.starts_with(kRingPrefix) ? k_of_ring(name) : 0;
  require<ConfigError>(
      k >= 1,
      "There is no all-to-all '{}'. Use burst, bruck, ring or ring-K with K from 1 to {}, such as ring-4.",
      name, std::numeric_limits<Rank>::max());
  return {AlltoallAlgorithm::ring, k};
}

std::string name_of(AlltoallMethod method) {
  if (method.algorithm == AlltoallAlgorithm::ring) return fmt::format("{}{}", kRingPrefix, method.k);
  return std::string(kAlltoallNames[static_cast<std::size_t>(method.algorithm)]);
}

constexpr std::int32_t kSend = 0, kReceive = 1;  // indices of the buffers

RingAlltoall::RingAlltoall(Rank n_ranks, RankGroups groups, BlocksPointer blocks, Rank k)
    : n_ranks_(n_ranks), groups_(groups), blocks_(std::move(blocks)) {
  require_groups(n_ranks, groups);
  require<ConfigError>(k >= 1, "k of ring-k is {}. Give 1 or more.", k);
  k_ = std::clamp(groups.size - 1, 1, k);
  n_rounds_ = (groups.size - 1 + k_ - 1) / k_;
}

std::int64_t RingAlltoall::buffer_bytes(Rank rank, std::int32_t buffer) const {
  const auto [position, group] = group_position(rank);
  const auto last = groups_.size - 1;
  const auto last_block =
      buffer == kSend ? blocks_->sent(group, position, last) : blocks_->received(group, last, position);
  return last_block.end();
}

/// The message to the member `distance` positions after the rank, or from the member `distance` before it.
Operation RingAlltoall::message(Rank rank, Rank distance, std::int32_t round, Action direction) const {
  const auto [position, group] = group_position(rank);
  const bool sends = direction == Action::send;
  const auto other = sends ? after(position, distance) : before(position, distance);
  const auto [offset, bytes] =
      sends ? blocks_->sent(group, position, other) : blocks_->received(group, other, position);
  return {.action = direction,
          .peer = groups_.member(group, other),
          .round = round,
          .block = {sends ? kSend : kReceive, offset, bytes}};
}

/// A cursor's position is round << 32 | slot. Slot 0 copies the rank's own block (first round only); the next
/// slots are the receives, the sends, the start and the wait.
bool RingAlltoall::next(Rank rank, Cursor& cursor, Operation& operation) const {
  for (;;) {
    const auto round = static_cast<std::int32_t>(cursor.position >> 32);
    const auto slot = static_cast<Rank>(cursor.position & 0xffffffff);
    if (slot == 0) {
      cursor.position |= 1;
      if (round > 0) continue;
      const auto own_block = message(rank, 0, 0, Action::send).block;
      operation = {
          .action = Action::copy, .block = own_block, .target = message(rank, 0, 0, Action::receive).block};
      if (own_block.size_bytes > 0) return true;
      continue;
    }
    if (round >= n_rounds_) return false;
    const auto n_earlier = round * k_, n_partners = std::min(k_, groups_.size - 1 - n_earlier);
    ++cursor.position;
    if (slot <= 2 * n_partners) {
      operation = slot <= n_partners ? message(rank, n_earlier + slot, round, Action::receive)
                                     : message(rank, n_earlier + slot - n_partners, round, Action::send);
      if (operation.block.size_bytes > 0) return true;
      continue;
    }
    const bool starts = slot == 2 * n_partners + 1;
    operation = {.action = starts ? Action::start : Action::wait, .round = round};
    if (!starts) cursor.position = std::uint64_t(round + 1) << 32;
    return true;
  }
}

/// Fast path for rounds with one receive and one send, for a cursor before the receive.
bool RingAlltoall::next_sendrecv(Rank rank, Cursor& cursor, Sendrecv& operation) const {
  const auto round = static_cast<std::int32_t>(cursor.position >> 32);
  const auto slot = static_cast<Rank>(cursor.position & 0xffffffff);
  if (k_ > 1 || round >= n_rounds_ || slot > 1 || (slot == 0 && round == 0)) return false;
  const auto [position, group] = group_position(rank);
  const auto to = after(position, round + 1), from = before(position, round + 1);
  const auto sent_bytes = blocks_->bytes(group, position, to);
  const auto received_bytes = blocks_->bytes(group, from, position);
  if (sent_bytes == 0 || received_bytes == 0) return false;
  operation = {groups_.member(group, to), groups_.member(group, from), round, sent_bytes, received_bytes};
  cursor.position = std::uint64_t(round + 1) << 32;
  return true;
}

}  // namespace halcyon::schedule
