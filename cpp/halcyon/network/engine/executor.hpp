#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "halcyon/network/engine/arrivals.hpp"
#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/engine/engine.hpp"
#include "halcyon/network/engine/event_queue.hpp"
#include "halcyon/network/engine/simulation_state.hpp"

namespace halcyon::network {

/// Histogram of integers: one bin each below 2^kBits, then 2^kBits bins per factor of two.
template <int kBits>
class Histogram {
 public:
  void add(Time value) { ++counts_[bin(value)]; }
  void merge(const Histogram& other) {
    for (int i = 0; i < kBins; ++i) counts_[i] += other.counts_[i];
  }
  /// Writes the bins from the first to the last non-empty one, and convert(edge) of their edges.
  template <class Convert>
  void write(std::vector<double>& edges, std::vector<std::int64_t>& counts, Convert convert) const {
    const auto is_used = [](std::int64_t n) { return n > 0; };
    const auto first_bin = std::find_if(counts_.begin(), counts_.end(), is_used);
    if (first_bin == counts_.end()) return;
    const auto end_bin = std::find_if(counts_.rbegin(), counts_.rend(), is_used).base();
    counts.assign(first_bin, end_bin);
    for (auto i = first_bin - counts_.begin(); i <= end_bin - counts_.begin(); ++i)
      edges.push_back(convert(edge(static_cast<int>(i))));
  }

  static int bin(Time value) {
    const auto v = static_cast<std::uint64_t>(std::max<Time>(value, 0));
    if (v < kPerOctave) return static_cast<int>(v);
    const int octave = static_cast<int>(std::bit_width(v)) - 1 - kBits;
    return kPerOctave * octave + static_cast<int>(v >> octave);
  }
  /// Returns the smallest integer of a bin.
  static Time edge(int bin) {
    if (bin < 2 * kPerOctave) return bin;
    const int octave = bin / kPerOctave - 1;
    return static_cast<Time>(kPerOctave + bin % kPerOctave) << octave;
  }

 private:
  static constexpr int kPerOctave = 1 << kBits, kBins = kPerOctave * 62;
  std::array<std::int64_t, kBins> counts_{};
};

/// Counters of one partition: integers, so that the sum over partitions does not depend on their order.
struct Statistics {
  Statistics(int n_stages, std::int32_t pair_bins)
      : stages(n_stages), pair_messages(pair_bins * pair_bins), pair_delay(pair_bins * pair_bins) {}

  struct Stage {  // times at which ranks finish the stage
    Time first = kNever, last = 0;
    Int128 sum = 0;
  };

  Counts counts;
  static constexpr Time kSlowdownUnit = 1 << 20;  ///< integer of no slowdown
  Histogram<3> delays;                            ///< of messages between nodes
  Histogram<6> slowdowns;                         ///< of these, if requested
  Int128 delay_sum = 0;
  Time delay_max = 0;
  std::vector<Stage> stages;
  std::vector<std::int64_t> pair_messages;  ///< (bin of source rank, bin of target rank)
  std::vector<Int128> pair_delay;           ///< same shape: sum of delays beyond those on an idle network

  void merge(const Statistics& other);
};

/// The rounds of a partition's ranks, accessed by record number. Each rank has one round inline in its state,
/// where it can be prefetched; simultaneous further rounds are allocated from a free list.
class RoundPool {
 public:
  /// @param ranks of all partitions
  explicit RoundPool(LargeArray<RankState>& ranks) : ranks_(ranks) {}

  Round& operator[](std::uint32_t record) {
    return record < ranks_.size() ? ranks_[record].inline_round : overflow_[overflow_index(record)];
  }
  const Round& operator[](std::uint32_t record) const {
    return record < ranks_.size() ? ranks_[record].inline_round : overflow_[overflow_index(record)];
  }

  /// Returns the record of a new round without messages.
  std::uint32_t allocate(Rank rank) {
    auto record = static_cast<std::uint32_t>(rank);
    if (ranks_[rank].inline_round.is_allocated)
      record = static_cast<std::uint32_t>(ranks_.size()) + overflow_.allocate_uninitialized();
    auto& round = (*this)[record];
    round = {};
    round.is_allocated = true;
    return record;
  }
  void release(std::uint32_t record) {
    if (record < ranks_.size())
      ranks_[record].inline_round.is_allocated = false;
    else
      overflow_.release(overflow_index(record));
  }

 private:
  std::uint32_t overflow_index(std::uint32_t record) const {
    return record - static_cast<std::uint32_t>(ranks_.size());
  }

  LargeArray<RankState>& ranks_;
  FreeList<Round> overflow_;
};

/// State that the executor, the NICs and the matching of a partition share.
struct PartitionState {
  PartitionState(SimulationState& simulation, EventQueue<Packet>& events, int index)
      : simulation(simulation),
        events(events),
        index(index),
        statistics(simulation.schedule.n_stages(), simulation.options.pair_bins),
        rounds(simulation.ranks) {}

  SimulationState& simulation;
  EventQueue<Packet>& events;
  int index;  ///< number of the partition
  Statistics statistics;
  Time now = 0;             ///< time of the current event
  std::vector<Rank> ready;  ///< ranks whose wait can end
  RoundPool rounds;
  std::vector<Time> copies;  ///< (record of a round) before its start, time in which the CPU copies all
                             ///< sends; then, those that have been given to the NIC. Empty without copies

  Time copies_of(std::uint32_t record) const { return record < copies.size() ? copies[record] : 0; }
  void set_copies(std::uint32_t record, Time time) {
    if (simulation.copied_bytes == 0) return;
    if (record >= copies.size()) copies.resize(std::max<std::size_t>(record + 1, 2 * copies.size()));
    copies[record] = std::min(time, kEndOfTime);
  }
  void add_copy(std::uint32_t record, Rank rank, Rank peer, std::int64_t bytes) {
    set_copies(record, copies_of(record) + simulation.copy_time(rank, peer, bytes));
  }

  /// Creates the first chunk of a message that begins to leave at `when`, or a control message.
  Packet make_packet(PacketKind kind, Rank from, Rank to, std::int64_t bytes, Time when) {
    Packet packet;
    packet.time = when + simulation.injection.latency;
    packet.sent = when;
    packet.message_bytes = static_cast<std::uint64_t>(bytes) & kMaxMessageBytes;
    packet.kind = kind;
    packet.source = from;
    packet.target = to;
    packet.sequence = packet.path_selector = simulation.next_sequence(from);
    packet.resource = simulation.resources.injection(simulation.nic(from));
    return packet;
  }
  /// Control messages are short: they have latencies and queue in the network, but have no transfer time.
  void send_control(PacketKind kind, Rank from, Rank to, std::int64_t bytes, Time when) {
    events.push(make_packet(kind, from, to, bytes, when));
  }

  /// Marks the rank as ready if its wait for the round can end; called when a message has left or arrived.
  void update_ready(Rank rank, const Round& round) {
    const auto& state = simulation.ranks[rank];
    if (round.is_complete() && state.status == RankStatus::waiting && state.round == round.number)
      ready.push_back(rank);
  }
};

/// Matches arriving messages with posted receives of a partition's ranks. Queues messages without a receive.
class Matching {
 public:
  explicit Matching(PartitionState& partition) : partition_(partition), simulation_(partition.simulation) {}

  void post_receive(Round& round, Rank source, std::int64_t bytes) {
    round.receives.add(runs_, source, bytes);
    ++round.receives_left;
  }
  void clear(Round& round) { round.receives.clear(runs_); }

  /// Handles a message from another node, whose last byte arrives in the target's NIC at `arrival`.
  void receive_from_network(const Packet& packet, Time arrival) {
    count_delivery(packet, arrival);
    receive(packet.target, packet.source, static_cast<std::int64_t>(packet.message_bytes), arrival);
  }
  /// Matches a message with the oldest pending receive of the rank from that source and of that size.
  void receive(Rank rank, Rank source, std::int64_t bytes, Time arrival);
  /// Handles a request to send: replies as soon as the receive has been posted.
  void receive_request(Rank rank, Rank source, std::int64_t bytes, Time arrival);
  /// Matches queued unexpected messages, in order of arrival, with a round that starts.
  void match_unexpected(Rank rank, RankState& state, std::uint32_t record);

  void prefetch_unexpected(Rank rank) const {
    simulation_.ranks[rank].unexpected.prefetch(unexpected_blocks_);
  }

  /// Calls visit(source, bytes) for each pending receive of a round.
  template <class Visitor>
  void for_each_pending(const Round& round, Visitor visit) const {
    round.receives.for_each_pending(runs_, visit);
  }
  template <class Visitor>
  void for_each_unexpected(const RankState& state, Visitor visit) const {
    state.unexpected.for_each(unexpected_blocks_, visit);
  }

 private:
  bool match_round(Rank rank, std::uint32_t record, Rank source, std::int64_t bytes, Time arrival);
  void count_delivery(const Packet& packet, Time arrival);
  void count_ejected(const Packet& packet, std::int64_t bytes);

  PartitionState& partition_;
  SimulationState& simulation_;
  FreeList<ReceiveRun> runs_;
  UnexpectedQueue::Blocks unexpected_blocks_;
};

/// Flow control of the packets that NICs inject into finite buffers.
class InjectionControl {
 public:
  virtual ~InjectionControl() = default;
  /// Reserves room for a packet of a number of bytes. @returns the time, at or after `time`, from which it
  /// may enter its switch; kNever if that is not known: the packet must be held
  virtual Time reserve(const Packet& packet, std::uint32_t bytes, Time time) = 0;
  /// Keeps the packet of a NIC, and pushes it into the event queue when there is room.
  virtual void hold(const Packet& packet) = 0;
};

/// The NICs of a partition: select the next message of a rank, inject it chunk by chunk, and handle the
/// rendezvous protocol. A NIC sends one message at a time, or interleaves several; ranks queue for their NIC.
/// If messages are cut into stripes, these queue for the NICs of the node, independently of each other.
class Nics {
 public:
  /// @param injection_control null for unlimited buffers
  Nics(PartitionState& partition, Matching& matching, InjectionControl* injection_control)
      : partition_(partition),
        simulation_(partition.simulation),
        matching_(matching),
        injection_control_(injection_control),
        cut_messages_of_(simulation_.is_striped ? simulation_.ranks.size() : 0) {}

  /// Processes the rank's next messages until one must wait for the NIC.
  void start_next_messages(Rank rank);
  /// Injects the next chunk, of the same or of the next message, after `packet` has reached its first switch.
  void inject_next_chunk(const Packet& packet);
  /// Handles a clear-to-send for the rank's oldest message of that size to that peer.
  void clear_to_send(Rank rank, Rank peer, std::int64_t bytes, Time arrival);
  /// Completes the rank's oldest message of that size to that peer, which the peer has read.
  void finish(Rank rank, Rank peer, std::int64_t bytes, Time arrival);

  /// Calls visit(peer, bytes) for each rendezvous message of a rank that has not been injected.
  template <class Visitor>
  void for_each_rendezvous(const RankState& state, Visitor visit) const {
    for (auto record = state.rendezvous; record != kNoRecord; record = rendezvous_[record].next)
      visit(rendezvous_[record].peer, rendezvous_[record].bytes);
  }

 private:
  struct Outgoing {  // a rank's next message for its NIC
    std::int64_t bytes;
    Time ready;  // earliest start of the injection
    Rank peer;
    std::uint32_t round;  // record of the message's round
  };
  struct Rendezvous {  // a message that is injected only after a clear-to-send of its receiver
    std::int64_t bytes = 0;
    Time ready = 0;
    Rank peer = kNone;
    std::uint32_t round = kNoRecord, next = kNoRecord;
    bool cleared = false;   // clear-to-send has arrived
    bool injected = false;  // waits for the confirmation that the receiver has read it
  };
  /// A message of which some chunks have been injected.
  struct PartialMessage {
    Packet packet;  ///< next chunk
    std::int64_t bytes_left = 0;
    std::uint32_t round = kNoRecord, next = kNoRecord;
  };

  /// A message that is cut into stripes.
  struct CutMessage {
    Rank rank = kNone;
    std::uint32_t round = kNoRecord;
    std::int32_t stripes_left = 0;  ///< not yet injected
    Time end = 0;                   ///< latest end of an injection so far
  };
  /// A part of a message, for one NIC.
  struct Stripe {
    Packet packet;  ///< first chunk; its `sent` is the earliest start of the injection
    std::int64_t bytes = 0;
    std::uint32_t message = kNoRecord;
    std::int32_t next = kNone;
  };

  bool select_message(Rank rank, RankState& state);
  bool select_send(Rank rank, RankState& state, Time deadline);
  bool select_cleared(RankState& state, Time deadline);
  bool select_partial(RankState& state);
  void read_next_send(Rank rank, std::uint32_t record, Round& round);
  Time overtaking_deadline(Rank rank, const RankState& state) const;
  Outgoing outgoing_message(Rank rank, const RankState& state) const;
  std::uint32_t release_outgoing(RankState& state);
  void append_rendezvous(RankState& state, const Rendezvous& message) {
    const auto record = rendezvous_.allocate();
    rendezvous_[record] = message;
    reference_to(rendezvous_, state.rendezvous, kNoRecord) = record;
  }
  void send_within_node(Rank rank, RankState& state, const Outgoing& message);
  void request_to_send(Rank rank, RankState& state, const Outgoing& message);
  void queue_for_nic(Rank rank);
  void send_next(std::int32_t nic, Rank rank);
  void begin_injection(std::int32_t nic, Rank rank);
  void inject_first_chunk(std::int32_t nic, Packet chunk, std::int64_t bytes, Time ready);
  void end_message(Rank rank, std::uint32_t round, const Packet& packet, Time end);
  bool may_cut_another(Rank rank) const {
    return !simulation_.is_striped || cut_messages_of_[rank] <= simulation_.nics_per_node;
  }
  void cut(Rank rank, const Outgoing& message, std::uint32_t round);
  void queue_stripe(std::int32_t nic, std::int32_t stripe);
  void begin_stripe(std::int32_t nic, std::int32_t stripe);
  void end_stripe(std::int32_t nic, std::int32_t stripe, const Packet& packet, Time end);
  void continue_partial(std::int32_t nic, Rank rank);
  void defer_remaining_chunks(std::int32_t nic, const Packet& next);
  /// Pushes a copy of the packet of `bytes` that enters its switch at `time`, modified by change(copy).
  template <class Change>
  void inject(const Packet& packet, std::int64_t bytes, Time time, Change change) {
    const auto size = static_cast<std::uint32_t>(bytes);
    const auto when = injection_control_ ? injection_control_->reserve(packet, size, time) : time;
    const auto change_all = [&](Packet& copy) {
      change(copy);
      copy.time = when == kNever ? time : when;
      copy.bytes = size;
      copy.span = static_cast<std::uint32_t>(simulation_.injection.transfer_time(size));
    };
    if (when != kNever) return partition_.events.push(packet, when, change_all);
    auto held = packet;
    change_all(held);
    injection_control_->hold(held);
  }
  void complete_send(Rank rank, std::uint32_t record, Time when);

  PartitionState& partition_;
  SimulationState& simulation_;
  Matching& matching_;
  InjectionControl* injection_control_;
  FreeList<Rendezvous> rendezvous_;
  FreeList<PartialMessage> partial_;
  FreeList<CutMessage> cut_messages_;
  FreeList<Stripe> stripes_;
  std::vector<std::int32_t> cut_messages_of_;  // (rank), with stripes
};

/// Executes the operations, rounds and waits of a partition's ranks. A rank runs ahead of the event queue
/// until it must wait: no other rank changes its clock, and its messages enter the network through the event
/// queue. Ranks that share a node do affect each other, so they start rounds through the event queue.
class Executor {
 public:
  Executor(SimulationState& simulation, EventQueue<Packet>& events, int partition,
           InjectionControl* injection_control)
      : partition_(simulation, events, partition),
        simulation_(simulation),
        matching_(partition_),
        nics_(partition_, matching_, injection_control),
        arrivals_(simulation.stripe_mask) {}

  /// Runs all ranks up to their first wait.
  void begin();
  void resume(const Packet& packet);
  void inject_next_chunk(const Packet& packet) {
    partition_.now = packet.time;
    nics_.inject_next_chunk(packet);
    run_ready();
  }
  void receive_from_network(const Packet& packet, Time arrival) {
    partition_.now = packet.time;
    if (packet.kind == PacketKind::data) {
      matching_.receive_from_network(packet, arrival);
      if (simulation_.is_read_by_receiver(packet))
        partition_.send_control(PacketKind::finished, packet.target, packet.source,
                                static_cast<std::int64_t>(packet.message_bytes), arrival);
    } else
      receive_control(packet, arrival);
    run_ready();
  }

  /// Receives a packet of a message whose packets may arrive in any order, at `arrival`.
  void collect(const Packet& packet, Time arrival) {
    arrivals_.add(packet, arrival,
                  [this](const Packet& last, Time completion) { receive_from_network(last, completion); });
  }

  Statistics& statistics() { return partition_.statistics; }
  void prefetch_unexpected(Rank rank) const { matching_.prefetch_unexpected(rank); }
  /// Appends sentences on unfinished ranks and unmatched messages; stops when there are more than `limit`.
  void describe_unfinished(std::vector<std::string>& sentences, std::size_t limit) const;
  /// Writes, for each unfinished rank of this partition, another unfinished rank that it waits for.
  void write_blocking_ranks(std::vector<Rank>& blocking) const;

 private:
  void run_ready() {
    while (!partition_.ready.empty()) {
      const Rank rank = partition_.ready.back();
      partition_.ready.pop_back();
      advance(rank);
    }
  }
  void advance(Rank rank);
  bool execute(Rank rank, RankState& state, const schedule::Operation& operation);
  bool execute(Rank rank, RankState& state, const schedule::Sendrecv& operation);
  void advance_clock(Rank rank, RankState& state, Time time);
  void charge_send_overhead(Rank rank, RankState& state, std::int32_t n_sends, Time copies);
  bool wait(Rank rank, RankState& state);
  bool try_end_wait(RankState& state, std::uint32_t record, Round& round);
  void enter_stage(Rank rank, RankState& state, std::int32_t stage);
  void receive_control(const Packet& packet, Time arrival);
  void handle_control(PacketKind kind, Rank rank, Rank peer, std::int64_t bytes, Time when);
  Packet resume_event(Rank rank, Rank peer, std::int64_t bytes, Time when);
  void add_message(Rank rank, RankState& state, const schedule::Operation& operation);
  void start_round(Rank rank, RankState& state, std::int32_t number);
  void start_round(Rank rank, RankState& state, std::uint32_t record, Round& round);
  std::uint32_t find_round(const RankState& state, std::int32_t number) const;
  std::uint32_t find_or_create_round(Rank rank, RankState& state, std::int32_t number);
  std::uint32_t create_round(Rank rank, RankState& state, std::int32_t number);
  void unlink_round(RankState& state, std::uint32_t record);

  void require_rank(Rank rank, Rank peer, std::int32_t round) const {
    if (static_cast<std::uint32_t>(peer) >= simulation_.ranks.size()) throw_invalid_rank(rank, peer, round);
  }
  void throw_invalid_rank(Rank rank, Rank peer, std::int32_t round) const;
  void describe_wait(Rank rank, const RankState& state, std::vector<std::string>& sentences) const;

  PartitionState partition_;
  SimulationState& simulation_;
  Matching matching_;
  Nics nics_;
  Arrivals arrivals_;
};

/// @throws InputError naming ranks and messages, unless all ranks have finished and all messages are matched
void require_finished(const SimulationState& simulation, const std::vector<Executor*>& partitions);

/// Writes the counters of all partitions, and the times of all ranks, into the result.
void report(SimulationState& simulation, const std::vector<Executor*>& partitions, Result& result);

}  // namespace halcyon::network
