#include "halcyon/wave/medium.hpp"

#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

double wavenumber(double sigma, double depth) {
  // Newton's method on x tanh x = y with x = kd; the first guess is exact in the shallow and deep limits.
  const double y = sigma * sigma * depth / kGravity;
  double x = y < 1 ? std::sqrt(y) * (1 + y / 6) : y;
  for (int i = 0; i < 50; ++i) {
    const double tanh_x = std::tanh(x);
    const double step = (x * tanh_x - y) / (tanh_x + x * (1 - tanh_x * tanh_x));
    x -= step;
    if (std::abs(step) <= 1e-14 * x) break;
  }
  return x / depth;
}

double group_speed(double wavenumber, double sigma, double depth) {
  const double kd = wavenumber * depth;
  const double ratio = kd > 350 ? 0.0 : 2 * kd / std::sinh(2 * kd);  // sinh overflows beyond 2kd = 710
  return 0.5 * sigma / wavenumber * (1 + ratio);
}

DispersionTables::DispersionTables(const SpectralGrid& grid, std::span<const double> depth)
    : n_frequencies_(grid.n_frequencies), depth_(depth.begin(), depth.end()) {
  for (auto* table : {&wavenumber_, &group_speed_, &phase_speed_})
    table->reserve(depth.size() * grid.sigma.size());
  for (std::size_t cell = 0; cell < depth.size(); ++cell) {
    require<InputError>(std::isfinite(depth[cell]) && depth[cell] > 0,
                        "The depth of local cell {} is {} m; it must be positive and finite.", cell,
                        depth[cell]);
    for (const double sigma : grid.sigma) {
      const double k = wave::wavenumber(sigma, depth[cell]);
      wavenumber_.push_back(static_cast<float>(k));
      group_speed_.push_back(static_cast<float>(wave::group_speed(k, sigma, depth[cell])));
      phase_speed_.push_back(static_cast<float>(sigma / k));
    }
  }
}

}  // namespace halcyon::wave
