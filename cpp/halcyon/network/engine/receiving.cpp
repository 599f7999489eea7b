#include "halcyon/base/error.hpp"
#include "halcyon/network/engine/ranks.hpp"

namespace halcyon::network {

void Ranks::arrive(const Parcel& parcel, Time arrival) {
  now_ = parcel.time;
  const Rank source = parcel.source, target = parcel.target;
  const auto bytes = static_cast<std::int64_t>(parcel.message_bytes);
  switch (parcel.kind) {
    case Kind::request:
    case Kind::clearance:
      if (!postponed(parcel, arrival)) heed(parcel.kind, target, source, bytes, arrival);
      break;
    default:
      count(parcel, target, arrival);
      receive(target, source, bytes, arrival);
  }
  run_ready();
}

void Ranks::heed(Kind kind, Rank rank, Rank peer, std::int64_t bytes, Time when) {
  if (kind == Kind::request)
    requested(rank, peer, bytes, when);
  else
    cleared(rank, peer, bytes, when);
}

/// Where only calls make progress, a rank that computes heeds the protocol when it has done so.
bool Ranks::postponed(const Parcel& parcel, Time arrival) {
  const auto clock = world_.ranks[parcel.target].clock;
  if (!world_.machine.progress_in_calls || clock <= arrival) return false;
  const auto bytes = static_cast<std::int64_t>(parcel.message_bytes);
  auto later = this->parcel(Kind::resume, parcel.target, parcel.source, bytes, clock);
  later.time = clock;
  later.choice = static_cast<std::int32_t>(parcel.kind);
  calendar_.push(later);
  return true;
}

void Ranks::count(const Parcel& parcel, Rank target, Time arrival) {
  const auto delay = arrival - parcel.sent;
  const auto bytes = static_cast<std::int64_t>(parcel.message_bytes);
  ++tally_.counts.messages;
  tally_.counts.bytes += bytes;
  tally_.delays.add(delay);
  tally_.delay_sum += delay;
  tally_.delay_max = std::max(tally_.delay_max, delay);
  world_.nics[world_.nic(target)].out_bytes += bytes;
  if (!tally_.pair_messages.empty()) {
    const auto pair = world_.pair_bin(parcel.source) * world_.options.pair_bins + world_.pair_bin(target);
    ++tally_.pair_messages[pair];
    tally_.pair_delay[pair] += delay - world_.idle_delay(parcel);
  }
}

/// Matches a message with the rank's oldest receive from that source of that size.
void Ranks::receive(Rank rank, Rank source, std::int64_t bytes, Time arrival) {
  auto& state = world_.ranks[rank];
  for (auto at = state.rounds; at != kNobody; at = rounds_[at].next) {
    if (rounds_[at].started() && tick_off(rank, at, source, bytes, arrival)) return;
  }
  state.early.add(early_, {.bytes = bytes, .arrived = arrival, .source = source, .kind = Kind::data});
}

bool Ranks::tick_off(Rank rank, std::uint32_t number, Rank source, std::int64_t bytes, Time arrival) {
  auto& round = rounds_[number];
  if (!round.receives.tick_off(runs_, source, bytes)) return false;
  --round.receives_left;
  round.done = std::max(round.done, arrival) + world_.receive_overhead;
  require_time(rank, "receives", round.done);
  completed(rank, round);
  return true;
}

void Ranks::completed(Rank rank, const Round& round) {
  const auto& state = world_.ranks[rank];
  if (round.complete() && state.doing == Doing::waiting && state.round == round.number)
    ready_.push_back(rank);
}

/// Matches what has come early with a round that starts, in the order in which it came.
void Ranks::match_early(Rank rank, RankState& state, std::uint32_t number) {
  const auto& round = rounds_[number];
  const auto wants = [&] { return round.receives_left > 0; };
  state.early.remove(early_, wants, [&](const Early& early) {
    if (early.kind == Kind::data) return tick_off(rank, number, early.source, early.bytes, early.arrived);
    if (!round.receives.awaits(runs_, early.source, early.bytes)) return false;
    send_control(Kind::clearance, rank, early.source, early.bytes, state.clock);
    return true;
  });
}

void Ranks::requested(Rank rank, Rank source, std::int64_t bytes, Time arrival) {
  auto& state = world_.ranks[rank];
  for (auto at = state.rounds; at != kNobody; at = rounds_[at].next) {
    const auto& round = rounds_[at];
    if (!round.started() || !round.receives.awaits(runs_, source, bytes)) continue;
    send_control(Kind::clearance, rank, source, bytes, std::max(arrival, round.started_at));
    return;
  }
  state.early.add(early_, {.bytes = bytes, .arrived = arrival, .source = source, .kind = Kind::request});
}

/// The rank's oldest message of that size to that peer may go.
void Ranks::cleared(Rank rank, Rank peer, std::int64_t bytes, Time arrival) {
  auto& state = world_.ranks[rank];
  auto at = state.held;
  while (held_[at].cleared || held_[at].peer != peer || held_[at].bytes != bytes) at = held_[at].next;
  held_[at].cleared = true;
  held_[at].ready = std::max(held_[at].ready, arrival);
  feed(rank);
}

}  // namespace halcyon::network
