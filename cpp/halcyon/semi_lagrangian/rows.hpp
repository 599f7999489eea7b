#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/index.hpp"
#include "halcyon/transform/share/extents.hpp"
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

/// Cubic interpolation between four nodes x_i, with weights w_i = prod_{j != i} (x - x_j) / (x_i - x_j)
/// (Lagrange).
class CubicNodes {
 public:
  explicit CubicNodes(const std::array<double, 4>& nodes) : nodes_(nodes) {
    for (int i = 0; i < 4; ++i) {
      double product = 1;
      for (int j = 0; j < 4; ++j)
        if (j != i) product *= nodes[i] - nodes[j];
      factors_[i] = 1 / product;
    }
  }
  std::array<double, 4> weights(double x) const {
    const double d0 = x - nodes_[0], d1 = x - nodes_[1], d2 = x - nodes_[2], d3 = x - nodes_[3];
    return {factors_[0] * d1 * (d2 * d3), factors_[1] * d0 * (d2 * d3), factors_[2] * d3 * (d0 * d1),
            factors_[3] * d2 * (d0 * d1)};
  }

 private:
  std::array<double, 4> nodes_, factors_{};
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
    for (int row = -1; row < n; ++row)
      cubic_.emplace_back(
          std::array{colatitude(row - 1), colatitude(row), colatitude(row + 1), colatitude(row + 2)});
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
  /// Interpolation in colatitude between rows north - 1 .. north + 2, for `north` = -1 or more.
  const CubicNodes& cubic_nodes(int north) const { return cubic_[std::size_t(north + 1)]; }
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
  RowPosition locate(int row, double longitude) const { return locate_circles(row, longitude / kTwoPi); }
  /// Locates a longitude, in full circles.
  RowPosition locate_circles(int row, double circles) const {
    const auto [folded, across_pole] = fold(row);
    const int length = grid_.row_length(folded);
    if (across_pole) circles += 0.5;
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
  std::vector<CubicNodes> cubic_;    ///< (row + 1)
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

/// Division of a Gaussian grid among ranks: a band, a set of rows, is cut into parts, one for each rank.
class Division {
 public:
  /// Divides the grid among px x py ranks: py bands of adjacent rows with balanced numbers of points, each in
  /// px parts; rank x + px y has part x of band y. Copies only the row lengths of the grid.
  /// @throws ConfigError for more bands than rows, or more parts than values in a row
  Division(const transform::Grid& grid, Rank px, Rank py)
      : n_parts_(px), n_bands_(py), band_stride_(px), row_lengths_(grid.row_lengths()) {
    require<ConfigError>(px >= 1 && py >= 1,
                         "A division into {} x {} ranks was requested. Give 1 or more of both.", px, py);
    const int shortest = std::ranges::min(row_lengths_);
    require<ConfigError>(py <= n_rows() && px <= shortest,
                         "{} rows, the shortest of {} values, cannot be divided among {} x {} ranks. Give at "
                         "most {} x {}.",
                         n_rows(), shortest, px, py, shortest, n_rows());
    count_columns();
    band_of_row_.resize(row_lengths_.size());
    for (Rank band = 0, first_row = 0; band < py; ++band) {
      const auto target = row_starts_.back() * (band + 1) / py;  // number of points in bands 0 .. band
      int end = first_row + 1;
      while (end < n_rows() - (py - 1 - band) && row_starts_[end] < target) ++end;
      std::fill(band_of_row_.begin() + first_row, band_of_row_.begin() + end, band);
      first_row = end;
    }
    find_runs();
  }
  /// The division of a transform: band w of rows belongs to W set w, part v of each row to V set v; rank v W
  /// + w has part v of band w (`transform::SphereSets`).
  /// @param w_of_row (row) the W set of a row
  Division(const transform::Grid& grid, std::vector<Rank> w_of_row, transform::SetCounts counts)
      : n_parts_(counts.v),
        n_bands_(counts.w),
        part_stride_(counts.w),
        row_lengths_(grid.row_lengths()),
        band_of_row_(std::move(w_of_row)) {
    count_columns();
    find_runs();
  }

  Rank n_ranks() const { return n_parts_ * n_bands_; }
  /// The rows of a rank, as ranges of adjacent rows, ascending.
  const std::vector<Range>& rows(Rank rank) const { return runs_[band(rank)]; }
  /// Columns that a rank owns in a row; none in a row of another band.
  Range columns(Rank rank, int row) const {
    if (band_of_row_[row] != band(rank)) return {};
    const transform::LongitudeParts parts{row_lengths_[row], n_parts_};
    const auto part = rank / part_stride_ % n_parts_;
    return {static_cast<int>(parts.begin(part)), static_cast<int>(parts.begin(part + 1))};
  }
  Rank owner(ColumnIndex index) const {
    const auto part =
        transform::LongitudeParts{row_lengths_[index.row], n_parts_}.part_of(std::int64_t{index.column});
    return static_cast<Rank>(part) * part_stride_ + band_of_row_[index.row] * band_stride_;
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
    for (const auto& run : rows(rank))
      for (int row = run.begin; row < run.end; ++row)
        for (int column = columns(rank, row).begin; column < columns(rank, row).end; ++column)
          indices.push_back({row, column});
    return indices;
  }

 private:
  Rank band(Rank rank) const { return rank / band_stride_ % n_bands_; }
  void count_columns() {
    for (const int length : row_lengths_) row_starts_.push_back(row_starts_.back() + length);
  }
  void find_runs() {
    runs_.resize(n_bands_);
    for (int row = 0; row < n_rows(); ++row) {
      auto& runs = runs_[band_of_row_[row]];
      if (runs.empty() || runs.back().end != row) runs.push_back({row, row});
      runs.back().end = row + 1;
    }
  }

  Rank n_parts_, n_bands_, part_stride_ = 1,
                           band_stride_ = 1;  ///< rank = part part_stride + band band_stride
  std::vector<int> row_lengths_;
  std::vector<GlobalIndex> row_starts_ = {0};  ///< id of the first column of a row; last: number of columns
  std::vector<Rank> band_of_row_;
  std::vector<std::vector<Range>> runs_;  ///< (band)
};

}  // namespace halcyon::semi_lagrangian
