#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// What a rank receives from one peer.
struct Volume {
  Rank peer = kNone;
  std::int64_t messages = 0, bytes = 0;
};

/// Who receives how much from whom, a row a receiver: rank r hears from peers[offsets[r] .. offsets[r + 1]],
/// ascending. The sum of a row's bytes, times the steps, is V of Eq. 2 of Pang et al. (2025, Geosci. Model
/// Dev., the communication topology of FVWAM).
struct Volumes {
  std::vector<std::int64_t> offsets{0};
  std::vector<Rank> peers;
  std::vector<std::int64_t> messages, bytes;

  Rank n_ranks() const { return static_cast<Rank>(offsets.size()) - 1; }
};

/// Puts the matrix together from its rows, which several threads may ask for at once; its bits do not depend
/// on their number.
/// @param row what a rank receives, by ascending peer
/// @param threads at most; 0: one a processor
Volumes gathered(Rank n_ranks, const std::function<std::vector<Volume>(Rank)>& row, int threads);

/// What one run of any schedule brings to each rank, found by walking through its operations rank by rank.
/// The schedule must bear being asked for several ranks at once, unless `threads` is 1.
Volumes volumes(const Schedule& schedule, int threads = 1);

}  // namespace halcyon::schedule
