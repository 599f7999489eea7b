#include "halcyon/wave/wind/wind.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/error.hpp"

namespace halcyon::wave {

ConstantWind::ConstantWind(double eastward, double northward) : eastward_(eastward), northward_(northward) {
  require<InputError>(std::isfinite(eastward) && std::isfinite(northward),
                      "The constant wind is ({}, {}) m s-1; both components must be finite.", eastward,
                      northward);
}

void ConstantWind::compute(double, std::span<const double>, std::span<const double>, std::span<double> u,
                           std::span<double> v) const {
  std::ranges::fill(u, eastward_);
  std::ranges::fill(v, northward_);
}

std::ptrdiff_t first_not_finite(std::span<const double> u, std::span<const double> v) {
  for (std::size_t cell = 0; cell < u.size(); ++cell)
    if (!std::isfinite(u[cell]) || !std::isfinite(v[cell])) return static_cast<std::ptrdiff_t>(cell);
  return -1;
}

}  // namespace halcyon::wave
