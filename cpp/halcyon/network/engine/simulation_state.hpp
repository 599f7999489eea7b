#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "halcyon/base/large_pages.hpp"
#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/engine/engine.hpp"
#include "halcyon/network/engine/message_queues.hpp"
#include "halcyon/network/engine/noise.hpp"
#include "halcyon/network/engine/packet.hpp"

namespace halcyon::network {

/// Load of each link over time, in bins of equal width: bytes, and the longest queueing delay of arriving
/// packets.
///
/// The number of bins is fixed. When a transmission ends after the last bin, pairs of the link's bins are
/// merged and the width is doubled. The bytes of a transmission are divided among the bins by rounding the
/// cumulative sum at each edge of a bin, so that two merged bins hold what one wider bin would have received:
/// the result depends neither on the order of transmissions nor on threads. Only one thread accesses a link.
class LinkHistory {
 public:
  LinkHistory(Link n_links, std::int32_t n_bins)
      : n_bins_(n_bins),
        bins_(static_cast<std::size_t>(n_links) * n_bins),
        shifts_(n_bins > 0 ? n_links : 0, kMinBinShift) {}

  bool is_enabled() const { return n_bins_ > 0; }

  /// Adds a packet that arrives at a link at `arrival` and is transmitted from `start` on.
  void add(Link link, Time arrival, Time start, Time duration, std::int64_t bytes) {
    const Time end = start + std::max<Time>(duration, 1);
    while ((end - 1) >> shifts_[link] >= n_bins_) double_bin_width(link);
    const auto shift = shifts_[link];
    auto* bins = &bins_[static_cast<std::size_t>(link) * n_bins_];
    auto& wait = bins[std::max<Time>(arrival, 0) >> shift].wait;
    wait = std::max(wait, start - arrival);
    const Time last_bin = (end - 1) >> shift;
    std::int64_t bytes_before = 0;
    for (Time bin = start >> shift; bin < last_bin; ++bin) {
      const Time bin_end = (bin + 1) << shift;
      const auto bytes_until = static_cast<std::int64_t>(Int128{bytes} * (bin_end - start) / duration);
      bins[bin].bytes += bytes_until - bytes_before;
      bytes_before = bytes_until;
    }
    bins[last_bin].bytes += bytes - bytes_before;
  }

  /// Writes the bins from time 0 to `end`, with the largest bin width of any link for all links.
  void write(Time end, Result& result);

 private:
  static constexpr std::uint8_t kMinBinShift = 10;  // 1.024 ns, shorter than any transmission of interest
  struct Bin {
    std::int64_t bytes = 0;
    Time wait = 0;  // longest queueing delay
  };

  void double_bin_width(Link link);

  std::int32_t n_bins_;
  LargeArray<Bin> bins_;              // (link, bin)
  std::vector<std::uint8_t> shifts_;  // (link): a bin is 2^shift ps wide
};

/// State of a link, packed into 16 bytes, because large networks have several times more links than ranks.
struct alignas(16) LinkState {
  static constexpr int kByteBits = 56;
  static constexpr std::int64_t kMaxBytes = (std::int64_t{1} << kByteBits) - 1;
  Time free_at = 0;  ///< departure of the last byte queued so far
  std::uint64_t bytes : kByteBits = 0;
  std::uint64_t kind : 64 - kByteBits = 0;  ///< index into `Topology::kinds()`
};
static_assert(sizeof(LinkState) == 16);

/// Crossbar of a switch: serves one packet at a time.
struct CrossbarState {
  Time free_at = 0;
  std::int64_t bytes = 0;
};

/// Interval in which a crossbar serves a packet.
struct CrossbarSlot {
  Time begin = 0, end = 0;
};

/// A NIC sends one message at a time; the ranks that share it form a queue. With stripes, `sender` and the
/// queue are numbers of `Stripe` records.
struct alignas(64) NicState {
  Time injection_free = 0, ejection_free = 0;  ///< times from which the NIC is free
  Time unblocked_free = 0;  ///< when it would be free for injection if no buffer had been full
  std::int64_t injected_bytes = 0, ejected_bytes = 0;
  std::int64_t bytes_left = 0;                  ///< bytes of the current message in chunks not yet injected
  Rank sender = kNone;                          ///< source rank of the current message
  Rank queue_head = kNone, queue_tail = kNone;  ///< linked by `RankState::next_in_nic_queue`
};

/// Times from which a NIC may start the next message.
struct MessageGap {
  Time injection = 0, ejection = 0;
};

/// A round in progress. It stores only the next send, and reads further sends again when the NIC is free.
struct Round {
  std::int32_t number = 0;                         ///< number in the schedule, which may be reused
  std::uint32_t next = kNoRecord;                  ///< record of the rank's next round
  std::int32_t n_sends = 0, n_sent = 0;            ///< n_sent: given to the NIC
  std::int32_t sends_left = 0, receives_left = 0;  ///< not yet completed
  Time started_at = kNever, done = 0;              ///< done: latest completion of a send or receive so far
  std::int64_t bytes = 0;                          ///< size of the next send, to rank `peer`
  Rank peer = kNone;
  bool is_allocated = false;
  schedule::Cursor cursor;  ///< position after the last send that was read
  PostedReceives receives;

  bool has_started() const { return started_at != kNever; }
  bool is_complete() const { return has_started() && sends_left == 0 && receives_left == 0; }
};
static_assert(sizeof(Round) == 112);

/// Kind of the next message of a rank for its NIC: the next send of a round, a rendezvous message that is
/// clear to send, or the rest of a partially injected message.
enum class OutgoingKind : std::uint8_t { send, rendezvous, partial };

enum class RankStatus : std::uint8_t { running, waiting, paused, done };

/// State of a rank, three cache lines. A list is given by the number of its first record.
struct alignas(64) RankState {
  schedule::Cursor cursor;
  Time clock = 0;
  UnexpectedQueue unexpected;
  std::uint32_t rounds = kNoRecord;      ///< rounds in progress, oldest first
  std::uint32_t rendezvous = kNoRecord;  ///< messages that wait for clear-to-send or have received it
  std::uint32_t partial = kNoRecord;     ///< partially injected messages, which continue in this order
  std::uint32_t outgoing = kNoRecord;  ///< message queued for the NIC or being injected: record of its round,
                                       ///< of `rendezvous` or of `partial`, by `outgoing_kind`
  std::int32_t round = 0;              ///< if waiting: awaited round; if paused: round to start
  std::uint32_t sequence = 0;          ///< sequence number of the next message or control message
  Rank next_in_nic_queue = kNone;
  std::int32_t stage : 27 = 0;  ///< current stage
  OutgoingKind outgoing_kind : 2 = OutgoingKind::send;
  RankStatus status : 3 = RankStatus::running;  ///< paused: until simulated time reaches `clock`
  Round inline_round;  ///< one round in progress; further rounds are in the `RoundPool`
};
static_assert(sizeof(RankState) == 192);

/// Speed of a link, NIC or memory channel. Latencies of links and of injection include the next switch.
struct Speed {
  TransferTime transfer_time;
  Time latency = 0;
};

/// State of a simulation: everything whose size grows with ranks, NICs and links. A thread accesses only its
/// own partition: switches, their outgoing links, their nodes and the ranks on these nodes.
struct SimulationState {
  SimulationState(const schedule::Schedule& schedule, const Routing& routing, const Machine& machine,
                  const Placement& placement, const Options& options, int n_partitions);

  const schedule::Schedule& schedule;
  const Topology& topology;
  const Routing& routing;
  const Machine& machine;
  const Placement& placement;
  const Options& options;

  Resources resources;             ///< includes the NICs of all nodes up to the last occupied node
  std::vector<Speed> link_speeds;  ///< (kind)
  Speed injection, ejection, memory;
  TransferTime crossbar;  ///< zero time for an unlimited crossbar
  Time message_gap, send_overhead, receive_overhead;
  std::int64_t copied_bytes;  ///< messages between nodes up to this size are copied at both ends
  Noise noise;
  std::int64_t max_sends;  ///< number of sends whose overheads would last until the end of time
  std::int32_t messages_at_once;
  Time window;  ///< [ps] lookahead: no event at one switch affects another switch earlier
  std::int64_t chunk_bytes;
  bool has_shared_nodes;  ///< several ranks per node
  std::int32_t nics_per_node;
  bool has_places;                ///< each NIC of a node has its own end point in the network
  bool is_striped;                ///< messages are cut over all NICs of a node
  std::uint32_t stripe_mask = 0;  ///< bits of a sequence number that are the NIC on its node
  LargeArray<LinkState> links;
  LinkHistory history;                   ///< disabled unless requested
  std::vector<CrossbarState> crossbars;  ///< (switch), empty for unlimited crossbars
  std::vector<Time> waiting_time;  ///< (link, channel) transfer time of packets waiting for buffers; empty
                                   ///< for unlimited buffers, or if the routing reads no queues
  LargeArray<NicState> nics;
  LargeArray<RankState> ranks;
  std::vector<MessageGap> gaps;   ///< (NIC), if messages have gaps
  std::vector<Time> memory_free;  ///< (node, memory channel) free from this time; with `has_shared_nodes`
  std::vector<std::uint8_t> switch_partition;  ///< (switch) partition; empty for a single partition
  std::vector<Time> stage_finish;              ///< (rank, stage), if requested

  /// Returns when a rank has spent the overheads of the first n sends of a round, and a time for copies.
  Time send_ready(Rank rank, Time round_start, std::int32_t n_sends, Time copies) const {
    return noise.busy_until(rank, round_start, n_sends * send_overhead + copies);
  }
  /// Returns the time in which the CPU copies a message at one end.
  Time copy_time(Rank a, Rank b, std::int64_t bytes) const {
    const bool copies = bytes <= copied_bytes && placement.node(a) != placement.node(b);
    return copies ? memory.transfer_time.bounded(bytes) : 0;
  }
  bool has_arbitration_by_age() const { return machine.arbitration == Arbitration::age; }
  /// Whether the receiver of a message reads it, and informs the sender when it has.
  bool is_read_by_receiver(const Packet& last) const {
    return machine.rendezvous_get && static_cast<std::int64_t>(last.message_bytes) > machine.eager_bytes;
  }
  /// The NIC that carries a packet at its source's or target's node: the number on the node, of all NICs, and
  /// the end point of the network. At the target it is that of the source, its rail, unless all NICs are
  /// attached to the switch of the node and the message is not cut: then it is that of the target rank.
  std::int32_t source_nic(const Packet& packet) const {
    return nics_per_node == 1 ? placement.node(packet.source)
                              : placement.node(packet.source) * nics_per_node + rail(packet);
  }
  std::int32_t target_nic(const Packet& packet) const {
    if (nics_per_node == 1) return placement.node(packet.target);
    return placement.node(packet.target) * nics_per_node +
           (has_places || is_striped ? rail(packet) : nic_on_node(packet.target));
  }
  Node source_end(const Packet& packet) const { return end_point(placement.node(packet.source), packet); }
  Node target_end(const Packet& packet) const { return end_point(placement.node(packet.target), packet); }

  /// NIC of a rank's uncut messages, on its node. Sockets have consecutive ranks and NICs; if there are more
  /// sockets than NICs, consecutive sockets share one.
  [[gnu::noinline]] std::int32_t nic_on_node(Rank rank) const {
    const auto slot = placement.slot(rank);
    if (machine.nic_choice != NicChoice::per_socket) return slot % nics_per_node;
    const auto sockets = machine.sockets_per_node, per_socket = std::max(nics_per_node / sockets, 1);
    const auto ranks_per_socket = (machine.ranks_per_node + sockets - 1) / sockets;
    const auto socket = slot / ranks_per_socket;
    return static_cast<std::int32_t>(std::int64_t{socket} * nics_per_node / sockets) +
           slot % ranks_per_socket % per_socket;
  }
  std::int32_t nic(Rank rank) const {
    return nics_per_node == 1 ? placement.node(rank)
                              : placement.node(rank) * nics_per_node + nic_on_node(rank);
  }
  /// Number of a packet's NIC on its node. With stripes, sequence numbers end with it.
  [[gnu::noinline]] std::int32_t rail(const Packet& packet) const {
    return is_striped ? static_cast<std::int32_t>(packet.sequence & stripe_mask) : nic_on_node(packet.source);
  }
  /// The sequence number of a rank's next message or control message.
  std::uint32_t next_sequence(Rank rank) {
    const auto number = ranks[rank].sequence;
    ranks[rank].sequence += stripe_mask + 1;
    return is_striped ? number | static_cast<std::uint32_t>(nic_on_node(rank)) : number;
  }
  /// Number of stripes of a message, on the NICs from that of its sender on.
  std::int32_t n_stripes(std::int64_t bytes) const {
    return !is_striped ? 1
                       : static_cast<std::int32_t>(
                             std::clamp<std::int64_t>(bytes / machine.stripe_bytes, 1, nics_per_node));
  }
  /// Bytes of stripe `number` of a message; the whole message without stripes.
  std::int64_t stripe_bytes(std::int64_t message_bytes, std::int32_t number) const {
    const auto n = n_stripes(message_bytes);
    return message_bytes / n + (number < message_bytes % n);
  }
  std::int64_t stripe_bytes(const Packet& packet) const {
    const auto bytes = static_cast<std::int64_t>(packet.message_bytes);
    if (!is_striped) return bytes;
    return stripe_bytes(bytes, (rail(packet) - nic_on_node(packet.source) + nics_per_node) % nics_per_node);
  }
  Time& memory_free_of(Rank rank) {
    const auto channels = std::size_t(machine.memory_channels);
    return memory_free[placement.node(rank) * channels + placement.slot(rank) % channels];
  }
  int partition_of_switch(Switch here) const { return switch_partition.empty() ? 0 : switch_partition[here]; }
  /// All NICs of a node are attached to switches of one partition.
  int partition_of_rank(Rank rank) const {
    return switch_partition.empty() ? 0 : partition_of_switch(topology.switch_of(placement.node(rank)));
  }
  std::int32_t pair_bin(Rank rank) const {
    return static_cast<std::int32_t>(std::int64_t{rank} * options.pair_bins / std::ssize(ranks));
  }
  [[gnu::always_inline]] Route route(const Packet& packet) const {
    return {.source = packet.is_routed ? kNone : source_end(packet),
            .target = packet.is_routed && packet.leg != static_cast<std::uint8_t>(Leg::first)
                          ? kNone
                          : target_end(packet),
            .path_selector = packet.path_selector,
            .goal = packet.goal,
            .state = packet.route_state,
            .leg = static_cast<Leg>(packet.leg)};
  }
  CrossbarSlot reserve_crossbar(const Packet& packet, Switch number, Time now) {
    if (packet.bypass) return {};
    auto& state = crossbars[number];
    const auto begin = std::max(now, state.free_at);
    state.free_at = begin + crossbar(packet.bytes);
    state.bytes += packet.bytes;
    return {begin, state.free_at};
  }
  /// @throws InputError for a message in flight beyond the end of time
  [[noreturn, gnu::cold]] void throw_delivery_overflow(const Packet& packet, Time end) const;
  [[noreturn, gnu::cold]] static void throw_link_overflow(Link link);
  /// Returns the latencies of a minimal route, plus the transfer time at its slowest link, NIC or crossbar.
  Time idle_delay(const Packet& packet) const;
  bool needs_idle_delays() const { return minimal_routing_ != nullptr; }

 private:
  Node end_point(Node node, const Packet& packet) const {
    return has_places ? node + rail(packet) * topology.n_nodes() : node;
  }
  void store_link_kinds();
  void partition_switches(int n_partitions);
  std::unique_ptr<Routing> minimal_routing_;  // for `idle_delay`, if it is needed
};

struct FidelityEntry : options::RegistryEntry {
  void (*run)(SimulationState& simulation, Result& result);  ///< simulates all ranks
};

FidelityEntry packet_fidelity(), chunk_fidelity(), reserve_fidelity(), analytic_fidelity();

/// Fidelities `packet` and `chunk` with unlimited buffers.
void simulate_without_back_pressure(SimulationState& simulation, Result& result);

}  // namespace halcyon::network
