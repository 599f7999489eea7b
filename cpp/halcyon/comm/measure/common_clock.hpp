#pragma once

#include <functional>

#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

/// Of this process' steady clock [s].
double steady_s();

/// A clock that all ranks read alike. Barriers cannot replace it: whoever comes to one last leaves it first,
/// a latency before the others.
class CommonClock {
 public:
  /// Collective. Sets the clock.
  /// @param own_s what a rank's own clock shows [s]
  explicit CommonClock(const Communicator& comm, std::function<double()> own_s = steady_s);

  /// Collective. Sets the clock anew, for clocks drift. Ranks that share memory share a clock; the first of
  /// each node asks rank 0 for its time, and takes the answer that came quickest to be from the middle of the
  /// way there and back (Cristian 1989, Distributed Computing 3, 146-158). So nodes are apart by at most half
  /// of what that took. It asks on while all answers are slower than they have been before.
  void set();

  /// By the clock of rank 0 [s].
  double now_s() const { return own_s_() - ahead_s_; }

 private:
  double ask(int tag);
  void answer(Rank asking, int tag) const;

  Communicator comm_;
  std::function<double()> own_s_;
  double ahead_s_ = 0;  ///< of this rank's clock
  double quickest_s_;   ///< answer so far
};

}  // namespace halcyon::comm
