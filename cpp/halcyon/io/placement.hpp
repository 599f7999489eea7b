#pragma once

#include <span>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon::io {

/// Where a rank's items lie in a file that is ordered by global id: in which order the rank gives them, and
/// the runs of consecutive ids. Made once, used for every variable.
class Placement {
 public:
  /// @param ids the global id of each of the rank's items, each once, in any order
  explicit Placement(std::span<const GlobalIndex> ids);

  struct Run {
    GlobalIndex first, count;
  };
  std::span<const Run> runs() const { return runs_; }
  std::size_t size() const { return order_.size(); }

  /// Copies items of `width` values each from the rank's order to the file's.
  template <class T>
  void sort(std::span<const T> values, std::size_t width, std::vector<T>& sorted) const {
    sorted.clear();
    for (const auto item : order_) {
      const auto one = values.subspan(item * width, width);
      sorted.insert(sorted.end(), one.begin(), one.end());
    }
  }

 private:
  std::vector<std::size_t> order_;
  std::vector<Run> runs_;
};

}  // namespace halcyon::io
