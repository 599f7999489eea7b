#include "halcyon/spectral/options.hpp"

#include <cmath>
#include <string>

#include "halcyon/base/error.hpp"

namespace halcyon::spectral {
namespace {

constexpr double kAtGround = 1e5;  // [Pa], where pressures of interfaces are looked at

}  // namespace

void ModelOptions::require_allowed() const {
  require<ConfigError>(filter.strength >= 0 && filter.strength <= 1,
                       "filter is {}. Give a number from 0 to 1.", filter.strength);
  require<ConfigError>(filter.share >= 0.5 && filter.share <= 1,
                       "filter_share is {}. Give a number from 0.5 to 1.", filter.share);
  require<ConfigError>(diffusion.order >= 2 && diffusion.order <= 8 && diffusion.order % 2 == 0,
                       "The order of diffusion is {}. Give 2, 4, 6 or 8.", diffusion.order);
  require<ConfigError>(diffusion.time_scale >= 0 && std::isfinite(diffusion.time_scale),
                       "The time of diffusion is {} s. Give more than 0 s, or no diffusion.",
                       diffusion.time_scale);
}

void AirOptions::require_allowed() const {
  require<ConfigError>(
      a.size() == b.size() && a.size() >= 2,
      "levels have {} coefficients a and {} b. Give one of each for every interface, of which "
      "there are 2 or more.",
      a.size(), b.size());
  double above = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double p = a[k] + b[k] * kAtGround;
    require<ConfigError>(std::isfinite(p) && p > above,
                         "levels put interface {} at {} Pa, under {} Pa, where the pressure at the ground is "
                         "{} Pa. Give a [Pa] and b from the top on, so that it grows from more than 0 Pa.",
                         k, p, above, kAtGround);
    above = p;
  }
}

}  // namespace halcyon::spectral
