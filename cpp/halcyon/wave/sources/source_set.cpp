#include "halcyon/wave/sources/source_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/flush_denormals.hpp"
#include "halcyon/wave/sources/kernels/terms.hpp"

namespace halcyon::wave {

namespace {

constexpr float kMaxHeight = 60;    // [m]; a higher spectrum is unstable
constexpr float kCalmWind = 1e-3f;  // [m s-1] smallest divisor, so that the wind direction is finite

std::vector<float> to_floats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

// 4 sqrt(m0) [m]
float significant_height(double variance) {
  return static_cast<float>(4 * std::sqrt(variance));
}

int reach_of(const SpectralGrid& grid, const SharedOptions& options, int reach) {
  return std::max(Dia(grid, options.lambda, options.transfer).reach(), reach);
}

void store_if_requested(std::span<float> array, LocalIndex cell, float value) {
  if (!array.empty()) array[cell] = value;
}

constexpr float kG = static_cast<float>(kGravity);
constexpr float kCalmFriction = 1e-3f;  // [m s-1] smallest u*, so that f_PM is finite

}  // namespace

SourceSet::SourceSet(std::string name, const SpectralGrid& grid, const SharedOptions& options, TailRule tail,
                     double air_density, int reach)
    : grid_(grid),
      options_(options),
      air_density_(static_cast<float>(air_density)),
      weights_(grid),
      frequency_(to_floats(grid.frequency)),
      sigma_(to_floats(grid.sigma)),
      energy_(grid.n_frequencies, grid.n_directions, reach_of(grid, options, reach)),
      growth_(grid.n_frequencies, grid.n_directions, 0),
      breaking_waves_(grid.n_frequencies, grid.n_directions, 0),
      wind_cosine_(energy_.length()),
      swell_(grid.n_frequencies),
      name_(std::move(name)),
      tail_rule_(tail),
      dia_(grid, options.lambda, options.transfer),
      downwind2_(energy_.length()),
      action_before_(grid.n_bins()) {
  for (int k = 0; k < energy_.length(); ++k) {
    sine_.push_back(static_cast<float>(std::sin((k + 0.5) * grid.direction_width)));
    cosine_.push_back(static_cast<float>(std::cos((k + 0.5) * grid.direction_width)));
  }
  for (int m = 0; m < grid.n_frequencies; ++m) {
    inverse_sigma_.push_back(static_cast<float>(1 / grid.sigma[m]));
    fifth_.push_back(static_cast<float>(std::pow(grid.ratio, -5 * m)));
  }
  for (auto* rows : {&whitecapping_, &floor_, &tail_, &friction_, &dissipation_, &linear_input_, &transfer_,
                     &limit_, &inverse_root_, &root_}) {
    rows->resize(static_cast<std::size_t>(grid.n_frequencies));
  }
}

SourceCell SourceSet::cell(LocalIndex i, const Medium& medium, const WindField& wind) const {
  return {medium.depth[i], wind.eastward[i], wind.northward[i], medium.wavenumber.row(i).data()};
}

BadCell SourceSet::step(View<float, 3> action, CellRange cells, const Medium& medium, const WindField& wind,
                        double dt) {
  require<ConfigError>(dt > 0, "The step of the source terms is {} s; it must be positive.", dt);
  const FlushDenormals flush;
  BadCell bad;
  const int n_steps = static_cast<int>(std::ceil(dt / options_.longest_step - 1e-6));
  for (LocalIndex i = cells.begin; i < cells.end; ++i) {
    const float height = step_cell(action.row(i, 0).data(), cell(i, medium, wind), n_steps, dt / n_steps);
    if (!(height <= kMaxHeight) && bad.cell == kNone) bad = {i, height};
  }
  return bad;
}

float SourceSet::step_cell(float* action, const SourceCell& cell, int n_steps, double dt) {
  if (n_steps == 1) return step_cell(action, cell, static_cast<float>(dt));
  std::copy_n(action, grid_.n_bins(), action_before_.begin());
  float height = 0;
  for (int i = 0; i < n_steps && height <= kMaxHeight; ++i) {
    height = step_cell(action, cell, static_cast<float>(dt));
  }
  if (!(height <= kMaxHeight)) std::ranges::copy(action_before_, action);
  return height;
}

// Returns the significant height [m]; NaN if the spectrum or wind is not finite, or the variance negative.
float SourceSet::step_cell(float* action, const SourceCell& cell, float dt) {
  set_wind_vector(cell);
  if (!std::isfinite(sea_.speed)) return std::numeric_limits<float>::quiet_NaN();
  load_spectrum(action);
  MomentSums before = moments(cell);
  const float old_height = significant_height(before.variance);
  if (!(old_height <= kMaxHeight)) return old_height;
  set_wind(cell, before);
  add_wind_sea(before);
  set_rates(cell, before);
  set_limits(before, dt);
  dia_.interact(energy_);
  advance(dt);
  MomentSums after;
  add_variance(after);
  add_wind_sea(after);
  const float height = significant_height(after.variance);
  if (!(height <= kMaxHeight)) return height;

  const int last = last_prognostic(after);
  set_tail(cell, last);
  const float variance = store_spectrum(action, last);
  const float largest = std::pow(options_.depth_limit * cell.depth / 4, 2.f);
  if (variance > largest) {
    for (int i = 0; i < grid_.n_bins(); ++i) action[i] *= largest / variance;
  }
  return significant_height(std::min(variance, largest));
}

void SourceSet::load_spectrum(const float* action) {
  const int n = grid_.n_directions;
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    float* __restrict row = energy_.row(m);
    const float* __restrict from = action + static_cast<std::ptrdiff_t>(m) * n;
    for (int k = 0; k < n; ++k) row[k] = sigma_[m] * from[k];
    energy_.wrap(row);
  }
}

void SourceSet::set_wind_vector(const SourceCell& cell) {
  sea_.speed = std::hypot(cell.eastward, cell.northward);
  const float divisor = std::max(sea_.speed, kCalmWind);
  sea_.east = cell.eastward / divisor;
  sea_.north = cell.northward / divisor;
  for (int k = 0; k < energy_.length(); k += kLanes) {
    const Lanes cosine = sea_.east * load(&sine_[k]) + sea_.north * load(&cosine_[k]);
    const Lanes downwind = positive_part(cosine);
    store(&wind_cosine_[k], cosine);
    store(&downwind2_[k], downwind * downwind);
  }
}

MomentSums SourceSet::moments(const SourceCell& cell) {
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    const float r = std::sqrt(cell.wavenumber[m]);
    inverse_root_[m] = weights_.inverse_root[m] / r;
    root_[m] = weights_.root[m] * r;
  }
  MomentSums sums;
  for (int k = 0; k < energy_.length(); k += kLanes) {
    Moments partial;
    for (int m = 0; m < grid_.n_frequencies; ++m) {
      const Lanes f = load(energy_.row(m) + k);
      partial.variance += weights_.variance[m] * f;
      partial.inverse_frequency += weights_.inverse_frequency[m] * f;
      partial.first += weights_.first[m] * f;
      partial.square += weights_.square[m] * f;
      partial.inverse_root_wavenumber += inverse_root_[m] * f;
      partial.root_wavenumber += root_[m] * f;
    }
    sums.add(partial, std::min(kLanes, grid_.n_directions - k));
  }
  return sums;
}

void SourceSet::add_variance(MomentSums& sums) const {
  for (int k = 0; k < energy_.length(); k += kLanes) {
    MeanFrequencyMoments partial;
    for (int m = 0; m < grid_.n_frequencies; ++m) {
      const Lanes f = load(energy_.row(m) + k);
      partial.variance += weights_.variance[m] * f;
      partial.inverse_frequency += weights_.inverse_frequency[m] * f;
    }
    for (int i = 0; i < std::min(kLanes, grid_.n_directions - k); ++i) {
      sums.variance += partial.variance[i];
      sums.inverse_frequency += partial.inverse_frequency[i];
    }
  }
}

void SourceSet::add_wind_sea(MomentSums& sums) const {
  for (int k = 0; k < energy_.length(); k += kLanes) {
    MeanFrequencyMoments partial;
    for (int m = 0; m < grid_.n_frequencies; ++m) {
      const Lanes sea = load(growth_.row(m) + k) > 0.f ? load(energy_.row(m) + k) : Lanes{};
      partial.variance += weights_.variance[m] * sea;
      partial.inverse_frequency += weights_.inverse_frequency[m] * sea;
    }
    sums.add(partial, std::min(kLanes, grid_.n_directions - k));
  }
}

void SourceSet::set_rates(const SourceCell& cell, const MomentSums& sums) {
  set_whitecapping(cell, sums);
  const auto variance = static_cast<float>(sums.variance);
  const float root = sums.is_calm() ? 1 / std::sqrt(cell.wavenumber[0])
                                    : static_cast<float>(sums.inverse_root_wavenumber / sums.variance);
  const float depth_factor = dia_depth_factor(cell.depth / (root * root));
  DepthBreaking breaking;
  if (options_.breaking > 0 && !sums.is_calm()) {
    breaking = depth_breaking(options_.breaking, options_.breaker_index, variance,
                              static_cast<float>(sums.variance / sums.inverse_frequency), cell.depth);
  }
  breaking_ = breaking.rate;
  stiffness_ = breaking.stiffness;
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    friction_[m] = bottom_friction(options_.friction, cell.wavenumber[m], sigma_[m]);
    dissipation_[m] = whitecapping_[m] + friction_[m] + breaking_ + swell_[m].offset;
    linear_input_[m] = options_.linear_growth ? linear_growth(sea_.friction_velocity, frequency_[m]) : 0.f;
    transfer_[m] = depth_factor * dia_.scale(m);
  }
}

SourceTerms SourceSet::terms(View<const float, 3> action, LocalIndex i, const Medium& medium,
                             const WindField& wind) {
  const SourceCell cell = this->cell(i, medium, wind);
  set_wind_vector(cell);
  load_spectrum(action.row(i, 0).data());
  MomentSums sums = moments(cell);
  set_wind(cell, sums);
  add_wind_sea(sums);
  set_rates(cell, sums);
  dia_.interact(energy_);
  SourceTerms terms;
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    for (int k = 0; k < grid_.n_directions; ++k) {
      const float f = energy_.row(m)[k];
      const int lane = k % kLanes, start = k - lane;
      terms.wind_input.push_back(growth_.row(m)[k] * f);
      terms.linear_growth.push_back(linear_input_[m] * downwind2_[k] * downwind2_[k]);
      terms.swell_damping.push_back((swell_[m].offset + swell_[m].slope * wind_cosine(start)[lane]) * f);
      terms.whitecapping.push_back((whitecapping_[m] + breaking_waves_.row(m)[k]) * f);
      terms.nonlinear.push_back(transfer_[m] * dia_.at(m)(start).transfer[lane]);
      terms.bottom_friction.push_back(friction_[m] * f);
      terms.depth_breaking.push_back(breaking_ * f);
    }
  }
  return terms;
}

void SourceSet::surface(View<const float, 3> action, CellRange cells, const Medium& medium,
                        const WindField& wind, const SurfaceArrays& arrays) {
  for (LocalIndex i = cells.begin; i < cells.end; ++i) {
    const SourceCell cell = this->cell(i, medium, wind);
    set_wind_vector(cell);
    load_spectrum(action.row(i, 0).data());
    set_wind(cell, moments(cell));
    const float stress = air_density_ * sea_.friction_velocity * sea_.friction_velocity;
    store_if_requested(arrays.friction_velocity, i, sea_.friction_velocity);
    store_if_requested(arrays.roughness_length, i, sea_.roughness_length);
    store_if_requested(arrays.eastward_stress, i, stress * sea_.east);
    store_if_requested(arrays.northward_stress, i, stress * sea_.north);
  }
}

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

// Where x = dt dS/dF > 0, the factor (exp(x) - 1)/x = 1 + x/2 + x^2/6 + ... turns the linear growth of the
// explicit step into exponential growth, bounded by the limiter.
void SourceSet::advance(float dt) {
  const Lanes max_exponent = Lanes{} + (options_.exponential ? 3.f : 0.f);
  const float stiffness = stiffness_;
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    const float transfer = transfer_[m], dissipation = dissipation_[m], slope = swell_[m].slope,
                linear_input = linear_input_[m];
    const float limit = limit_[m], floor = floor_[m];
    const Dia::Gather gather = dia_.at(m);
    const float *growth = growth_.row(m), *breaking = breaking_waves_.row(m);
    float* energy = energy_.row(m);
    for (int k = 0; k < energy_.length(); k += kLanes) {
      const Lanes f = load(energy + k), downwind2 = load(&downwind2_[k]);
      const Dia::Rate nonlinear = gather(k);
      const Lanes rate =
          load(growth + k) + load(breaking + k) + (dissipation + slope * load(&wind_cosine_[k]));
      const Lanes source = transfer * nonlinear.transfer + rate * f + linear_input * (downwind2 * downwind2);
      const Lanes implicit = 1.f - dt * (transfer * nonlinear.derivative + rate + stiffness);
      const Lanes x = smaller(1.f - implicit, max_exponent), growth_factor = 1.f + x * (0.5f + x * (1.f / 6));
      const Lanes change = implicit < 1.f ? dt * source * growth_factor : dt * source / implicit;
      store(energy + k, larger(floor * downwind2, f + clamp(change, limit)));
    }
  }
}

// Sets the tail relative to bin `last`. With t = tanh(kd) = sigma^2/(gk), cg = sigma/2k (1 + kd (1 - t^2)/t).
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

// Returns the last frequency before the tail. Frequencies without complete quadruplets have no nonlinear
// transfer to balance the wind input, so they always belong to the tail.
int SourceSet::last_prognostic(const MomentSums& sums) const {
  const double bins = std::log(cut_off(sums) / frequency_[0]) / std::log(grid_.ratio);
  return static_cast<int>(std::clamp(bins, 0., dia_.end_centre() - 1.));
}

// Writes the action with the tail beyond frequency `last`; returns the variance [m2].
float SourceSet::store_spectrum(float* action, int last) {
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
