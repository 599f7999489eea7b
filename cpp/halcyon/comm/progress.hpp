#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/comm/threads.hpp"

namespace halcyon::comm {

/// Who moves what is under way while a rank computes.
enum class ProgressBy {
  none,    ///< nobody, unless the MPI or the network does
  poll,    ///< the computation, which calls Exchange::progress between its pieces
  thread,  ///< a thread of ours
};

/// Their names, in the order of the enumeration.
inline constexpr std::array<std::string_view, 3> kProgressNames{"none", "poll", "thread"};

/// @throws ConfigError that lists them
ProgressBy progress_named(std::string_view name);
std::string_view name_of(ProgressBy by);

class ProgressThread;

/// How exchanges get on while their ranks compute. It may serve any number of exchanges, of any
/// communicators.
class Progress {
 public:
  static constexpr double kNap_s = 200e-6;

  /// Collective.
  /// @param core, nap_s [s] of a thread: where it runs, and how long it sleeps from turn to turn
  /// @throws ConfigError, on all ranks, for a thread where MPI was started with less than
  ///         MPI_THREAD_MULTIPLE, a core that is not there, and naps outside 0..1 s
  Progress(const Communicator& comm, ProgressBy by, const Core& core = {}, double nap_s = kNap_s);
  ~Progress();

  ProgressBy by() const { return by_; }
  /// Its name and, of a thread, core and naps; a warning where the MPI has threads of its own, too.
  const std::string& description() const { return description_; }
  /// How often the thread has given MPI a turn.
  std::int64_t n_turns() const;

  /// From now on the rank computes with messages under way; no more. Calls nest.
  /// @throws RunError where the thread met an error
  void resume() const;
  void pause() const noexcept;

 private:
  ProgressBy by_;
  std::string description_;
  std::unique_ptr<ProgressThread> thread_;
};

}  // namespace halcyon::comm
