#include "halcyon/wave/sources/wave_stress.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"

namespace halcyon::wave {

namespace {

constexpr float kG = static_cast<float>(kGravity);
constexpr float kConverged = 3e-3f;  // change of wave stress over total stress that ends the passes

void clear(float* row, int length) {
  for (int m = 0; m < length; m += kLanes) store(row + m, Lanes{});
}

}  // namespace

std::vector<Option> wave_stress_options(const WaveStressDefaults& defaults) {
  return {
      number_option("betamax", defaults.betamax, "Strength beta_max of wind input (Janssen 1991).", 0.5, 3),
      number_option("z_alpha", defaults.z_alpha,
                    "Shift z_alpha of the inverse wave age u*/c in wind input (Bidlot et al. 2007).", 0,
                    0.05),
      number_option("charnock", defaults.charnock, "Charnock parameter without waves (Janssen 1991).", 1e-4,
                    0.05),
      number_option("drag_cap", defaults.drag_cap, "Largest drag coefficient (Donelan et al. 2004).", 1e-3,
                    1),
      number_option(
          "stress_passes", defaults.passes,
          "Largest number of evaluations of drag and wind input in a step; fewer where the wave stress "
          "converges.",
          1, 20)};
}

WaveStressOptions::WaveStressOptions(const options::Values& resolved)
    : growth(number(resolved, "betamax") / (kVonKarman * kVonKarman)),
      shift(number(resolved, "z_alpha")),
      density_ratio(static_cast<float>(kAirDensity / kWaterDensity)),
      passes(static_cast<int>(std::lround(number(resolved, "stress_passes")))),
      drag{.charnock = number(resolved, "charnock"), .cap = number(resolved, "drag_cap")} {}

WaveStress::WaveStress(const SpectralGrid& grid, const WaveStressOptions& options)
    : options_(options),
      n_frequencies_(grid.n_frequencies),
      n_directions_(grid.n_directions),
      longest_growing_(static_cast<float>(longest_growing(options.drag.charnock, options.shift))),
      tail_level_factor_(static_cast<float>(std::pow(kTwoPi, 4) * std::pow(grid.frequency.back(), 5) /
                                            (kGravity * kGravity) * grid.direction_width)),
      wavenumber_(grid.n_frequencies),
      log_wavenumber_(grid.n_frequencies) {
  for (int f = 0; f < grid.n_frequencies; ++f) {
    sigma_.push_back(static_cast<float>(grid.sigma[f]));
    bin_area_.push_back(static_cast<float>(grid.frequency_width[f] * grid.direction_width));
  }
  const int length = (grid.n_directions + kLanes - 1) / kLanes * kLanes;
  for (int m = 0; m < length; ++m) {
    sine_.push_back(static_cast<float>(std::sin((m + 0.5) * grid.direction_width)));
    cosine_.push_back(static_cast<float>(std::cos((m + 0.5) * grid.direction_width)));
    masked_sine_.push_back(m < grid.n_directions ? sine_.back() : 0);
    masked_cosine_.push_back(m < grid.n_directions ? cosine_.back() : 0);
  }
}

void WaveStress::balance(const DirectionRows& energy, const float* wavenumber, SeaSurface& sea,
                         DirectionRows& growth) {
  for (int f = 0; f < n_frequencies_; ++f) {
    wavenumber_[f] = wavenumber[f];
    log_wavenumber_[f] = std::log(wavenumber[f]);
  }
  tail_level_ = tail_level(energy.row(n_frequencies_ - 1), sea);
  for (int pass = 0; pass < options_.passes; ++pass) {
    const Drag drag = drag_over_waves(sea.speed, sea.wave_stress, options_.drag);
    sea.friction_velocity = drag.friction_velocity;
    sea.roughness_length = drag.roughness;
    const float previous = sea.wave_stress;
    sea.wave_stress = wave_stress(energy, sea, growth);
    if (std::abs(sea.wave_stress - previous) <= kConverged * drag.friction_velocity * drag.friction_velocity)
      break;
  }
}

// Computes `growth`; returns the wave stress tau_w / rho_a [m2 s-2], limited by the total stress.
float WaveStress::wave_stress(const DirectionRows& energy, const SeaSurface& sea, DirectionRows& growth) {
  const int n_states = options_.gustiness > 0 ? 2 : 1;
  float east = 0, north = 0;
  for (int state = 0; state < n_states; ++state) {
    const float gust = n_states == 1 ? 0 : (state == 0 ? options_.gustiness : -options_.gustiness);
    const EffectiveWind wind{.friction_velocity = sea.friction_velocity * (1 + gust),
                             .direction = {.east = sea.east, .north = sea.north}};
    const float weight = 1.f / static_cast<float>(n_states);
    const GustState gust_state{.weight = weight, .is_first = state == 0};
    const Vector stress = add_growth(energy, sea, wind, gust_state, growth);
    east += weight * stress.east;
    north += weight * stress.north;
  }
  const float available = std::max(sea.friction_velocity * sea.friction_velocity - kMinStressExcess, 0.f);
  return std::min(std::sqrt(east * east + north * north), available);
}

// Adds the weighted growth rates of one gust state; returns its wave stress tau_w / rho_a [m2 s-2].
WaveStress::Vector WaveStress::add_growth(const DirectionRows& energy, const SeaSurface& sea,
                                          EffectiveWind unsheltered, GustState gust_state,
                                          DirectionRows& growth) {
  Vector stress;
  EffectiveWind effective = unsheltered;
  const float log_roughness = std::log(sea.roughness_length);
  for (int f = 0; f < n_frequencies_; ++f) {
    const float inverse_speed = wavenumber_[f] / sigma_[f];
    const float ratio = effective.friction_velocity * inverse_speed;  // u*/c
    const float shifted_ratio = options_.shift_in_square ? ratio + options_.shift : ratio;
    const MilesGrowth rate{
        .log_kz0 = log_wavenumber_[f] + log_roughness,
        .age_term = kVonKarman / (ratio + options_.shift),
        .strength = sigma_[f] * options_.density_ratio * options_.growth * shifted_ratio * shifted_ratio};
    if (gust_state.is_first) clear(growth.row(f), growth.length());
    if (rate.is_zero()) continue;
    const Vector input =
        add_growth_of_frequency(energy.row(f), rate, effective.direction, gust_state, growth.row(f));
    const float stress_per_input = kG / options_.density_ratio * inverse_speed * bin_area_[f];
    stress.east += stress_per_input * input.east;
    stress.north += stress_per_input * input.north;
    if (options_.sheltering > 0) effective = sheltered(sea, unsheltered, stress);
  }
  const float tail = tail_stress(sea, effective);
  return {stress.east + tail * effective.direction.east, stress.north + tail * effective.direction.north};
}

// Adds the weighted rates of a frequency in one gust state; returns the sum of rate times F as a vector.
WaveStress::Vector WaveStress::add_growth_of_frequency(const float* energy, const MilesGrowth& rate,
                                                       Vector direction, GustState gust_state,
                                                       float* growth) const {
  Lanes east{}, north{};
  for (int m = 0; m < static_cast<int>(sine_.size()); m += kLanes) {
    const Lanes cosine = direction.east * load(&sine_[m]) + direction.north * load(&cosine_[m]);
    if (!any(cosine > 0.01f)) continue;  // no growth, see MilesGrowth
    const Lanes rates = rate(cosine), input = rates * load(energy + m);
    store(growth + m, load(growth + m) + gust_state.weight * rates);
    east += input * load(&masked_sine_[m]);
    north += input * load(&masked_cosine_[m]);
  }
  return {.east = lane_sum(east), .north = lane_sum(north)};
}

// Returns the wind that acts on waves sheltered by longer waves, which take up `stress` (Chen and Belcher
// 2000; Banner and Morison 2010; Ardhuin et al. 2010, eq. 22).
WaveStress::EffectiveWind WaveStress::sheltered(const SeaSurface& sea, EffectiveWind unsheltered,
                                                Vector stress) const {
  const float total_stress = unsheltered.friction_velocity * unsheltered.friction_velocity;
  const float east = total_stress * sea.east - options_.sheltering * stress.east;
  const float north = total_stress * sea.north - options_.sheltering * stress.north;
  const float remaining = std::max(std::sqrt(east * east + north * north), 1e-12f);
  return {.friction_velocity = std::sqrt(remaining),
          .direction = {.east = east / remaining, .north = north / remaining}};
}

// Returns the wave stress tau_hf / rho_a [m2 s-2] of the tail.
float WaveStress::tail_stress(const SeaSurface& sea, EffectiveWind effective) const {
  const MilesTail tail{sigma_.back(),  tail_level_,      options_.growth,
                       options_.shift, longest_growing_, options_.sheltering};
  return tail.stress(effective.friction_velocity, sea.roughness_length);
}

// Returns the level of the tail, MilesTail::level: the integral of F cos^3 over the downwind directions,
// times (2 pi)^4 f^5 / g^2. @param energy F of the last frequency
float WaveStress::tail_level(const float* energy, const SeaSurface& sea) const {
  Lanes sum{};
  for (int m = 0; m < static_cast<int>(sine_.size()); m += kLanes) {
    const Lanes downwind =
        positive_part(sea.east * load(&masked_sine_[m]) + sea.north * load(&masked_cosine_[m]));
    sum += load(energy + m) * (downwind * downwind * downwind);
  }
  return tail_level_factor_ * lane_sum(sum);
}

}  // namespace halcyon::wave
