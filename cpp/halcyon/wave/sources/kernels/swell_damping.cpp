#include "halcyon/wave/sources/kernels/swell_damping.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace halcyon::wave {

namespace {

constexpr double kFirst = 0.3, kLast = 8;  // log10 of a/z0
constexpr int kEntries = 100;
constexpr float kViscosity = 1.5e-5f;  // [m2 s-1] of air

// ker^2 + kei^2 = |K0(x exp(i pi/4))|^2, K0(z) = int_0^inf exp(-z cosh t) dt by the trapezoidal rule, whose
// error falls exponentially.
double kelvin_square(double x) {
  constexpr double step = 0.2;
  const std::complex<double> z = std::polar(x, std::atan(1.));
  std::complex<double> sum = 0.5 * std::exp(-z);
  for (double t = step; z.real() * std::cosh(t) < 45; t += step) sum += std::exp(-z * std::cosh(t));
  return std::norm(step * sum);
}

// The fixed point by bisection over log f: what f gives falls with its z, so it rises with f slower than f.
double friction_factor_of(double ratio) {
  double low = 1e-6, high = 1e3;
  for (int i = 0; i < 50; ++i) {
    const double f = std::sqrt(low * high), z = 1 / (21.2 * 0.4 * ratio * std::sqrt(f));
    (0.08 / kelvin_square(2 * std::sqrt(z)) > f ? low : high) = f;
  }
  return low;
}

}  // namespace

SwellDampingModel::SwellDampingModel(const SwellDampingOptions& options) : options_(options) {
  static const std::vector<float> table = [] {
    std::vector<float> factors;
    for (int i = 0; i <= kEntries; ++i) {
      const double log_ratio = kFirst + (kLast - kFirst) * i / kEntries;
      factors.push_back(static_cast<float>(friction_factor_of(std::pow(10, log_ratio))));
    }
    return factors;
  }();
  factors_ = table;
}

float SwellDampingModel::friction_factor(float ratio) const {
  constexpr auto per_entry = static_cast<float>(kEntries / (kLast - kFirst));
  const float place = (std::log10(std::max(ratio, 3.f)) - static_cast<float>(kFirst)) * per_entry;
  const int entry = std::clamp(static_cast<int>(place), 0, kEntries - 1);
  const float upper = std::min(place - static_cast<float>(entry), 1.f);
  return factors_[entry] * (1 - upper) + factors_[entry + 1] * upper;
}

SwellDamping SwellDampingModel::at(const OrbitalMotion& motion, float friction_velocity,
                                   float roughness) const {
  if (options_.strength == 0) return {};
  const float smooth = 0.11f * kViscosity / std::max(friction_velocity, 1e-4f);
  const float rough = options_.roughness_ratio * std::min(options_.largest_roughness, roughness);
  const float excursion = std::max(motion.excursion, 1e-6f);
  const float reynolds = 4 / kViscosity * motion.speed * excursion;
  const float turbulent = 0.5f + 0.5f * std::tanh((reynolds - options_.critical_reynolds) / options_.width);
  return {options_.viscous * (1 - turbulent), options_.strength * turbulent,
          friction_factor(excursion / std::max(smooth, rough)) * motion.speed};
}

}  // namespace halcyon::wave
