#pragma once

#include <cstring>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/schedule.hpp"

namespace halcyon::schedule {

/// target[i] = operation(target[i], block[i]) of numbers T, for `combine`. It throws InternalError for blocks
/// that are no such numbers.
template <class T, class Operation>
CombineOperator elementwise(Operation operation) {
  return [operation](std::span<std::byte> target, std::span<const std::byte> block) {
    require<InternalError>(target.size() % sizeof(T) == 0, "{} bytes are no numbers of {} bytes.",
                           target.size(), sizeof(T));
    for (std::size_t at = 0; at < target.size(); at += sizeof(T)) {
      T one, other;
      std::memcpy(&one, target.data() + at, sizeof(T));
      std::memcpy(&other, block.data() + at, sizeof(T));
      one = operation(one, other);
      std::memcpy(target.data() + at, &one, sizeof(T));
    }
  };
}

/// The sum of numbers.
template <class T>
CombineOperator sum_of() {
  return elementwise<T>([](T a, T b) { return a + b; });
}

}  // namespace halcyon::schedule
