#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "halcyon/base/lanes.hpp"
#include "halcyon/base/runs.hpp"

/// The columns of a few items at once, one in each lane of a register: for what goes up or down a column.
namespace halcyon {

/// The items whose columns are computed together. Where fewer are left the last comes more than once: it is
/// computed alike in all its lanes.
template <class Real>
using Items = std::array<LocalIndex, kLanes<Real>>;

/// Calls kernel(items) for all items of some runs.
template <class Real, class Kernel>
void for_batches(std::span<const Run> runs, const Kernel& kernel) {
  Items<Real> items;
  int n = 0;
  for (const auto [begin, end] : runs) {
    for (LocalIndex item = begin; item < end; ++item) {
      items[n++] = item;
      if (n == kLanes<Real>) kernel(items), n = 0;
    }
  }
  if (n == 0) return;
  std::fill(items.begin() + n, items.end(), items[n - 1]);
  kernel(items);
}

/// A field (item, level) at the same level of some items; of an empty field, which is never read, nothing.
template <class Real>
class LaneField {
 public:
  LaneField(std::span<Real> field, const Items<Real>& items, int n_levels) {
    if (field.empty()) return;
    for (std::size_t lane = 0; lane < items.size(); ++lane)
      columns_[lane] = field.data() + static_cast<std::size_t>(items[lane]) * n_levels;
  }

  Lanes<Real> operator[](int k) const {
    Lanes<Real> row;
    for (std::size_t lane = 0; lane < columns_.size(); ++lane) row[lane] = columns_[lane][k];
    return row;
  }
  void put(int k, Lanes<Real> row) const {
    for (std::size_t lane = 0; lane < columns_.size(); ++lane) columns_[lane][k] = row[lane];
  }

 private:
  std::array<Real*, kLanes<Real>> columns_{};
};

}  // namespace halcyon
