#pragma once

#include "halcyon/network/engine/part_state.hpp"

namespace halcyon::network {

/// Matches what comes to a part's ranks with their receives. What comes before its receive is kept.
class Matching {
 public:
  explicit Matching(PartState& part) : part_(part), world_(part.world) {}

  void add_receive(Round& round, Rank source, std::int64_t bytes) {
    round.receives.add(runs_, source, bytes);
    ++round.receives_left;
  }
  /// The round has ended.
  void clear(Round& round) { round.receives.clear(runs_); }

  /// The last byte of a message from another node stands in the target's NIC.
  void arrive(const Packet& packet, Time arrival) {
    count(packet, arrival);
    receive(packet.target, packet.source, static_cast<std::int64_t>(packet.message_bytes), arrival);
  }
  /// Matches a message with the rank's oldest receive from that source of that size.
  void receive(Rank rank, Rank source, std::int64_t bytes, Time arrival);
  /// A sender asks whether it may send: it may as soon as the receive has started.
  void request(Rank rank, Rank source, std::int64_t bytes, Time arrival);
  /// Matches what has come before with a round that starts, in the order in which it came.
  void match_unexpected(Rank rank, RankState& state, std::uint32_t round);

  void prefetch_unexpected(Rank rank) const { world_.ranks[rank].unexpected.prefetch(unexpected_); }

  /// Calls see(source, bytes) for each receive of a round whose message has not come.
  template <class See>
  void each_open(const Round& round, See see) const {
    round.receives.each_open(runs_, see);
  }
  /// Calls see(message) for each that no receive has taken.
  template <class See>
  void each_unexpected(const RankState& state, See see) const {
    state.unexpected.each(unexpected_, see);
  }

 private:
  bool tick_off(Rank rank, std::uint32_t round, Rank source, std::int64_t bytes, Time arrival);
  void count(const Packet& packet, Time arrival);

  PartState& part_;
  World& world_;
  FreeList<Run> runs_;
  UnexpectedMessages::Blocks unexpected_;
};

}  // namespace halcyon::network
