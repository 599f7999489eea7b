#include "halcyon/wave/sources/wave_stress.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"

namespace halcyon::wave {

namespace {

constexpr float kG = static_cast<float>(kGravity);
constexpr float kMostShare = 1 / (1 + 1e-5f);  // of the stress that waves can take

void clear(float* row, int length) {
  for (int k = 0; k < length; k += kLanes) store(row + k, Lanes{});
}

}  // namespace

std::vector<Option> wave_stress_options(const WaveStressDefaults& defaults) {
  return {number_option("betamax", defaults.betamax, "Strength of wind input (Janssen 1991).", 0.5, 3),
          number_option("z_alpha", 0.008, "Shift of waves' age in wind input (Bidlot et al. 2007).", 0, 0.05),
          number_option("charnock", defaults.charnock, "Charnock's parameter without waves (Janssen 1991).",
                        1e-4, 0.05),
          number_option("drag_cap", defaults.drag_cap, "Largest drag coefficient (Donelan et al. 2004).",
                        1e-3, 1),
          number_option("stress_passes", 2,
                        "Evaluations of the input, with the waves' stress on the wind between.", 1, 20)};
}

WaveStressOptions::WaveStressOptions(const options::Values& o)
    : growth(number(o, "betamax") / (kVonKarman * kVonKarman)),
      shift(number(o, "z_alpha")),
      density_ratio(static_cast<float>(kAirDensity / kWaterDensity)),
      passes(static_cast<int>(std::lround(number(o, "stress_passes")))),
      drag{.charnock = number(o, "charnock"), .cap = number(o, "drag_cap")} {}

WaveStress::WaveStress(const SpectralGrid& grid, const WaveStressOptions& options)
    : options_(options),
      n_frequencies_(grid.n_frequencies),
      n_directions_(grid.n_directions),
      longest_(static_cast<float>(longest_growing(options.drag.charnock, options.shift))),
      tail_level_(static_cast<float>(std::pow(kTwoPi, 4) * std::pow(grid.frequency.back(), 5) /
                                     (kGravity * kGravity) * grid.direction_width)),
      wavenumber_(grid.n_frequencies),
      log_wavenumber_(grid.n_frequencies) {
  for (int m = 0; m < grid.n_frequencies; ++m) {
    sigma_.push_back(static_cast<float>(grid.sigma[m]));
    width_.push_back(static_cast<float>(grid.frequency_width[m] * grid.direction_width));
  }
  const int length = (grid.n_directions + kLanes - 1) / kLanes * kLanes;
  for (int k = 0; k < length; ++k) {
    sine_.push_back(static_cast<float>(std::sin((k + 0.5) * grid.direction_width)));
    cosine_.push_back(static_cast<float>(std::cos((k + 0.5) * grid.direction_width)));
    counted_sine_.push_back(k < grid.n_directions ? sine_.back() : 0);
    counted_cosine_.push_back(k < grid.n_directions ? cosine_.back() : 0);
  }
}

void WaveStress::balance(const DirectionRows& energy, const float* wavenumber, SeaSurface& sea,
                         DirectionRows& growth) {
  for (int m = 0; m < n_frequencies_; ++m) {
    wavenumber_[m] = wavenumber[m];
    log_wavenumber_[m] = std::log(wavenumber[m]);
  }
  level_ = level_of_tail(energy.row(n_frequencies_ - 1), sea);
  Drag drag = guessed_drag(sea.speed, options_.drag);
  for (int pass = 0; pass < options_.passes; ++pass) {
    sea.friction_velocity = drag.friction_velocity;
    sea.roughness_length = drag.roughness;
    const float stress = wave_stress(energy, sea, growth);
    if (pass + 1 < options_.passes) drag = drag_over_waves(sea.speed, stress, options_.drag);
  }
}

// tau_w / rho_a [m2 s-2]: what waves of all frequencies take, not more than the wind gives.
float WaveStress::wave_stress(const DirectionRows& energy, const SeaSurface& sea, DirectionRows& growth) {
  const int n_states = options_.gustiness > 0 ? 2 : 1;
  float east = 0, north = 0;
  for (int state = 0; state < n_states; ++state) {
    const float gust = n_states == 1 ? 0 : (state == 0 ? options_.gustiness : -options_.gustiness);
    const Seen seen{sea.friction_velocity * (1 + gust), {sea.east, sea.north}};
    const float share = 1.f / static_cast<float>(n_states);
    const Vector stress = grow(energy, sea, seen, {share, state == 0}, growth);
    east += share * stress.east;
    north += share * stress.north;
  }
  const float most = sea.friction_velocity * sea.friction_velocity * kMostShare;
  return std::min(std::sqrt(east * east + north * north), most);
}

WaveStress::Vector WaveStress::grow(const DirectionRows& energy, const SeaSurface& sea, Seen state, Part part,
                                    DirectionRows& growth) {
  Vector stress;
  Seen seen = state;
  const float log_roughness = std::log(sea.roughness_length);
  for (int m = 0; m < n_frequencies_; ++m) {
    const float slowness = wavenumber_[m] / sigma_[m], ratio = seen.friction_velocity * slowness;
    const float speed = options_.shifted ? ratio + options_.shift : ratio;
    const MilesGrowth rate{log_wavenumber_[m] + log_roughness, kVonKarman / (ratio + options_.shift),
                           sigma_[m] * options_.density_ratio * options_.growth * speed * speed};
    if (part.first) clear(growth.row(m), growth.length());
    if (rate.none()) continue;
    const Vector input = grow_frequency(energy.row(m), rate, seen.direction, part, growth.row(m));
    const float to_stress = kG / options_.density_ratio * slowness * width_[m];
    stress.east += to_stress * input.east;
    stress.north += to_stress * input.north;
    if (options_.sheltering > 0) seen = sheltered(sea, state, stress);
  }
  const float rest = tail(sea, seen);
  return {stress.east + rest * seen.direction.east, stress.north + rest * seen.direction.north};
}

// Adds a state's share of a frequency's growth; returns the sum of growth F over directions, as a vector.
WaveStress::Vector WaveStress::grow_frequency(const float* energy, const MilesGrowth& rate, Vector direction,
                                              Part part, float* growth) const {
  Lanes east{}, north{};
  for (int k = 0; k < static_cast<int>(sine_.size()); k += kLanes) {
    const Lanes cosine = direction.east * load(&sine_[k]) + direction.north * load(&cosine_[k]);
    if (!any(cosine > 0.01f)) continue;
    const Lanes found = rate(cosine), input = found * load(energy + k);
    store(growth + k, load(growth + k) + part.share * found);
    east += input * load(&counted_sine_[k]);
    north += input * load(&counted_cosine_[k]);
  }
  return {total(east), total(north)};
}

// The wind's stress less what longer waves took, of which a part is felt (Chen and Belcher 2000; Banner and
// Morison 2010; Ardhuin et al. 2010, eq. 22).
WaveStress::Seen WaveStress::sheltered(const SeaSurface& sea, Seen state, Vector stress) const {
  const float all = state.friction_velocity * state.friction_velocity;
  const float east = all * sea.east - options_.sheltering * stress.east;
  const float north = all * sea.north - options_.sheltering * stress.north;
  const float left = std::max(std::sqrt(east * east + north * north), 1e-12f);
  return {std::sqrt(left), {east / left, north / left}};
}

float WaveStress::tail(const SeaSurface& sea, Seen seen) const {
  const MilesTail shape{sigma_.back(),  level_,   options_.growth,
                        options_.shift, longest_, options_.sheltering};
  return shape.stress(seen.friction_velocity, sea.roughness_length);
}

// J of the tail, int F(f_c) max(cos, 0)^3 dtheta, with its constants.
float WaveStress::level_of_tail(const float* energy, const SeaSurface& sea) const {
  Lanes level{};
  for (int k = 0; k < static_cast<int>(sine_.size()); k += kLanes) {
    const Lanes ahead =
        positive_part(sea.east * load(&counted_sine_[k]) + sea.north * load(&counted_cosine_[k]));
    level += load(energy + k) * (ahead * ahead * ahead);
  }
  return tail_level_ * total(level);
}

}  // namespace halcyon::wave
