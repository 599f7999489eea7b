#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "halcyon/wave/lanes.hpp"
#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// A spectrum of one cell: a row of directions for each frequency, padded periodically on both sides, so that
/// loops over blocks of eight directions may read up to `pad` directions beyond both ends. n_before rows
/// below the first frequency and n_after rows above the last frequency stay zero.
class DirectionRows {
 public:
  DirectionRows(int n_frequencies, int n_directions, int pad, int n_before = 0, int n_after = 0);
  float* row(int frequency) { return first_row_ + static_cast<std::ptrdiff_t>(frequency) * stride_; }
  const float* row(int frequency) const {
    return first_row_ + static_cast<std::ptrdiff_t>(frequency) * stride_;
  }
  /// Fills the periodic padding of a row from its n_directions values.
  void wrap(float* row) const;
  /// Returns the length of a loop over a row: n_directions rounded up to a multiple of kLanes.
  int length() const { return length_; }

 private:
  struct Free {
    void operator()(float* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };

  int n_directions_, pad_, length_;
  int stride_;  ///< floats from row to row
  std::unique_ptr<float[], Free> memory_;
  float* first_row_;
};

/// Weights (frequency) of spectral moments: the trapezoidal rule, with an f^-5 tail beyond the last frequency
/// in closed form (WAMDI 1988), except for `frequency_squared`, which has no tail (IFS documentation).
struct MomentWeights {
  explicit MomentWeights(const SpectralGrid& grid);
  /// Weights of int F x df dtheta, for x = 1, 1/f, f and f^2.
  std::vector<float> variance, inverse_frequency, frequency, frequency_squared;
  /// Weights for x = 1/sqrt(k) and sqrt(k), to be multiplied by x, which depends on the depth.
  std::vector<float> inverse_root_wavenumber, root_wavenumber;
};

/// Sums over frequency of F x for eight directions. Each member is named after its x (variance: x = 1).
struct Moments {
  Lanes variance{}, inverse_frequency{}, frequency{}, frequency_squared{}, inverse_root_wavenumber{},
      root_wavenumber{};
};

/// The moments from which a mean frequency follows: of all waves or of the wind sea.
struct MeanFrequencyMoments {
  Lanes variance{}, inverse_frequency{};
};

/// Integrals of F x over the spectrum [m2 times the unit of x]; wind sea: over the bins with wind input.
struct MomentSums {
  double variance = 0, inverse_frequency = 0, frequency = 0, frequency_squared = 0,
         inverse_root_wavenumber = 0, root_wavenumber = 0, wind_sea_variance = 0,
         wind_sea_inverse_frequency = 0;

  /// Adds the first n lanes, in order.
  void add(const Moments& moments, int n);
  /// Adds the first n lanes to the sums of the wind sea, in order.
  void add(const MeanFrequencyMoments& moments, int n);
  bool is_calm() const { return variance < 1e-20; }
  /// Returns the mean frequency m0 / m_-1 [Hz] of all waves or of the wind sea, whichever is higher;
  /// `calm_value` if there are no waves.
  float mean_frequency(float calm_value) const;
};

}  // namespace halcyon::wave
