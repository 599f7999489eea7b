#include "halcyon/schedule/collectives/allreduce.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::schedule {
namespace {

constexpr std::int32_t kData = 0, kReceived = 1;
constexpr std::int64_t kNumberBytes = 8;

/// First round: ranks outside the core send their data to core ranks. Next rounds: core ranks exchange. Last
/// round: the other ranks receive the result.
enum class RoundKind { fold_in, core_exchange, return_result };

}  // namespace

/// The role of a rank in a round: numbers of receives, sends and combinations.
struct Allreduce::RoundRole {
  RoundKind kind;
  Rank n_received, n_sent, n_combined;
  /// Core ranks: first partner, distance between partners, and position of the rank among the partners.
  Rank first_partner = 0, distance = 1, own_digit = 0;
};

Allreduce::Allreduce(Rank n_ranks, std::int64_t data_bytes, Rank radix)
    : n_ranks_(n_ranks), bytes_(data_bytes), radix_(std::min(radix, std::max(n_ranks, 2))) {
  require<ConfigError>(n_ranks >= 1, "An allreduce has {} ranks. Give 1 or more.", n_ranks);
  require<ConfigError>(radix >= 2, "The radix of an allreduce is {}. Give 2 or more.", radix);
  require<ConfigError>(data_bytes >= 0, "An allreduce has {} bytes. Give 0 or more.", data_bytes);
  radix_divisor_ = Divisor(radix_);
  for (; std::int64_t{core_} * radix_ <= n_ranks; core_ *= radix_) distances_.push_back(Divisor(core_));
}

std::int64_t Allreduce::buffer_bytes(Rank rank, std::int32_t buffer) const {
  if (buffer == kData) return bytes_;
  if (rank >= core_) return 0;
  const auto partners = distances_.empty() ? 0 : radix_ - 1;
  return std::max(partners, n_folded(rank)) * bytes_;
}

Allreduce::RoundRole Allreduce::role_of(Rank rank, std::int32_t round) const {
  const std::int32_t n_fold_rounds = core_ < n_ranks_;
  if (n_fold_rounds && (round == 0 || round + 1 == n_rounds())) {
    const bool is_fold_in = round == 0;
    const auto n = rank < core_ ? n_folded(rank) : 1;
    const bool receives = is_fold_in == (rank < core_);
    return {is_fold_in ? RoundKind::fold_in : RoundKind::return_result, receives ? n : 0, receives ? 0 : n,
            is_fold_in && rank < core_ ? n : 0};
  }
  if (rank >= core_) return {RoundKind::core_exchange, 0, 0, 0};
  const auto& distance_divisor = distances_[round - n_fold_rounds];
  const auto distance = distance_divisor.value(),
             own_digit = radix_divisor_.remainder(distance_divisor.quotient(rank));
  // A rank that is not the first partner computes the result in the first received block, then copies it.
  return {RoundKind::core_exchange,    radix_ - 1, radix_ - 1, radix_ - (own_digit == 0),
          rank - own_digit * distance, distance,   own_digit};
}

/// Returns combination `number` of a round; combinations are in the order of the ranks that contributed data.
Operation Allreduce::combination(const RoundRole& role, Rank number) const {
  const auto received = [this](Rank i) { return Block{kReceived, i * bytes_, bytes_}; };
  const Block data{kData, 0, bytes_};
  if (role.kind == RoundKind::fold_in || role.own_digit == 0)
    return {.action = Action::combine, .block = received(number), .target = data};
  if (number + 1 == role.n_combined) return {.action = Action::copy, .block = received(0), .target = data};
  const auto partner = number + 1;
  const auto block =
      partner == role.own_digit ? data : received(partner < role.own_digit ? partner : partner - 1);
  return {.action = Action::combine, .block = block, .target = received(0)};
}

/// A cursor's position is round << 32 | slot; slots: the receives, sends, start, wait and combinations.
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
      auto peer = rank < core_ ? folded_rank(rank, slot) : core_ - 1 - (n_ranks_ - 1 - rank) % core_;
      auto received_index = slot;
      if (role.kind == RoundKind::core_exchange) {
        const auto offset = receives ? radix_ - 1 - slot : slot + 1;
        const auto partner =
            role.own_digit + offset < radix_ ? role.own_digit + offset : role.own_digit + offset - radix_;
        peer = role.first_partner + partner * role.distance;
        received_index = partner < role.own_digit ? partner : partner - 1;
      }
      const bool is_received = receives && rank < core_;
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

/// Fast path for pairwise exchanges (radix 2).
bool Allreduce::next_sendrecv(Rank rank, Cursor& cursor, Sendrecv& operation) const {
  const auto round = static_cast<std::int32_t>(cursor.position >> 32);
  const auto slot = static_cast<Rank>(cursor.position & 0xffffffff);
  const auto n_fold_rounds = static_cast<std::int32_t>(core_ < n_ranks_);
  const auto step = round - n_fold_rounds;
  if (radix_ != 2 || rank >= core_ || bytes_ == 0 || slot > 0 || step < 0 || step >= std::ssize(distances_))
    return false;
  const auto partner = rank ^ distances_[step].value();
  operation = {partner, partner, round, bytes_, bytes_};
  cursor.position += 4;
  return true;
}

Sequence gcr(Rank n_ranks, const GcrOptions& options) {
  const auto& [n_iterations, n_directions, radix, n_numbers, compute_s] = options;
  require<ConfigError>(n_iterations >= 1 && n_directions >= 1 && n_numbers >= 0 && compute_s >= 0,
                       "GCR has {} iterations, {} directions, {} numbers per allreduce and computes {} s. "
                       "Give at least 1, 1, 0 and 0.",
                       n_iterations, n_directions, n_numbers, compute_s);
  std::vector<SchedulePointer> allreduces(std::max({n_directions, n_numbers, 2}) + 1), parts;
  const auto computation = std::make_shared<Computation>(n_ranks, 0, compute_s);
  const auto add = [&](std::int32_t numbers) {
    if (compute_s > 0) parts.push_back(computation);
    auto& part = allreduces[n_numbers > 0 ? n_numbers : numbers];
    if (!part)
      part =
          std::make_shared<Allreduce>(n_ranks, kNumberBytes * (n_numbers > 0 ? n_numbers : numbers), radix);
    parts.push_back(part);
  };
  for (std::int32_t i = 1; i <= n_iterations; ++i) {
    add(std::min(i, n_directions));
    add(2);
  }
  return Sequence(std::move(parts));
}

}  // namespace halcyon::schedule
