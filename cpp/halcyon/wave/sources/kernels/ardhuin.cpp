#include "halcyon/wave/sources/kernels/ardhuin.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/lanes.hpp"

namespace halcyon::wave {

namespace {

// The table of friction factors f_e over log10(a/z0), with a the orbital excursion and z0 the roughness.
constexpr double kFirstLogRatio = 0.3, kLastLogRatio = 8;
constexpr int kIntervals = 100;
constexpr float kViscosity = 1.5e-5f;  // [m2 s-1] of air

// Returns ker^2 x + kei^2 x = |K0(x exp(i pi/4))|^2, with K0(z) = int_0^inf exp(-z cosh t) dt.
double kelvin_squared(double x) {
  constexpr double step = 0.2;
  const std::complex<double> z = std::polar(x, std::atan(1.));
  std::complex<double> sum = 0.5 * std::exp(-z);
  for (double t = step; z.real() * std::cosh(t) < 45; t += step)  // exp(-45) is below round-off
    sum += std::exp(-z * std::cosh(t));
  return std::norm(step * sum);
}

// Returns f_e at a ratio a/z0 by bisection (see SwellDampingModel; its right side falls as f_e rises).
double friction_factor_of(double ratio) {
  double low = 1e-6, high = 1e3;
  for (int i = 0; i < 50; ++i) {
    const double f = std::sqrt(low * high), z = 1 / (21.2 * 0.4 * ratio * std::sqrt(f));
    (0.08 / kelvin_squared(2 * std::sqrt(z)) > f ? low : high) = f;
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
    for (int i = 0; i <= kIntervals; ++i) {
      const double log_ratio = kFirstLogRatio + (kLastLogRatio - kFirstLogRatio) * i / kIntervals;
      factors.push_back(static_cast<float>(friction_factor_of(std::pow(10, log_ratio))));
    }
    return factors;
  }();
  friction_factors_ = table;
}

float SwellDampingModel::friction_factor(float ratio) const {
  constexpr auto intervals_per_unit = static_cast<float>(kIntervals / (kLastLogRatio - kFirstLogRatio));
  const float position =
      (std::log10(std::max(ratio, 3.f)) - static_cast<float>(kFirstLogRatio)) * intervals_per_unit;
  const int lower = std::clamp(static_cast<int>(position), 0, kIntervals - 1);
  const float upper_weight = std::min(position - static_cast<float>(lower), 1.f);
  return friction_factors_[lower] * (1 - upper_weight) + friction_factors_[lower + 1] * upper_weight;
}

SwellDamping SwellDampingModel::coefficients(const OrbitalMotion& motion, float friction_velocity,
                                             float roughness) const {
  if (options_.strength == 0) return {};
  const float smooth_roughness = 0.11f * kViscosity / std::max(friction_velocity, 1e-4f);
  const float rough_roughness = options_.roughness_ratio * std::min(options_.largest_roughness, roughness);
  const float excursion = std::max(motion.excursion, 1e-6f);
  const float height_factor = std::pow(excursion / 2, 1 - options_.height_exponent);  // excursion = Hs/2
  const float reynolds = 4 / kViscosity * motion.speed * excursion * height_factor;
  const float turbulent_weight =
      0.5f + 0.5f * std::tanh((reynolds - options_.critical_reynolds) / options_.transition_width);
  const float ratio = excursion / std::max(smooth_roughness, rough_roughness);
  return {.viscous = options_.viscous * (1 - turbulent_weight),
          .turbulent = options_.strength * turbulent_weight,
          .friction = friction_factor(ratio) * motion.speed};
}

int Saturation::half_width_bins(const SpectralGrid& grid, double half_width) {
  const int bins = static_cast<int>(std::lround(half_width * kDegree / grid.direction_width));
  return std::min(bins, grid.n_directions / 2 - 1);
}

// A bin at an end of the sector is weighted by the fraction of the bin within the sector.
Saturation::Saturation(const SpectralGrid& grid, const SaturationOptions& options)
    : grid_(grid),
      options_(options),
      group_speed_(grid.n_frequencies),
      phase_speed_(grid.n_frequencies),
      has_breakers_(grid.n_frequencies),
      breakers_(grid.n_frequencies, grid.n_directions, options.cumulative == 0 ? 0 : grid.n_directions / 2) {
  const int n_side = half_width_bins(grid, options.half_width);
  const double width = grid.direction_width;
  for (int j = 0; j <= n_side; ++j) {
    const double end_width = std::clamp(options.half_width * kDegree - (n_side - 0.5) * width, 0., width);
    sector_weights_.push_back(
        static_cast<float>((j == n_side ? end_width : width) * std::pow(std::cos(j * width), 2)));
  }
  for (int j = 0; j <= grid.n_directions / 2; ++j) cosine_.push_back(static_cast<float>(std::cos(j * width)));
}

void Saturation::compute_rates(const DirectionRows& energy, const float* wavenumber, float depth,
                               DirectionRows& rates) {
  for (int f = 0; f < grid_.n_frequencies; ++f) {
    const float k = wavenumber[f], sigma = static_cast<float>(grid_.sigma[f]);
    const float t = sigma * sigma / (kG * k);  // tanh(kd)
    phase_speed_[f] = sigma / k;
    group_speed_[f] = 0.5f * phase_speed_[f] * (1 + k * depth * std::max(0.f, 1 - t * t) / t);
    float* row = rates.row(f);
    const float largest = compute_saturation(energy.row(f), k * k * k * group_speed_[f] / kTwoPiFloat, row);
    const float scale = options_.strength * sigma, directional = scale * (1 - options_.isotropic);
    const float isotropic = scale * options_.isotropic * squared_excess(largest, options_.threshold);
    const float sqrt_threshold = std::sqrt(options_.threshold), inverse_threshold = 1 / options_.threshold;
    has_breakers_[f] = largest > options_.threshold;
    for (int m = 0; m < rates.length(); m += kLanes) {
      const Lanes saturation = load(row + m), excess = positive_part(saturation * inverse_threshold - 1.f);
      if (options_.cumulative != 0) {
        const Lanes sqrt_excess = positive_part(_mm256_sqrt_ps(saturation) - sqrt_threshold);
        store(breakers_.row(f) + m, sqrt_excess * sqrt_excess);
      }
      store(row + m, isotropic + directional * (excess * excess));
    }
  }
  if (options_.cumulative != 0) add_cumulative(wavenumber, rates);
}

// Writes B' of a frequency into `row`; returns the maximum. @param factor k^3 cg / 2 pi
float Saturation::compute_saturation(const float* energy, float factor, float* row) const {
  const int n_side = static_cast<int>(sector_weights_.size()) - 1;
  Lanes largest{};
  for (int m = 0; m < (grid_.n_directions + kLanes - 1) / kLanes * kLanes; m += kLanes) {
    Lanes sum = sector_weights_[0] * load(energy + m);
    for (int j = 1; j <= n_side; ++j)
      sum = multiply_add(Lanes{} + sector_weights_[j], load(energy + m - j) + load(energy + m + j), sum);
    const Lanes saturation = factor * sum;
    store(row + m, saturation);
    largest = larger(largest, saturation);
  }
  float maximum = 0;
  for (int i = 0; i < kLanes; ++i) maximum = std::max(maximum, largest[i]);
  return maximum;
}

void Saturation::add_cumulative(const float* wavenumber, DirectionRows& rates) {
  constexpr float crest_factor = 28.16f / (kTwoPiFloat * kTwoPiFloat / 2);
  const int n = grid_.n_directions;
  const int octave = static_cast<int>(std::lround(std::log(2.) / std::log(grid_.ratio)));
  for (int f = 0; f < grid_.n_frequencies; ++f) breakers_.wrap(breakers_.row(f));
  for (int f = octave; f < grid_.n_frequencies; ++f) {
    const float c = static_cast<float>(grid_.sigma[f]) / wavenumber[f];
    for (int f_longer = 0; f_longer <= f - octave; ++f_longer) {
      if (!has_breakers_[f_longer]) continue;
      const float c_longer = phase_speed_[f_longer];
      const bool is_end = f_longer == 0 || f_longer == f - octave;
      const auto bin_area =  // dsigma dtheta
          static_cast<float>(grid_.sigma[f_longer] * std::log(grid_.ratio) * grid_.direction_width);
      const float weight =
          options_.cumulative * crest_factor * bin_area / group_speed_[f_longer] * (is_end ? 0.5f : 1.f);
      for (int j = 0; j <= n / 2; ++j) {  // distance in direction [bins]
        const float speed_difference =
            std::sqrt(std::max(0.f, c * c + c_longer * c_longer - 2 * c * c_longer * cosine_[j]));
        const bool has_two_sides = j > 0 && 2 * j < n;
        const float scale = weight * speed_difference, other_scale = has_two_sides ? scale : 0.f;
        const float* breakers = breakers_.row(f_longer);
        for (int m = 0; m < rates.length(); m += kLanes) {
          float* block = rates.row(f) + m;
          store(block, load(block) + (scale * load(breakers + m - j) + other_scale * load(breakers + m + j)));
        }
      }
    }
  }
}

}  // namespace halcyon::wave
