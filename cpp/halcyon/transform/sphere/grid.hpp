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

/// Returns the n zeros of P_n and their weights. Newton's iteration finds each colatitude from an asymptotic
/// approximation, to one unit in the last place for any n >= 1; O(n^2) operations.
GaussianLatitudes gaussian_latitudes(int n);

/// A Gaussian grid: rows from north to south, with evenly spaced values from longitude 0. Stored row by row.
class Grid {
 public:
  /// @param row_lengths (row) values per row, symmetric about the equator and not decreasing towards it
  /// @throws ConfigError for other row lengths
  explicit Grid(std::vector<int> row_lengths);

  /// Returns a grid with rows of equal length.
  static Grid full(int n_rows, int n_longitudes);
  /// Returns a grid where each row has the shortest even length L >= `shortest` without prime factors above 5
  /// that resolves the significant wavenumbers of the row, L >= `points_per_wave` M + 1: M is the largest m
  /// for which some |P_nm|, n <= truncation, exceeds `tolerance`. No row is shorter than a row nearer to a
  /// pole (after Courtier and Naughton 1994, Q. J. R. Meteorol. Soc. 120, 1389-1407).
  /// @param points_per_wave 2 for linear grids, 3 for quadratic ones
  static Grid reduced(int n_rows, int truncation, int points_per_wave = 2, double tolerance = 1e-14,
                      int shortest = 8);
  /// Returns a grid of 2 n rows of 20, 24, 28 .. values from each pole to the equator (Malardel et al. 2016).
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

std::vector<options::RegistryEntry> grid_choices();  ///< kinds of grids that a case can name

/// Returns the largest zonal wavenumber m < L / 2 (Nyquist) that a row of L values resolves.
inline int largest_wavenumber_in_row(int length) {
  return (length - 1) / 2;
}

/// Returns the largest m for which some |P_nm|, n <= truncation, exceeds `tolerance` at `colatitude`, or 0.
int largest_significant_wavenumber(int truncation, long double colatitude, double tolerance);

/// Largest fraction of the mean square of a P_nm that may come from rows that are too short to resolve m.
/// Round trips of random coefficients of size 1 are then accurate to 1e-10.
inline constexpr double kMaxLostVariance = 1e-11;

/// Whether an analysis recovers the coefficients of a synthesis at truncation T: the grid needs at least T +
/// 1 rows, 2 T + 1 values at the equator, and long enough rows elsewhere. A row of L values resolves
/// wavenumbers up to (L - 1) / 2. For larger m, the row and its mirror image are missing from the quadrature
/// that makes the P_nm orthogonal: these two rows, of Gaussian weight w each (of a total of 2), contribute
/// w P_nm^2 to the mean square of P_nm, which is 1. This loss must be at most kMaxLostVariance (after
/// Courtier and Naughton 1994). |P_nm| decreases with m, so only the smallest unresolved m is tested. A grid
/// that holds T holds all smaller truncations. `Grid::octahedral(T + 1)`, the TCo grid of Malardel et al.
/// (2016), holds T.
bool holds(const Grid& grid, int truncation);
/// Returns the largest truncation that a grid holds (`holds`).
int largest_truncation(const Grid& grid);

}  // namespace halcyon::transform
