#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
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

}  // namespace halcyon::network
