#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// Data that a rank receives from one peer.
struct Volume {
  Rank peer = kNone;
  std::int64_t messages = 0, bytes = 0;  ///< number of messages, sum of bytes
};

/// Communication volumes as a sparse matrix with one row per receiver: rank r receives from peers[offsets[r]
/// .. offsets[r + 1] - 1], which ascend. The sum of a row's bytes, times the number of steps, is V of Eq. 2
/// of Pang et al. (2025, Geosci. Model Dev., the communication topology of FVWAM).
struct Volumes {
  std::vector<std::int64_t> offsets{0};
  std::vector<Rank> peers;
  std::vector<std::int64_t> messages, bytes;  ///< number of messages, sum of bytes, per entry of `peers`

  Rank n_ranks() const { return static_cast<Rank>(offsets.size()) - 1; }
};

/// Assembles the matrix from its rows. The result does not depend on the number of threads.
/// @param row_of returns the volumes that a rank receives, by ascending peer
/// @param threads maximum number of threads; 0: one per processor
Volumes assemble_volumes(Rank n_ranks, const std::function<std::vector<Volume>(Rank)>& row_of, int threads);

/// Computes the volumes of any schedule from the operations of all its ranks. The schedule must support
/// concurrent calls for different ranks, unless `threads` is 1.
Volumes volumes(const Schedule& schedule, int threads = 1);

}  // namespace halcyon::schedule
