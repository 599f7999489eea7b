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

Division::Division(const transform::Grid& grid, Rank px, Rank py)
    : px_(px), row_lengths_(grid.row_lengths()), row_starts_(1), band_of_row_(grid.row_lengths().size()) {
  require<ConfigError>(px >= 1 && py >= 1, "A division into {} x {} ranks. Give 1 or more of both.", px, py);
  const int shortest = std::ranges::min(row_lengths_);
  require<ConfigError>(py <= n_rows() && px <= shortest,
                       "{} rows, the shortest of {} values, cannot be divided among {} x {} ranks. Give at "
                       "most {} x {}.",
                       n_rows(), shortest, px, py, shortest, n_rows());
  for (const int length : row_lengths_) row_starts_.push_back(row_starts_.back() + length);
  for (Rank band = 0, first = 0; band < py; ++band) {
    const auto upto = row_starts_.back() * (band + 1) / py;  // points north of the band's end
    int end = first + 1;
    while (end < n_rows() - (py - 1 - band) && row_starts_[end] < upto) ++end;
    bands_.push_back({first, end});
    std::fill(band_of_row_.begin() + first, band_of_row_.begin() + end, band);
    first = end;
  }
}

Rank Division::owner(Place place) const {
  const auto part = ((std::int64_t{place.column} + 1) * px_ - 1) / row_lengths_[place.row];
  return static_cast<Rank>(part) + px_ * band_of_row_[place.row];
}

Place Division::place(GlobalIndex id) const {
  const auto next = std::ranges::upper_bound(row_starts_, id);
  const auto row = static_cast<int>(next - row_starts_.begin()) - 1;
  return {row, static_cast<int>(id - row_starts_[row])};
}

std::vector<Place> Division::owned(Rank rank) const {
  std::vector<Place> places;
  for (int row = rows(rank).begin; row < rows(rank).end; ++row)
    for (int column = columns(rank, row).begin; column < columns(rank, row).end; ++column)
      places.push_back({row, column});
  return places;
}

}  // namespace halcyon::semi_lagrangian
