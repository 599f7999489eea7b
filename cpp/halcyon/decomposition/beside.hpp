#pragma once

#include <array>
#include <span>
#include <vector>

#include "halcyon/base/runs.hpp"

namespace halcyon::decomposition {

/// What lies beside the items of a kind in a list of the mesh, kNone where something is missing; without a
/// list each item itself.
class Beside {
 public:
  Beside() = default;
  /// Entries offsets[i] .. offsets[i + 1] are those of item i.
  Beside(std::span<const LocalIndex> offsets, std::span<const LocalIndex> items)
      : offsets_(offsets), items_(items) {}
  template <std::size_t K>
  Beside(const std::vector<std::array<LocalIndex, K>>& items)
      : items_(items.empty() ? nullptr : items.front().data(), K * items.size()), of_each_(K) {}

  /// Valid as long as `item` is.
  std::span<const LocalIndex> operator[](const LocalIndex& item) const {
    if (of_each_ > 0) return items_.subspan(item * of_each_, of_each_);
    if (offsets_.empty()) return {&item, 1};
    return items_.subspan(offsets_[item], offsets_[item + 1] - offsets_[item]);
  }

 private:
  std::span<const LocalIndex> offsets_, items_;
  std::size_t of_each_ = 0;
};

}  // namespace halcyon::decomposition
