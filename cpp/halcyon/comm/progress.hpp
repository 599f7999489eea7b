#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/threads.hpp"

namespace halcyon::comm {

/// How messages in flight progress while a rank computes.
enum class ProgressMode {
  none,    ///< Halcyon does nothing; threads of MPI or the network hardware may progress messages
  poll,    ///< the computation calls Exchange::progress from time to time
  thread,  ///< a thread of Halcyon polls MPI
};

/// Names of the modes, in the order of the enumeration.
inline constexpr std::array<std::string_view, 3> kProgressNames{"none", "poll", "thread"};

/// @throws ConfigError that lists the names
ProgressMode progress_mode_named(std::string_view name);
std::string_view name_of(ProgressMode mode);

class ProgressThread;

/// Progress of exchanges while their ranks compute. Any number of exchanges may use one object.
class Progress {
 public:
  static constexpr double kPollInterval_s = 200e-6;

  /// Collective.
  /// @param core how the core of the progress thread is chosen
  /// @param poll_interval_s sleep of the progress thread between polls [s]
  /// @throws ConfigError, on all ranks, if a thread is requested but MPI was initialized with less than
  /// MPI_THREAD_MULTIPLE, the core does not exist, or the interval is outside 0..1 s
  Progress(const Communicator& comm, ProgressMode mode, const CoreBinding& core = {},
           double poll_interval_s = kPollInterval_s);
  ~Progress();

  ProgressMode mode() const { return mode_; }
  /// The mode and, for a thread, its core and interval; a warning if MPI has its own progress threads.
  const std::string& description() const { return description_; }
  /// Number of polls of the progress thread so far.
  std::int64_t n_polls() const;

  /// Call `resume` before, and `pause` after a computation that overlaps messages in flight. Calls may nest.
  /// @throws RunError if MPI has reported an error to the progress thread
  void resume() const;
  void pause() const noexcept;

 private:
  ProgressMode mode_;
  std::string description_;
  std::unique_ptr<ProgressThread> thread_;
};

}  // namespace halcyon::comm
