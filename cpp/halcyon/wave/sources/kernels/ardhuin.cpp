#include "halcyon/wave/sources/kernels/ardhuin.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/lanes.hpp"

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

// Solves f = 0.08 / (ker^2 + kei^2)(2 sqrt(z)) by bisection over log f: the right-hand side falls with f.
double friction_factor_of(double ratio) {
  double low = 1e-6, high = 1e3;
  for (int i = 0; i < 50; ++i) {
    const double f = std::sqrt(low * high), z = 1 / (21.2 * 0.4 * ratio * std::sqrt(f));
    (0.08 / kelvin_square(2 * std::sqrt(z)) > f ? low : high) = f;
  }
  return low;
}

constexpr float kG = static_cast<float>(kGravity);
constexpr float kTwoPiFloat = static_cast<float>(kTwoPi);

float squared_excess(float saturation, float threshold) {
  const float excess = std::max(0.f, saturation / threshold - 1);
  return excess * excess;
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
  const float position = (std::log10(std::max(ratio, 3.f)) - static_cast<float>(kFirst)) * per_entry;
  const int entry = std::clamp(static_cast<int>(position), 0, kEntries - 1);
  const float upper = std::min(position - static_cast<float>(entry), 1.f);
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

int Saturation::reach(const SpectralGrid& grid, double window) {
  const int reached = static_cast<int>(std::lround(window * kDegree / grid.direction_width));
  return std::min(reached, grid.n_directions / 2 - 1);
}

// The bins at the sector's ends are weighted by their fraction within it.
Saturation::Saturation(const SpectralGrid& grid, const SaturationOptions& options)
    : grid_(grid),
      options_(options),
      group_(grid.n_frequencies),
      phase_(grid.n_frequencies),
      breakers_(grid.n_frequencies, grid.n_directions, options.cumulative == 0 ? 0 : grid.n_directions / 2) {
  const int n_side = reach(grid, options.window);
  const double width = grid.direction_width;
  for (int j = 0; j <= n_side; ++j) {
    const double ends = std::clamp(options.window * kDegree - (n_side - 0.5) * width, 0., width);
    sector_.push_back(static_cast<float>((j == n_side ? ends : width) * std::pow(std::cos(j * width), 2)));
  }
}

void Saturation::rates(const DirectionRows& energy, const float* wavenumber, float depth,
                       DirectionRows& rates) {
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    const float k = wavenumber[m], sigma = static_cast<float>(grid_.sigma[m]), t = sigma * sigma / (kG * k);
    phase_[m] = sigma / k;
    group_[m] = 0.5f * phase_[m] * (1 + k * depth * std::max(0.f, 1 - t * t) / t);
    float* row = rates.row(m);
    const float largest = saturate(energy.row(m), k * k * k * group_[m] / kTwoPiFloat, row);
    const float scale = options_.strength * sigma, directional = scale * (1 - options_.isotropic);
    const float isotropic = scale * options_.isotropic * squared_excess(largest, options_.threshold);
    const float root = std::sqrt(options_.threshold), inverse = 1 / options_.threshold;
    for (int j = 0; j < rates.length(); j += kLanes) {
      const Lanes saturation = load(row + j), excess = positive_part(saturation * inverse - 1.f);
      if (options_.cumulative != 0) {
        const Lanes root_excess = positive_part(_mm256_sqrt_ps(saturation) - root);
        store(breakers_.row(m) + j, root_excess * root_excess);
      }
      store(row + j, isotropic + directional * (excess * excess));
    }
  }
  if (options_.cumulative != 0) add_cumulative(wavenumber, rates);
}

// Writes B' of a frequency into `row`; returns its maximum.
float Saturation::saturate(const float* energy, float factor, float* row) const {
  const int n_side = static_cast<int>(sector_.size()) - 1;
  Lanes largest{};
  for (int k = 0; k < (grid_.n_directions + kLanes - 1) / kLanes * kLanes; k += kLanes) {
    Lanes sum = sector_[0] * load(energy + k);
    for (int j = 1; j <= n_side; ++j) {
      sum = multiply_add(Lanes{} + sector_[j], load(energy + k - j) + load(energy + k + j), sum);
    }
    const Lanes saturation = factor * sum;
    store(row + k, saturation);
    largest = larger(largest, saturation);
  }
  float maximum = 0;
  for (int i = 0; i < kLanes; ++i) maximum = std::max(maximum, largest[i]);
  return maximum;
}

void Saturation::add_cumulative(const float* wavenumber, DirectionRows& rates) {
  constexpr float crests = 28.16f / (kTwoPiFloat * kTwoPiFloat / 2);
  const int n = grid_.n_directions;
  const int octave = static_cast<int>(std::lround(std::log(2.) / std::log(grid_.ratio)));
  for (int m = 0; m < grid_.n_frequencies; ++m) breakers_.wrap(breakers_.row(m));
  for (int m = octave; m < grid_.n_frequencies; ++m) {
    const float c = static_cast<float>(grid_.sigma[m]) / wavenumber[m];
    for (int longer = 0; longer <= m - octave; ++longer) {
      const float c2 = phase_[longer];
      const bool end = longer == 0 || longer == m - octave;
      const auto bin =
          static_cast<float>(grid_.sigma[longer] * std::log(grid_.ratio) * grid_.direction_width);
      const float weight = options_.cumulative * crests * bin / group_[longer] * (end ? 0.5f : 1.f);
      for (int turn = -n / 2; turn < n - n / 2; ++turn) {
        const auto cosine = static_cast<float>(std::cos(turn * grid_.direction_width));
        const float speed = std::sqrt(std::max(0.f, c * c + c2 * c2 - 2 * c * c2 * cosine));
        for (int k = 0; k < rates.length(); k += kLanes) {
          float* at = rates.row(m) + k;
          store(at, load(at) + weight * speed * load(breakers_.row(longer) + k + turn));
        }
      }
    }
  }
}

}  // namespace halcyon::wave
