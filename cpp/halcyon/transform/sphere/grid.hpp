#pragma once

#include <cstddef>
#include <vector>

#include "halcyon/transform/sphere/gaussian.hpp"

namespace halcyon::transform {

/// A Gaussian grid: rows from north to south, each with longitudes from 0 eastward, evenly spaced. Fields on
/// it are (point): row after row.
class Grid {
 public:
  /// @param row_lengths (row) values of each, alike north and south, growing towards the equator or constant
  /// @throws ConfigError where they are not
  explicit Grid(std::vector<int> row_lengths);

  /// All rows have the same length.
  static Grid full(int n_rows, int n_longitudes);
  /// Each row has the shortest length L with no other factors than 2, 3 and 5, even and at least `shortest`,
  /// that holds the wavenumbers that matter in it: L >= `points_per_wave` M + 1, where M is the last m for
  /// which some |P_nm|, n <= truncation, is above `tolerance` (after Courtier and Naughton 1994, Q. J. R.
  /// Meteorol. Soc. 120, 1389-1407).
  /// @param points_per_wave 2 for linear grids, 3 for quadratic ones
  static Grid reduced(int n_rows, int truncation, int points_per_wave = 2, double tolerance = 1e-14,
                      int shortest = 8);
  /// 2 n rows, of 20, 24, 28 .. values from the poles on (Malardel et al. 2016, ECMWF Newsletter 146).
  static Grid octahedral(int n);

  int n_rows() const { return static_cast<int>(row_lengths_.size()); }
  std::size_t n_points() const { return row_starts_.back(); }
  int row_length(int row) const { return row_lengths_[row]; }
  std::size_t row_start(int row) const { return row_starts_[row]; }
  const GaussianLatitudes& latitudes() const { return latitudes_; }
  const std::vector<int>& row_lengths() const { return row_lengths_; }

 private:
  std::vector<int> row_lengths_;
  std::vector<std::size_t> row_starts_;
  GaussianLatitudes latitudes_;
};

/// The last wavenumber m <= truncation for which some |P_nm| at a colatitude, n <= truncation, is above a
/// tolerance: 0 where there is none.
int last_wavenumber(int truncation, long double colatitude, double tolerance);

}  // namespace halcyon::transform
