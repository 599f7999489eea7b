#include "halcyon/wave/kernels/drag.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/kernels/miles.hpp"

namespace halcyon::wave {

namespace {

constexpr float kHeight = 10;                        // [m] of the wind
constexpr float kSmoothViscosity = 0.11f * 1.5e-5f;  // [m2 s-1] of air, times that of a smooth surface
constexpr float kLeastExcess = 1e-5f;                // [m2 s-2] of the stress over that of the waves
constexpr float kLeast = 1e-6f;

float roughness_of_profile(float speed, float friction_velocity) {
  return kHeight * std::exp(-kVonKarman * speed / std::max(friction_velocity, kLeast));
}

Drag capped(Drag drag, float speed, const DragOptions& options) {
  if (!(drag.friction_velocity * drag.friction_velocity > options.cap * speed * speed)) return drag;
  const float u = std::sqrt(options.cap) * speed;
  return {u, roughness_of_profile(speed, u)};
}

float guessed_friction_velocity(float speed) {
  return speed * std::sqrt(8e-4f + 8e-5f * speed);
}

}  // namespace

Drag guessed_drag(float speed, const DragOptions& options) {
  const float u = guessed_friction_velocity(speed);
  return capped({u, roughness_of_profile(speed, u)}, speed, options);
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
