#include "halcyon/wave/sources/wam3.hpp"

#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/sources/kernels/sources.hpp"

namespace halcyon::wave {

namespace {

class Wam3 final : public SourceSet {
 public:
  Wam3(const SpectralGrid& grid, const Options& options)
      : SourceSet("wam3", grid, SharedOptions(options), {}, kAirDensity),
        drag_cap_(number(options, "drag_cap")),
        strength_(number(options, "whitecapping")) {}

 private:
  void set_wind(const SourceCell& cell, const MomentSums&) override {
    const float drag = drag_coefficient(sea_.speed, drag_cap_);
    sea_.friction_velocity = sea_.speed * std::sqrt(drag);
    sea_.roughness_length = 10 * std::exp(-0.4f / std::sqrt(drag));
    for (int m = 0; m < grid_.n_frequencies; ++m) {
      const WindInput input = wind_input(sea_.friction_velocity, cell.wavenumber[m], sigma_[m]);
      for (int k = 0; k < growth_.length(); k += kLanes) {
        store(growth_.row(m) + k, positive_part(input.slope * wind_cosine(k) - input.offset));
      }
    }
  }

  void set_whitecapping(const SourceCell& cell, const MomentSums& sums) override {
    const float root = sums.calm() ? 1 / std::sqrt(cell.wavenumber[0])
                                   : static_cast<float>(sums.inverse_root_wavenumber / sums.variance);
    const float mean_sigma =
        sums.calm() ? sigma_[0] : static_cast<float>(kTwoPi * sums.variance / sums.inverse_frequency);
    const float dissipation =
        whitecapping(strength_, static_cast<float>(sums.variance), mean_sigma, 1 / (root * root));
    for (int m = 0; m < grid_.n_frequencies; ++m) whitecapping_[m] = dissipation * cell.wavenumber[m];
  }

  float drag_cap_, strength_;
};

}  // namespace

std::vector<Option> wam3_option_table() {
  return with_shared({
      number_option("drag_cap", 2.03e-3, "",
                    "largest drag coefficient (of the fit to observations by Zijlema et al. 2012)", 1e-3, 1),
      number_option("whitecapping", 2.36e-5, "", "strength Cds of whitecapping (Komen et al. 1984)", 0, 1e-3),
  });
}

std::unique_ptr<Physics> make_wam3(const SpectralGrid& grid, const Options& resolved) {
  return std::make_unique<Wam3>(grid, resolved);
}

}  // namespace halcyon::wave
