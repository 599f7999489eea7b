#include "halcyon/wave/transport/kernels/frequency_shift.hpp"

#include <algorithm>
#include <cmath>

namespace halcyon::wave {

namespace {

/// The monotonized-central slope (van Leer 1977).
float limited_slope(float below, float own, float above) {
  const float back = own - below, ahead = above - own;
  const float most = std::max(std::min(back, ahead), 0.f), least = std::min(std::max(back, ahead), 0.f);
  return std::min(std::max((back + ahead) / 2, 2 * least), 2 * most);
}

/// What goes through the face below a frequency [m2 s2 rad s-2].
float flux(std::span<const float> width, float speed, float dt, const float* column, int f, int n) {
  const int last = static_cast<int>(width.size()) - 1, donor = speed > 0 ? f - 1 : f;
  if (donor < 0 || donor > last) return 0;
  const float own = column[donor * n];
  if (donor == 0 || donor == last) return speed * own;
  const float slope = limited_slope(column[(donor - 1) * n], own, column[(donor + 1) * n]);
  const float reach = (1 - std::abs(speed) * dt / width[donor]) / 2;
  return speed * (own + (speed > 0 ? reach : -reach) * slope);
}

}  // namespace

void shift_frequencies(std::span<const float> face, std::span<const float> width, const ShiftRates& rates,
                       float dt, float* action, std::span<float> scratch) {
  const int n = static_cast<int>(rates.stretch.size()), n_frequencies = static_cast<int>(width.size());
  const auto speed = [&](int f, int m) {
    return face[f] * (rates.depth[f] - rates.group_ratio[f] * rates.stretch[m]);
  };
  float fastest = 0;
  for (int f = 0; f <= n_frequencies; ++f) {
    const float narrow = std::min(width[std::max(f - 1, 0)], width[std::min(f, n_frequencies - 1)]);
    for (int m = 0; m < n; ++m) fastest = std::max(fastest, std::abs(speed(f, m)) / narrow);
  }
  const int n_steps = std::max(1, static_cast<int>(std::ceil(2 * fastest * dt)));
  const float step = dt / static_cast<float>(n_steps);
  for (int i = 0; i < n_steps; ++i) {
    for (int f = 0; f <= n_frequencies; ++f) {
      for (int m = 0; m < n; ++m) scratch[f * n + m] = flux(width, speed(f, m), step, action + m, f, n);
    }
    for (int f = 0; f < n_frequencies; ++f) {
      for (int m = 0; m < n; ++m)
        action[f * n + m] -= step / width[f] * (scratch[(f + 1) * n + m] - scratch[f * n + m]);
    }
  }
}

}  // namespace halcyon::wave
