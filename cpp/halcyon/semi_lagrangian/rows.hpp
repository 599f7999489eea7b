#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/index.hpp"
#include "halcyon/transform/sphere/grid.hpp"

namespace halcyon::semi_lagrangian {

/// A row where a meridian, followed over a pole, meets the grid again: beyond a pole the longitude is pi
/// further, and a wind's components have the other sign.
struct Folded {
  int row = 0;
  bool beyond = false;
};

/// Where a longitude lies in a row: `fraction` of the way from column `west` to the next one.
struct RowSpot {
  int row = 0, west = 0;
  double fraction = 0;
  bool beyond = false;

  /// @param offset -1 .. 2
  int column(int offset, int length) const {
    const int found = west + offset;
    return found < 0 ? found + length : found < length ? found : found - length;
  }
};

/// The rows of a Gaussian grid, continued over both poles: row -1 is row 0 beyond the north pole.
class Rows {
 public:
  static constexpr int kFewest = 4;  ///< rows, and values in a row, that cubic interpolation needs

  /// @throws ConfigError for a grid of fewer than kFewest rows or of shorter ones
  explicit Rows(transform::Grid grid) : grid_(std::move(grid)) {
    const int n = n_rows();
    const auto& lengths = grid_.row_lengths();
    const int shortest = std::ranges::min(lengths), longest = std::ranges::max(lengths);
    require<ConfigError>(
        n >= kFewest && shortest >= kFewest,
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

  const transform::Grid& grid() const { return grid_; }
  int n_rows() const { return grid_.n_rows(); }
  /// Of any number of a row; 2 n_rows are once around the globe.
  Folded fold(int row) const {
    if (row >= 0 && row < n_rows()) return {row, false};
    const int around = 2 * n_rows();
    const int met = (row % around + around) % around;
    return met < n_rows() ? Folded{met, false} : Folded{around - 1 - met, true};
  }
  /// [rad] Of row -2 .. n_rows + 1, growing: negative beyond the north pole, above pi beyond the south pole.
  double colatitude(int row) const { return colatitudes_[row + kBeyond]; }
  /// The last row, from -1 on, that is not south of a colatitude of 0 .. pi [rad].
  int row_north_of(double colatitude) const {
    const int n = n_rows();
    // The k-th zero of P_n lies near (k + 3/4) / (n + 1/2) pi.
    int row = std::clamp(static_cast<int>(colatitude / kPi * (n + 0.5) - 0.75), -1, n - 1);
    while (row >= 0 && colatitude < this->colatitude(row)) --row;
    while (row < n - 1 && colatitude >= this->colatitude(row + 1)) ++row;
    return row;
  }
  /// A longitude [rad] in a row that may lie beyond a pole.
  RowSpot spot(int row, double longitude) const {
    const auto [met, beyond] = fold(row);
    const int length = grid_.row_length(met);
    double turns = longitude / kTwoPi + (beyond ? 0.5 : 0);
    turns -= std::floor(turns);
    const double place = turns * length;
    const int west = static_cast<int>(place);
    return {met, west < length ? west : 0, place - west, beyond};  // rounded up to a whole turn: fraction 0
  }
  /// [rad] The shortest distance of two rows, and of two columns at the equator: one grid point.
  double spacing() const { return spacing_; }

 private:
  static constexpr int kBeyond = 2;

  transform::Grid grid_;
  std::vector<double> colatitudes_;
  double spacing_ = 0;
};

/// From `begin` up to `end`.
struct Range {
  int begin = 0, end = 0;

  int size() const { return end - begin; }
  bool holds(int i) const { return begin <= i && i < end; }
};

/// A column of a grid.
struct Place {
  int row = 0, column = 0;
};

/// A Gaussian grid on px x py ranks: py bands of whole rows with about as many points each, and px parts of
/// each of their rows. Rank x + px y has part x of band y.
class Division {
 public:
  /// Keeps the row lengths alone.
  /// @throws ConfigError where there are more bands than rows, or more parts than values in a row
  Division(const transform::Grid& grid, Rank px, Rank py)
      : px_(px), row_lengths_(grid.row_lengths()), row_starts_(1), band_of_row_(grid.row_lengths().size()) {
    require<ConfigError>(px >= 1 && py >= 1, "A division into {} x {} ranks. Give 1 or more of both.", px,
                         py);
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

  Rank n_ranks() const { return px_ * static_cast<Rank>(bands_.size()); }
  Range rows(Rank rank) const { return bands_[rank / px_]; }
  /// Those of a row of its band that a rank owns.
  Range columns(Rank rank, int row) const { return {begin(row, rank % px_), begin(row, rank % px_ + 1)}; }
  Rank owner(Place place) const {
    const auto part = ((std::int64_t{place.column} + 1) * px_ - 1) / row_lengths_[place.row];
    return static_cast<Rank>(part) + px_ * band_of_row_[place.row];
  }
  int n_rows() const { return static_cast<int>(row_lengths_.size()); }
  int row_length(int row) const { return row_lengths_[row]; }
  GlobalIndex id(Place place) const { return row_starts_[place.row] + place.column; }
  Place place(GlobalIndex id) const {
    const auto next = std::ranges::upper_bound(row_starts_, id);
    const auto row = static_cast<int>(next - row_starts_.begin()) - 1;
    return {row, static_cast<int>(id - row_starts_[row])};
  }
  /// (point) What a rank owns, row after row.
  std::vector<Place> owned(Rank rank) const {
    std::vector<Place> places;
    for (int row = rows(rank).begin; row < rows(rank).end; ++row)
      for (int column = columns(rank, row).begin; column < columns(rank, row).end; ++column)
        places.push_back({row, column});
    return places;
  }

 private:
  int begin(int row, Rank part) const {
    return static_cast<int>(std::int64_t{row_lengths_[row]} * part / px_);
  }

  Rank px_;
  std::vector<int> row_lengths_;
  std::vector<GlobalIndex> row_starts_;
  std::vector<Range> bands_;
  std::vector<Rank> band_of_row_;
};

}  // namespace halcyon::semi_lagrangian
