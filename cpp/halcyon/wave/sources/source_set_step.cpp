#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/sources/source_set.hpp"

// The semi-implicit step of all sets: its limits, the step itself, the tail and what is written.

namespace halcyon::wave {

namespace {

constexpr float kG = static_cast<float>(kGravity);
constexpr float kCalmFriction = 1e-3f;  // [m s-1] of u*, keeps f_PM finite

}  // namespace

void SourceSet::set_limits(const MomentSums& sums, float dt) {
  const float end = std::min(cut_off(sums), frequency_[dia_.end_centre() - 1]);
  const LimiterState state{sea_.friction_velocity, end, sums.mean_frequency(frequency_.back())};
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    limit_[m] = largest_change(options_.limiter, frequency_[m], state, dt);
  }
}

float SourceSet::cut_off(const MomentSums& sums) const {
  const float pm = kG / (static_cast<float>(kTwoPi) * 28 * std::max(sea_.friction_velocity, kCalmFriction));
  return std::max(tail_rule_.mean_factor * sums.mean_frequency(frequency_.back()), tail_rule_.pm_factor * pm);
}

// With x = dt dS/dF, where positive, (exp(x) - 1)/x = 1 + x/2 + x^2/6 + ... turns the explicit step into that
// of exponential growth; the limiter bounds it.
void SourceSet::advance(float dt) {
  const Lanes most = Lanes{} + (options_.exponential ? 3.f : 0.f);
  const float stiffness = stiffness_;
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    const float transfer = transfer_[m], sink = sink_[m], slope = swell_[m].slope, seed = seed_[m];
    const float limit = limit_[m], floor = floor_[m];
    const Dia::Gather gather = dia_.at(m);
    const float *growth = growth_.row(m), *breaking = breaking_waves_.row(m);
    float* energy = energy_.row(m);
    for (int k = 0; k < energy_.length(); k += kLanes) {
      const Lanes f = load(energy + k), ahead2 = load(&ahead2_[k]);
      const Dia::Rate nonlinear = gather(k);
      const Lanes rate = load(growth + k) + load(breaking + k) + (sink + slope * load(&wind_cosine_[k]));
      const Lanes source = transfer * nonlinear.transfer + rate * f + seed * (ahead2 * ahead2);
      const Lanes implicit = 1.f - dt * (transfer * nonlinear.derivative + rate + stiffness);
      const Lanes x = smaller(1.f - implicit, most), explosive = 1.f + x * (0.5f + x * (1.f / 6));
      const Lanes change = implicit < 1.f ? dt * source * explosive : dt * source / implicit;
      store(energy + k, larger(floor * ahead2, f + clamp(change, limit)));
    }
  }
}

// The tail over its level at the bin `last`. With t = tanh(kd) = sigma^2/(gk), cg = sigma/2k (1 + kd (1 -
// t^2)/t).
void SourceSet::set_tail(const SourceCell& cell, int last) {
  const auto shape = [&](int m) {
    const float k = cell.wavenumber[m], t = sigma_[m] * sigma_[m] / (kG * k);
    return 1 / (k * k * sigma_[m] * (1 + k * cell.depth * std::max(0.f, 1 - t * t) / t));
  };
  const float level = shape(last);
  for (int m = last + 1; m < grid_.n_frequencies; ++m) {
    tail_[m] = tail_rule_.in_wavenumber ? shape(m) / level : fifth_[m - last];
  }
}

// The last bin before the tail. Bins whose quadruplets are not complete cannot shed what the wind feeds them,
// so they always belong to the tail.
int SourceSet::last_prognostic(const MomentSums& sums) const {
  const double bins = std::log(cut_off(sums) / frequency_[0]) / std::log(grid_.ratio);
  return static_cast<int>(std::clamp(bins, 0., dia_.end_centre() - 1.));
}

// Writes the action with the tail beyond the bin `last`; returns the variance [m2].
float SourceSet::write(float* action, int last) {
  const int n = grid_.n_directions;
  double variance = 0;
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    const float* __restrict row = energy_.row(std::min(m, last));
    const float factor = m > last ? tail_[m] : 1.f;
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

}  // namespace halcyon::wave
