#include "halcyon/wave/sources/kernels/dia.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

namespace {

// Returns the angle [rad] between the quadruplet's centre and wave + (l = lambda) or wave - (l = -lambda) in
// deep water: cos = (1 + 2 l + 2 l^3) / (1 + l)^2 (Hasselmann et al. 1985).
double resonance_angle(double l) {
  return std::acos((1 + 2 * l + 2 * l * l * l) / ((1 + l) * (1 + l)));
}
int half_width_bins(const SpectralGrid& grid, double lambda) {
  return static_cast<int>(resonance_angle(-lambda) / grid.direction_width) + 2;
}

// Requires enough frequencies for one quadruplet, from (1 - lambda) f to (1 + lambda) f.
void require_frequencies(const SpectralGrid& grid, double lambda, int required) {
  constexpr double kFineRatio = 1.05, kPublishedLambda = 0.25;
  std::string advice = fmt::format("Set mesh.spectrum.frequencies to {} or more.", required);
  if (lambda > kPublishedLambda) advice = "Set physics.lambda to 0.25, or use more frequencies.";
  if (grid.ratio < kFineRatio) advice = "Set mesh.spectrum.ratio to 1.1.";
  require<ConfigError>(grid.n_frequencies >= required,
                       "The discrete interaction approximation of lambda {} needs at least {} frequencies "
                       "of ratio {}, not {}. {}",
                       lambda, required, grid.ratio, grid.n_frequencies, advice);
}

Corners make_corners(BinFraction frequency, BinFraction direction) {
  const float high = frequency.weight, far = direction.weight, low = 1 - high, near = 1 - far;
  return {frequency.lower, direction.lower, low * near, high * near, low * far, high * far};
}

Corners squared(Corners corners, float factor) {
  for (float* weight : {&corners.near_low, &corners.near_high, &corners.far_low, &corners.far_high})
    *weight = factor * *weight * *weight;
  return corners;
}

// Interpolates to wave + or - of the quadruplets with centres (f, m), (f, m + 1), ...; side: +1 if the wave
// is at a higher direction than the centre, -1 if at a lower one.
inline Lanes interpolate(const DirectionRows& rows, const Corners& corners, int f, int m, int side) {
  const float* low = rows.row(f + corners.frequency) + m + side * corners.direction;
  const float* high = rows.row(f + corners.frequency + 1) + m + side * corners.direction;
  return corners.near_low * load(low) + corners.near_high * load(high) + corners.far_low * load(low + side) +
         corners.far_high * load(high + side);
}

}  // namespace

BinFraction Dia::position_in_directions(double angle) const {
  const double bins = angle / direction_width_;
  return {.lower = static_cast<int>(bins), .weight = static_cast<float>(bins - std::floor(bins))};
}

BinFraction Dia::position_in_frequencies(double factor) const {
  const int lower = static_cast<int>(std::floor(std::log(factor) / std::log(ratio_)));
  const double below = std::pow(ratio_, lower);
  return {.lower = lower, .weight = static_cast<float>((factor / below - 1) / (ratio_ - 1))};
}

Dia::Dia(const SpectralGrid& grid, double lambda, double strength)
    : n_frequencies_(grid.n_frequencies),
      ratio_(grid.ratio),
      direction_width_(grid.direction_width),
      half_width_(half_width_bins(grid, lambda)),
      plus_factor_(static_cast<float>(std::pow(1 + lambda, -4))),
      minus_factor_(static_cast<float>(std::pow(1 - lambda, -4))),
      plus_(
          make_corners(position_in_frequencies(1 + lambda), position_in_directions(resonance_angle(lambda)))),
      minus_(make_corners(position_in_frequencies(1 - lambda),
                          position_in_directions(resonance_angle(-lambda)))),
      plus_squared_(squared(plus_, plus_factor_)),
      minus_squared_(squared(minus_, minus_factor_)),
      n_(grid.n_frequencies, grid.n_directions, half_width_, plus_.frequency + 1, -minus_.frequency),
      n_mirror_(grid.n_frequencies, grid.n_directions, half_width_, plus_.frequency + 1, -minus_.frequency),
      dn_centre_(grid.n_frequencies, grid.n_directions, half_width_),
      dn_plus_(grid.n_frequencies, grid.n_directions, half_width_, plus_.frequency + 1, -minus_.frequency),
      dn_plus_mirror_(grid.n_frequencies, grid.n_directions, half_width_, plus_.frequency + 1,
                      -minus_.frequency),
      dn_minus_(grid.n_frequencies, grid.n_directions, half_width_, plus_.frequency + 1, -minus_.frequency),
      dn_minus_mirror_(grid.n_frequencies, grid.n_directions, half_width_, plus_.frequency + 1,
                       -minus_.frequency) {
  require<ConfigError>(grid.n_directions >= 8 && half_width_ <= grid.n_directions,
                       "The discrete interaction approximation needs at least 8 directions, not {}. "
                       "Set mesh.spectrum.directions to 24 or 36.",
                       grid.n_directions);
  end_centre_ = n_frequencies_ - plus_.frequency - 1;
  require_frequencies(grid, lambda, rows_before() + plus_.frequency + 2);
  for (int f = 0; f < n_frequencies_; ++f) {
    const double df = grid.frequency_width[f], sigma = grid.sigma[f];
    strength_.push_back(
        static_cast<float>(strength * std::pow(kGravity, -4) * std::pow(grid.frequency[f], 11) * df / sigma));
    density_per_action_.push_back(static_cast<float>(sigma / df));
  }
}

void Dia::interact(const DirectionRows& energy) {
  for (int f = 0; f < end_centre_; ++f) {
    for (int m = 0; m < energy.length(); m += kLanes) {
      // q = C g^-4 f^11 E {E (A + B) - 2 A B}, A = E+/(1+lambda)^4, B = E-/(1-lambda)^4
      const Lanes e = load(energy.row(f) + m), t = strength_[f] * e;
      const Lanes a = plus_factor_ * interpolate(energy, plus_, f, m, 1);
      const Lanes b = minus_factor_ * interpolate(energy, minus_, f, m, -1);
      const Lanes a_mirror = plus_factor_ * interpolate(energy, plus_, f, m, -1);
      const Lanes b_mirror = minus_factor_ * interpolate(energy, minus_, f, m, 1);
      const Lanes sum = e * (a + b), product = a * b;
      const Lanes sum_mirror = e * (a_mirror + b_mirror), product_mirror = a_mirror * b_mirror;
      store(n_.row(f) + m, t * (sum - 2.f * product));
      store(n_mirror_.row(f) + m, t * (sum_mirror - 2.f * product_mirror));
      store(dn_centre_.row(f) + m, (2.f * strength_[f]) * ((sum - product) + (sum_mirror - product_mirror)));
      store(dn_plus_.row(f) + m, t * (e - 2.f * b));
      store(dn_plus_mirror_.row(f) + m, t * (e - 2.f * b_mirror));
      store(dn_minus_.row(f) + m, t * (e - 2.f * a));
      store(dn_minus_mirror_.row(f) + m, t * (e - 2.f * a_mirror));
    }
    for (auto* rows : {&n_, &n_mirror_, &dn_plus_, &dn_plus_mirror_, &dn_minus_, &dn_minus_mirror_})
      rows->wrap(rows->row(f));
  }
}

float dia_depth_factor(float kd) {
  const float x = std::max(0.75f * kd, 0.5f);
  return 1 + 5.5f / x * (1 - 5 * x / 6) * std::exp(-1.25f * x);
}

}  // namespace halcyon::wave
