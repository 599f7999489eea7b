// Matching of arriving messages with posted receives. The rounds of a rank are a linked list of records.

#include "halcyon/network/engine/executor.hpp"

namespace halcyon::network {

void Matching::receive(Rank rank, Rank source, std::int64_t bytes, Time arrival) {
  auto& state = simulation_.ranks[rank];
  for (auto record = state.rounds; record != kNoRecord; record = partition_.rounds[record].next) {
    if (partition_.rounds[record].has_started() && match_round(rank, record, source, bytes, arrival)) return;
  }
  state.unexpected.add(unexpected_blocks_,
                       {.bytes = bytes, .arrived = arrival, .source = source, .kind = PacketKind::data});
}

bool Matching::match_round(Rank rank, std::uint32_t record, Rank source, std::int64_t bytes, Time arrival) {
  auto& round = partition_.rounds[record];
  if (!round.receives.match(runs_, source, bytes)) return false;
  --round.receives_left;
  round.done =
      simulation_.noise.busy_until(rank, std::max(round.done, arrival),
                                   simulation_.receive_overhead + simulation_.copy_time(rank, source, bytes));
  require_before_end(rank, "receives", round.done);
  partition_.update_ready(rank, round);
  return true;
}

void Matching::receive_request(Rank rank, Rank source, std::int64_t bytes, Time arrival) {
  auto& state = simulation_.ranks[rank];
  for (auto record = state.rounds; record != kNoRecord; record = partition_.rounds[record].next) {
    const auto& round = partition_.rounds[record];
    if (!round.has_started() || !round.receives.has_pending(runs_, source, bytes)) continue;
    partition_.send_control(PacketKind::clear_to_send, rank, source, bytes,
                            std::max(arrival, round.started_at));
    return;
  }
  state.unexpected.add(
      unexpected_blocks_,
      {.bytes = bytes, .arrived = arrival, .source = source, .kind = PacketKind::request_to_send});
}

void Matching::match_unexpected(Rank rank, RankState& state, std::uint32_t record) {
  const auto& round = partition_.rounds[record];
  const auto has_receives = [&] { return round.receives_left > 0; };
  state.unexpected.remove(unexpected_blocks_, has_receives, [&](const UnexpectedMessage& message) {
    if (message.kind == PacketKind::data)
      return match_round(rank, record, message.source, message.bytes, message.arrived);
    if (!round.receives.has_pending(runs_, message.source, message.bytes)) return false;
    partition_.send_control(PacketKind::clear_to_send, rank, message.source, message.bytes, state.clock);
    return true;
  });
}

/// Adds the bytes of a message to the NICs that received it.
void Matching::count_ejected(const Packet& packet, std::int64_t bytes) {
  auto& nics = simulation_.nics;
  if (!simulation_.is_striped) {
    nics[simulation_.target_nic(packet)].ejected_bytes += bytes;
    return;
  }
  const auto n_nics = simulation_.nics_per_node, first_nic = simulation_.nic_on_node(packet.source);
  for (std::int32_t i = 0; i < simulation_.n_stripes(bytes); ++i)
    nics[simulation_.placement.node(packet.target) * n_nics + (first_nic + i) % n_nics].ejected_bytes +=
        simulation_.stripe_bytes(bytes, i);
}

void Matching::count_delivery(const Packet& packet, Time arrival) {
  auto& statistics = partition_.statistics;
  const auto delay = arrival - packet.sent;
  const auto bytes = static_cast<std::int64_t>(packet.message_bytes);
  ++statistics.counts.messages;
  statistics.counts.bytes += bytes;
  statistics.delays.add(delay);
  statistics.delay_sum += delay;
  statistics.delay_max = std::max(statistics.delay_max, delay);
  count_ejected(packet, bytes);
  if (!simulation_.needs_idle_delays()) return;
  const auto idle = simulation_.idle_delay(packet);
  if (simulation_.options.record_slowdown)
    statistics.slowdowns.add(
        static_cast<Time>(Int128{delay} * Statistics::kSlowdownUnit / std::max<Time>(idle, 1)));
  if (!statistics.pair_messages.empty()) {
    const auto pair = simulation_.pair_bin(packet.source) * simulation_.options.pair_bins +
                      simulation_.pair_bin(packet.target);
    ++statistics.pair_messages[pair];
    statistics.pair_delay[pair] += delay - idle;
  }
}

}  // namespace halcyon::network
