#pragma once

#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string_view>

#include "halcyon/base/index.hpp"

namespace halcyon::network {

/// Simulated time [ps]: integers, so that sums do not depend on their order and equal times compare equal.
using Time = std::int64_t;

__extension__ using Int128 = __int128;  ///< for sums over ranks and messages

inline constexpr double kPsPerSecond = 1e12;
inline constexpr Time kNever = std::numeric_limits<Time>::max();

/// End of simulated time, after 53 days. Every clock stays below it, so that two times can be added.
inline constexpr Time kEndOfTime = Time{1} << 62;

/// Returns the simulated time, at most `kEndOfTime`; infinity and NaN become `kEndOfTime`.
inline Time to_time(double seconds) {
  const double time = seconds * kPsPerSecond;
  return time < static_cast<double>(kEndOfTime) ? std::llround(time) : kEndOfTime;
}
inline double to_seconds(Time time) {
  return static_cast<double>(time) / kPsPerSecond;
}

/// @param subject beginning of the error text, such as "Rank 3 computes"
/// @throws InputError: the time exceeds the end of simulated time
[[noreturn]] void throw_time_overflow(std::string_view subject, Time time);

/// @param activity verb of the error text, such as "sends" @throws InputError: the clock is too late
[[noreturn, gnu::cold]] void throw_clock_overflow(Rank rank, const char* activity, Time time);

/// @throws InputError if a clock reaches the end of simulated time
inline void require_before_end(Rank rank, const char* activity, Time time) {
  if (time >= kEndOfTime) [[unlikely]]
    throw_clock_overflow(rank, activity, time);
}

inline double thread_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Transfer time of a number of bytes at a fixed bandwidth, computed with integers.
class TransferTime {
 public:
  TransferTime() = default;
  /// @param bandwidth [B s-1], at least 1 kB/s
  explicit TransferTime(double bandwidth)
      : per_byte_(static_cast<std::uint64_t>(std::llround(kPsPerSecond / bandwidth * 0x1p32))) {}

  /// @param bytes at most 2^31 (a chunk), whose transfer takes less than 2^63 ps
  Time operator()(std::int64_t bytes) const { return static_cast<Time>(exact(bytes)); }
  /// Returns the transfer time of any number of bytes, at most `kEndOfTime`.
  Time bounded(std::int64_t bytes) const {
    const auto time = exact(bytes);
    return time < kEndOfTime ? static_cast<Time>(time) : kEndOfTime;
  }
  double seconds(std::int64_t bytes) const { return static_cast<double>(exact(bytes)) / kPsPerSecond; }

 private:
  Int128 exact(std::int64_t bytes) const { return (static_cast<Int128>(per_byte_) * bytes) >> 32; }

  std::uint64_t per_byte_ = 0;  // [ps B-1], times 2^32
};

}  // namespace halcyon::network
