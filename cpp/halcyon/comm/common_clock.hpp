#pragma once

#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

/// A clock that all ranks read alike. Barriers cannot replace it: whoever comes to one last leaves it first,
/// a latency before the others.
class CommonClock {
 public:
  /// Collective. Ranks that share memory share a clock; the first of each node asks rank 0 for its time, and
  /// takes the answer that came quickest to be from the middle of the way there and back (Cristian 1989,
  /// Distributed Computing 3, 146-158). So nodes are apart by less than half of what ways there and back
  /// differ.
  explicit CommonClock(const Communicator& comm);

  /// By the clock of rank 0 [s].
  double now_s() const;

 private:
  double ahead_s_ = 0;  ///< of this rank's clock
};

}  // namespace halcyon::comm
