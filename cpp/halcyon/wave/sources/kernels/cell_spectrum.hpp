#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "halcyon/wave/lanes.hpp"
#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// Scratch memory of one cell: a row of directions for each frequency, continued around the circle on both
/// sides, so that loops over eight directions at a time may reach `pad` directions away and past the end.
/// Rows n_before below the first and n_after above the last exist and stay zero.
class DirectionRows {
 public:
  DirectionRows(int n_frequencies, int n_directions, int pad, int n_before = 0, int n_after = 0);

  float* row(int frequency) { return first_ + static_cast<std::ptrdiff_t>(frequency) * stride_; }
  const float* row(int frequency) const { return first_ + static_cast<std::ptrdiff_t>(frequency) * stride_; }

  /// Continues a row whose n_directions values are set.
  void wrap(float* row) const;

  /// Floats that a loop over a row covers: n_directions rounded up to whole lanes.
  int length() const { return length_; }

 private:
  struct Free {
    void operator()(float* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };

  int n_directions_, pad_, length_, stride_;
  std::unique_ptr<float[], Free> memory_;
  float* first_;
};

/// Weights of sums over a spectrum: the trapezoidal rule, and beyond the last frequency a tail f^-5 in closed
/// form (WAMDI 1988), but for the square of the frequency, whose tail is not counted (IFS documentation).
struct MomentWeights {
  explicit MomentWeights(const SpectralGrid& grid);

  /// (frequency): int F x df dtheta is the sum of weight F, with x what the name says, or 1.
  std::vector<float> variance, inverse_frequency, first, square;
  std::vector<float> inverse_root, root;  ///< the same but for 1/sqrt(k) and sqrt(k), which depend on depth
};

/// Sums over one direction's frequencies, for eight directions at once.
struct Moments {
  Lanes variance{}, inverse_frequency{}, first{}, square{}, inverse_root_wavenumber{}, root_wavenumber{};
};

/// The same of the bins into which the wind feeds.
struct SeaMoments {
  Lanes variance{}, inverse_frequency{};
};

/// The same over all directions.
struct MomentSums {
  double variance = 0, inverse_frequency = 0, first = 0, square = 0, inverse_root_wavenumber = 0,
         root_wavenumber = 0, sea_variance = 0, sea_inverse_frequency = 0;

  /// Adds the first n lanes, in order.
  void add(const Moments& moments, int n);
  void add(const SeaMoments& moments, int n);

  bool calm() const { return variance < 1e-20; }

  /// The mean of 1/f [Hz], or that of the wind sea if it is higher; `otherwise` for a calm sea.
  float mean_frequency(float otherwise) const;
};

}  // namespace halcyon::wave
