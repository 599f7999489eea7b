#include "halcyon/wave/sources/kernels/drag.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/sources/kernels/miles.hpp"

namespace halcyon::wave {

namespace {

constexpr float kHeight = 10;                        // [m] of the wind
constexpr float kSmoothViscosity = 0.11f * 1.5e-5f;  // [m2 s-1] of air, times that of a smooth surface
constexpr float kLeastExcess = 1e-5f;                // [m2 s-2] of the stress over that of the waves

// Of a drag coefficient: u* = kappa U / ln(10 m / z0).
float roughness_of(float drag_coefficient) {
  return kHeight * std::exp(-kVonKarman / std::sqrt(drag_coefficient));
}

// In a calm the least stress is above the cap, too, but the sea is smoother than the cap has it.
Drag capped(Drag drag, float speed, const DragOptions& options) {
  if (!(drag.friction_velocity * drag.friction_velocity > options.cap * speed * speed)) return drag;
  return {std::sqrt(options.cap) * speed, std::min(drag.roughness, roughness_of(options.cap))};
}

float guessed_drag_coefficient(float speed) {
  return 8e-4f + 8e-5f * speed;
}

float guessed_friction_velocity(float speed) {
  return speed * std::sqrt(guessed_drag_coefficient(speed));
}

}  // namespace

Drag guessed_drag(float speed, const DragOptions& options) {
  const Drag guess{guessed_friction_velocity(speed), roughness_of(guessed_drag_coefficient(speed))};
  return capped(guess, speed, options);
}

Drag drag_over_waves(float speed, float wave_stress, const DragOptions& options) {
  const float least = wave_stress + kLeastExcess, wind = kVonKarman * speed;
  const float charnock = options.charnock / static_cast<float>(kGravity);
  const float guess = guessed_friction_velocity(speed);
  float stress = std::max(guess * guess, least), roughness = 0;
  for (int i = 0; i < 15; ++i) {
    const float u = std::sqrt(stress), share = wave_stress / stress;
    roughness = charnock * stress / std::sqrt(std::max(1 - share, kLeastExcess));
    const float smooth = kSmoothViscosity / u, all = std::min(roughness + smooth, 0.5f * kHeight);
    const float inverse_log = 1 / std::log(kHeight / all);
    const float excess = u - wind * inverse_log;
    const float relative =
        (roughness * (2 - 3 * share) / std::max(1 - share, kLeastExcess) - smooth) / (u * all);
    const float slope = 1 - wind * inverse_log * inverse_log * relative;
    const float next = slope != 0 ? u - excess / slope : u;
    const float before = stress;
    stress = std::max(next * next, least);
    if (std::abs(stress - before) <= 1e-5f * before) break;
  }
  return capped({std::sqrt(stress), roughness}, speed, options);
}

}  // namespace halcyon::wave
