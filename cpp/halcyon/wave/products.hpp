#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/wave/environment.hpp"
#include "halcyon/wave/spectral_grid.hpp"

namespace halcyon::wave {

/// Where products go, one value a cell; an empty span is not written.
struct ProductArrays {
  std::span<float> significant_height;  ///< 4 sqrt(m0) [m]
  std::span<float> mean_period;         ///< Tm-1,0 = m-1/m0 [s]
  std::span<float> mean_period_01;      ///< Tm01 = m0/m1 [s]
  std::span<float> mean_period_02;      ///< Tm02 = sqrt(m0/m2) [s]
  std::span<float> peak_period;         ///< Tp [s]
  std::span<float> mean_direction;      ///< FROM, clockwise from north [degree], 0 <= direction < 360
  std::span<std::int32_t> peak_bin;     ///< frequency of the largest int F dtheta; -1 for a calm sea
};

/// Bulk parameters of spectra. Sums are in double precision and in fixed order; beyond the last frequency a
/// tail f^-5 is added in closed form. The mean direction is that of the energy-weighted sum of unit vectors
/// (Kuik, van Vledder and Holthuijsen 1988). The peak is the vertex of the parabola through the largest value
/// of the frequency spectrum and its neighbours over log f, in which the frequencies are evenly spaced.
///
/// A sea below 0.4 mm counts as calm: height 0; periods and direction NaN.
class Products {
 public:
  explicit Products(const SpectralGrid& grid);

  /// @param action [m2 s2] (cell, frequency, direction)
  void compute(View<const float, 3> action, CellRange cells, const ProductArrays& arrays);

 private:
  struct Sums;
  Sums sums(const float* action);
  double peak_frequency(int peak) const;

  SpectralGrid grid_;
  std::vector<double> sine_, cosine_, spectrum_, by_direction_;
};

}  // namespace halcyon::wave
