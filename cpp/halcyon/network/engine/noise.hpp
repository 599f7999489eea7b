#pragma once

#include <cstdint>

#include "halcyon/base/checksum.hpp"
#include "halcyon/network/engine/clock.hpp"

namespace halcyon::network {

/// Noise of the operating system: each rank's core is taken away for a fixed duration once in every period,
/// at times that differ randomly between ranks (detours of Hoefler et al. 2010). It delays what the CPU does:
/// computation, copies, and the overheads of messages.
class Noise {
 public:
  Noise() = default;
  /// @param duration shorter than the period [ps]; a period of 0: no noise
  Noise(Time period, Time duration, std::uint64_t seed) : period_(period), duration_(duration), seed_(seed) {}

  /// Returns when a rank has worked for a time, from a start. The core is away at [phase + k period, phase +
  /// k period + duration), with the phase of the rank, for all integers k.
  Time busy_until(Rank rank, Time start, Time work) const {
    if (period_ == 0 || work == 0) return start + work;
    const auto phase = static_cast<Time>(hash_of(seed_, static_cast<std::uint64_t>(rank)) %
                                         static_cast<std::uint64_t>(period_));
    Time since = (start - phase) % period_;  // since the beginning of the last detour
    if (since < 0) since += period_;
    if (since < duration_) start += duration_ - since, since = duration_;
    const Time left = period_ - since;  // until the next detour
    if (work <= left) return start + work;
    const Time between = period_ - duration_, detours = (work - left + between - 1) / between;
    const auto end = Int128{start} + work + Int128{detours} * duration_;
    return end < kEndOfTime ? static_cast<Time>(end) : kEndOfTime;
  }

 private:
  Time period_ = 0, duration_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace halcyon::network
