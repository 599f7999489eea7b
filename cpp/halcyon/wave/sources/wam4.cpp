#include "halcyon/wave/sources/wam4.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/sources/wave_stress.hpp"

namespace halcyon::wave {

namespace {

WaveStressOptions stress_options(const Options& o) {
  return {.growth = number(o, "betamax") / (kVonKarman * kVonKarman),
          .shift = number(o, "z_alpha"),
          .shifted = true,
          .sheltering = 0,
          .gustiness = 0,
          .density_ratio = static_cast<float>(kAirDensity / kWaterDensity),
          .passes = static_cast<int>(std::lround(number(o, "stress_passes"))),
          .drag = {.charnock = number(o, "charnock"), .cap = number(o, "drag_cap")}};
}

class Wam4 final : public SourceSet {
 public:
  Wam4(const SpectralGrid& grid, const Options& options)
      : SourceSet("wam4", grid, SharedOptions(options), {.in_wavenumber = true}, kAirDensity),
        strength_(number(options, "whitecapping")),
        delta_(number(options, "whitecapping_shape")),
        first_moments_(std::get<std::string>(options.at("whitecapping_means")) == "first"),
        stress_(grid, stress_options(options)) {}

 private:
  void set_wind(const SourceCell& cell, const MomentSums&) override {
    stress_.balance(energy_, cell.wavenumber, sea_, growth_);
  }

  // S/F = -C <sigma> (<k>^2 m0)^2 [(1 - delta) k/<k> + delta (k/<k>)^2] (Komen et al. 1994, eq. 3.34), the
  // means of 1/sigma and 1/sqrt(k), or of sigma and sqrt(k) (Bidlot et al. 2005).
  void set_whitecapping(const SourceCell& cell, const MomentSums& sums) override {
    if (sums.calm()) {
      std::fill(whitecapping_.begin(), whitecapping_.end(), 0.f);
      return;
    }
    const double root =
        first_moments_ ? sums.root_wavenumber / sums.variance : sums.variance / sums.inverse_root_wavenumber;
    const double frequency =
        first_moments_ ? sums.first / sums.variance : sums.variance / sums.inverse_frequency;
    const double mean_wavenumber = root * root, steepness = mean_wavenumber * mean_wavenumber * sums.variance;
    const auto scale = static_cast<float>(strength_ * kTwoPi * frequency * steepness * steepness);
    for (int m = 0; m < grid_.n_frequencies; ++m) {
      const float ratio = cell.wavenumber[m] / static_cast<float>(mean_wavenumber);
      whitecapping_[m] = -scale * ratio * (1 - delta_ + delta_ * ratio);
    }
  }

  float strength_, delta_;
  bool first_moments_;
  WaveStress stress_;
};

}  // namespace

std::vector<Option> wam4_option_table() {
  return with_shared(
      {number_option("betamax", 1.2, "", "strength of wind input (Janssen 1991)", 0.5, 3),
       number_option("z_alpha", 0.008, "", "shift of waves' age in wind input (Bidlot et al. 2007)", 0, 0.05),
       number_option("charnock", 0.0065, "", "Charnock's parameter without waves (Janssen 1991)", 1e-4, 0.05),
       number_option("drag_cap", 2.5e-3, "", "largest drag coefficient (Donelan et al. 2004)", 1e-3, 1),
       number_option("stress_passes", 2, "",
                     "evaluations of the input, with the waves' stress on the wind between", 1, 20),
       number_option("whitecapping", 1.33, "",
                     "strength C of whitecapping (Bidlot et al. 2007; Komen et al. 1994: 4.5)", 0, 20),
       number_option("whitecapping_shape", 0.5, "", "share delta of the square of k over its mean", 0, 1),
       {"whitecapping_means",
        std::string("first"),
        "",
        "means in whitecapping: of sigma and sqrt(k) (Bidlot et al. 2005), or of their inverses (Komen et "
        "al. "
        "1994)",
        0,
        0,
        {"first", "inverse"}}},
      {.transfer = 2.78e7, .breaking = 1, .longest_step = 900});
}

std::unique_ptr<Physics> make_wam4(const SpectralGrid& grid, const Options& resolved) {
  return std::make_unique<Wam4>(grid, resolved);
}

}  // namespace halcyon::wave
