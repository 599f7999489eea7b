#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/sources/wave_stress.hpp"

namespace halcyon::wave {

namespace {

constexpr double kTunedWaterDensity = 1000;  // [kg m-3], for which beta_max holds (ecWAM)

WaveStressOptions stress_options(const options::Values& resolved) {
  WaveStressOptions options(resolved);
  options.shift_in_square = true;
  options.density_ratio = static_cast<float>(kAirDensity / kTunedWaterDensity);
  return options;
}

class Wam4 final : public SourceSet {
 public:
  Wam4(const SpectralGrid& grid, const options::Values& options)
      : SourceSet("wam4", grid, SharedOptions(options), {.in_wavenumber = true}, kAirDensity),
        strength_(number(options, "whitecapping")),
        delta_(number(options, "whitecapping_shape")),
        uses_first_moments_(std::get<std::string>(options.at("whitecapping_means")) == "first"),
        stress_(grid, stress_options(options)) {}
  bool keeps_wave_stress() const override { return true; }

 private:
  void set_wind(const SourceCell& cell, const MomentSums&) override {
    stress_.balance(energy_, cell.wavenumber, sea_, growth_);
  }

  // S/F = -C <sigma> (<k>^2 m0)^2 [(1 - delta) k/<k> + delta (k/<k>)^2] (Komen et al. 1994, eq. 3.34), with
  // <sigma> and <k> from the means of 1/sigma and 1/sqrt(k), or of sigma and sqrt(k) (Bidlot et al. 2005).
  void set_whitecapping(const SourceCell& cell, const MomentSums& sums) override {
    if (sums.is_calm()) {
      std::fill(whitecapping_.begin(), whitecapping_.end(), 0.f);
      return;
    }
    const double mean_root = uses_first_moments_ ? sums.root_wavenumber / sums.variance
                                                 : sums.variance / sums.inverse_root_wavenumber;
    const double mean_frequency =
        uses_first_moments_ ? sums.frequency / sums.variance : sums.variance / sums.inverse_frequency;
    const double mean_wavenumber = mean_root * mean_root,
                 steepness = mean_wavenumber * mean_wavenumber * sums.variance;
    const auto scale = static_cast<float>(strength_ * kTwoPi * mean_frequency * steepness * steepness);
    for (int f = 0; f < grid_.n_frequencies; ++f) {
      const float ratio = cell.wavenumber[f] / static_cast<float>(mean_wavenumber);
      whitecapping_[f] = -scale * ratio * (1 - delta_ + delta_ * ratio);
    }
  }

  float strength_, delta_;
  bool uses_first_moments_;  // means of sigma and sqrt(k), not of their inverses
  WaveStress stress_;
};

}  // namespace

/// The physics of WAM cycle 4 (Janssen 1991; Komen et al. 1994), with the whitecapping of the present IFS as
/// an option (Bidlot et al. 2005; 2007).
PhysicsSet wam4() {
  return {
      {.name = "wam4",
       .text = "The source terms of WAM cycle 4 (Janssen 1991; Komen et al. 1994; Bidlot et al. 2007).",
       .references =
           "Janssen 1991, J. Phys. Oceanogr. 21, 1631-1642; Bidlot et al. 2007, ECMWF Tech. Memo. 509",
       .options = set_options(
           "wam4", {.transfer = 2.78e7, .breaking = 1, .longest_step = 900}, wave_stress_options(),
           {number_option("whitecapping", 1.33,
                          "Strength C of whitecapping (Bidlot et al. 2007; Komen et al. 1994: 4.5).", 0, 20),
            number_option("whitecapping_shape", 0.5,
                          "Weight delta of (k/<k>)^2; 1 - delta is the weight of k/<k>.", 0, 1),
            {.name = "whitecapping_means",
             .value = "first",
             .text =
                 "Mean frequency and wavenumber from the means of sigma and sqrt(k) (first; Bidlot et al. "
                 "2005), or of their inverses (inverse; Komen et al. 1994).",
             .names = {"first", "inverse"}}})},
      make_set<Wam4>};
}

}  // namespace halcyon::wave
