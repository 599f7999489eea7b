#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "halcyon/network/engine/calendar.hpp"
#include "halcyon/network/engine/rounds.hpp"
#include "halcyon/network/engine/tally.hpp"
#include "halcyon/network/engine/world.hpp"

namespace halcyon::network {

/// A message that waits for clearance, or has it.
struct Held {
  std::int64_t bytes = 0;
  Time ready = 0;
  Rank peer = kNone;
  std::uint32_t round = kNobody, next = kNobody;
  bool cleared = false;
};

/// A message of which some chunks have left its NIC.
struct Rest {
  Parcel next;  ///< its next chunk
  std::int64_t left = 0;
  std::uint32_t round = kNobody, after = kNobody;
};

/// Lets parcels into the network where room is short.
class Gate {
 public:
  virtual ~Gate() = default;
  /// Puts the parcel on the calendar now or, later, when there is room.
  virtual void inject(const Parcel& parcel) = 0;
};

/// The ranks of a part, and their NICs. A rank runs ahead of the calendar until it has to wait: nobody else
/// touches its clock, and what it sends enters the network by the calendar. Ranks that share a node meet
/// there, so they start rounds by the calendar.
class Ranks {
 public:
  /// @param gate none where there is room for everything
  Ranks(World& world, Calendar<Parcel>& calendar, int part, Gate* gate);

  /// Lets all ranks run up to their first wait.
  void begin();
  /// A rank that paused goes on.
  void resume(const Parcel& parcel);
  /// A chunk stands at its first switch: the next one follows it, of the same or the next message.
  void follow(const Parcel& parcel);
  /// A message's last byte stands in the target's NIC.
  void arrive(const Parcel& parcel, Time arrival);

  Tally& tally() { return tally_; }
  /// Asks the memory for messages that came early for a rank.
  void fetch_early(Rank rank) const { world_.ranks[rank].early.fetch(early_); }
  /// Adds what keeps ranks from their end, and messages that nobody took, up to `limit` lines.
  void add_troubles(std::vector<std::string>& lines, std::size_t limit) const;
  /// Writes (rank) what keeps a rank from its end: another that does not come to its end either.
  void write_awaited(std::vector<Rank>& awaited) const;

 private:
  struct Outgoing {
    std::int64_t bytes;
    Time ready;
    Rank peer;
    std::uint32_t round;
  };

  // What a rank does (ranks.cpp).
  void advance(Rank rank);
  bool execute(Rank rank, RankState& state, const schedule::Operation& operation);
  bool execute(Rank rank, RankState& state, const schedule::Sendrecv& operation);
  void work(Rank rank, RankState& state, Time time);
  void send_busily(Rank rank, RankState& state, std::int32_t n_sends);
  bool wait(Rank rank, RankState& state);
  bool end_wait(RankState& state, std::uint32_t at, Round& round);
  void require_rank(Rank rank, Rank peer, std::int32_t round) const {
    if (static_cast<std::uint32_t>(peer) >= world_.ranks.size()) refuse_rank(rank, peer, round);
  }
  void refuse_rank(Rank rank, Rank peer, std::int32_t round) const;
  /// @throws InputError where a clock comes to the end of time
  static void require_time(Rank rank, const char* does, Time time) {
    if (time >= kEndOfTime) [[unlikely]]
      refuse_clock(rank, does, time);
  }
  [[noreturn, gnu::cold]] static void refuse_clock(Rank rank, const char* does, Time time);
  void add(Rank rank, RankState& state, const schedule::Operation& operation);
  void start(Rank rank, RankState& state, std::int32_t number);
  void start(Rank rank, RankState& state, std::uint32_t at, Round& round);
  void enter_stage(Rank rank, RankState& state, std::int32_t stage);
  void run_ready();
  std::uint32_t find(const RankState& state, std::int32_t number) const;
  std::uint32_t find_or_make(Rank rank, RankState& state, std::int32_t number);
  std::uint32_t make(Rank rank, RankState& state, std::int32_t number);
  void append(RankState& state, std::uint32_t round);
  void unlink(RankState& state, std::uint32_t round);

  void add_awaited(Rank rank, const RankState& state, std::vector<std::string>& lines) const;

  // What leaves it (sending.cpp).
  void feed(Rank rank);
  bool take_message(Rank rank, RankState& state);
  bool take_cleared(RankState& state, Time by);
  bool take_started(Rank rank, RankState& state, Time by);
  void take_send(Rank rank, Round& round);
  Outgoing out(const RankState& state) const;
  std::uint32_t release_out(RankState& state);
  void carry_in_node(Rank rank, RankState& state, const Outgoing& message);
  void hold(Rank rank, RankState& state, const Outgoing& message);
  void line_up(Rank rank);
  void send_from(std::int32_t nic, Rank rank);
  void send_control(Kind kind, Rank from, Rank to, std::int64_t bytes, Time when);
  void inject(const Parcel& parcel) { gate_ ? gate_->inject(parcel) : calendar_.push(parcel); }
  void left(Rank rank, std::uint32_t round, Time when);
  Parcel parcel(Kind kind, Rank from, Rank to, std::int64_t bytes, Time when);

  // What leaves it in turns (turns.cpp).
  void put_off(std::int32_t nic, const Parcel& next);
  bool take_rest(RankState& state);
  void go_on(std::int32_t nic, Rank rank);
  Time next_turn(Rank rank, const RankState& state) const;

  // What comes (receiving.cpp).
  void receive(Rank rank, Rank source, std::int64_t bytes, Time arrival);
  bool tick_off(Rank rank, std::uint32_t round, Rank source, std::int64_t bytes, Time arrival);
  void requested(Rank rank, Rank source, std::int64_t bytes, Time arrival);
  void heed(Kind kind, Rank rank, Rank peer, std::int64_t bytes, Time when);
  bool postponed(const Parcel& parcel, Time arrival);
  void cleared(Rank rank, Rank peer, std::int64_t bytes, Time arrival);
  void match_early(Rank rank, RankState& state, std::uint32_t round);
  void completed(Rank rank, const Round& round);
  void count(const Parcel& parcel, Rank target, Time arrival);

  World& world_;
  Calendar<Parcel>& calendar_;
  int part_;
  Gate* gate_;
  Tally tally_;
  Time now_ = 0;
  std::vector<Rank> ready_;
  Rounds rounds_;
  Pool<Run> runs_;
  EarlyMessages::Blocks early_;
  Pool<Held> held_;
  Pool<Rest> rests_;
};

}  // namespace halcyon::network
