#pragma once

#include <cstdint>

#include "halcyon/base/large_pages.hpp"
#include "halcyon/network/engine/clock.hpp"
#include "halcyon/network/engine/free_list.hpp"
#include "halcyon/network/engine/receives.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::network {

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

}  // namespace halcyon::network
