#include "halcyon/wave/sources/kernels/terms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
  return {.slope = offset * 28 * friction_velocity * wavenumber / sigma, .offset = offset};
}

float linear_growth(float friction_velocity, float frequency) {
  const float x = 0.13f * kG / (28 * friction_velocity * frequency);  // f_PM / f
  const float u_squared = friction_velocity * friction_velocity;
  if (!(x < 3)) return 0;  // the filter exp(-x^4) is below 1e-35
  return 1.5e-3f / (kG * kG) * u_squared * u_squared * std::exp(-x * x * x * x);
}

float whitecapping(float strength, float variance, float mean_sigma, float mean_wavenumber) {
  const float steepness = mean_wavenumber * mean_wavenumber * variance / 3.02e-3f;
  return -strength * mean_sigma / mean_wavenumber * steepness * steepness;
}

float bottom_friction(float strength, float wavenumber, float sigma) {
  const float slowness = wavenumber / sigma, deep_slowness = sigma / kG;
  return std::min(0.f, -strength * (slowness * slowness - deep_slowness * deep_slowness));
}

// Newton's method on Q - exp((Q - 1)/B) from Q = 0: the function is concave and rises up to its lower root,
// so the iterates rise to this root and never overshoot.
double breaking_fraction(double b) {
  if (b >= 1) return 1;
  if (b < 0.04) return 0;  // Q_b is below 2e-11
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
  const double highest_wave = static_cast<double>(breaker_index) * depth;
  const double b = 8 * static_cast<double>(variance) / (highest_wave * highest_wave);
  const double q = breaking_fraction(b);
  if (q == 0) return {};
  const double full_rate = -2. * strength * mean_frequency;
  if (b >= 1) return {.rate = static_cast<float>(full_rate), .stiffness = 0};
  const double rate = full_rate * q / b;
  return {.rate = static_cast<float>(rate), .stiffness = static_cast<float>(rate * (1 - b) / (b - q))};
}

float largest_change(Limiter limiter, float frequency, const LimiterState& state, float dt) {
  constexpr float g = static_cast<float>(kGravity);
  const float frequency_to_4 = frequency * frequency * frequency * frequency;
  switch (limiter) {
    case Limiter::hersbach_janssen:
      return 3e-7f * g * std::max(state.friction_velocity, 5.6e-3f * g / frequency) / frequency_to_4 *
             state.cut_off * dt;
    case Limiter::wamdi:
      return 6.4e-7f * g * g / (frequency_to_4 * frequency) * dt / 1200;
    case Limiter::ecmwf:
      return 5e-7f * g * state.friction_velocity / frequency_to_4 * state.mean_frequency * dt;
    case Limiter::none:
      break;
  }
  return std::numeric_limits<float>::max();
}

}  // namespace halcyon::wave
