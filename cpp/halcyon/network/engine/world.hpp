#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "halcyon/base/large_pages.hpp"
#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/engine/engine.hpp"
#include "halcyon/network/engine/history.hpp"
#include "halcyon/network/engine/packet.hpp"
#include "halcyon/network/engine/rank_state.hpp"

namespace halcyon::network {

/// Large networks have several times as many as ranks, so all is in two numbers.
struct alignas(16) LinkState {
  static constexpr int kByteBits = 56;
  static constexpr std::int64_t kMostBytes = (std::int64_t{1} << kByteBits) - 1;

  Time free = 0;  ///< when its last byte so far leaves
  std::uint64_t bytes : kByteBits = 0;
  std::uint64_t kind : 64 - kByteBits = 0;
};
static_assert(sizeof(LinkState) == 16);

/// What all that crosses a switch shares, one packet at a time.
struct CrossbarState {
  Time free = 0;
  std::int64_t bytes = 0;
};

/// When a packet has a crossbar.
struct Turn {
  Time begin = 0, end = 0;
};

/// A NIC sends one message at a time; ranks that share it wait in line.
struct alignas(64) NicState {
  Time in_free = 0, out_free = 0;  ///< into the network, out of it
  std::int64_t in_bytes = 0, out_bytes = 0;
  std::int64_t left = 0;  ///< bytes of the present message that have not begun to leave
  Rank sender = kNone;    ///< whose message that is
  Rank line = kNone, line_end = kNone;
};

/// How fast links of a kind are; the latency includes the switch at the end.
struct Speed {
  Pace pace;
  Time latency = 0;
};

/// Everything that grows with ranks, NICs and links. A thread touches what belongs to its part alone:
/// switches, their outgoing links, their nodes and the ranks on these.
struct World {
  World(const schedule::Schedule& schedule, const Routing& routing, const Machine& machine,
        const Placement& placement, const Options& options, int n_parts);

  const schedule::Schedule& schedule;
  const Topology& topology;
  const Routing& routing;
  const Machine& machine;
  const Placement& placement;
  const Options& options;

  Places places;              ///< with the NICs of nodes up to the last one that has ranks
  std::vector<Speed> speeds;  ///< (kind)
  Speed in, out, memory;
  Pace crossbar;  ///< no time where there is no limit
  Time send_overhead, receive_overhead;
  std::int64_t most_sends;  ///< from so many on the overheads of a round's sends reach the end of time
  std::int32_t messages_at_once;
  Time window;  ///< [ps] within which nothing that happens at one switch reaches another
  std::int64_t chunk_bytes;
  bool shares;  ///< nodes have several ranks

  Large<LinkState> links;
  History history;                       ///< of links, where asked for
  std::vector<CrossbarState> crossbars;  ///< (switch), empty where there is no limit
  std::vector<Time> waiting;  ///< (link) that those without room behind it will take; of `packet` alone
  Large<NicState> nics;
  Large<RankState> ranks;
  std::vector<Time> memory_free;             ///< (node, channel), where `shares`
  std::vector<std::uint8_t> part_of_switch;  ///< empty where there is one part
  std::vector<Time> stage_finish;            ///< (rank, stage), where asked for

  std::int32_t nic(Rank rank) const {
    const auto nics = machine.nics_per_node;
    return nics == 1 ? placement.node(rank) : placement.node(rank) * nics + placement.slot(rank) % nics;
  }
  Time& memory_of(Rank rank) {
    const auto channels = std::size_t(machine.memory_channels);
    return memory_free[placement.node(rank) * channels + placement.slot(rank) % channels];
  }
  int part(Switch at) const { return part_of_switch.empty() ? 0 : part_of_switch[at]; }
  int part_of_rank(Rank rank) const {
    return part_of_switch.empty() ? 0 : part(topology.switch_of(placement.node(rank)));
  }
  std::int32_t pair_bin(Rank rank) const {
    return static_cast<std::int32_t>(std::int64_t{rank} * options.pair_bins / std::ssize(ranks));
  }
  /// The rest of a packet's route, as routings want it.
  Route route(const Packet& packet) const {
    return {.source = packet.started ? kNone : placement.node(packet.source),
            .target = packet.started && packet.legs == 0 ? kNone : placement.node(packet.target),
            .flow = packet.flow,
            .goal = packet.goal,
            .choice = packet.choice,
            .legs = packet.legs};
  }
  /// Gives a packet that stands at a switch its turn on the crossbar.
  Turn turn(const Packet& packet, Switch at, Time now) {
    if (packet.bypass) return {};
    auto& state = crossbars[at];
    const auto begin = std::max(now, state.free);
    state.free = begin + crossbar(packet.bytes);
    state.bytes += packet.bytes;
    return {begin, state.free};
  }
  /// @throws InputError for a message that is under way for too long
  [[noreturn, gnu::cold]] void refuse_way(const Packet& packet, Time end) const;
  /// @throws InputError for a link that carries too much
  [[noreturn, gnu::cold]] static void refuse_load(Link link);
  /// What a message's delay would be if it were alone, on a minimal route.
  Time idle_delay(const Packet& packet) const;

 private:
  void note_kinds();
  void divide(int n_parts);
  std::unique_ptr<Routing> minimal_;  // with pair bins
};

/// Run all ranks, at the fidelity of the name; packets with back-pressure.
void run_packets(World& world, Result& result);
void run_chunks(World& world, Result& result);
void run_reserve(World& world, Result& result);
void run_analytic(World& world, Result& result);

}  // namespace halcyon::network
