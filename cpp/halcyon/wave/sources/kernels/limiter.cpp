#include "halcyon/wave/sources/kernels/limiter.hpp"

#include <algorithm>
#include <limits>

#include "halcyon/base/constants.hpp"

namespace halcyon::wave {

float largest_change(Limiter limiter, float frequency, const LimiterState& state, float dt) {
  constexpr float g = static_cast<float>(kGravity);
  const float f4 = frequency * frequency * frequency * frequency;
  switch (limiter) {
    case Limiter::hersbach_janssen:
      return 3e-7f * g * std::max(state.friction_velocity, 5.6e-3f * g / frequency) / f4 * state.cut_off * dt;
    case Limiter::wamdi:
      return 6.4e-7f * g * g / (f4 * frequency) * dt / 1200;
    case Limiter::ecmwf:
      return 5e-7f * g * state.friction_velocity / f4 * state.mean_frequency * dt;
    case Limiter::none:
      break;
  }
  return std::numeric_limits<float>::max();
}

}  // namespace halcyon::wave
