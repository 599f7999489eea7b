#include "halcyon/comm/tags.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"
#include "halcyon/comm/communicator.hpp"

namespace halcyon::comm {

int Tags::first_left() const {
  return static_cast<int>(std::find(taken_.begin() + next_, taken_.end(), 0) - taken_.begin());
}

int Tags::take(MPI_Comm comm) {
  int tag = first_left();
  if (tag == kCount) {
    check(MPI_Allreduce(held_.data(), taken_.data(), kCount, MPI_UINT8_T, MPI_MAX, comm), "MPI_Allreduce");
    next_ = 0;
    tag = first_left();
  }
  require<ConfigError>(
      tag < kCount,
      "{} exchanges are there on one communicator, as many as MPI has tags for. Free some that "
      "are no more needed, or make others on a duplicate of the communicator.",
      kCount);
  next_ = tag + 1;
  held_[tag] = 1;
  return tag;
}

}  // namespace halcyon::comm
