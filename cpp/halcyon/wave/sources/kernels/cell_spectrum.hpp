#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "halcyon/wave/lanes.hpp"
#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// Scratch memory of one cell: a row of directions for each frequency, padded periodically on both sides, so
/// that loops over blocks of eight directions may read up to `pad` directions beyond both ends. n_before rows
/// below the first frequency and n_after rows above the last stay zero.
class DirectionRows {
 public:
  DirectionRows(int n_frequencies, int n_directions, int pad, int n_before = 0, int n_after = 0);

  float* row(int frequency) { return first_ + static_cast<std::ptrdiff_t>(frequency) * stride_; }
  const float* row(int frequency) const { return first_ + static_cast<std::ptrdiff_t>(frequency) * stride_; }

  /// Fills the periodic padding of a row from its n_directions values.
  void wrap(float* row) const;

  /// Returns the length of a loop over a row: n_directions rounded up to a multiple of kLanes.
  int length() const { return length_; }

 private:
  struct Free {
    void operator()(float* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };

  int n_directions_, pad_, length_, stride_;
  std::unique_ptr<float[], Free> memory_;
  float* first_;
};

/// Weights of spectral moments: the trapezoidal rule, with an f^-5 tail beyond the last frequency in closed
/// form (WAMDI 1988), except for `square`, which has no tail (IFS documentation).
struct MomentWeights {
  explicit MomentWeights(const SpectralGrid& grid);

  /// (frequency) weights of int F x df dtheta, for x = 1, 1/f, f and f^2.
  std::vector<float> variance, inverse_frequency, first, square;
  std::vector<float> inverse_root, root;  ///< for x = 1/sqrt(k) and sqrt(k), without the factor x
};

/// Sums over the frequencies of eight directions.
struct Moments {
  Lanes variance{}, inverse_frequency{}, first{}, square{}, inverse_root_wavenumber{}, root_wavenumber{};
};

/// Sums over the frequencies of eight directions, for the mean frequency of all waves or of the wind sea.
struct MeanFrequencyMoments {
  Lanes variance{}, inverse_frequency{};
};

/// Sums over all bins; the sums of the wind sea are over the bins with wind input.
struct MomentSums {
  double variance = 0, inverse_frequency = 0, first = 0, square = 0, inverse_root_wavenumber = 0,
         root_wavenumber = 0, wind_sea_variance = 0, wind_sea_inverse_frequency = 0;

  /// Adds the first n lanes, in order.
  void add(const Moments& moments, int n);
  /// Adds the first n lanes to the sums of the wind sea, in order.
  void add(const MeanFrequencyMoments& moments, int n);

  bool is_calm() const { return variance < 1e-20; }

  /// Returns the mean frequency [Hz] by the mean of 1/f, of all waves or of the wind sea, whichever is
  /// higher; `otherwise` for a calm sea.
  float mean_frequency(float otherwise) const;
};

}  // namespace halcyon::wave
