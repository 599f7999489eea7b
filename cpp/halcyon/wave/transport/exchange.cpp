#include "halcyon/wave/transport/exchange.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"

namespace halcyon::wave {

namespace {

constexpr double kMost = 0.15;  // a quarter of the step that transport could take without

}  // namespace

Exchange::Exchange(const SpectralGrid& grid, const TransportOptions& options) {
  for (const double sigma : grid.sigma) share_.push_back(static_cast<float>(grid.sigma[0] / sigma));
  if (options.scheme == Scheme::upwind) return;
  const double width = grid.direction_width, fastest = kGravity / (2 * grid.sigma[0]);
  reach_ = fastest * width * width * options.swell_age / 12;
  const double speeds = (grid.ratio - 1 / grid.ratio) / 2;
  const double q = std::clamp(speeds * speeds / (width * width), 1. / 3, 1.);
  sideways_ = 2 * (1 - q);
  all_ = (3 * q - 1) / 2;
}

double Exchange::strength(const Crossing& edge) const {
  return is_on() ? std::min(reach_ / edge.distance, kMost) : 0;
}

double Exchange::weight(const EdgeFlow& flow, double strength, int m) const {
  return strength * (sideways_ * flow.sideways(m) + all_ * flow.size());
}

}  // namespace halcyon::wave
