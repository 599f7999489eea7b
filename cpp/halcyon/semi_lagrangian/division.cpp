#include "halcyon/semi_lagrangian/division.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::semi_lagrangian {

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
