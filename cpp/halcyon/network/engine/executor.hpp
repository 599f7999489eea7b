#pragma once

#include <string>

#include "halcyon/network/engine/nic.hpp"

namespace halcyon::network {

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
