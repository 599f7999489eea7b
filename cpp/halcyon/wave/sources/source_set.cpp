#include "halcyon/wave/sources/source_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/base/flush_denormals.hpp"
#include "halcyon/wave/sources/kernels/depth_breaking.hpp"
#include "halcyon/wave/sources/kernels/sources.hpp"

namespace halcyon::wave {

namespace {

constexpr float kHighestSea = 60;   // [m]; above it a spectrum has blown up
constexpr float kCalmWind = 1e-3f;  // [m s-1] keeps ratios by the wind speed finite

std::vector<float> single(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

int reach_of(const SpectralGrid& grid, const SharedOptions& options, int reach) {
  return std::max(Dia(grid, options.lambda, options.transfer).reach(), reach);
}

}  // namespace

float significant_height(double variance) {
  return static_cast<float>(4 * std::sqrt(variance));
}

SourceSet::SourceSet(std::string name, const SpectralGrid& grid, const SharedOptions& options, TailRule tail,
                     double air_density, int reach)
    : grid_(grid),
      options_(options),
      air_density_(static_cast<float>(air_density)),
      weights_(grid),
      frequency_(single(grid.frequency)),
      sigma_(single(grid.sigma)),
      energy_(grid.n_frequencies, grid.n_directions, reach_of(grid, options, reach)),
      growth_(grid.n_frequencies, grid.n_directions, 0),
      breaking_waves_(grid.n_frequencies, grid.n_directions, 0),
      wind_cosine_(energy_.length()),
      swell_(grid.n_frequencies),
      name_(std::move(name)),
      tail_rule_(tail),
      dia_(grid, options.lambda, options.transfer),
      ahead2_(energy_.length()),
      former_(grid.n_bins()) {
  for (int k = 0; k < energy_.length(); ++k) {
    sine_.push_back(static_cast<float>(std::sin((k + 0.5) * grid.direction_width)));
    cosine_.push_back(static_cast<float>(std::cos((k + 0.5) * grid.direction_width)));
  }
  for (int m = 0; m < grid.n_frequencies; ++m) {
    inverse_sigma_.push_back(static_cast<float>(1 / grid.sigma[m]));
    fifth_.push_back(static_cast<float>(std::pow(grid.ratio, -5 * m)));
  }
  for (auto* rows : {&whitecapping_, &floor_, &tail_, &friction_, &sink_, &seed_, &transfer_, &limit_,
                     &inverse_root_, &root_}) {
    rows->resize(static_cast<std::size_t>(grid.n_frequencies));
  }
}

SourceCell SourceSet::cell(LocalIndex i, const Medium& medium, const WindField& wind) const {
  return {medium.depth[i], wind.eastward[i], wind.northward[i], medium.wavenumber.row(i).data()};
}

BadCell SourceSet::step(View<float, 3> action, CellRange cells, const Medium& medium, const WindField& wind,
                        double dt) {
  require<ConfigError>(dt > 0, "A step of the source terms takes {} s; it must be positive.", dt);
  const FlushDenormals flush;
  BadCell bad;
  const int n_steps = static_cast<int>(std::ceil(dt / options_.longest_step - 1e-6));
  for (LocalIndex i = cells.begin; i < cells.end; ++i) {
    const float height = step_cell(action.row(i, 0).data(), cell(i, medium, wind), n_steps, dt / n_steps);
    if (!(height <= kHighestSea) && bad.cell == kNone) bad = {i, height};
  }
  return bad;
}

float SourceSet::step_cell(float* action, const SourceCell& cell, int n_steps, double dt) {
  if (n_steps == 1) return step_cell(action, cell, static_cast<float>(dt));
  std::copy_n(action, grid_.n_bins(), former_.begin());
  float height = 0;
  for (int i = 0; i < n_steps && height <= kHighestSea; ++i) {
    height = step_cell(action, cell, static_cast<float>(dt));
  }
  if (!(height <= kHighestSea)) std::ranges::copy(former_, action);
  return height;
}

// Returns the significant height [m], NaN for a spectrum or wind that is not finite, or negative variance.
float SourceSet::step_cell(float* action, const SourceCell& cell, float dt) {
  aim(cell);
  if (!std::isfinite(sea_.speed)) return std::numeric_limits<float>::quiet_NaN();
  read(action);
  MomentSums before = moments(cell);
  const float start = significant_height(before.variance);
  if (!(start <= kHighestSea)) return start;
  set_wind(cell, before);
  add_sea(before);
  set_rates(cell, before);
  set_limits(before, dt);
  dia_.interact(energy_);
  advance(dt);
  MomentSums after;
  add_variance(after);
  add_sea(after);
  const float height = significant_height(after.variance);
  if (!(height <= kHighestSea)) return height;

  const int last = last_prognostic(after);
  set_tail(cell, last);
  const float variance = write(action, last);
  const float most = std::pow(options_.depth_limit * cell.depth / 4, 2.f);
  if (variance > most) {
    for (int i = 0; i < grid_.n_bins(); ++i) action[i] *= most / variance;
  }
  return significant_height(std::min(variance, most));
}

void SourceSet::read(const float* action) {
  const int n = grid_.n_directions;
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    float* __restrict row = energy_.row(m);
    const float* __restrict from = action + static_cast<std::ptrdiff_t>(m) * n;
    for (int k = 0; k < n; ++k) row[k] = sigma_[m] * from[k];
    energy_.wrap(row);
  }
}

void SourceSet::aim(const SourceCell& cell) {
  sea_.speed = std::hypot(cell.eastward, cell.northward);
  const float divisor = std::max(sea_.speed, kCalmWind);
  sea_.east = cell.eastward / divisor;
  sea_.north = cell.northward / divisor;
  for (int k = 0; k < energy_.length(); k += kLanes) {
    const Lanes cosine = sea_.east * load(&sine_[k]) + sea_.north * load(&cosine_[k]);
    const Lanes ahead = positive_part(cosine);
    store(&wind_cosine_[k], cosine);
    store(&ahead2_[k], ahead * ahead);
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

// What the limits after a step need of all waves.
void SourceSet::add_variance(MomentSums& sums) const {
  for (int k = 0; k < energy_.length(); k += kLanes) {
    SeaMoments partial;
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

void SourceSet::add_sea(MomentSums& sums) const {
  for (int k = 0; k < energy_.length(); k += kLanes) {
    SeaMoments partial;
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
  const float root = sums.calm() ? 1 / std::sqrt(cell.wavenumber[0])
                                 : static_cast<float>(sums.inverse_root_wavenumber / sums.variance);
  const float depth_factor = dia_depth_factor(cell.depth / (root * root));
  DepthBreaking breaking;
  if (options_.breaking > 0 && !sums.calm()) {
    breaking = depth_breaking(options_.breaking, options_.breaker_index, variance,
                              static_cast<float>(sums.variance / sums.inverse_frequency), cell.depth);
  }
  breaking_ = breaking.rate;
  stiffness_ = breaking.stiffness;
  for (int m = 0; m < grid_.n_frequencies; ++m) {
    friction_[m] = bottom_friction(options_.friction, cell.wavenumber[m], sigma_[m]);
    sink_[m] = whitecapping_[m] + friction_[m] + breaking_ + swell_[m].offset;
    seed_[m] = options_.linear_growth ? linear_growth(sea_.friction_velocity, frequency_[m]) : 0.f;
    transfer_[m] = depth_factor * dia_.scale(m);
  }
}

}  // namespace halcyon::wave
