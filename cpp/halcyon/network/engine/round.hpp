#pragma once

#include <cstdint>

#include "halcyon/network/clock.hpp"
#include "halcyon/network/engine/pool.hpp"
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

}  // namespace halcyon::network
