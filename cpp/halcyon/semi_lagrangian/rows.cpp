#include "halcyon/semi_lagrangian/rows.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::semi_lagrangian {

Rows::Rows(transform::Grid grid) : grid_(std::move(grid)) {
  const int n = n_rows();
  const auto& lengths = grid_.row_lengths();
  const int shortest = std::ranges::min(lengths), longest = std::ranges::max(lengths);
  require<ConfigError>(n >= kFewest && shortest >= kFewest,
                       "The Gaussian grid has {} rows, the shortest of {} values. Cubic interpolation needs "
                       "{} or more of both.",
                       n, shortest, kFewest);
  const auto& of_row = grid_.latitudes().colatitudes;
  for (int row = -kBeyond; row < n + kBeyond; ++row) {
    const auto [met, beyond] = fold(row);
    const auto angle = static_cast<double>(of_row[met]);
    colatitudes_.push_back(!beyond ? angle : row < 0 ? -angle : kTwoPi - angle);
  }
  spacing_ = kTwoPi / longest;
  for (int row = -1; row < n; ++row) spacing_ = std::min(spacing_, colatitude(row + 1) - colatitude(row));
}

Folded Rows::fold(int row) const {
  if (row >= 0 && row < n_rows()) return {row, false};
  const int around = 2 * n_rows();
  const int met = (row % around + around) % around;
  return met < n_rows() ? Folded{met, false} : Folded{around - 1 - met, true};
}

int Rows::row_north_of(double colatitude) const {
  const int n = n_rows();
  // The k-th zero of P_n lies near (k + 3/4) / (n + 1/2) pi.
  int row = std::clamp(static_cast<int>(colatitude / kPi * (n + 0.5) - 0.75), -1, n - 1);
  while (row >= 0 && colatitude < this->colatitude(row)) --row;
  while (row < n - 1 && colatitude >= this->colatitude(row + 1)) ++row;
  return row;
}

RowSpot Rows::spot(int row, double longitude) const {
  const auto [met, beyond] = fold(row);
  const int length = grid_.row_length(met);
  double turns = longitude / kTwoPi + (beyond ? 0.5 : 0);
  turns -= std::floor(turns);
  const double place = turns * length;
  const int west = static_cast<int>(place);
  return {met, west < length ? west : 0, place - west, beyond};  // rounded up to a whole turn: fraction 0
}

}  // namespace halcyon::semi_lagrangian
