#pragma once

#include <cstddef>
#include <vector>

#include "halcyon/options/option.hpp"

namespace halcyon::transform {

/// Nodes and weights of Gauss and Legendre for integrals over mu = sin(latitude), from north to south. The
/// nodes are angles, held longer than double, for from them alone what varies like cos^m(latitude) is exact.
struct GaussianLatitudes {
  std::vector<long double> colatitudes;  ///< (latitude) [rad]
  std::vector<double> sines, cosines;    ///< (latitude) of the latitude: mu and sqrt(1 - mu^2)
  std::vector<double> weights;           ///< (latitude) their sum is 2
};

constexpr int kMostLatitudes = 100'000;  ///< 200 m apart on the Earth

/// The n zeros of P_n, by Newton's iteration in the colatitude from their asymptotic places. Exact to the
/// last bit or the one before for any n >= 1; O(n^2).
GaussianLatitudes gaussian_latitudes(int n);

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

/// The kinds of grids by name.
std::vector<options::Choice> grid_choices();

/// The last m that a row can hold, short of the one whose sign it could not tell.
inline int last_in_row(int length) {
  return (length - 1) / 2;
}

/// The last wavenumber m <= truncation for which some |P_nm| at a colatitude, n <= truncation, is above a
/// tolerance: 0 where there is none.
int last_wavenumber(int truncation, long double colatitude, double tolerance);

/// Of the mean square of a P_nm, at most this may lie in rows too short for its m: round trips of random
/// coefficients of size 1 are then within 1e-10.
inline constexpr double kMostLost = 1e-11;

/// Whether T + 1 rows or more, 2 T + 1 values at the equator or more, and rows elsewhere let an analysis give
/// back what a synthesis was given. A row of L values holds wavenumbers to (L - 1) / 2. Where m is larger,
/// |P_nm| must be small enough there that w P_nm^2 <= kMostLost of the pair of rows, whose Gaussian weights
/// are w each (sum over all rows: 2): the sum over latitudes that makes P_nm orthogonal (Courtier and
/// Naughton 1994, Q. J. R. Meteorol. Soc. 120, 1389-1407) lacks that. |P_nm| shrinks as m grows, so that the
/// first m a row cannot hold tells. Grids that hold T hold all below; `Grid::octahedral(T + 1)` holds T, the
/// cubic grid TCo of Malardel et al. (2016).
bool holds(const Grid& grid, int truncation);
/// The largest truncation that it holds.
int largest_truncation(const Grid& grid);

}  // namespace halcyon::transform
