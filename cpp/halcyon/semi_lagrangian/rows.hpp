#pragma once

#include <array>
#include <vector>

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
  explicit Rows(transform::Grid grid);

  const transform::Grid& grid() const { return grid_; }
  int n_rows() const { return grid_.n_rows(); }
  /// Of any number of a row; 2 n_rows are once around the globe.
  Folded fold(int row) const;
  /// [rad] Of row -2 .. n_rows + 1, growing: negative beyond the north pole, above pi beyond the south pole.
  double colatitude(int row) const { return colatitudes_[row + kBeyond]; }
  /// The last row, from -1 on, that is not south of a colatitude of 0 .. pi [rad].
  int row_north_of(double colatitude) const;
  /// A longitude [rad] in a row that may lie beyond a pole.
  RowSpot spot(int row, double longitude) const;
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
  Division(const transform::Grid& grid, Rank px, Rank py);

  Rank n_ranks() const { return px_ * static_cast<Rank>(bands_.size()); }
  Range rows(Rank rank) const { return bands_[rank / px_]; }
  /// Those of a row of its band that a rank owns.
  Range columns(Rank rank, int row) const { return {begin(row, rank % px_), begin(row, rank % px_ + 1)}; }
  Rank owner(Place place) const;
  int n_rows() const { return static_cast<int>(row_lengths_.size()); }
  int row_length(int row) const { return row_lengths_[row]; }
  GlobalIndex id(Place place) const { return row_starts_[place.row] + place.column; }
  Place place(GlobalIndex id) const;
  /// (point) What a rank owns, row after row.
  std::vector<Place> owned(Rank rank) const;

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
