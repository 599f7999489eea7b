#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/sources/kernels/terms.hpp"
#include "halcyon/wave/sources/source_set.hpp"

namespace halcyon::wave {

namespace {

class Wam3 final : public SourceSet {
 public:
  Wam3(const SpectralGrid& grid, const options::Values& options)
      : SourceSet("wam3", grid, SharedOptions(options), {}, kAirDensity),
        drag_cap_(number(options, "drag_cap")),
        strength_(number(options, "whitecapping")) {}

 private:
  void set_wind(const SourceCell& cell, const MomentSums&) override {
    const float drag = drag_coefficient(sea_.speed, drag_cap_);
    sea_.friction_velocity = sea_.speed * std::sqrt(drag);
    sea_.roughness_length = 10 * std::exp(-0.4f / std::sqrt(drag));  // 10 m, von Karman's constant
    for (int f = 0; f < grid_.n_frequencies; ++f) {
      const WindInput input = wind_input(sea_.friction_velocity, cell.wavenumber[f], sigma_[f]);
      for (int m = 0; m < growth_.length(); m += kLanes)
        store(growth_.row(f) + m, positive_part(input.slope * wind_cosine(m) - input.offset));
    }
  }
  void set_whitecapping(const SourceCell& cell, const MomentSums& sums) override {
    const float mean_inverse_root = sums.is_calm()
                                        ? 1 / std::sqrt(cell.wavenumber[0])
                                        : static_cast<float>(sums.inverse_root_wavenumber / sums.variance);
    const float mean_sigma =
        sums.is_calm() ? sigma_[0] : static_cast<float>(kTwoPi * sums.variance / sums.inverse_frequency);
    const float rate_per_wavenumber = whitecapping(strength_, static_cast<float>(sums.variance), mean_sigma,
                                                   1 / (mean_inverse_root * mean_inverse_root));
    for (int f = 0; f < grid_.n_frequencies; ++f) whitecapping_[f] = rate_per_wavenumber * cell.wavenumber[f];
  }

  float drag_cap_, strength_;
};

}  // namespace

/// The third-generation physics of WAM cycle 3 (WAMDI 1988; Komen et al. 1984).
PhysicsSet wam3() {
  return {
      {.name = "wam3",
       .text = "The source terms of WAM cycle 3 (WAMDI 1988; Komen et al. 1984).",
       .references = "WAMDI Group 1988, J. Phys. Oceanogr. 18, 1775-1810; Komen et al. 1984, J. Phys. "
                     "Oceanogr. 14, 1271-1285",
       .options = set_options(
           "wam3", {}, {},
           {number_option("drag_cap", 2.03e-3,
                          "Largest drag coefficient (maximum of the fit of Zijlema et al. 2012).", 1e-3, 1),
            number_option("whitecapping", 2.36e-5, "Strength Cds of whitecapping (Komen et al. 1984).", 0,
                          1e-3)})},
      make_set<Wam3>};
}

}  // namespace halcyon::wave
