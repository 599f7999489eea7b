#pragma once

#include <span>
#include <vector>

#include "halcyon/wave/products/sea.hpp"
#include "halcyon/wave/spectral_grid.hpp"

namespace halcyon::wave {

/// Moments and peak of spectra. Sums are in double precision and in fixed order; beyond the last frequency a
/// tail f^-5 is added in closed form. The peak is the vertex of the parabola through the largest value of the
/// frequency spectrum and its neighbours over log f, in which the frequencies are evenly spaced.
class SeaMoments {
 public:
  explicit SeaMoments(const SpectralGrid& grid);

  /// The sea of a spectrum without drift, flux and systems.
  /// @param density F [m2 s] (frequency, direction)
  Sea of(std::span<const double> density);

 private:
  void add_directions(std::span<const double> density, Sea& sea) const;
  double peak_frequency(int peak) const;

  SpectralGrid grid_;
  std::vector<double> sine_, cosine_, spectrum_, by_direction_;
};

}  // namespace halcyon::wave
