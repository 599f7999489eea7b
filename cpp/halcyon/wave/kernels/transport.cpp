#include "halcyon/wave/kernels/transport.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace halcyon::wave {

namespace {

/// N of the row with neighbours on both sides: bin m is at m + 2, wrapped.
using PaddedRow = std::array<float, kMaxDirections + 4>;

void pad(int n, const float* row, PaddedRow& padded) {
  std::memcpy(padded.data() + 2, row, n * sizeof(float));
  for (int i = 0; i < 2; ++i) {
    padded[i] = row[n - 2 + i];
    padded[n + 2 + i] = row[i];
  }
}

/// Monotonized-central limited slope from the differences on both sides.
inline float limited_slope(float below, float above) {
  const float centre = 0.5f * (below + above);
  const float rising = std::min({2 * below, 2 * above, centre});
  const float falling = std::max({2 * below, 2 * above, centre});
  return std::max(rising, 0.f) + std::min(falling, 0.f);
}

}  // namespace

void spatial_rate(SpectrumShape shape, const float* action, const float* group_speed, const float* outflow,
                  std::span<const Inflow> inflows, float* rate) {
  const int n = shape.n_directions;
  for (int f = 0; f < shape.n_frequencies; ++f, action += n, rate += n) {
    const float speed = group_speed[f];
    for (int m = 0; m < n; ++m) rate[m] = -outflow[m] * (speed * action[m]);
    for (const auto& inflow : inflows) {
      const float* theirs = inflow.action + f * n;
      const float their_speed = inflow.group_speed[f];
      for (int m = 0; m < n; ++m) rate[m] += inflow.weight[m] * (their_speed * theirs[m]);
    }
  }
}

void turn_explicit(int n, const float* action, const float* rate, const float* turning, float dt,
                   float* result) {
  PaddedRow row;
  pad(n, action, row);
  std::array<float, kMaxDirections + 2> slope;  // of bins -1 .. n
  for (int m = 0; m < n + 2; ++m) slope[m] = limited_slope(row[m + 1] - row[m], row[m + 2] - row[m + 1]);
  std::array<float, kMaxDirections + 1> flux;  // flux[m + 1] leaves bin m upwards
  for (int m = 0; m < n; ++m) {
    const float r = turning[m];
    const float reach = 0.5f * (1 - std::abs(r) * dt);
    const float from_below = row[m + 2] + reach * slope[m + 1];
    const float from_above = row[m + 3] - reach * slope[m + 2];
    flux[m + 1] = std::max(r, 0.f) * from_below + std::min(r, 0.f) * from_above;
  }
  flux[0] = flux[n];
  for (int m = 0; m < n; ++m) result[m] = action[m] + dt * (rate[m] - (flux[m + 1] - flux[m]));
}

void turn_implicit(int n, const float* action, const float* rate, const float* turning, float dt,
                   float* result) {
  const auto below = [&](int m) { return turning[m == 0 ? n - 1 : m - 1]; };  // through the lower face of m
  const auto up = [&](int m) { return m == n - 1 ? 0 : m + 1; };
  const auto down = [&](int m) { return m == 0 ? n - 1 : m - 1; };
  const auto before = [&](int m) { return action[m] + dt * rate[m]; };

  int diverging = 0;
  while (!(below(diverging) <= 0 && turning[diverging] >= 0)) ++diverging;
  result[diverging] = before(diverging) / (1 + dt * (turning[diverging] - below(diverging)));

  // Upwards, then downwards, from the bin that nothing enters to the one that nothing leaves.
  int rising = diverging;
  while (turning[rising] > 0 && turning[up(rising)] > 0) {
    const int m = up(rising);
    result[m] = (before(m) + dt * turning[rising] * result[rising]) / (1 + dt * turning[m]);
    rising = m;
  }
  int falling = diverging;
  while (below(falling) < 0 && below(down(falling)) < 0) {
    const int m = down(falling);
    result[m] = (before(m) - dt * below(falling) * result[falling]) / (1 - dt * below(m));
    falling = m;
  }
  for (int m = up(rising); m != falling; m = up(m)) {
    result[m] = before(m);
    if (m == up(rising)) result[m] += dt * std::max(turning[rising], 0.f) * result[rising];
    if (m == down(falling)) result[m] -= dt * std::min(below(falling), 0.f) * result[falling];
  }
}

}  // namespace halcyon::wave
