#include "halcyon/wave/sources/kernels/wind_over_waves.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/lanes.hpp"

namespace halcyon::wave {

namespace {

constexpr float kG = static_cast<float>(kGravity);
constexpr int kPoints = 19;        // of Simpson's rule
constexpr int kPaddedPoints = 24;  // kPoints, rounded up to a multiple of kLanes

// Returns the weight of point j in Simpson's rule, over the step.
float simpson_weight(int j) {
  if (j >= kPoints) return 0;
  if (j == 0 || j + 1 == kPoints) return 1.f / 3;
  return j % 2 == 1 ? 4.f / 3 : 2.f / 3;
}

constexpr float kHeight = 10;                        // [m] height of the wind
constexpr float kSmoothViscosity = 0.11f * 1.5e-5f;  // [m2 s-1] 0.11 nu of air, for smooth flow

// Returns z0 [m] for a drag coefficient, from u* = kappa U / ln(10 m / z0).
float roughness_of(float drag_coefficient) {
  return kHeight * std::exp(-kVonKarman / std::sqrt(drag_coefficient));
}

// Limits the drag coefficient to the cap; the roughness is never increased. (In light winds kMinStressExcess
// alone brings the coefficient above the cap, and the sea is smoother than at the cap.)
Drag capped(Drag drag, float speed, const DragOptions& options) {
  if (!(drag.friction_velocity * drag.friction_velocity > options.cap * speed * speed)) return drag;
  return {.friction_velocity = std::sqrt(options.cap) * speed,
          .roughness = std::min(drag.roughness, roughness_of(options.cap))};
}

float first_guess_friction_velocity(float speed) {
  return speed * std::sqrt(8e-4f + 8e-5f * speed);
}

}  // namespace

// With y = omega sqrt(z0/g) the logarithm ln(k z0) is 2 ln y, and u*/c = u* y / sqrt(g z0).
float MilesTail::stress(float friction_velocity, float roughness) const {
  const float u = std::max(friction_velocity, 1e-6f);
  const float y_first = std::max(sigma, longest_growing * kG / u) * std::sqrt(roughness / kG);
  if (!(y_first < 1)) return 0;
  const float log_first = std::log(y_first), step = -log_first / (kPoints - 1);
  float log_y[kPaddedPoints], y[kPaddedPoints], weight[kPaddedPoints];
  for (int j = 0; j < kPaddedPoints; ++j) {
    log_y[j] = std::min(log_first + static_cast<float>(j) * step, 0.f);
    weight[j] = simpson_weight(j) * step * growth * level;
  }
  for (int j = 0; j < kPaddedPoints; j += kLanes) store(y + j, exponential(load(log_y + j)));
  const float inverse_speed = 1 / std::sqrt(kG * roughness);
  if (sheltering == 0) {
    Lanes sum{};
    for (int j = 0; j < kPaddedPoints; j += kLanes) {
      const Lanes z =
          smaller(2.f * load(log_y + j) + kVonKarman / (u * inverse_speed * load(y + j) + shift), Lanes{});
      sum += load(weight + j) * (fourth_power(z) * exponential(z));
    }
    return u * u * lane_sum(sum);
  }
  float remaining = u * u,
        wave_stress = 0;  // over rho_a: stress left for shorter waves, stress on longer waves
  for (int j = 0; j < kPoints; ++j) {
    const float z =
        std::min(2 * log_y[j] + kVonKarman / (std::sqrt(remaining) * inverse_speed * y[j] + shift), 0.f);
    const float stress = weight[j] * remaining * z * z * z * z * std::exp(z);
    remaining = std::max(remaining - sheltering * stress, 0.f);
    wave_stress += stress;
  }
  return wave_stress;
}

// Finds the zero of the logarithm of alpha x^2 exp(kappa/(x + z_alpha)), which decreases with x, by
// bisection.
double longest_growing(double charnock, double shift) {
  const auto excess = [&](double x) { return std::log(charnock * x * x) + kVonKarman / (x + shift); };
  double low = 1e-3, high = low;  // bounds of x
  while (excess(high) > 0 && high < 1) {
    low = high;
    high *= 1.05;
  }
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (excess(middle) > 0 ? low : high) = middle;
  }
  return high;
}

Drag drag_over_waves(float speed, float wave_stress, const DragOptions& options) {
  const float least_stress = wave_stress + kMinStressExcess, kappa_speed = kVonKarman * speed;
  const float alpha_over_g = options.charnock / static_cast<float>(kGravity);
  const float guess = first_guess_friction_velocity(speed);
  float stress = std::max(guess * guess, least_stress), roughness = 0;
  for (int i = 0; i < 15; ++i) {
    const float u = std::sqrt(stress), stress_ratio = wave_stress / stress;
    roughness = alpha_over_g * stress / std::sqrt(std::max(1 - stress_ratio, kMinStressExcess));
    const float smooth = kSmoothViscosity / u, total_roughness = std::min(roughness + smooth, 0.5f * kHeight);
    const float inverse_log = 1 / std::log(kHeight / total_roughness);
    const float excess = u - kappa_speed * inverse_log;
    const float log_derivative =  // d ln(total roughness) / du
        (roughness * (2 - 3 * stress_ratio) / std::max(1 - stress_ratio, kMinStressExcess) - smooth) /
        (u * total_roughness);
    const float slope = 1 - kappa_speed * inverse_log * inverse_log * log_derivative;
    const float next = slope != 0 ? u - excess / slope : u;
    const float previous = stress;
    stress = std::max(next * next, least_stress);
    if (std::abs(stress - previous) <= 1e-5f * previous) break;
  }
  return capped({.friction_velocity = std::sqrt(stress), .roughness = roughness}, speed, options);
}

}  // namespace halcyon::wave
