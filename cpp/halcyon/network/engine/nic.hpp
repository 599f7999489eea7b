#pragma once

#include "halcyon/network/engine/matching.hpp"

namespace halcyon::network {

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

}  // namespace halcyon::network
