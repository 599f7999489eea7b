#pragma once

#include <span>
#include <unordered_map>

#include "halcyon/base/index.hpp"

namespace halcyon::decomposition {

/// Local numbers by global id.
class LocalNumbers {
 public:
  /// @param to_global the global id of each local number
  explicit LocalNumbers(std::span<const GlobalIndex> to_global) {
    numbers_.reserve(to_global.size());
    for (const auto id : to_global) numbers_.emplace(id, static_cast<LocalIndex>(numbers_.size()));
  }

  /// kNone for what is not there.
  LocalIndex operator()(GlobalIndex id) const {
    const auto found = numbers_.find(id);
    return found == numbers_.end() ? kNone : found->second;
  }

 private:
  std::unordered_map<GlobalIndex, LocalIndex> numbers_;
};

}  // namespace halcyon::decomposition
