#pragma once

#include <cstdint>

#include "halcyon/network/clock.hpp"
#include "halcyon/network/pages.hpp"
#include "halcyon/network/pool.hpp"
#include "halcyon/network/receives.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::network {

/// A round under way. Of its sends the first is kept; the others are read again from the schedule when the
/// NIC is free for them.
struct alignas(64) Round {
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
static_assert(sizeof(Round) == 128);

/// The rounds of a part's ranks, by number. Each rank has a place of its own, so that its round lies where
/// whoever knows the rank may look ahead; where it has several at once, the others are in a pool.
class Rounds {
 public:
  /// @param own (rank), of all parts
  explicit Rounds(Large<Round>& own) : own_(own) {}

  Round& operator[](std::uint32_t number) {
    return number < own_.size() ? own_[number] : more_[behind(number)];
  }
  const Round& operator[](std::uint32_t number) const {
    return number < own_.size() ? own_[number] : more_[behind(number)];
  }

  /// A round as Round{}.
  std::uint32_t take(Rank rank) {
    auto number = static_cast<std::uint32_t>(rank);
    if (own_[rank].taken) {
      number = static_cast<std::uint32_t>(own_.size()) + more_.take_raw();
    }
    auto& round = (*this)[number];
    round = {};
    round.taken = true;
    return number;
  }
  void give_back(std::uint32_t number) {
    if (number < own_.size())
      own_[number].taken = false;
    else
      more_.give_back(behind(number));
  }

 private:
  std::uint32_t behind(std::uint32_t number) const {
    return number - static_cast<std::uint32_t>(own_.size());
  }

  Large<Round>& own_;
  Pool<Round> more_;
};

}  // namespace halcyon::network
