#include "halcyon/wave/sources/kernels/miles.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/sources/kernels/exponential.hpp"

namespace halcyon::wave {

namespace {

constexpr float kG = static_cast<float>(kGravity);
constexpr int kPoints = 19;
constexpr int kPaddedPoints = 24;

float simpson(int j) {
  if (j >= kPoints) return 0;
  if (j == 0 || j + 1 == kPoints) return 1.f / 3;
  return j % 2 == 1 ? 4.f / 3 : 2.f / 3;
}

}  // namespace

// With y = omega sqrt(z0/g) the logarithm ln(k z0) is 2 ln y, and u*/c = u* y / sqrt(g z0).
float MilesTail::stress(float friction_velocity, float roughness) const {
  const float u = std::max(friction_velocity, 1e-6f);
  const float first = std::max(sigma, longest * kG / u) * std::sqrt(roughness / kG);
  if (!(first < 1)) return 0;
  const float start = std::log(first), step = -start / (kPoints - 1);
  float log_y[kPaddedPoints], y[kPaddedPoints], weight[kPaddedPoints];
  for (int j = 0; j < kPaddedPoints; ++j) {
    log_y[j] = std::min(start + static_cast<float>(j) * step, 0.f);
    weight[j] = simpson(j) * step * growth * level;
  }
  for (int j = 0; j < kPaddedPoints; j += kLanes) store(y + j, exponential(load(log_y + j)));
  const float slowness = 1 / std::sqrt(kG * roughness);
  if (sheltering == 0) {
    Lanes sum{};
    for (int j = 0; j < kPaddedPoints; j += kLanes) {
      const Lanes z =
          smaller(2.f * load(log_y + j) + kVonKarman / (u * slowness * load(y + j) + shift), Lanes{});
      sum += load(weight + j) * (to_fourth(z) * exponential(z));
    }
    return u * u * total(sum);
  }
  float seen = u * u, taken = 0;
  for (int j = 0; j < kPoints; ++j) {
    const float z = std::min(2 * log_y[j] + kVonKarman / (std::sqrt(seen) * slowness * y[j] + shift), 0.f);
    const float part = weight[j] * seen * z * z * z * z * std::exp(z);
    seen = std::max(seen - sheltering * part, 0.f);
    taken += part;
  }
  return taken;
}

// The logarithm falls from above 0 as x grows from the slowest wind; bisection around where it passes 0.
double longest_growing(double charnock, double shift) {
  const auto excess = [&](double x) { return std::log(charnock * x * x) + kVonKarman / (x + shift); };
  double low = 1e-3, high = low;
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

}  // namespace halcyon::wave
