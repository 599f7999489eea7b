#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/engine/engine.hpp"
#include "halcyon/network/engine/event_queue.hpp"
#include "halcyon/network/engine/world.hpp"

namespace halcyon::network {

/// Numbers in bins, eight to each doubling.
class Histogram {
 public:
  void add(Time value) { ++counts_[bin(value)]; }
  void merge(const Histogram& other) {
    for (int i = 0; i < kBins; ++i) counts_[i] += other.counts_[i];
  }
  /// Writes the bins from the first to the last that is not empty.
  void write(std::vector<double>& edges_s, std::vector<std::int64_t>& counts) const;

  static int bin(Time value) {
    const auto v = static_cast<std::uint64_t>(std::max<Time>(value, 0));
    if (v < 8) return static_cast<int>(v);
    const int octave = static_cast<int>(std::bit_width(v)) - 4;
    return 8 * octave + static_cast<int>(v >> octave);
  }
  static Time edge(int bin) {
    if (bin < 16) return bin;
    const int octave = bin / 8 - 1;
    return static_cast<Time>(8 + bin % 8) << octave;
  }

 private:
  static constexpr int kBins = 8 * 62;
  std::array<std::int64_t, kBins> counts_{};
};

/// What one part counts; whole numbers, so that the sum over parts does not depend on their order.
struct Statistics {
  Statistics(int n_stages, std::int32_t pair_bins)
      : stages(n_stages), pair_messages(pair_bins * pair_bins), pair_delay(pair_bins * pair_bins) {}

  struct Stage {
    Time first = kNever, last = 0;
    Wide sum = 0;
  };

  Counts counts;
  Histogram delays;
  Wide delay_sum = 0;
  Time delay_max = 0;
  std::vector<Stage> stages;
  std::vector<std::int64_t> pair_messages;
  std::vector<Wide> pair_delay;

  void merge(const Statistics& other);
};

/// The rounds of a part's ranks, by number. Each rank has a place of its own, so that its round lies where
/// whoever knows the rank may look ahead; where it has several at once, the others are in a pool.
class Rounds {
 public:
  /// @param ranks of all parts
  explicit Rounds(Large<RankState>& ranks) : ranks_(ranks) {}

  Round& operator[](std::uint32_t number) {
    return number < ranks_.size() ? ranks_[number].own : more_[behind(number)];
  }
  const Round& operator[](std::uint32_t number) const {
    return number < ranks_.size() ? ranks_[number].own : more_[behind(number)];
  }

  /// A round as Round{}.
  std::uint32_t take(Rank rank) {
    auto number = static_cast<std::uint32_t>(rank);
    if (ranks_[rank].own.taken) {
      number = static_cast<std::uint32_t>(ranks_.size()) + more_.take_raw();
    }
    auto& round = (*this)[number];
    round = {};
    round.taken = true;
    return number;
  }
  void give_back(std::uint32_t number) {
    if (number < ranks_.size())
      ranks_[number].own.taken = false;
    else
      more_.give_back(behind(number));
  }

 private:
  std::uint32_t behind(std::uint32_t number) const {
    return number - static_cast<std::uint32_t>(ranks_.size());
  }

  Large<RankState>& ranks_;
  FreeList<Round> more_;
};

/// What the executor, the NICs and the matching of a part share.
struct PartState {
  PartState(World& world, EventQueue<Packet>& events, int part)
      : world(world),
        events(events),
        part(part),
        statistics(world.schedule.n_stages(), world.options.pair_bins),
        rounds(world.ranks) {}

  World& world;
  EventQueue<Packet>& events;
  int part;
  Statistics statistics;
  Time now = 0;
  std::vector<Rank> ready;  ///< ranks whose wait can end
  Rounds rounds;

  /// One chunk of a message that begins to leave at `when`, or a message of the protocol.
  Packet packet(Kind kind, Rank from, Rank to, std::int64_t bytes, Time when) {
    Packet packet;
    packet.time = when + world.in.latency;
    packet.sent = when;
    packet.message_bytes = static_cast<std::uint64_t>(bytes) & kMostMessageBytes;
    packet.kind = kind;
    packet.source = from;
    packet.target = to;
    packet.order = packet.flow = world.ranks[from].order++;
    packet.place = world.places.in(world.nic(from));
    return packet;
  }
  /// Messages of the protocol are short: they see latencies, and queues within the network, but take no time.
  void send_control(Kind kind, Rank from, Rank to, std::int64_t bytes, Time when) {
    events.push(packet(kind, from, to, bytes, when));
  }

  /// One more message of a round has left or come.
  void note_progress(Rank rank, const Round& round) {
    const auto& state = world.ranks[rank];
    if (round.complete() && state.doing == Doing::waiting && state.round == round.number)
      ready.push_back(rank);
  }
};

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

/// Lets packets into the network where room is short.
class Gate {
 public:
  virtual ~Gate() = default;
  /// Puts the packet into the queue of events now or, later, when there is room.
  virtual void inject(const Packet& packet) = 0;
};

/// The NICs of a part: which message of a rank leaves next, chunk by chunk, and what it asks for first. A NIC
/// sends one message at a time, or some in turn; ranks that share it wait in line.
class Nics {
 public:
  /// @param gate none where there is room for everything
  Nics(PartState& part, Matching& matching, Gate* gate)
      : part_(part), world_(part.world), matching_(matching), gate_(gate) {}

  /// Takes the rank's next messages until one has to wait for the NIC.
  void feed(Rank rank);
  /// A chunk stands at its first switch: the next one follows it, of the same or the next message.
  void follow(const Packet& packet);
  /// The rank's oldest message of that size to that peer may go.
  void clear(Rank rank, Rank peer, std::int64_t bytes, Time arrival);

  /// Calls see(peer, bytes) for each message that waits for clearance, or has it.
  template <class See>
  void each_rendezvous(const RankState& state, See see) const {
    for (auto at = state.rendezvous; at != kNobody; at = rendezvous_[at].next)
      see(rendezvous_[at].peer, rendezvous_[at].bytes);
  }

 private:
  struct Outgoing {
    std::int64_t bytes;
    Time ready;
    Rank peer;
    std::uint32_t round;
  };
  /// A message that waits for clearance, or has it.
  struct Rendezvous {
    std::int64_t bytes = 0;
    Time ready = 0;
    Rank peer = kNone;
    std::uint32_t round = kNobody, next = kNobody;
    bool cleared = false;
  };
  /// A message of which some chunks have left its NIC.
  struct Partial {
    Packet packet;  ///< its next chunk
    std::int64_t left = 0;
    std::uint32_t round = kNobody, next = kNobody;
  };

  bool take_message(Rank rank, RankState& state);
  bool take_started(Rank rank, RankState& state, Time by);
  bool take_cleared(RankState& state, Time by);
  bool take_partial(RankState& state);
  void take_send(Rank rank, Round& round);
  Time next_turn(Rank rank, const RankState& state) const;

  Outgoing out(const RankState& state) const;
  std::uint32_t release_out(RankState& state);
  void carry_in_node(Rank rank, RankState& state, const Outgoing& message);
  void ask(Rank rank, RankState& state, const Outgoing& message);
  void line_up(Rank rank);
  void send_next(std::int32_t nic, Rank rank);
  void send_from(std::int32_t nic, Rank rank);
  void go_on(std::int32_t nic, Rank rank);
  void put_off(std::int32_t nic, const Packet& next);
  void inject(const Packet& packet) { gate_ ? gate_->inject(packet) : part_.events.push(packet); }
  void left(Rank rank, std::uint32_t round, Time when);

  PartState& part_;
  World& world_;
  Matching& matching_;
  Gate* gate_;
  FreeList<Rendezvous> rendezvous_;
  FreeList<Partial> partial_;
};

/// What the ranks of a part do: their operations, rounds and waits. A rank runs ahead of the queue of events
/// until it has to wait: nobody else touches its clock, and what it sends enters the network by the queue.
/// Ranks that share a node meet there, so they start rounds by the queue.
class Executor {
 public:
  /// @param gate none where there is room for everything
  Executor(World& world, EventQueue<Packet>& events, int part, Gate* gate)
      : part_(world, events, part), world_(world), matching_(part_), nics_(part_, matching_, gate) {}

  /// Lets all ranks run up to their first wait.
  void begin();
  /// A rank that paused goes on.
  void resume(const Packet& packet);
  /// A chunk stands at its first switch.
  void follow(const Packet& packet) {
    part_.now = packet.time;
    nics_.follow(packet);
    run_ready();
  }
  /// A message's last byte stands in the target's NIC.
  void arrive(const Packet& packet, Time arrival) {
    part_.now = packet.time;
    if (packet.kind == Kind::data)
      matching_.arrive(packet, arrival);
    else
      take_control(packet, arrival);
    run_ready();
  }

  Statistics& statistics() { return part_.statistics; }
  void prefetch_unexpected(Rank rank) const { matching_.prefetch_unexpected(rank); }
  /// Adds what keeps ranks from their end, and messages that nobody took, up to `limit` lines.
  void add_troubles(std::vector<std::string>& lines, std::size_t limit) const;
  /// Writes (rank) what keeps a rank from its end: another that does not come to its end either.
  void write_awaited(std::vector<Rank>& awaited) const;

 private:
  void run_ready() {
    while (!part_.ready.empty()) {
      const Rank rank = part_.ready.back();
      part_.ready.pop_back();
      advance(rank);
    }
  }
  void advance(Rank rank);
  bool execute(Rank rank, RankState& state, const schedule::Operation& operation);
  bool execute(Rank rank, RankState& state, const schedule::Sendrecv& operation);
  void work(Rank rank, RankState& state, Time time);
  void send_busily(Rank rank, RankState& state, std::int32_t n_sends);
  bool wait(Rank rank, RankState& state);
  bool end_wait(RankState& state, std::uint32_t at, Round& round);
  void enter_stage(Rank rank, RankState& state, std::int32_t stage);

  void take_control(const Packet& packet, Time arrival);
  void heed(Kind kind, Rank rank, Rank peer, std::int64_t bytes, Time when);
  Packet resumption(Rank rank, Rank peer, std::int64_t bytes, Time when);

  void add(Rank rank, RankState& state, const schedule::Operation& operation);
  void start(Rank rank, RankState& state, std::int32_t number);
  void start(Rank rank, RankState& state, std::uint32_t at, Round& round);
  std::uint32_t find(const RankState& state, std::int32_t number) const;
  std::uint32_t find_or_make(Rank rank, RankState& state, std::int32_t number);
  std::uint32_t make(Rank rank, RankState& state, std::int32_t number);
  void unlink(RankState& state, std::uint32_t round);

  void require_rank(Rank rank, Rank peer, std::int32_t round) const {
    if (static_cast<std::uint32_t>(peer) >= world_.ranks.size()) refuse_rank(rank, peer, round);
  }
  void refuse_rank(Rank rank, Rank peer, std::int32_t round) const;
  void add_awaited(Rank rank, const RankState& state, std::vector<std::string>& lines) const;

  PartState part_;
  World& world_;
  Matching matching_;
  Nics nics_;
};

/// @throws InputError that names ranks and messages, unless all ranks are done and nothing is left over
void require_finished(const World& world, const std::vector<Executor*>& parts);

/// Writes what has been counted.
void report(World& world, const std::vector<Executor*>& parts, Result& result);

}  // namespace halcyon::network
