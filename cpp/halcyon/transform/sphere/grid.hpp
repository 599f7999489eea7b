#pragma once

#include <cstddef>
#include <vector>

#include "halcyon/options/option.hpp"

namespace halcyon::transform {

/// Nodes and weights of Gauss-Legendre quadrature over mu = sin(latitude), from north to south. Colatitudes
/// are long doubles, since functions like cos^m(latitude) need more than double precision in the angle.
struct GaussianLatitudes {
  std::vector<long double> colatitudes;  ///< (latitude) [rad]
  std::vector<double> sines, cosines;    ///< (latitude) sine and cosine of latitude: mu and sqrt(1 - mu^2)
  std::vector<double> weights;           ///< (latitude) sum: 2
};

constexpr int kMaxLatitudes = 100'000;  ///< rows about 200 m apart on the Earth

/// Returns the n zeros of P_n, computed by Newton's iteration in the colatitude from an asymptotic guess.
/// Accurate to one unit in the last place for any n >= 1; O(n^2) operations.
GaussianLatitudes gaussian_latitudes(int n);

/// A Gaussian grid: rows from north to south, evenly spaced from longitude 0. Fields are stored row by row.
class Grid {
 public:
  /// @param row_lengths (row) values per row, symmetric about the equator and not decreasing towards it
  /// @throws ConfigError for other row lengths
  explicit Grid(std::vector<int> row_lengths);

  /// Rows of equal length.
  static Grid full(int n_rows, int n_longitudes);
  /// Each row has the shortest even length L >= `shortest` without prime factors above 5 that resolves the
  /// significant wavenumbers of the row: L >= `points_per_wave` M + 1, where M is the largest m for which
  /// some |P_nm|, n <= truncation, exceeds `tolerance`; rows do not become shorter towards the equator (after
  /// Courtier and Naughton 1994, Q. J. R. Meteorol. Soc. 120, 1389-1407).
  /// @param points_per_wave 2 for linear grids, 3 for quadratic ones
  static Grid reduced(int n_rows, int truncation, int points_per_wave = 2, double tolerance = 1e-14,
                      int shortest = 8);
  /// 2 n rows of 20, 24, 28 .. values from the poles to the equator (Malardel et al. 2016).
  static Grid octahedral(int n);

  int n_rows() const { return static_cast<int>(row_lengths_.size()); }
  std::size_t n_points() const { return row_starts_.back(); }
  int row_length(int row) const { return row_lengths_[row]; }
  /// Index of the first point of a row.
  std::size_t row_start(int row) const { return row_starts_[row]; }
  const GaussianLatitudes& latitudes() const { return latitudes_; }
  const std::vector<int>& row_lengths() const { return row_lengths_; }

 private:
  std::vector<int> row_lengths_;
  std::vector<std::size_t> row_starts_;
  GaussianLatitudes latitudes_;
};

std::vector<options::RegistryEntry> grid_choices();

/// The largest zonal wavenumber m that a row of L values resolves, below the Nyquist wavenumber L / 2.
inline int largest_wavenumber_in_row(int length) {
  return (length - 1) / 2;
}

/// Returns the largest m for which some |P_nm|, n <= truncation, exceeds a tolerance at a colatitude, or 0.
int largest_significant_wavenumber(int truncation, long double colatitude, double tolerance);

/// Largest fraction of the mean square of a P_nm that may come from rows that are too short to resolve m.
/// Round trips of random coefficients of size 1 are then accurate to 1e-10.
inline constexpr double kMaxLostVariance = 1e-11;

/// Whether an analysis recovers the coefficients of a synthesis at truncation T: the grid needs at least T +
/// 1 rows, 2 T + 1 values at the equator, and long enough rows elsewhere. A row of L values resolves
/// wavenumbers up to (L - 1) / 2. For larger m, |P_nm| must satisfy w P_nm^2 <= kMaxLostVariance in the row
/// and its mirror image, each of Gaussian weight w (sum over all rows: 2), since the sum over latitudes that
/// makes the P_nm orthogonal lacks these terms (Courtier and Naughton 1994, Q. J. R. Meteorol. Soc. 120,
/// 1389-1407). |P_nm| decreases with m, so only the smallest unresolved m is tested. A grid that holds T
/// holds all smaller truncations. `Grid::octahedral(T + 1)`, the TCo grid of Malardel et al. (2016), holds T.
bool holds(const Grid& grid, int truncation);
/// The largest truncation that a grid `holds`.
int largest_truncation(const Grid& grid);

}  // namespace halcyon::transform
