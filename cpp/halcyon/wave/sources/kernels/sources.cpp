#include "halcyon/wave/sources/kernels/sources.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"

namespace halcyon::wave {

namespace {
constexpr float kDensityRatio = static_cast<float>(kAirDensity / kWaterDensity);
constexpr float kG = static_cast<float>(kGravity);
}  // namespace

float drag_coefficient(float speed, float cap) {
  return std::min((0.8f + 0.065f * speed) * 1e-3f, cap);
}

WindInput wind_input(float friction_velocity, float wavenumber, float sigma) {
  const float offset = 0.25f * kDensityRatio * sigma;
  return {offset * 28 * friction_velocity * wavenumber / sigma, offset};
}

float linear_growth(float friction_velocity, float frequency) {
  const float x = 0.13f * kG / (28 * friction_velocity * frequency);
  const float u2 = friction_velocity * friction_velocity;
  return x < 3 ? 1.5e-3f / (kG * kG) * u2 * u2 * std::exp(-x * x * x * x) : 0.f;
}

float whitecapping(float strength, float variance, float mean_sigma, float mean_wavenumber) {
  const float steepness = mean_wavenumber * mean_wavenumber * variance / 3.02e-3f;
  return -strength * mean_sigma / mean_wavenumber * steepness * steepness;
}

float bottom_friction(float strength, float wavenumber, float sigma) {
  const float slowness = wavenumber / sigma, deep = sigma / kG;
  return std::min(0.f, -strength * (slowness * slowness - deep * deep));
}

}  // namespace halcyon::wave
