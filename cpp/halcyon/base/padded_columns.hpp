#pragma once

#include <algorithm>
#include <vector>

#include "halcyon/base/rows.hpp"

namespace halcyon {

/// Some columns of a field with their ends twice, so that what lies above and below a level is there at all
/// levels. Each is taken some items before it is read: what has just been written is waited for where it is
/// read in other pieces.
template <class Real>
class PaddedColumns {
 public:
  explicit PaddedColumns(int n_levels) : n_(n_levels + 2), values_(n_ * kHeld) {}

  void take(In<Real> field, LocalIndex item) {
    const auto levels = column(field, item, n_ - 2);
    const auto found = column(Out<Real>(values_), item % kHeld, n_);
    std::ranges::copy(levels, found.begin() + 1);
    found.front() = levels.front();
    found.back() = levels.back();
  }
  In<Real> above(LocalIndex item) const { return column(In<Real>(values_), item % kHeld, n_); }
  In<Real> here(LocalIndex item) const { return above(item).subspan(1); }
  In<Real> below(LocalIndex item) const { return above(item).subspan(2); }

 private:
  static constexpr LocalIndex kHeld = 2 * kAhead;

  std::size_t n_;
  std::vector<Real> values_;
};

}  // namespace halcyon
