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

/// A grid row, maybe reached across a pole: its longitudes are then shifted by pi, its winds change sign.
struct FoldedRow {
  int row = 0;
  bool across_pole = false;
};

/// Position of a longitude in a row: `fraction` of the way from column `west` to the next column.
struct RowPosition {
  int row = 0, west = 0;
  double fraction = 0;
  bool across_pole = false;

  /// Returns the column at an offset, -1 .. 2, from `west`. @param length number of columns in the row
  int column(int offset, int length) const {
    const int column = west + offset;
    return column < 0 ? column + length : column < length ? column : column - length;
  }
};

/// The rows of a Gaussian grid, continued over both poles: row -1 is row 0 across the north pole.
class Rows {
 public:
  /// Minimum number of rows, and of values per row, for cubic interpolation.
  static constexpr int kMinSize = 4;

  /// @throws ConfigError for a grid with fewer than kMinSize rows or values per row
  explicit Rows(transform::Grid grid) : grid_(std::move(grid)) {
    const int n = n_rows();
    const auto& lengths = grid_.row_lengths();
    const int shortest = std::ranges::min(lengths), longest = std::ranges::max(lengths);
    require<ConfigError>(
        n >= kMinSize && shortest >= kMinSize,
        "The Gaussian grid has {} rows, the shortest of {} values. Cubic interpolation needs "
        "{} or more of both.",
        n, shortest, kMinSize);
    const auto& colatitudes = grid_.latitudes().colatitudes;
    for (int row = -kExtraRows; row < n + kExtraRows; ++row) {
      const auto [folded, across_pole] = fold(row);
      const auto angle = static_cast<double>(colatitudes[folded]);
      colatitudes_.push_back(!across_pole ? angle : row < 0 ? -angle : kTwoPi - angle);
    }
    spacing_ = kTwoPi / longest;
    for (int row = -1; row < n; ++row) spacing_ = std::min(spacing_, colatitude(row + 1) - colatitude(row));
  }

  const transform::Grid& grid() const { return grid_; }
  int n_rows() const { return grid_.n_rows(); }
  /// Maps any row number to a row of the grid; the period is 2 n_rows, a full meridional circle.
  FoldedRow fold(int row) const {
    if (row >= 0 && row < n_rows()) return {row, false};
    const int period = 2 * n_rows();
    const int folded = (row % period + period) % period;
    return folded < n_rows() ? FoldedRow{folded, false} : FoldedRow{period - 1 - folded, true};
  }
  /// Colatitude of rows -2 .. n_rows + 1 [rad], increasing: below 0 and above pi beyond the poles.
  double colatitude(int row) const { return colatitudes_[row + kExtraRows]; }
  /// Number (-1 or more) of the southernmost row at or north of a colatitude in 0 .. pi [rad].
  int row_north_of(double colatitude) const {
    const int n = n_rows();
    // The k-th zero of the Legendre polynomial P_n lies near (k + 3/4) / (n + 1/2) pi.
    int row = std::clamp(static_cast<int>(colatitude / kPi * (n + 0.5) - 0.75), -1, n - 1);
    while (row >= 0 && colatitude < this->colatitude(row)) --row;
    while (row < n - 1 && colatitude >= this->colatitude(row + 1)) ++row;
    return row;
  }
  /// Locates a longitude [rad] in a row, which may be beyond a pole.
  RowPosition locate(int row, double longitude) const {
    const auto [folded, across_pole] = fold(row);
    const int length = grid_.row_length(folded);
    double circles = longitude / kTwoPi + (across_pole ? 0.5 : 0);
    circles -= std::floor(circles);
    const double position = circles * length;
    const int west = static_cast<int>(position);
    // A position that is rounded up to a full circle is at column 0.
    return {folded, west < length ? west : 0, position - west, across_pole};
  }
  /// One grid point [rad]: the smallest distance between two rows, or between two columns at the equator.
  double spacing() const { return spacing_; }

 private:
  static constexpr int kExtraRows = 2;  ///< rows beyond each pole

  transform::Grid grid_;
  std::vector<double> colatitudes_;  ///< (row + kExtraRows) [rad]
  double spacing_ = 0;
};

/// The integers from `begin` to `end` - 1.
struct Range {
  int begin = 0, end = 0;

  int size() const { return end - begin; }
  bool contains(int i) const { return begin <= i && i < end; }
};

/// A grid column (a grid point with all its levels): its row, and its number in the row from longitude 0.
struct ColumnIndex {
  int row = 0, column = 0;
};

/// Division of a Gaussian grid among px x py ranks: py bands of complete rows with balanced numbers of
/// points; each band is cut into px parts. Rank x + px y has part x of band y.
class Division {
 public:
  /// Copies only the row lengths of the grid.
  /// @throws ConfigError for more bands than rows, or more parts than values in a row
  Division(const transform::Grid& grid, Rank px, Rank py)
      : px_(px), row_lengths_(grid.row_lengths()), row_starts_(1), band_of_row_(grid.row_lengths().size()) {
    require<ConfigError>(px >= 1 && py >= 1,
                         "A division into {} x {} ranks was requested. Give 1 or more of both.", px, py);
    const int shortest = std::ranges::min(row_lengths_);
    require<ConfigError>(py <= n_rows() && px <= shortest,
                         "{} rows, the shortest of {} values, cannot be divided among {} x {} ranks. Give at "
                         "most {} x {}.",
                         n_rows(), shortest, px, py, shortest, n_rows());
    for (const int length : row_lengths_) row_starts_.push_back(row_starts_.back() + length);
    for (Rank band = 0, first_row = 0; band < py; ++band) {
      const auto target = row_starts_.back() * (band + 1) / py;  // number of points in bands 0 .. band
      int end = first_row + 1;
      while (end < n_rows() - (py - 1 - band) && row_starts_[end] < target) ++end;
      bands_.push_back({first_row, end});
      std::fill(band_of_row_.begin() + first_row, band_of_row_.begin() + end, band);
      first_row = end;
    }
  }

  Rank n_ranks() const { return px_ * static_cast<Rank>(bands_.size()); }
  Range rows(Rank rank) const { return bands_[rank / px_]; }
  /// Columns that a rank owns in a row of its band.
  Range columns(Rank rank, int row) const { return {begin(row, rank % px_), begin(row, rank % px_ + 1)}; }
  Rank owner(ColumnIndex index) const {
    const auto part = ((std::int64_t{index.column} + 1) * px_ - 1) / row_lengths_[index.row];
    return static_cast<Rank>(part) + px_ * band_of_row_[index.row];
  }
  int n_rows() const { return static_cast<int>(row_lengths_.size()); }
  int row_length(int row) const { return row_lengths_[row]; }
  /// Global id of a column: its number in the order of rows.
  GlobalIndex id(ColumnIndex index) const { return row_starts_[index.row] + index.column; }
  ColumnIndex column_index(GlobalIndex id) const {
    const auto next = std::ranges::upper_bound(row_starts_, id);
    const auto row = static_cast<int>(next - row_starts_.begin()) - 1;
    return {row, static_cast<int>(id - row_starts_[row])};
  }
  /// Columns that a rank owns, row after row.
  std::vector<ColumnIndex> owned(Rank rank) const {
    std::vector<ColumnIndex> indices;
    for (int row = rows(rank).begin; row < rows(rank).end; ++row)
      for (int column = columns(rank, row).begin; column < columns(rank, row).end; ++column)
        indices.push_back({row, column});
    return indices;
  }

 private:
  /// First column of a part of a row.
  int begin(int row, Rank part) const {
    return static_cast<int>(std::int64_t{row_lengths_[row]} * part / px_);
  }

  Rank px_;
  std::vector<int> row_lengths_;
  std::vector<GlobalIndex> row_starts_;  ///< id of the first column of a row; last: number of columns
  std::vector<Range> bands_;
  std::vector<Rank> band_of_row_;
};

}  // namespace halcyon::semi_lagrangian
