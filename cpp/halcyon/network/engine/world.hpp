#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "halcyon/base/large_pages.hpp"
#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/engine/engine.hpp"
#include "halcyon/network/engine/packet.hpp"
#include "halcyon/network/engine/receives.hpp"

namespace halcyon::network {

/// What each link carries over time, in bins of equal width, and the longest wait of what comes to it.
///
/// There are as many bins as are asked for. Where a crossing ends beyond the last, the link's bins become
/// twice as wide, two in one. The bytes of a crossing are divided by their cumulative share at the bins'
/// edges, so that two bins in one hold what a wider one would have been given: the result depends on neither
/// the order of crossings nor threads. A link is used by one thread alone.
class History {
 public:
  History(Link n_links, std::int32_t n_bins)
      : n_bins_(n_bins),
        bins_(static_cast<std::size_t>(n_links) * n_bins),
        shifts_(n_bins > 0 ? n_links : 0, kShortest) {}

  bool on() const { return n_bins_ > 0; }

  /// Bytes that came to a link at `came`, and cross its beginning from `start` on.
  void add(Link link, Time came, Time start, Time takes, std::int64_t bytes) {
    const Time end = start + std::max<Time>(takes, 1);
    while ((end - 1) >> shifts_[link] >= n_bins_) widen(link);
    const auto shift = shifts_[link];
    auto* bins = &bins_[static_cast<std::size_t>(link) * n_bins_];
    auto& wait = bins[std::max<Time>(came, 0) >> shift].wait;
    wait = std::max(wait, start - came);
    const Time last = (end - 1) >> shift;
    std::int64_t before = 0;
    for (Time bin = start >> shift; bin < last; ++bin) {
      const Time edge = (bin + 1) << shift;
      const auto until = static_cast<std::int64_t>(Wide{bytes} * (edge - start) / takes);
      bins[bin].bytes += until - before;
      before = until;
    }
    bins[last].bytes += bytes - before;
  }

  /// Writes the bins from 0 to `end`, of all links as wide as the widest.
  void write(Time end, Result& result);

 private:
  static constexpr std::uint8_t kShortest = 10;  // 1.024 ns, which no crossing of interest is shorter than
  struct Bin {
    std::int64_t bytes = 0;
    Time wait = 0;
  };

  void widen(Link link);

  std::int32_t n_bins_;
  Large<Bin> bins_;                   // (link, bin)
  std::vector<std::uint8_t> shifts_;  // (link): a bin is 2^shift ps wide
};

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

/// A round under way. Of its sends the first is kept; the others are read again from the schedule when the
/// NIC is free for them.
struct Round {
  std::int32_t number = 0;
  std::uint32_t next = kNobody;  ///< of the rank's rounds
  std::int32_t n_sends = 0, n_sent = 0;
  std::int32_t sends_left = 0, receives_left = 0;  ///< not yet completed
  Time started_at = kNever, done = 0;
  std::int64_t bytes = 0;  ///< of the first send
  Rank peer = kNone;
  bool taken = false;
  schedule::Cursor cursor;  ///< behind the send that was read last
  Receives receives;

  bool started() const { return started_at != kNever; }
  bool complete() const { return started() && sends_left == 0 && receives_left == 0; }
};
static_assert(sizeof(Round) == 112);

/// What a rank's message for its NIC is: the next send of a round, one that has clearance, the rest
/// of one that has left in part.
enum class Out : std::uint8_t { send, rendezvous, partial };

enum class Doing : std::uint8_t { running, waiting, pausing, done };

/// A rank: where it stands in the schedule, its clock, and the message that it is about to send. Three cache
/// lines.
struct alignas(64) RankState {
  schedule::Cursor cursor;
  Time clock = 0;
  UnexpectedMessages unexpected;
  std::uint32_t rounds = kNobody;      ///< its rounds, oldest first
  std::uint32_t rendezvous = kNobody;  ///< messages that wait for, or have, clearance
  std::uint32_t partial = kNobody;     ///< messages that have left in part, in turn
  std::uint32_t out = kNobody;         ///< the message that waits for the NIC or is on it, as `out_is` says
  std::int32_t round = 0;              ///< waiting: for which; pausing: which it is to start
  std::uint32_t order = 0;             ///< of the next message or control message
  Rank next_in_line = kNone;
  std::int32_t stage : 27 = 0;  ///< that it is in
  Out out_is : 2 = Out::send;
  Doing doing : 3 = Doing::running;
  Round own;  ///< `Rounds`
};
static_assert(sizeof(RankState) == 192);

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

/// A fidelity, which its fabric declares.
struct FidelityEntry : options::Choice {
  void (*run)(World& world, Result& result);  ///< runs all ranks
};

FidelityEntry packet_fidelity(), chunk_fidelity(), reserve_fidelity(), analytic_fidelity();

}  // namespace halcyon::network
