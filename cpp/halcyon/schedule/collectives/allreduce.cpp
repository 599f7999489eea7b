#include "halcyon/schedule/collectives/allreduce.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {
namespace {

constexpr std::int32_t kData = 0, kReceived = 1;  // indices of the buffers
constexpr std::int64_t kNumberBytes = 8;

/// First round: folded ranks send their data to core ranks. Next rounds: core ranks exchange. Last round:
/// folded ranks receive the result.
enum class RoundKind { fold_in, core_exchange, return_result };

}  // namespace

/// The role of a rank in a round: its numbers of receives, sends and combinations.
struct Allreduce::RoundRole {
  RoundKind kind;
  Rank n_received, n_sent, n_combined;
  /// core_exchange: lowest rank of the group that exchanges data, distance between its members in ranks, and
  /// index of this rank in it.
  Rank first_member = 0, distance = 1, own_index = 0;
};

Allreduce::Allreduce(Rank n_ranks, std::int64_t data_bytes, Rank radix)
    : n_ranks_(n_ranks), bytes_(data_bytes), radix_(std::min(radix, std::max(n_ranks, 2))) {
  require<ConfigError>(n_ranks >= 1, "An allreduce has {} ranks. Give 1 or more.", n_ranks);
  require<ConfigError>(radix >= 2, "The radix of an allreduce is {}. Give 2 or more.", radix);
  require<ConfigError>(data_bytes >= 0, "An allreduce has {} bytes. Give 0 or more.", data_bytes);
  radix_divisor_ = Divisor(radix_);
  for (; std::int64_t{n_core_ranks_} * radix_ <= n_ranks; n_core_ranks_ *= radix_)
    distances_.push_back(Divisor(n_core_ranks_));
}

std::int64_t Allreduce::buffer_bytes(Rank rank, std::int32_t buffer) const {
  if (buffer == kData) return bytes_;
  if (rank >= n_core_ranks_) return 0;
  const auto n_partners = distances_.empty() ? 0 : radix_ - 1;
  return std::max(n_partners, n_folded(rank)) * bytes_;
}

Allreduce::RoundRole Allreduce::role_of(Rank rank, std::int32_t round) const {
  const std::int32_t n_fold_rounds = n_core_ranks_ < n_ranks_;
  if (n_fold_rounds && (round == 0 || round + 1 == n_rounds())) {
    const bool is_fold_in = round == 0;
    const auto n_messages = rank < n_core_ranks_ ? n_folded(rank) : 1;
    const bool receives = is_fold_in == (rank < n_core_ranks_);
    const auto kind = is_fold_in ? RoundKind::fold_in : RoundKind::return_result;
    const Rank n_received = receives ? n_messages : 0, n_sent = receives ? 0 : n_messages;
    return {kind, n_received, n_sent, /*n_combined=*/is_fold_in ? n_received : 0};
  }
  if (rank >= n_core_ranks_)
    return {.kind = RoundKind::core_exchange, .n_received = 0, .n_sent = 0, .n_combined = 0};
  const auto& distance_divisor = distances_[round - n_fold_rounds];
  const auto distance = distance_divisor.value(),
             own_index = remainder(quotient(rank, distance_divisor), radix_divisor_);
  // The first member combines into its data. Others combine into the first received block, and then copy it.
  const Rank n_partners = radix_ - 1, n_combined = radix_ - (own_index == 0),
             first_member = rank - own_index * distance;
  return {RoundKind::core_exchange, n_partners, n_partners, n_combined, first_member, distance, own_index};
}

/// Returns combination `number` of a round, or its final copy, in the order of the contributing ranks.
Operation Allreduce::combination(const RoundRole& role, Rank number) const {
  const auto received = [this](Rank i) { return Block{kReceived, i * bytes_, bytes_}; };
  const Block data{kData, 0, bytes_};
  if (role.kind == RoundKind::fold_in || role.own_index == 0)
    return {.action = Action::combine, .block = received(number), .target = data};
  if (number + 1 == role.n_combined) return {.action = Action::copy, .block = received(0), .target = data};
  const auto member = number + 1;
  const auto block =
      member == role.own_index ? data : received(member < role.own_index ? member : member - 1);
  return {.action = Action::combine, .block = block, .target = received(0)};
}

/// A cursor's position is round << 32 | slot. Slots: the receives, the sends, start, wait, the combinations.
bool Allreduce::next(Rank rank, Cursor& cursor, Operation& operation) const {
  for (;;) {
    const auto round = static_cast<std::int32_t>(cursor.position >> 32);
    if (round >= n_rounds()) return false;
    const auto role = role_of(rank, round);
    auto slot = static_cast<Rank>(cursor.position++ & 0xffffffff);
    const bool receives = slot < role.n_received;
    if (!receives) slot -= role.n_received;
    if (receives || slot < role.n_sent) {
      if (bytes_ == 0) continue;
      auto peer = rank < n_core_ranks_ ? folded_rank(rank, slot)
                                       : n_core_ranks_ - 1 - (n_ranks_ - 1 - rank) % n_core_ranks_;
      auto received_index = slot;
      if (role.kind == RoundKind::core_exchange) {
        const auto offset = receives ? radix_ - 1 - slot : slot + 1;
        const auto member =
            role.own_index + offset < radix_ ? role.own_index + offset : role.own_index + offset - radix_;
        peer = role.first_member + member * role.distance;
        received_index = member < role.own_index ? member : member - 1;
      }
      const bool is_received = receives && rank < n_core_ranks_;
      operation = {
          .action = receives ? Action::receive : Action::send,
          .peer = peer,
          .round = round,
          .block = {is_received ? kReceived : kData, is_received ? received_index * bytes_ : 0, bytes_}};
      return true;
    }
    slot -= role.n_sent;
    if (slot == 1 + role.n_combined) cursor.position = std::uint64_t(round + 1) << 32;
    if (slot >= 2 && bytes_ == 0) continue;
    operation = slot >= 2 ? combination(role, slot - 2)
                          : Operation{.action = slot == 0 ? Action::start : Action::wait, .round = round};
    return true;
  }
}

/// Fast path for the exchanges of core ranks with radix 2.
bool Allreduce::next_sendrecv(Rank rank, Cursor& cursor, Sendrecv& operation) const {
  const auto round = static_cast<std::int32_t>(cursor.position >> 32);
  const auto slot = static_cast<Rank>(cursor.position & 0xffffffff);
  const auto n_fold_rounds = static_cast<std::int32_t>(n_core_ranks_ < n_ranks_);
  const auto core_round = round - n_fold_rounds;
  if (radix_ != 2 || rank >= n_core_ranks_ || bytes_ == 0 || slot > 0 || core_round < 0 ||
      core_round >= std::ssize(distances_))
    return false;
  const auto partner = rank ^ distances_[core_round].value();
  operation = {partner, partner, round, bytes_, bytes_};
  cursor.position += 4;  // slots: receive, send, start, wait
  return true;
}

Sequence gcr(Rank n_ranks, const GcrOptions& options) {
  const auto& [n_iterations, n_directions, radix, n_numbers, compute_s] = options;
  require<ConfigError>(n_iterations >= 1 && n_directions >= 1 && n_numbers >= 0 && compute_s >= 0,
                       "GCR has {} iterations, {} directions, {} numbers per allreduce and computes {} s. "
                       "Give at least 1, 1, 0 and 0.",
                       n_iterations, n_directions, n_numbers, compute_s);
  std::vector<SchedulePointer> allreduces(std::max({n_directions, n_numbers, 2}) + 1), parts;
  const auto computation = std::make_shared<Computation>(n_ranks, /*work=*/0, compute_s);
  const auto add_allreduce = [&](std::int32_t n_numbers_in_algorithm) {
    if (compute_s > 0) parts.push_back(computation);
    const auto n = n_numbers > 0 ? n_numbers : n_numbers_in_algorithm;
    if (!allreduces[n]) allreduces[n] = std::make_shared<Allreduce>(n_ranks, kNumberBytes * n, radix);
    parts.push_back(allreduces[n]);
  };
  for (std::int32_t i = 1; i <= n_iterations; ++i) {
    add_allreduce(std::min(i, n_directions));
    add_allreduce(2);
  }
  return Sequence(std::move(parts));
}

}  // namespace halcyon::schedule
