#pragma once

#include <cstdint>
#include <vector>

#include "halcyon/comm/methods/round.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::comm {

/// Copies between the same two buffers, one after another, kept closely: most of a halo's are of one short
/// item, for which finding out what to copy takes longer than the copy.
class Copies {
 public:
  explicit Copies(const schedule::Operation& first);

  /// Takes a copy as the last one. @returns whether it is between the same buffers, so that it could
  bool add(const schedule::Operation& copy);
  void run(BufferSpans buffers) const;

 private:
  struct Range {
    std::int64_t source, target, bytes;
  };

  std::int32_t from_, to_;
  std::vector<Range> ranges_;
};

}  // namespace halcyon::comm
