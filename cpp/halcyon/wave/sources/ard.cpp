#include "halcyon/wave/sources/ard.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/initial.hpp"
#include "halcyon/wave/sources/kernels/saturation.hpp"
#include "halcyon/wave/sources/kernels/swell_damping.hpp"
#include "halcyon/wave/sources/wave_stress.hpp"

namespace halcyon::wave {

namespace {

constexpr float kG = static_cast<float>(kGravity);

WaveStressOptions stress_options(const Options& o) {
  return {.growth = number(o, "betamax") / (kVonKarman * kVonKarman),
          .shift = number(o, "z_alpha"),
          .shifted = false,
          .sheltering = number(o, "sheltering"),
          .gustiness = number(o, "gustiness"),
          .density_ratio = number(o, "air_density") / static_cast<float>(kWaterDensity),
          .passes = static_cast<int>(std::lround(number(o, "stress_passes"))),
          .drag = {.charnock = number(o, "charnock"), .cap = number(o, "drag_cap")}};
}

SaturationOptions saturation_options(const Options& o) {
  return {.threshold = number(o, "saturation_threshold"),
          .strength = -number(o, "whitecapping"),
          .isotropic = number(o, "isotropic_breaking"),
          .window = number(o, "saturation_window"),
          .cumulative = -number(o, "cumulative")};
}

// Tails begin at the bin nearest to the cut-off, not the one below it.
TailRule tail_rule(const SpectralGrid& grid) {
  const auto half = static_cast<float>(std::sqrt(grid.ratio));
  return {.mean_factor = 2.5f * half, .pm_factor = 3 * half, .in_wavenumber = true};
}

class Ardhuin : public SourceSet {
 public:
  Ardhuin(std::string name, const SpectralGrid& grid, const Options& options)
      : SourceSet(std::move(name), grid, SharedOptions(options), tail_rule(grid),
                  number(options, "air_density"),
                  Saturation::reach(grid, number(options, "saturation_window"))),
        density_ratio_(number(options, "air_density") / static_cast<float>(kWaterDensity)),
        damping_options_{.strength = number(options, "swell_damping")},
        stress_(grid, stress_options(options)),
        damping_(damping_options_),
        saturation_(grid, saturation_options(options)) {}

 protected:
  void set_wind(const SourceCell& cell, const MomentSums& sums) override {
    stress_.balance(energy_, cell.wavenumber, sea_, growth_);
    const auto omega = static_cast<float>(kTwoPi);
    const OrbitalMotion motion{2 * omega * static_cast<float>(std::sqrt(sums.square)),
                               2 * static_cast<float>(std::sqrt(sums.variance))};
    set_damping(cell, damping_.at(motion, sea_.friction_velocity, sea_.roughness_length));
  }

 private:
  void set_damping(const SourceCell& cell, const SwellDamping& d) {
    constexpr float viscosity = 1.5e-5f;
    for (int m = 0; m < grid_.n_frequencies; ++m) {
      const float sigma = sigma_[m], turbulent = -density_ratio_ * d.turbulent * 16 * sigma * sigma / kG;
      const float viscous =
          -density_ratio_ * d.viscous * 2 * cell.wavenumber[m] * std::sqrt(2 * viscosity * sigma);
      swell_[m].offset = viscous + turbulent * (d.friction + damping_options_.wind * sea_.friction_velocity);
      swell_[m].slope = turbulent * damping_options_.opposed * sea_.friction_velocity;
    }
  }

  void set_whitecapping(const SourceCell& cell, const MomentSums&) override {
    saturation_.rates(energy_, cell.wavenumber, cell.depth, breaking_waves_);
  }

  float density_ratio_;
  SwellDampingOptions damping_options_;
  WaveStress stress_;
  SwellDampingModel damping_;
  Saturation saturation_;
};

// FVWAM never lets a spectrum fall below a hundredth of the sea that the wind raises over 30 km.
class Fvwam final : public Ardhuin {
 public:
  Fvwam(const SpectralGrid& grid, const Options& options) : Ardhuin("fvwam", grid, options) {
    for (int i = 1; i <= kSpeeds; ++i) {
      const Jonswap sea = fetch_law(30e3, 0, i * kSpeedStep, grid.frequency.back());
      for (const double f : grid.frequency) {
        const double tiny = 0.01 * jonswap_density(sea, f);
        floors_.push_back(static_cast<float>(std::max(tiny, 1e-6)));
      }
    }
  }

 private:
  static constexpr int kSpeeds = 300;
  static constexpr double kSpeedStep = 0.25;  // [m s-1]

  void set_wind(const SourceCell& cell, const MomentSums& sums) override {
    Ardhuin::set_wind(cell, sums);
    const int nearest = static_cast<int>(std::lround(sea_.speed / kSpeedStep));
    const auto row = floors_.begin() + (std::clamp(nearest, 1, kSpeeds) - 1) * grid_.n_frequencies;
    std::copy_n(row, grid_.n_frequencies, floor_.begin());
  }

  std::vector<float> floors_;  // [m2 Hz-1 rad-1] (speed, frequency)
};

struct ArdDefaults {
  double betamax, charnock, sheltering, drag_cap, air_density, stress_passes;
};

std::vector<Option> table(const ArdDefaults& d, const SharedDefaults& shared) {
  return with_shared(
      {number_option("betamax", d.betamax, "", "strength of wind input (Janssen 1991)", 0.5, 3),
       number_option("z_alpha", 0.008, "", "shift of waves' age in wind input (Bidlot et al. 2007)", 0, 0.05),
       number_option("charnock", d.charnock, "", "Charnock's parameter without waves (Janssen 1991)", 1e-4,
                     0.05),
       number_option("sheltering", d.sheltering, "",
                     "how much of the stress of longer waves shorter ones do not see (Ardhuin et al. 2010)",
                     0, 1.5),
       number_option("gustiness", 0, "",
                     "relative standard deviation of u*; not zero: input is the mean of two winds (IFS)", 0,
                     0.9),
       number_option("drag_cap", d.drag_cap, "", "largest drag coefficient (Donelan et al. 2004)", 1e-3, 1),
       number_option("air_density", d.air_density, "kg m-3", "density of air", 0.9, 1.6),
       number_option("stress_passes", d.stress_passes, "",
                     "evaluations of the input, with the waves' stress on the wind between", 1, 20),
       number_option("swell_damping", 0.66, "",
                     "strength s1 of swell damping by turbulence (Ardhuin et al. 2010); 0: none at all", 0,
                     2),
       number_option("whitecapping", 2.2e-5, "", "strength C of breaking by saturation (Ardhuin et al. 2010)",
                     0, 1e-3),
       number_option("saturation_threshold", 9e-4, "", "saturation above which waves break", 1e-4, 1e-2),
       number_option("isotropic_breaking", 0.3, "",
                     "share of breaking by the largest saturation of all directions", 0, 1),
       number_option("saturation_window", 80, "degree", "half width of the sector of saturation", 5, 90),
       number_option("cumulative", 0, "",
                     "strength C_cu of what larger breakers sweep away (Ardhuin et al. 2010: 0.4); costly", 0,
                     2)},
      shared);
}

}  // namespace

std::vector<Option> ard_option_table() {
  return table({.betamax = 1.4,
                .charnock = 0.0065,
                .sheltering = 0.25,
                .drag_cap = 2.5e-3,
                .air_density = kAirDensity,
                .stress_passes = 2},
               {.transfer = 2.78e7, .breaking = 1, .growth = "exponential", .longest_step = 600});
}

std::vector<Option> fvwam_option_table() {
  return table({.betamax = 1.2,
                .charnock = 0.006,
                .sheltering = 0,
                .drag_cap = 1,
                .air_density = 1.293,
                .stress_passes = 2},
               {.transfer = 3000 * std::pow(kGravity, 4),
                .breaking = 1,
                .linear_growth = false,
                .limiter = "ecmwf",
                .longest_step = 150});
}

std::unique_ptr<Physics> make_ard(const SpectralGrid& grid, const Options& resolved) {
  return std::make_unique<Ardhuin>("ard", grid, resolved);
}

std::unique_ptr<Physics> make_fvwam(const SpectralGrid& grid, const Options& resolved) {
  return std::make_unique<Fvwam>(grid, resolved);
}

}  // namespace halcyon::wave
