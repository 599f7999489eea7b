#include "halcyon/wave/sources/kernels/depth_breaking.hpp"

#include <cmath>

namespace halcyon::wave {

// Newton's method on Q - exp((Q - 1)/B) from Q = 0: the function is concave and rises to its lower root, so
// the iterates rise to it and never pass it.
double breaking_fraction(double b) {
  if (b >= 1) return 1;
  if (b < 0.04) return 0;  // below 2e-11
  double q = 0;
  for (int i = 0; i < 60; ++i) {
    const double e = std::exp((q - 1) / b);
    const double step = (e - q) / (1 - e / b);
    q += step;
    if (step <= 1e-9 * q) break;
  }
  return q;
}

DepthBreaking depth_breaking(float strength, float breaker_index, float variance, float mean_frequency,
                             float depth) {
  const double highest = static_cast<double>(breaker_index) * depth;
  const double b = 8 * static_cast<double>(variance) / (highest * highest);
  const double q = breaking_fraction(b);
  if (q == 0) return {};
  const double all = -2. * strength * mean_frequency;
  if (b >= 1) return {static_cast<float>(all), 0};
  const double rate = all * q / b;
  return {static_cast<float>(rate), static_cast<float>(rate * (1 - b) / (b - q))};
}

}  // namespace halcyon::wave
