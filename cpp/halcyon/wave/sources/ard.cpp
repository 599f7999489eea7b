#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/sources/kernels/ardhuin.hpp"
#include "halcyon/wave/sources/wave_stress.hpp"
#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

namespace {

constexpr float kG = static_cast<float>(kGravity);

float density_ratio(const options::Values& resolved) {
  return number(resolved, "air_density") / number(resolved, "water_density");
}

WaveStressOptions stress_options(const options::Values& resolved) {
  WaveStressOptions options(resolved);
  options.sheltering = number(resolved, "sheltering");
  options.gustiness = number(resolved, "gustiness");
  options.shift_in_square = std::get<bool>(resolved.at("z_alpha_in_square"));
  options.density_ratio = density_ratio(resolved);
  return options;
}

SaturationOptions saturation_options(const options::Values& resolved) {
  return {.threshold = number(resolved, "saturation_threshold"),
          .strength = -number(resolved, "whitecapping"),
          .isotropic = number(resolved, "isotropic_breaking"),
          .half_width = number(resolved, "saturation_window"),
          .cumulative = -number(resolved, "cumulative")};
}

SwellDampingOptions swell_options(const options::Values& resolved) {
  return {.strength = number(resolved, "swell_damping"),
          .wind_factor = number(resolved, "swell_wind"),
          .critical_reynolds = number(resolved, "swell_reynolds"),
          .height_exponent = number(resolved, "swell_height_exponent"),
          .transition_width = number(resolved, "swell_transition"),
          .largest_roughness = number(resolved, "swell_roughness")};
}

// The tail starts at the frequency nearest to the cut-off, not at the frequency below it.
TailRule tail_rule(const SpectralGrid& grid, const options::Values& resolved) {
  const auto half_bin = static_cast<float>(std::sqrt(grid.ratio));
  return {.mean_factor = number(resolved, "tail") * half_bin,
          .pm_factor = number(resolved, "tail_pm") * half_bin,
          .in_wavenumber = true};
}

class Ardhuin : public SourceSet {
 public:
  Ardhuin(const SpectralGrid& grid, const options::Values& options, std::string name = "ard")
      : SourceSet(std::move(name), grid, SharedOptions(options), tail_rule(grid, options),
                  number(options, "air_density"),
                  Saturation::half_width_bins(grid, number(options, "saturation_window"))),
        density_ratio_(density_ratio(options)),
        damping_options_(swell_options(options)),
        stress_(grid, stress_options(options)),
        damping_(damping_options_),
        saturation_(grid, saturation_options(options)) {}
  bool keeps_wave_stress() const override { return true; }

 protected:
  void set_wind(const SourceCell& cell, const MomentSums& sums) override {
    stress_.balance(energy_, cell.wavenumber, sea_, growth_);
    const auto two_pi = static_cast<float>(kTwoPi);
    const OrbitalMotion motion{.speed = 2 * two_pi * static_cast<float>(std::sqrt(sums.frequency_squared)),
                               .excursion = 2 * static_cast<float>(std::sqrt(sums.variance))};
    set_damping(cell, damping_.coefficients(motion, sea_.friction_velocity, sea_.roughness_length));
  }

 private:
  void set_damping(const SourceCell& cell, const SwellDamping& damping) {
    constexpr float viscosity = 1.5e-5f;  // [m2 s-1] of air
    for (int f = 0; f < grid_.n_frequencies; ++f) {
      const float sigma = sigma_[f],
                  turbulent = -density_ratio_ * damping.turbulent * 16 * sigma * sigma / kG;
      const float viscous =
          -density_ratio_ * damping.viscous * 2 * cell.wavenumber[f] * std::sqrt(2 * viscosity * sigma);
      swell_[f].offset =
          viscous + turbulent * (damping.friction + damping_options_.wind_factor * sea_.friction_velocity);
      swell_[f].slope = turbulent * damping_options_.cosine_factor * sea_.friction_velocity;
    }
  }
  void set_whitecapping(const SourceCell& cell, const MomentSums&) override {
    saturation_.compute_rates(energy_, cell.wavenumber, cell.depth, breaking_waves_);
  }

  float density_ratio_;
  SwellDampingOptions damping_options_;
  WaveStress stress_;
  SwellDampingModel damping_;
  Saturation saturation_;
};

// FVWAM bounds each spectrum from below by a hundredth of the wind sea of a fetch of 30 km.
class Fvwam final : public Ardhuin {
 public:
  Fvwam(const SpectralGrid& grid, const options::Values& options) : Ardhuin(grid, options, "fvwam") {
    for (int i = 1; i <= kSpeeds; ++i) {
      const Jonswap sea = fetch_law(30e3, 0, i * kSpeedStep, grid.frequency.back());
      for (const double frequency : grid.frequency) {
        const double hundredth = 0.01 * jonswap_density(sea, frequency);
        floors_.push_back(static_cast<float>(std::max(hundredth, 1e-6)));
      }
    }
  }

 private:
  // Wind speeds of floors_: kSpeedStep, 2 kSpeedStep, ..., kSpeeds kSpeedStep.
  static constexpr int kSpeeds = 300;
  static constexpr double kSpeedStep = 0.25;  // [m s-1]
  void set_wind(const SourceCell& cell, const MomentSums& sums) override {
    Ardhuin::set_wind(cell, sums);
    const int nearest = static_cast<int>(std::lround(sea_.speed / kSpeedStep));
    const auto nearest_floor = floors_.begin() + (std::clamp(nearest, 1, kSpeeds) - 1) * grid_.n_frequencies;
    std::copy_n(nearest_floor, grid_.n_frequencies, floor_.begin());
  }

  std::vector<float> floors_;  // smallest F downwind [m2 Hz-1 rad-1] (wind speed, frequency)
};

// The constants that differ between the sets; the defaults are those of the IFS (documentation CY45R1).
struct ArdhuinDefaults {
  double sheltering = 0.25, air_density = kAirDensity, water_density = 1000;
  bool shift_in_square = false;
  double swell_damping = 0.66, swell_wind = 0.022, swell_reynolds = 1.5e5, swell_transition = 3.6e5,
         swell_roughness = 5e-4, swell_height_exponent = 1;
  double whitecapping = 2.2e-5, cumulative = 0;
  double tail = 2.5, tail_pm = 3;
};

std::vector<Option> ardhuin_options(const ArdhuinDefaults& defaults = {}) {
  return {
      number_option("sheltering", defaults.sheltering,
                    "Sheltering coefficient s_u of short waves by longer waves (Ardhuin et al. 2010).", 0,
                    1.5),
      {.name = "z_alpha_in_square",
       .value = defaults.shift_in_square,
       .text = "Whether z_alpha is added to u*/c also in the factor (u*/c)^2 of wind input (WAVEWATCH III)."},
      number_option(
          "gustiness", 0,
          "Relative standard deviation of u*; if not 0, wind input is the mean of two gust states (IFS).", 0,
          0.9),
      number_option("air_density", defaults.air_density, "Density of the air.", 0.9, 1.6, "kg m-3"),
      number_option("water_density", defaults.water_density,
                    "Density of the water in wind input and swell damping (value for which betamax holds).",
                    990, 1050, "kg m-3"),
      number_option("swell_damping", defaults.swell_damping,
                    "Strength s1 of turbulent swell damping (Ardhuin et al. 2010); 0: no swell damping.", 0,
                    2),
      number_option("swell_wind", defaults.swell_wind, "Factor s3 of u* in turbulent swell damping.", 0, 0.1),
      number_option("swell_reynolds", defaults.swell_reynolds,
                    "Reynolds number s4 of the transition to turbulent swell damping.", 1e3, 1e7),
      number_option("swell_transition", defaults.swell_transition,
                    "Range s7 of Reynolds numbers of this transition.", 1, 1e7),
      number_option("swell_height_exponent", defaults.swell_height_exponent,
                    "Exponent s6: this transition is at s4 (4 m / Hs)^(1 - s6).", 0, 1),
      number_option("swell_roughness", defaults.swell_roughness,
                    "Largest roughness length of the wind in swell damping.", 1e-5, 10, "m"),
      number_option("whitecapping", defaults.whitecapping,
                    "Strength C of saturation-based whitecapping (Ardhuin et al. 2010).", 0, 1e-3),
      number_option("saturation_threshold", 9e-4, "Saturation B_r above which waves break.", 1e-4, 1e-2),
      number_option("isotropic_breaking", 0.3,
                    "Weight delta of whitecapping by the largest saturation of all directions.", 0, 1),
      number_option("saturation_window", 80,
                    "Half width of the directional sector over which saturation is integrated.", 5, 90,
                    "degree"),
      number_option(
          "cumulative", defaults.cumulative,
          "Strength C_cu of cumulative dissipation by longer breakers (Ardhuin et al. 2010: 0.4); costly.", 0,
          2),
      number_option("tail", defaults.tail, "Frequency of the tail over the mean frequency.", 1, 20),
      number_option("tail_pm", defaults.tail_pm, "Least frequency of the tail over g/(2 pi 28 u*).", 1, 20)};
}

}  // namespace

/// The physics of Ardhuin et al. (2010) in the form of the IFS (documentation CY45R1 to CY49R1, part VII).
PhysicsSet ard() {
  return {
      {.name = "ard",
       .text = "The source terms of Ardhuin et al. (2010) in the form of the IFS.",
       .references = "Ardhuin et al. 2010, J. Phys. Oceanogr. 40, 1917-1941; ECMWF 2018, IFS documentation "
                     "CY45R1, part VII",
       .options = set_options(
           "ard", {.transfer = 2.78e7, .breaking = 1, .growth = "exponential", .longest_step = 600},
           wave_stress_options({.betamax = 1.4}), ardhuin_options())},
      make_set<Ardhuin>};
}

namespace {

// A set of parameters of WAVEWATCH III: `set` with these values of betamax and of ardhuin_options.
template <const char* set>
PhysicsSet wavewatch(const char* text, const char* references, double betamax,
                     const ArdhuinDefaults& defaults) {
  return {{.name = set,
           .text = text,
           .references = references,
           .options = set_options(
               set, {.transfer = 2.5e7, .breaking = 1, .growth = "exponential", .longest_step = 600},
               wave_stress_options({.betamax = betamax, .z_alpha = 0.006, .charnock = 0.0095}),
               ardhuin_options(defaults))},
          [](const SpectralGrid& grid, const options::Values& options) -> std::unique_ptr<Physics> {
            return std::make_unique<Ardhuin>(grid, options, set);
          }};
}

constexpr char kTest451[] = "test451", kTest471[] = "test471";

}  // namespace

/// The parameters TEST451 of WAVEWATCH III (manual of version 4.18, tables of ST4).
PhysicsSet test451() {
  return wavewatch<kTest451>(
      "Ardhuin et al. (2010) with the parameters TEST451 of WAVEWATCH III 4.18.",
      "Ardhuin et al. 2010, J. Phys. Oceanogr. 40, 1917-1941; Tolman et al. 2014, NOAA/NWS/NCEP/MMAB Tech. "
      "Note 316",
      1.52,
      {.sheltering = 1,
       .shift_in_square = true,
       .swell_damping = 0.8,
       .swell_wind = 0.015,
       .swell_reynolds = 1e5,
       .swell_transition = 2.3e5,
       .swell_roughness = 1.002,
       .swell_height_exponent = 0,
       .whitecapping = 2.2e-5,
       .cumulative = 0.40344,
       .tail = 9.9,
       .tail_pm = 4});
}

/// The parameters TEST471 of WAVEWATCH III, its default for ST4 (manual of version 6.07, tables of ST4).
PhysicsSet test471() {
  return wavewatch<kTest471>(
      "Ardhuin et al. (2010) with the parameters TEST471, the default of ST4 in WAVEWATCH III.",
      "Ardhuin et al. 2010, J. Phys. Oceanogr. 40, 1917-1941; WW3DG 2019, NOAA/NWS/NCEP/MMAB Tech. Note 333",
      1.43,
      {.sheltering = 0.3,
       .shift_in_square = true,
       .swell_roughness = 1.002,
       .swell_height_exponent = 0,
       .cumulative = 0.40344,
       .tail_pm = 4});
}

/// The variant of FVWAM (Pang et al. 2025), with its constants and its minimum spectrum.
PhysicsSet fvwam() {
  auto specific = ardhuin_options({.sheltering = 0, .air_density = 1.293, .water_density = kWaterDensity});
  specific.push_back(
      {.name = "preset", .value = "fvwam", .text = "Alternative to `set: fvwam`.", .names = {"fvwam"}});
  PhysicsSet set{
      {.name = "fvwam",
       .text = "The source terms of FVWAM (Pang et al. 2025); `preset: fvwam` is equivalent.",
       .references =
           "Pang et al. 2025, Geosci. Model Dev.; Ardhuin et al. 2010, J. Phys. Oceanogr. 40, 1917-1941",
       .options =
           set_options("fvwam",
                       {.transfer = 3000 * std::pow(kGravity, 4),
                        .breaking = 1,
                        .linear_growth = false,
                        .limiter = "ecmwf",
                        .longest_step = 150},
                       wave_stress_options({.charnock = 0.006, .drag_cap = 1, .passes = 2}), specific)},
      make_set<Fvwam>};
  std::ranges::find(set.options, "set", &Option::name)->allowed = "'fvwam' where the preset is 'fvwam'";
  return set;
}

}  // namespace halcyon::wave
