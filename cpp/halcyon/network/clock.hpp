#pragma once

#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>

namespace halcyon::network {

/// Simulated time [ps]: whole numbers, so that sums do not depend on their order and ties are ties.
using Time = std::int64_t;

__extension__ using Wide = __int128;  ///< of sums over ranks and messages

inline constexpr double kPicoseconds = 1e12;  ///< in a second
inline constexpr Time kNever = std::numeric_limits<Time>::max();

inline Time to_time(double seconds) {
  return std::llround(seconds * kPicoseconds);
}
inline double to_seconds(Time time) {
  return static_cast<double>(time) / kPicoseconds;
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

  Time operator()(std::int64_t bytes) const {
    return static_cast<Time>((static_cast<Wide>(per_byte_) * bytes) >> 32);
  }

 private:
  std::uint64_t per_byte_ = 0;
};

}  // namespace halcyon::network
