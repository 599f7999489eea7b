#include "halcyon/wave/physics_wam3.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/flush_denormals.hpp"

namespace halcyon::wave {

namespace {

constexpr float kG = static_cast<float>(kGravity);
constexpr float kHighestSea = 60;   // [m]; above it a spectrum has blown up
constexpr float kCalmWind = 1e-3f;  // [m s-1] keeps ratios by the wind speed finite

std::vector<float> single(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

float significant_height(double variance) {
  return static_cast<float>(4 * std::sqrt(variance));
}

}  // namespace

Wam3::Wam3(const SpectralGrid& grid, const Wam3Options& options)
    : grid_(grid),
      options_(options),
      dia_(grid, options.lambda, options.transfer),
      weights_(grid),
      frequency_(single(grid.frequency)),
      sigma_(single(grid.sigma)),
      width_(single(grid.frequency_width)),
      energy_(grid.n_frequencies, grid.n_directions, dia_.reach()) {
  const auto n_frequencies = static_cast<std::size_t>(grid.n_frequencies);
  const auto length = static_cast<std::size_t>(energy_.length());
  for (int k = 0; k < energy_.length(); ++k) {
    sine_.push_back(static_cast<float>(std::sin((k + 0.5) * grid.direction_width)));
    cosine_.push_back(static_cast<float>(std::cos((k + 0.5) * grid.direction_width)));
  }
  for (int m = 0; m < grid.n_frequencies; ++m) {
    inverse_sigma_.push_back(static_cast<float>(1 / grid.sigma[m]));
    tail_.push_back(static_cast<float>(std::pow(grid.ratio, -5 * m)));
  }
  for (auto* directions : {&wind_cosine_, &wind_cosine4_}) directions->resize(length);
  for (auto* rows : {&root_weight_, &sink_, &seed_, &transfer_, &limit_}) rows->resize(n_frequencies);
  input_.resize(n_frequencies);
}

BadCell Wam3::step(View<float, 3> action, CellRange cells, const Medium& medium, const WindField& wind,
                   double dt) {
  const FlushDenormals flush;
  BadCell bad;
  for (LocalIndex i = cells.begin; i < cells.end; ++i) {
    const Cell cell{medium.depth[i], wind.eastward[i], wind.northward[i], medium.wavenumber.row(i).data()};
    const float height = step_cell(action.row(i, 0).data(), cell, static_cast<float>(dt));
    if (!(height <= kHighestSea) && bad.cell == kNone) bad = {i, height};
  }
  return bad;
}

// Returns the significant height [m], NaN for a spectrum that is not finite or has negative variance.
float Wam3::step_cell(float* action, const Cell& cell, float dt) {
  read(action);
  set_wind(cell);
  const MomentSums before = moments(cell);
  const float start = significant_height(before.variance);
  if (!(start <= kHighestSea)) return start;
  set_rates(cell, before);
  set_limits(before, dt);
  dia_.interact(energy_);
  const MomentSums after = advance(dt);
  const float height = significant_height(after.variance);
  if (!(height <= kHighestSea)) return height;

  const float variance = write(action, last_prognostic(after));
  const float most = std::pow(options_.depth_limit * cell.depth / 4, 2.f);
  if (variance > most) scale(action, most / variance);
  return significant_height(std::min(variance, most));
}

void Wam3::read(const float* action) {
  const int n = grid_.n_directions;
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    float* __restrict row = energy_.row(m);
    const float* __restrict from = action + static_cast<std::ptrdiff_t>(m) * n;
    for (int k = 0; k < n; ++k) row[k] = sigma_[m] * from[k];
    energy_.wrap(row);
  }
}

void Wam3::set_wind(const Cell& cell) {
  const float speed = std::hypot(cell.eastward, cell.northward);
  friction_velocity_ = speed * std::sqrt(drag_coefficient(speed, options_.drag_cap));
  const float divisor = std::max(speed, kCalmWind);
  const float east = cell.eastward / divisor, north = cell.northward / divisor;
  for (int k = 0; k < energy_.length(); ++k) {
    const float cosine = east * sine_[k] + north * cosine_[k];
    const float ahead = std::max(cosine, 0.f);
    wind_cosine_[k] = cosine;
    wind_cosine4_[k] = ahead * ahead * ahead * ahead;
  }
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    input_[m] = wave::wind_input(friction_velocity_, cell.wavenumber[m], sigma_[m]);
  }
}

// Sums before the step: those that whitecapping, the limiter and the transfer's depth factor need.
MomentSums Wam3::moments(const Cell& cell) {
  const int n_frequencies = grid_.n_frequencies;
  for (int m = 0; m < n_frequencies; ++m) {
    const float beyond = m + 1 == n_frequencies ? frequency_[m] / 5 : 0;
    root_weight_[m] =
        (width_[m] + beyond) * static_cast<float>(grid_.direction_width) / std::sqrt(cell.wavenumber[m]);
  }
  MomentSums sums;
  for (int k = 0; k < energy_.length(); k += kLanes) {
    const Lanes cosine = load(&wind_cosine_[k]);
    Moments partial;
    for (int m = 0; m < n_frequencies; ++m) {
      const Lanes f = load(energy_.row(m) + k);
      const Lanes sea = input_[m].slope * cosine > input_[m].offset ? f : Lanes{};
      partial.variance += weights_.variance[m] * f;
      partial.inverse_frequency += weights_.inverse_frequency[m] * f;
      partial.inverse_root_wavenumber += root_weight_[m] * f;
      partial.sea_variance += weights_.variance[m] * sea;
      partial.sea_inverse_frequency += weights_.inverse_frequency[m] * sea;
    }
    sums.add(partial, std::min(kLanes, grid_.n_directions - k));
  }
  return sums;
}

void Wam3::set_rates(const Cell& cell, const MomentSums& sums) {
  const auto variance = static_cast<float>(sums.variance);
  const bool calm = variance < 1e-20f;
  const float root = calm ? 1 / std::sqrt(cell.wavenumber[0])
                          : static_cast<float>(sums.inverse_root_wavenumber / sums.variance);
  const float mean_wavenumber = 1 / (root * root);
  const float mean_sigma =
      calm ? sigma_[0] : static_cast<float>(kTwoPi * sums.variance / sums.inverse_frequency);
  const float dissipation = whitecapping(options_.whitecapping, variance, mean_sigma, mean_wavenumber);
  depth_factor_ = dia_depth_factor(mean_wavenumber * cell.depth);
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    const float k = cell.wavenumber[m];
    sink_[m] = dissipation * k + bottom_friction(options_.friction, k, sigma_[m]);
    seed_[m] = options_.linear_growth ? linear_growth(friction_velocity_, frequency_[m]) : 0.f;
    transfer_[m] = depth_factor_ * dia_.scale(m);
  }
}

void Wam3::set_limits(const MomentSums& sums, float dt) {
  const float end = std::min(cut_off(sums), frequency_[dia_.end_centre() - 1]);
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    limit_[m] = largest_change(options_.limiter, frequency_[m], friction_velocity_, end, dt);
  }
}

// End of the prognostic range, max(2.5 f_mean, 4 f_PM) with f_PM = g / (2 pi 28 u*) (WAMDI 1988).
float Wam3::cut_off(const MomentSums& sums) const {
  const float pm = kG / (static_cast<float>(kTwoPi) * 28 * std::max(friction_velocity_, kCalmWind));
  return std::max(2.5f * sums.mean_frequency(frequency_.back()), 4 * pm);
}

MomentSums Wam3::advance(float dt) {
  MomentSums sums;
  for (int k = 0; k < energy_.length(); k += kLanes) {
    const Lanes cosine = load(&wind_cosine_[k]), cosine4 = load(&wind_cosine4_[k]);
    Moments partial;
    for (int m = 0; m < grid_.n_frequencies; ++m) {
      const Lanes f = load(energy_.row(m) + k);
      const Lanes growth = positive_part(input_[m].slope * cosine - input_[m].offset);
      const Dia::Rate nonlinear = dia_.gather(m, k);
      const Lanes rate = growth + sink_[m];
      const Lanes source = transfer_[m] * nonlinear.transfer + rate * f + seed_[m] * cosine4;
      const Lanes implicit = 1.f - dt * (transfer_[m] * nonlinear.derivative + rate);
      const Lanes change = dt * source / (implicit < 1.f ? Lanes{} + 1.f : implicit);
      const Lanes next = positive_part(f + clamp(change, limit_[m]));
      store(energy_.row(m) + k, next);
      const Lanes sea = growth > 0.f ? next : Lanes{};
      partial.variance += weights_.variance[m] * next;
      partial.inverse_frequency += weights_.inverse_frequency[m] * next;
      partial.sea_variance += weights_.variance[m] * sea;
      partial.sea_inverse_frequency += weights_.inverse_frequency[m] * sea;
    }
    sums.add(partial, std::min(kLanes, grid_.n_directions - k));
  }
  return sums;
}

// The last bin before the tail. Bins whose quadruplets are not complete cannot shed what the wind feeds them,
// so they always belong to the tail.
int Wam3::last_prognostic(const MomentSums& sums) const {
  const double bins = std::log(cut_off(sums) / frequency_[0]) / std::log(grid_.ratio);
  return static_cast<int>(std::clamp(bins, 0., dia_.end_centre() - 1.));
}

// Writes the action with a tail f^-5 beyond the bin `last`; returns the variance [m2].
float Wam3::write(float* action, int last) {
  const int n = grid_.n_directions;
  double variance = 0;
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    const float* __restrict row = energy_.row(std::min(m, last));
    const float factor = m > last ? tail_[m - last] : 1.f;
    const float to_action = factor * inverse_sigma_[m];
    float* __restrict to = action + static_cast<std::ptrdiff_t>(m) * n;
    for (int k = 0; k < n; ++k) to[k] = to_action * row[k];
    Lanes sum{};
    for (int k = 0; k + kLanes <= n; k += kLanes) sum += load(row + k);
    float rest = 0;
    for (int k = n / kLanes * kLanes; k < n; ++k) rest += row[k];
    for (int i = 0; i < kLanes; ++i) rest += sum[i];
    variance += static_cast<double>(weights_.variance[m] * factor) * rest;
  }
  return static_cast<float>(variance);
}

void Wam3::scale(float* action, float factor) const {
  for (int i = 0; i < grid_.n_bins(); ++i) action[i] *= factor;
}

SourceTerms Wam3::terms(View<const float, 3> action, LocalIndex i, const Medium& medium,
                        const WindField& wind) {
  const Cell cell{medium.depth[i], wind.eastward[i], wind.northward[i], medium.wavenumber.row(i).data()};
  read(action.row(i, 0).data());
  set_wind(cell);
  const MomentSums sums = moments(cell);
  set_rates(cell, sums);
  dia_.interact(energy_);
  SourceTerms terms;
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    const float friction = bottom_friction(options_.friction, cell.wavenumber[m], sigma_[m]);
    for (int k = 0; k < grid_.n_directions; ++k) {
      const float f = energy_.row(m)[k];
      const float growth = std::max(0.f, input_[m].slope * wind_cosine_[k] - input_[m].offset);
      const int lane = k % kLanes;
      terms.wind_input.push_back(growth * f);
      terms.linear_growth.push_back(seed_[m] * wind_cosine4_[k]);
      terms.whitecapping.push_back((sink_[m] - friction) * f);
      terms.nonlinear.push_back(transfer_[m] * dia_.gather(m, k - lane).transfer[lane]);
      terms.bottom_friction.push_back(friction * f);
    }
  }
  return terms;
}

}  // namespace halcyon::wave
