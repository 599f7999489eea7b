#include "halcyon/network/engine/ranks.hpp"

namespace halcyon::network {

/// A chunk of a message has left and others follow: its rank's next message has its turn, or the next rank's.
void Ranks::put_off(std::int32_t number, const Parcel& next) {
  auto& nic = world_.nics[number];
  const Rank rank = std::exchange(nic.sender, kNone);
  auto& state = world_.ranks[rank];
  const auto round = release_out(state), at = rests_.take_raw();
  rests_[at] = {.next = next, .left = nic.left, .round = round, .after = kNobody};
  auto* link = &state.rests;
  while (*link != kNobody) link = &rests_[*link].after;
  *link = at;
  nic.in_free = next.time - world_.in.latency;
  feed(rank);
  if (nic.sender == kNone && nic.line != kNone) {
    const Rank waiting = std::exchange(nic.line, world_.ranks[nic.line].next_in_line);
    send_from(number, waiting);
  }
  run_ready();
}

/// Until when a message must be ready to have its turn: where the rank has rests of others, no later than its
/// NIC is free, and not at all where it sends as many as it may.
Time Ranks::next_turn(Rank rank, const RankState& state) const {
  if (state.rests == kNobody) return kNever;
  std::int32_t n_rests = 0;
  for (auto at = state.rests; at != kNobody; at = rests_[at].after) ++n_rests;
  return n_rests < world_.messages_at_once ? world_.nics[world_.nic(rank)].in_free : -1;
}

bool Ranks::take_rest(RankState& state) {
  if (state.rests == kNobody) return false;
  state.out = std::exchange(state.rests, rests_[state.rests].after);
  state.out_is = Out::rest;
  return true;
}

/// The next chunk of a message whose turn it is.
void Ranks::go_on(std::int32_t number, Rank rank) {
  auto& nic = world_.nics[number];
  auto& rest = rests_[world_.ranks[rank].out];
  rest.next.time = nic.in_free + world_.in.latency;
  nic.sender = rank;
  nic.left = rest.left - rest.next.bytes;
  rest.next.last = nic.left == 0;
  inject(rest.next);
}

}  // namespace halcyon::network
