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

// [m] Significant height above which the integration is unstable: that of the fully developed sea at 60 m/s
// (Pierson and Moskowitz 1964).
constexpr float kMaxHeight = 80;
constexpr float kCalmWind = 1e-3f;  // [m s-1] smallest divisor of the wind, so that its unit vector is finite

std::vector<float> to_floats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}
float significant_height(double variance) {
  return static_cast<float>(4 * std::sqrt(variance));
}
// Returns rows for F that are padded for the quadruplets and for `half_width`.
DirectionRows density_rows(const SpectralGrid& grid, const SharedOptions& options, int half_width) {
  const Dia dia(grid, options.lambda, options.transfer);
  return {grid.n_frequencies, grid.n_directions, std::max(dia.half_width(), half_width), dia.rows_before()};
}
float value_or_zero(std::span<const float> array, LocalIndex cell) {
  return array.empty() ? 0 : array[cell];
}
void store_if_requested(std::span<float> array, LocalIndex cell, float value) {
  if (!array.empty()) array[cell] = value;
}

constexpr float kG = static_cast<float>(kGravity);
constexpr float kCalmFriction = 1e-3f;  // [m s-1] smallest u*, so that f_PM is finite

}  // namespace

SourceSet::SourceSet(std::string name, const SpectralGrid& grid, const SharedOptions& options, TailRule tail,
                     double air_density, int half_width)
    : grid_(grid),
      options_(options),
      air_density_(static_cast<float>(air_density)),
      weights_(grid),
      frequency_(to_floats(grid.frequency)),
      sigma_(to_floats(grid.sigma)),
      energy_(density_rows(grid, options, half_width)),
      growth_(grid.n_frequencies, grid.n_directions, 0),
      breaking_waves_(grid.n_frequencies, grid.n_directions, 0),
      wind_cosine_(energy_.length()),
      swell_(grid.n_frequencies),
      name_(std::move(name)),
      tail_rule_(tail),
      dia_(grid, options.lambda, options.transfer),
      downwind_squared_(energy_.length()),
      action_before_(grid.n_bins()),
      added_source_(grid.n_frequencies, grid.n_directions, 0),
      added_rate_(grid.n_frequencies, grid.n_directions, 0) {
  for (int m = 0; m < energy_.length(); ++m) {
    sine_.push_back(static_cast<float>(std::sin((m + 0.5) * grid.direction_width)));
    cosine_.push_back(static_cast<float>(std::cos((m + 0.5) * grid.direction_width)));
  }
  for (int f = 0; f < grid.n_frequencies; ++f) {
    inverse_sigma_.push_back(static_cast<float>(1 / grid.sigma[f]));
    inverse_fifth_power_.push_back(static_cast<float>(std::pow(grid.ratio, -5 * f)));
  }
  for (auto* rows : {&whitecapping_, &floor_, &tail_, &bottom_friction_, &dissipation_, &linear_input_,
                     &transfer_scale_, &largest_change_, &inverse_root_weight_, &root_weight_}) {
    rows->resize(static_cast<std::size_t>(grid.n_frequencies));
  }
}

SourceCell SourceSet::source_cell(LocalIndex i, const Medium& medium, const WindField& wind) const {
  return {medium.depth[i], wind.eastward[i], wind.northward[i], medium.wavenumber.row(i).data()};
}

BadCell SourceSet::step(View<float, 3> action, CellRange cells, const Medium& medium, const WindField& wind,
                        std::span<float> wave_stress, double dt) {
  require<ConfigError>(dt > 0, "The step of the source terms is {} s; it must be positive.", dt);
  const FlushDenormals flush_denormals;
  BadCell bad;
  // 1e-6 lets the round-off of a whole quotient add no substep.
  const int n_substeps = std::max(1, static_cast<int>(std::ceil(dt / options_.longest_step - 1e-6)));
  for (LocalIndex i = cells.begin; i < cells.end; ++i) {
    sea_.wave_stress = value_or_zero(wave_stress, i);
    const float height = step_cell_in_substeps(action.row(i, 0).data(), source_cell(i, medium, wind),
                                               n_substeps, dt / n_substeps);
    const bool is_valid = height <= kMaxHeight;
    if (is_valid) store_if_requested(wave_stress, i, sea_.wave_stress);
    if (!is_valid && bad.cell == kNone) bad = {.cell = i, .significant_height = height};
  }
  return bad;
}

// Advances one cell by substeps of dt; see step_cell. Restores the old spectrum if a substep fails.
float SourceSet::step_cell_in_substeps(float* action, const SourceCell& cell, int n_substeps, double dt) {
  if (n_substeps == 1) return step_cell(action, cell, static_cast<float>(dt));
  std::copy_n(action, grid_.n_bins(), action_before_.begin());
  float height = 0;
  for (int i = 0; i < n_substeps && height <= kMaxHeight; ++i)
    height = step_cell(action, cell, static_cast<float>(dt));
  if (!(height <= kMaxHeight)) std::ranges::copy(action_before_, action);
  return height;
}

// Advances one cell and returns its significant height [m]: NaN if the spectrum or the wind is not finite, or
// the variance is negative. Does not store the new spectrum if the height is NaN or above kMaxHeight.
float SourceSet::step_cell(float* action, const SourceCell& cell, float dt) {
  set_wind_vector(cell);
  if (!std::isfinite(sea_.speed)) return std::numeric_limits<float>::quiet_NaN();
  load_spectrum(action);
  MomentSums before = compute_moments(cell);
  const float old_height = significant_height(before.variance);
  if (!(old_height <= kMaxHeight)) return old_height;
  set_wind(cell, before);
  add_wind_sea(before);
  set_rates(cell, before);
  set_limits(before, dt);
  dia_.interact(energy_);
  has_added_sources_ ? advance<true>(dt) : advance<false>(dt);
  MomentSums after;
  add_variance(after);
  add_wind_sea(after);
  const float height = significant_height(after.variance);
  if (!(height <= kMaxHeight)) return height;

  const int last_prognostic = last_prognostic_frequency(after);
  set_tail(cell, last_prognostic);
  const float variance = store_spectrum(action, last_prognostic);
  const float largest_variance = std::pow(options_.depth_limit * cell.depth / 4, 2.f);
  if (variance > largest_variance) {
    for (int i = 0; i < grid_.n_bins(); ++i) action[i] *= largest_variance / variance;
  }
  return significant_height(std::min(variance, largest_variance));
}

void SourceSet::set_added_sources(std::span<const double> source, std::span<const double> derivative) {
  has_added_sources_ = !source.empty();
  const int n = grid_.n_directions;
  for (int f = 0; has_added_sources_ && f < grid_.n_frequencies; ++f)
    for (int m = 0; m < n; ++m) {
      added_source_.row(f)[m] = static_cast<float>(source[f * n + m]);
      added_rate_.row(f)[m] = static_cast<float>(derivative[f * n + m]);
    }
}

void SourceSet::load_spectrum(const float* action) {
  const int n = grid_.n_directions;
  for (int f = 0; f < grid_.n_frequencies; ++f) {
    float* __restrict row = energy_.row(f);
    const float* __restrict action_row = action + static_cast<std::ptrdiff_t>(f) * n;
    for (int m = 0; m < n; ++m) row[m] = sigma_[f] * action_row[m];
    energy_.wrap(row);
  }
}

void SourceSet::set_wind_vector(const SourceCell& cell) {
  sea_.speed = std::hypot(cell.eastward, cell.northward);
  const float divisor = std::max(sea_.speed, kCalmWind);
  sea_.east = cell.eastward / divisor;
  sea_.north = cell.northward / divisor;
  for (int m = 0; m < energy_.length(); m += kLanes) {
    const Lanes cosine = sea_.east * load(&sine_[m]) + sea_.north * load(&cosine_[m]);
    const Lanes downwind = positive_part(cosine);
    store(&wind_cosine_[m], cosine);
    store(&downwind_squared_[m], downwind * downwind);
  }
}

MomentSums SourceSet::compute_moments(const SourceCell& cell) {
  for (int f = 0; f < grid_.n_frequencies; ++f) {
    const float root = std::sqrt(cell.wavenumber[f]);
    inverse_root_weight_[f] = weights_.inverse_root_wavenumber[f] / root;
    root_weight_[f] = weights_.root_wavenumber[f] * root;
  }
  MomentSums sums;
  for (int m = 0; m < energy_.length(); m += kLanes) {
    Moments partial;
    for (int f = 0; f < grid_.n_frequencies; ++f) {
      const Lanes density = load(energy_.row(f) + m);
      partial.variance += weights_.variance[f] * density;
      partial.inverse_frequency += weights_.inverse_frequency[f] * density;
      partial.frequency += weights_.frequency[f] * density;
      partial.frequency_squared += weights_.frequency_squared[f] * density;
      partial.inverse_root_wavenumber += inverse_root_weight_[f] * density;
      partial.root_wavenumber += root_weight_[f] * density;
    }
    sums.add(partial, std::min(kLanes, grid_.n_directions - m));
  }
  return sums;
}

void SourceSet::add_variance(MomentSums& sums) const {
  for (int m = 0; m < energy_.length(); m += kLanes) {
    MeanFrequencyMoments partial;
    for (int f = 0; f < grid_.n_frequencies; ++f) {
      const Lanes density = load(energy_.row(f) + m);
      partial.variance += weights_.variance[f] * density;
      partial.inverse_frequency += weights_.inverse_frequency[f] * density;
    }
    for (int i = 0; i < std::min(kLanes, grid_.n_directions - m); ++i) {
      sums.variance += partial.variance[i];
      sums.inverse_frequency += partial.inverse_frequency[i];
    }
  }
}

void SourceSet::add_wind_sea(MomentSums& sums) const {
  for (int m = 0; m < energy_.length(); m += kLanes) {
    MeanFrequencyMoments partial;
    for (int f = 0; f < grid_.n_frequencies; ++f) {
      const Lanes wind_sea = load(growth_.row(f) + m) > 0.f ? load(energy_.row(f) + m) : Lanes{};
      partial.variance += weights_.variance[f] * wind_sea;
      partial.inverse_frequency += weights_.inverse_frequency[f] * wind_sea;
    }
    sums.add(partial, std::min(kLanes, grid_.n_directions - m));
  }
}

void SourceSet::set_rates(const SourceCell& cell, const MomentSums& sums) {
  set_whitecapping(cell, sums);
  const auto variance = static_cast<float>(sums.variance);
  const float mean_inverse_root = sums.is_calm()
                                      ? 1 / std::sqrt(cell.wavenumber[0])
                                      : static_cast<float>(sums.inverse_root_wavenumber / sums.variance);
  const float depth_factor = dia_depth_factor(cell.depth / (mean_inverse_root * mean_inverse_root));
  DepthBreaking breaking;
  if (options_.breaking > 0 && !sums.is_calm()) {
    breaking = depth_breaking(options_.breaking, options_.breaker_index, variance,
                              static_cast<float>(sums.variance / sums.inverse_frequency), cell.depth);
  }
  breaking_rate_ = breaking.rate;
  breaking_stiffness_ = breaking.stiffness;
  for (int f = 0; f < grid_.n_frequencies; ++f) {
    bottom_friction_[f] = bottom_friction(options_.friction, cell.wavenumber[f], sigma_[f]);
    dissipation_[f] = whitecapping_[f] + bottom_friction_[f] + breaking_rate_ + swell_[f].offset;
    linear_input_[f] = options_.linear_growth ? linear_growth(sea_.friction_velocity, frequency_[f]) : 0.f;
    transfer_scale_[f] = depth_factor * dia_.density_per_action(f);
  }
}

SourceTerms SourceSet::terms(View<const float, 3> action, LocalIndex i, const Medium& medium,
                             const WindField& wind, std::span<const float> wave_stress) {
  const SourceCell cell = source_cell(i, medium, wind);
  sea_.wave_stress = value_or_zero(wave_stress, i);
  set_wind_vector(cell);
  load_spectrum(action.row(i, 0).data());
  MomentSums sums = compute_moments(cell);
  set_wind(cell, sums);
  add_wind_sea(sums);
  set_rates(cell, sums);
  dia_.interact(energy_);
  SourceTerms terms;
  for (int f = 0; f < grid_.n_frequencies; ++f) {
    for (int m = 0; m < grid_.n_directions; ++m) {
      const float density = energy_.row(f)[m];
      const int lane = m % kLanes, start = m - lane;
      terms.wind_input.push_back(growth_.row(f)[m] * density);
      terms.linear_growth.push_back(linear_input_[f] * downwind_squared_[m] * downwind_squared_[m]);
      terms.swell_damping.push_back((swell_[f].offset + swell_[f].slope * wind_cosine(start)[lane]) *
                                    density);
      terms.whitecapping.push_back((whitecapping_[f] + breaking_waves_.row(f)[m]) * density);
      terms.nonlinear.push_back(transfer_scale_[f] * dia_.gather(f)(start).transfer[lane]);
      terms.bottom_friction.push_back(bottom_friction_[f] * density);
      terms.depth_breaking.push_back(breaking_rate_ * density);
    }
  }
  return terms;
}

void SourceSet::compute_surface(View<const float, 3> action, CellRange cells, const Medium& medium,
                                const WindField& wind, std::span<const float> wave_stress,
                                const SurfaceArrays& arrays) {
  for (LocalIndex i = cells.begin; i < cells.end; ++i) {
    const SourceCell cell = source_cell(i, medium, wind);
    sea_.wave_stress = value_or_zero(wave_stress, i);
    set_wind_vector(cell);
    load_spectrum(action.row(i, 0).data());
    set_wind(cell, compute_moments(cell));
    const float stress = air_density_ * sea_.friction_velocity * sea_.friction_velocity;
    store_if_requested(arrays.friction_velocity, i, sea_.friction_velocity);
    store_if_requested(arrays.roughness_length, i, sea_.roughness_length);
    store_if_requested(arrays.eastward_stress, i, stress * sea_.east);
    store_if_requested(arrays.northward_stress, i, stress * sea_.north);
  }
}

void SourceSet::set_limits(const MomentSums& sums, float dt) {
  const LimiterState state{.friction_velocity = sea_.friction_velocity,
                           .cut_off = std::min(cut_off(sums), frequency_[dia_.end_centre() - 1]),
                           .mean_frequency = sums.mean_frequency(frequency_.back())};
  for (int f = 0; f < grid_.n_frequencies; ++f)
    largest_change_[f] = largest_change(options_.limiter, frequency_[f], state, dt);
}

// Returns the frequency [Hz] at which the tail starts, see TailRule.
float SourceSet::cut_off(const MomentSums& sums) const {
  const float f_pm = kG / (static_cast<float>(kTwoPi) * 28 * std::max(sea_.friction_velocity, kCalmFriction));
  return std::max(tail_rule_.mean_factor * sums.mean_frequency(frequency_.back()),
                  tail_rule_.pm_factor * f_pm);
}

// Adds dF to energy_. Where x = dt dS/dF > 0, the factor (exp(x) - 1)/x = 1 + x/2 + x^2/6 + ... turns the
// linear growth of the explicit step into exponential growth, bounded by the limiter.
template <bool kHasAddedSources>
void SourceSet::advance(float dt) {
  const Lanes max_exponent = Lanes{} + (options_.exponential ? 3.f : 0.f);
  const float stiffness = breaking_stiffness_;
  for (int f = 0; f < grid_.n_frequencies; ++f) {
    const float transfer_scale = transfer_scale_[f], dissipation = dissipation_[f], slope = swell_[f].slope,
                linear_input = linear_input_[f];
    const float limit = largest_change_[f], floor = floor_[f];
    const Dia::Gather gather = dia_.gather(f);
    const float *growth = growth_.row(f), *breaking = breaking_waves_.row(f);
    float* energy = energy_.row(f);
    for (int m = 0; m < energy_.length(); m += kLanes) {
      const Lanes density = load(energy + m), downwind_squared = load(&downwind_squared_[m]);
      const Dia::Rate nonlinear = gather(m);
      const Lanes rate =
          load(growth + m) + load(breaking + m) + (dissipation + slope * load(&wind_cosine_[m]));
      Lanes source = transfer_scale * nonlinear.transfer + rate * density +
                     linear_input * (downwind_squared * downwind_squared);
      Lanes derivative = transfer_scale * nonlinear.derivative + rate + stiffness;
      if constexpr (kHasAddedSources) {
        source += load(added_source_.row(f) + m);
        derivative += load(added_rate_.row(f) + m);
      }
      const Lanes divisor = 1.f - dt * derivative;
      const Lanes x = smaller(1.f - divisor, max_exponent), growth_factor = 1.f + x * (0.5f + x * (1.f / 6));
      const Lanes change = divisor < 1.f ? dt * source * growth_factor : dt * source / divisor;
      store(energy + m, larger(floor * downwind_squared, density + clamp(change, limit)));
    }
  }
}

// Sets tail_. k^-3/cg is proportional to `shape`: cg = sigma/2k (1 + kd (1 - t^2)/t), t = tanh(kd) =
// sigma^2/(gk).
void SourceSet::set_tail(const SourceCell& cell, int last_prognostic) {
  const auto shape = [&](int f) {
    const float k = cell.wavenumber[f], t = sigma_[f] * sigma_[f] / (kG * k);
    return 1 / (k * k * sigma_[f] * (1 + k * cell.depth * std::max(0.f, 1 - t * t) / t));
  };
  const float last_shape = shape(last_prognostic);
  for (int f = last_prognostic + 1; f < grid_.n_frequencies; ++f)
    tail_[f] = tail_rule_.in_wavenumber ? shape(f) / last_shape : inverse_fifth_power_[f - last_prognostic];
}

// Returns the index of the last frequency before the tail. Frequencies without complete quadruplets have no
// nonlinear transfer to balance the wind input, so they always belong to the tail.
int SourceSet::last_prognostic_frequency(const MomentSums& sums) const {
  const double bins = std::log(cut_off(sums) / frequency_[0]) / std::log(grid_.ratio);
  return static_cast<int>(std::clamp(bins, 0., dia_.end_centre() - 1.));
}

// Writes the action, with the tail beyond the last prognostic frequency; returns the variance [m2].
float SourceSet::store_spectrum(float* action, int last_prognostic) {
  const int n = grid_.n_directions;
  double variance = 0;
  for (int f = 0; f < grid_.n_frequencies; ++f) {
    const float* __restrict row = energy_.row(std::min(f, last_prognostic));
    const float factor = f > last_prognostic ? tail_[f] : 1.f;
    const float action_per_density = factor * inverse_sigma_[f];
    float* __restrict action_row = action + static_cast<std::ptrdiff_t>(f) * n;
    for (int m = 0; m < n; ++m) action_row[m] = action_per_density * row[m];
    Lanes sum{};
    for (int m = 0; m + kLanes <= n; m += kLanes) sum += load(row + m);
    float row_sum = 0;
    for (int m = n / kLanes * kLanes; m < n; ++m) row_sum += row[m];
    for (int i = 0; i < kLanes; ++i) row_sum += sum[i];
    variance += static_cast<double>(weights_.variance[f] * factor) * row_sum;
  }
  return static_cast<float>(variance);
}

}  // namespace halcyon::wave
