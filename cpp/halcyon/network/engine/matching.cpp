#include "halcyon/network/engine/executor.hpp"

namespace halcyon::network {

void Matching::receive(Rank rank, Rank source, std::int64_t bytes, Time arrival) {
  auto& state = world_.ranks[rank];
  for (auto at = state.rounds; at != kNobody; at = part_.rounds[at].next) {
    if (part_.rounds[at].started() && tick_off(rank, at, source, bytes, arrival)) return;
  }
  state.unexpected.add(unexpected_,
                       {.bytes = bytes, .arrived = arrival, .source = source, .kind = Kind::data});
}

bool Matching::tick_off(Rank rank, std::uint32_t number, Rank source, std::int64_t bytes, Time arrival) {
  auto& round = part_.rounds[number];
  if (!round.receives.tick_off(runs_, source, bytes)) return false;
  --round.receives_left;
  round.done = std::max(round.done, arrival) + world_.receive_overhead;
  require_time(rank, "receives", round.done);
  part_.note_progress(rank, round);
  return true;
}

void Matching::request(Rank rank, Rank source, std::int64_t bytes, Time arrival) {
  auto& state = world_.ranks[rank];
  for (auto at = state.rounds; at != kNobody; at = part_.rounds[at].next) {
    const auto& round = part_.rounds[at];
    if (!round.started() || !round.receives.awaits(runs_, source, bytes)) continue;
    part_.send_control(Kind::clearance, rank, source, bytes, std::max(arrival, round.started_at));
    return;
  }
  state.unexpected.add(unexpected_,
                       {.bytes = bytes, .arrived = arrival, .source = source, .kind = Kind::request});
}

void Matching::match_unexpected(Rank rank, RankState& state, std::uint32_t number) {
  const auto& round = part_.rounds[number];
  const auto wants = [&] { return round.receives_left > 0; };
  state.unexpected.remove(unexpected_, wants, [&](const Unexpected& message) {
    if (message.kind == Kind::data)
      return tick_off(rank, number, message.source, message.bytes, message.arrived);
    if (!round.receives.awaits(runs_, message.source, message.bytes)) return false;
    part_.send_control(Kind::clearance, rank, message.source, message.bytes, state.clock);
    return true;
  });
}

void Matching::count(const Packet& packet, Time arrival) {
  auto& statistics = part_.statistics;
  const auto delay = arrival - packet.sent;
  const auto bytes = static_cast<std::int64_t>(packet.message_bytes);
  ++statistics.counts.messages;
  statistics.counts.bytes += bytes;
  statistics.delays.add(delay);
  statistics.delay_sum += delay;
  statistics.delay_max = std::max(statistics.delay_max, delay);
  world_.nics[world_.nic(packet.target)].out_bytes += bytes;
  if (!statistics.pair_messages.empty()) {
    const auto pair =
        world_.pair_bin(packet.source) * world_.options.pair_bins + world_.pair_bin(packet.target);
    ++statistics.pair_messages[pair];
    statistics.pair_delay[pair] += delay - world_.idle_delay(packet);
  }
}

}  // namespace halcyon::network
