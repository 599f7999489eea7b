#pragma once

#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string_view>

#include "halcyon/base/index.hpp"

namespace halcyon::network {

/// Simulated time [ps]: whole numbers, so that sums do not depend on their order and ties are ties.
using Time = std::int64_t;

__extension__ using Wide = __int128;  ///< of sums over ranks and messages

inline constexpr double kPicoseconds = 1e12;  ///< in a second
inline constexpr Time kNever = std::numeric_limits<Time>::max();

/// Where simulated time ends, after 53 days: no clock comes to it, so that the sum of two has room.
inline constexpr Time kEndOfTime = Time{1} << 62;

/// At most `kEndOfTime`, which what is not a number comes to as well.
inline Time to_time(double seconds) {
  const double time = seconds * kPicoseconds;
  return time < static_cast<double>(kEndOfTime) ? std::llround(time) : kEndOfTime;
}
inline double to_seconds(Time time) {
  return static_cast<double>(time) / kPicoseconds;
}

/// @param subject such as "Rank 3 works", at least until `time`
/// @throws InputError that says that this is beyond the end of time
[[noreturn]] void refuse_time(std::string_view subject, Time time);

[[noreturn, gnu::cold]] void refuse_clock(Rank rank, const char* does, Time time);

/// @throws InputError where a clock comes to the end of time
inline void require_time(Rank rank, const char* does, Time time) {
  if (time >= kEndOfTime) [[unlikely]]
    refuse_clock(rank, does, time);
}

/// CPU time [s] of this thread.
inline double thread_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// How long bytes take, as 32.32 fixed-point picoseconds a byte.
class Pace {
 public:
  Pace() = default;
  /// @param bandwidth [B s-1], at least 1 kB/s
  explicit Pace(double bandwidth)
      : per_byte_(static_cast<std::uint64_t>(std::llround(kPicoseconds / bandwidth * 4294967296.0))) {}

  /// @param bytes that take less than 2^63 ps: of a chunk, up to 2^31
  Time operator()(std::int64_t bytes) const { return static_cast<Time>(exact(bytes)); }
  /// The same of any bytes, at most `kEndOfTime`.
  Time bounded(std::int64_t bytes) const {
    const auto time = exact(bytes);
    return time < kEndOfTime ? static_cast<Time>(time) : kEndOfTime;
  }
  /// The same of any bytes [s].
  double seconds(std::int64_t bytes) const { return static_cast<double>(exact(bytes)) / kPicoseconds; }

 private:
  Wide exact(std::int64_t bytes) const { return (static_cast<Wide>(per_byte_) * bytes) >> 32; }

  std::uint64_t per_byte_ = 0;
};

}  // namespace halcyon::network
