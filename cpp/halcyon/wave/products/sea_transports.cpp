#include "halcyon/wave/products/sea_transports.hpp"

#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/dispersion.hpp"

namespace halcyon::wave {

namespace {

// cosh(2x) / sinh^2(x), 2 on deep water.
double surface_drift(double kd) {
  if (kd > 20) return 2;
  const double s = std::sinh(kd);
  return std::cosh(2 * kd) / (s * s);
}

}  // namespace

SeaTransports::SeaTransports(const SpectralGrid& grid) : grid_(grid) {
  for (const double theta : grid.direction) {
    sine_.push_back(std::sin(theta));
    cosine_.push_back(std::cos(theta));
  }
}

void SeaTransports::add(std::span<const double> density, double depth, std::span<const float> wavenumber,
                        Sea& sea) const {
  auto next = density.begin();
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    double east = 0, north = 0;
    for (int k = 0; k < grid_.n_directions; ++k) {
      east += *next * sine_[k];
      north += *next++ * cosine_[k];
    }
    const double k = wavenumber[m], sigma = grid_.sigma[m];
    const double df = grid_.frequency_width[m] * grid_.direction_width;
    const double tail = m + 1 == grid_.n_frequencies ? grid_.frequency[m] * grid_.direction_width : 0;
    const double drift = sigma * k * surface_drift(k * depth) * (df + tail);  // sigma k grows with f^3
    const double flux = kWaterDensity * kGravity * group_speed(k, sigma, depth) * (df + tail / 5);  // 1/f
    sea.drift_east += drift * east;
    sea.drift_north += drift * north;
    sea.flux_east += flux * east;
    sea.flux_north += flux * north;
  }
}

}  // namespace halcyon::wave
