#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/lanes.hpp"
#include "halcyon/wave/sources/source_set.hpp"

namespace halcyon::wave {

namespace {

constexpr float kG = static_cast<float>(kGravity), kTwoPiFloat = static_cast<float>(kTwoPi);
constexpr double kTunedWaterDensity = 1000;  // [kg m-3], for which the constants hold (WAVEWATCH III)
constexpr float kDensityRatio = static_cast<float>(kAirDensity / kTunedWaterDensity);
constexpr double kLastStressFrequency = 10;              // [Hz] of the sum of the wave stress
constexpr float kSmallestDensity = 1e-30f;               // [m2 Hz-1 rad-1] below it a frequency has no waves
constexpr float kThresholdSaturation = 0.035f * 0.035f;  // epsilon_T (Babanin et al. 2007)

struct St6Options {
  explicit St6Options(const options::Values& resolved)
      : drag_factor(number(resolved, "drag_factor")),
        wind_scale(number(resolved, "wind_scale")),
        negative_input(number(resolved, "negative_input")),
        inherent(number(resolved, "whitecapping")),
        cumulative(number(resolved, "cumulative")),
        inherent_power(number(resolved, "whitecapping_power")),
        cumulative_power(number(resolved, "cumulative_power")),
        swell(number(resolved, "swell_damping")) {}
  float drag_factor, wind_scale, negative_input, inherent, cumulative, inherent_power, cumulative_power,
      swell;
};

/// Returns the friction velocity [m s-1] by the drag of Hwang (2011), Cd 10^4 = 8.058 + 0.967 U - 0.016 U^2,
/// and 2.026 m/s where U is above 50.33 m/s, times the root of a factor.
float friction_velocity(float speed, float factor) {
  const float squared = speed * speed * (8.058f + 0.967f * speed - 0.016f * speed * speed) * 1e-4f;
  return std::sqrt(factor * (speed < 50.33f ? squared : 2.026f * 2.026f));
}

/// Returns G sqrt(B_n) W with G = 2.8 - (1 + tanh(10 sqrt(B_n) W - 11)), the growth by the wind over
/// (rho_a/rho_w) sigma (Donelan et al. 2006; Rogers et al. 2012).
Lanes growth_over_sigma(Lanes root_saturation_times_w) {
  const Lanes twice = smaller(20.f * root_saturation_times_w - 22.f, broadcast(80.f));
  return root_saturation_times_w * (0.8f + 2.f / (exponential(twice) + 1.f));
}

class St6 final : public SourceSet {
 public:
  St6(const SpectralGrid& grid, const options::Values& options)
      : SourceSet("st6", grid, SharedOptions(options), tail_rule(grid, options), kAirDensity),
        constants_(options),
        group_speed_(grid.n_frequencies),
        density_(grid.n_frequencies) {
    const int length = energy_.length();
    for (int m = 0; m < length; ++m) {
      masked_sine_.push_back(m < grid.n_directions ? sine_[m] : 0);
      masked_cosine_.push_back(m < grid.n_directions ? cosine_[m] : 0);
    }
    const double decades = std::log(kLastStressFrequency / grid.frequency[0]) / std::log(grid.ratio);
    const int n = std::max(grid.n_frequencies, static_cast<int>(std::ceil(decades)) + 1);
    for (int f = 0; f < n; ++f) {
      const double frequency = grid.frequency[0] * std::pow(grid.ratio, f),
                   below = f == 0 ? 1 : 1 / grid.ratio, above = f + 1 == n ? 1 : grid.ratio;
      stress_frequency_width_.push_back(static_cast<float>(frequency * (above - below) / 2));
      inverse_speed_.push_back(static_cast<float>(kTwoPi * frequency / kGravity));
      tail_input_.push_back(static_cast<float>(std::pow(grid.ratio, -2. * (f + 1 - grid.n_frequencies))));
    }
    const auto padded = static_cast<std::size_t>((n + kLanes - 1) / kLanes * kLanes);
    for (auto* row : {&stress_east_, &stress_north_, &exponent_}) row->resize(padded);
    n_stress_ = n;
  }

 private:
  static TailRule tail_rule(const SpectralGrid& grid, const options::Values& options) {
    const auto half_bin = static_cast<float>(std::sqrt(grid.ratio));
    return {
        .mean_factor = number(options, "tail") * half_bin, .pm_factor = 4 * half_bin, .in_wavenumber = true};
  }

  void set_wind(const SourceCell& cell, const MomentSums& sums) override {
    sea_.friction_velocity = friction_velocity(sea_.speed, constants_.drag_factor);
    sea_.roughness_length = 10 * std::exp(-0.4f * std::max(sea_.speed, 1e-3f) /
                                          std::max(sea_.friction_velocity, 1e-5f));  // 10 m, kappa 0.4
    const float scaled_wind = constants_.wind_scale * sea_.friction_velocity;
    float peak_wavenumber = 0, peak_action = 0;
    for (int f = 0; f < grid_.n_frequencies; ++f) {
      const float k = cell.wavenumber[f], t = sigma_[f] * sigma_[f] / (kG * k);
      group_speed_[f] = 0.5f * sigma_[f] / k * (1 + k * cell.depth * std::max(0.f, 1 - t * t) / t);
      const float largest = largest_and_integral(f);
      const float root_saturation = std::sqrt(k * k * k * group_speed_[f] / kTwoPiFloat * largest);
      set_input(f, k / sigma_[f], scaled_wind, root_saturation);
      swell_[f] = {.offset = root_saturation, .slope = 0};
      const float action = density_[f] * group_speed_[f] / sigma_[f];  // proportional to N(k)
      if (action > peak_action) {
        peak_action = action;
        peak_wavenumber = k;
      }
    }
    reduce_input(cell, scaled_wind);
    add_negative_input(cell, scaled_wind);
    // S/F = -2/3 b_1 sigma sqrt(B_n), b_1 = B_1 2 sqrt(m0) k_p (Zieger et al. 2015, eq. 28)
    const float b1 = constants_.swell * 2 * static_cast<float>(std::sqrt(sums.variance)) * peak_wavenumber;
    for (int f = 0; f < grid_.n_frequencies; ++f) swell_[f].offset *= -2.f / 3 * b1 * sigma_[f];
  }

  // Returns the largest F of a frequency, and sets density_ to its integral over direction [m2 Hz-1]. Since
  // A(k) is the largest N(k, theta) over N(k), B_n = A N sigma k^3 = k^3 cg max F / (2 pi).
  float largest_and_integral(int f) {
    const float* row = energy_.row(f);
    float largest = 0, sum = 0;
    for (int m = 0; m < grid_.n_directions; ++m) {
      largest = std::max(largest, row[m]);
      sum += row[m];
    }
    density_[f] = sum * static_cast<float>(grid_.direction_width);
    return largest > kSmallestDensity ? largest : 0;
  }

  // Sets growth_ of a frequency to S/F = (rho_a/rho_w) sigma G sqrt(B_n) W, W = [max(0, U_s/c cos - 1)]^2,
  // and the stress that the waves take up, over rho_a [m2 s-2].
  void set_input(int f, float inverse_speed, float scaled_wind, float root_saturation) {
    float* growth = growth_.row(f);
    Lanes east{}, north{};
    const float scale = kDensityRatio * sigma_[f];
    for (int m = 0; m < growth_.length(); m += kLanes) {
      const Lanes excess = positive_part(scaled_wind * inverse_speed * wind_cosine(m) - 1.f);
      const Lanes rate = scale * growth_over_sigma(root_saturation * (excess * excess));
      store(growth + m, rate);
      const Lanes input = rate * load(energy_.row(f) + m);
      east += input * load(&masked_sine_[m]);
      north += input * load(&masked_cosine_[m]);
    }
    // tau_w / rho_a = (g rho_w/rho_a) int S/c df dtheta (Rogers et al. 2012, eq. 9)
    const float stress_per_input = kG / kDensityRatio * inverse_speed * stress_frequency_width_[f] *
                                   static_cast<float>(grid_.direction_width);
    stress_east_[f] = stress_per_input * lane_sum(east);
    stress_north_[f] = stress_per_input * lane_sum(north);
  }

  // Reduces growth_ by L(f) = min(1, exp(mu (1 - U_s/c))), with the mu for which wave and viscous stress
  // together are the wind stress; waves beyond the grid, to 10 Hz, have S ~ f^-2 (Tsagareli et al. 2010).
  void reduce_input(const SourceCell& cell, float scaled_wind) {
    const int n = grid_.n_frequencies, last = n - 1;
    for (int f = 0; f < n; ++f)
      exponent_[f] = std::min(0.f, 1 - scaled_wind * cell.wavenumber[f] / sigma_[f]);
    const float last_factor = cell.wavenumber[last] / sigma_[last] * stress_frequency_width_[last];
    for (int f = n; f < n_stress_; ++f) {
      const float factor = tail_input_[f] * inverse_speed_[f] * stress_frequency_width_[f] / last_factor;
      stress_east_[f] = factor * stress_east_[last];
      stress_north_[f] = factor * stress_north_[last];
      exponent_[f] = std::min(0.f, 1 - scaled_wind * inverse_speed_[f]);
    }
    const float total = sea_.friction_velocity * sea_.friction_velocity,
                viscous = std::min(0.95f * total, viscous_drag() * sea_.speed * sea_.speed);
    const auto excess = [&](float mu) { return stress(mu, viscous) - total; };
    if (!(excess(0) > 0)) return;
    float low = 0, high = 0.01f;
    while (excess(high) > 0 && high < 1e6f) {
      low = high;
      high *= 2;
    }
    for (int i = 0; i < 24 && high - low > 1e-4f * high; ++i) {
      const float middle = (low + high) / 2;
      (excess(middle) > 0 ? low : high) = middle;
    }
    for (int f = 0; f < n; ++f) {
      const float factor = std::exp(high * exponent_[f]);
      float* growth = growth_.row(f);
      for (int m = 0; m < growth_.length(); m += kLanes) store(growth + m, factor * load(growth + m));
    }
  }

  // C_v = max(0, 1.1e-3 - 5e-5 U) (Tsagareli et al. 2010)
  float viscous_drag() const { return std::max(0.f, 1.1e-3f - 5e-5f * sea_.speed); }

  // Returns the wave stress reduced by mu, and viscous stress downwind, over rho_a [m2 s-2].
  float stress(float mu, float viscous) const {
    Lanes east{}, north{};
    for (std::size_t f = 0; f < exponent_.size(); f += kLanes) {
      const Lanes factor = exponential(mu * load(&exponent_[f]));
      east += factor * load(&stress_east_[f]);
      north += factor * load(&stress_north_[f]);
    }
    return std::hypot(lane_sum(east) + viscous * sea_.east, lane_sum(north) + viscous * sea_.north);
  }

  // Subtracts a_0 (rho_a/rho_w) sigma G sqrt(B_n) [min(0, U_s/c cos - 1)]^2 from growth_.
  void add_negative_input(const SourceCell& cell, float scaled_wind) {
    for (int f = 0; f < grid_.n_frequencies; ++f) {
      const float root_saturation = swell_[f].offset,
                  inverse_age = scaled_wind * cell.wavenumber[f] / sigma_[f],
                  scale = constants_.negative_input * kDensityRatio * sigma_[f];
      float* growth = growth_.row(f);
      for (int m = 0; m < growth_.length(); m += kLanes) {
        const Lanes deficit = positive_part(1.f - inverse_age * wind_cosine(m));
        store(growth + m,
              load(growth + m) - scale * growth_over_sigma(root_saturation * (deficit * deficit)));
      }
    }
  }

  // S/F = -(T_1 + T_2), T_1 = a_1 f D^p1, T_2 = a_2 int_0^f D^p2 df', D = max(E - E_T, 0)/E_T,
  // E_T = 2 pi epsilon_T / (cg k^3), with the narrowness A = 1 (Rogers et al. 2012; Babanin et al. 2010).
  void set_whitecapping(const SourceCell& cell, const MomentSums&) override {
    float integral = 0, previous = 0;
    for (int f = 0; f < grid_.n_frequencies; ++f) {
      const float k = cell.wavenumber[f],
                  threshold = kTwoPiFloat * kThresholdSaturation / (group_speed_[f] * k * k * k),
                  excess = std::max(0.f, density_[f] / threshold - 1);
      const float cumulative = std::pow(excess, constants_.cumulative_power);
      const float width_below = f == 0 ? 0 : frequency_[f] - frequency_[f - 1];
      integral += 0.5f * width_below * (previous + cumulative);
      previous = cumulative;
      whitecapping_[f] = -constants_.inherent * frequency_[f] * std::pow(excess, constants_.inherent_power) -
                         constants_.cumulative * integral;
    }
  }

  St6Options constants_;
  int n_stress_ = 0;                                // number of frequencies of the wave stress, up to 10 Hz
  std::vector<float> masked_sine_, masked_cosine_;  // (direction), 0 in the padding
  // Frequencies to 10 Hz: df [Hz], 1/c [s m-1] in deep water, S over S of the last frequency of the grid.
  std::vector<float> stress_frequency_width_, inverse_speed_, tail_input_;
  // The cell being computed:
  std::vector<float> group_speed_, density_;                  // cg [m s-1], E [m2 Hz-1] (frequency)
  std::vector<float> stress_east_, stress_north_, exponent_;  // wave stress [m2 s-2], 1 - U_s/c
};

}  // namespace

/// The observation-based physics of Donelan, Babanin, Young, Rogers and Zieger, with the constants of Liu et
/// al. (2019), the default of ST6 in WAVEWATCH III (manual of version 6.07, section 2.3.11).
PhysicsSet st6() {
  return {
      {.name = "st6",
       .text = "The source terms ST6: Donelan et al. (2006), Rogers et al. (2012), Zieger et al. (2015), "
               "with the "
               "constants of Liu et al. (2019).",
       .references = "Zieger et al. 2015, Ocean Modelling 96, 2-25; Rogers et al. 2012, J. Atmos. Oceanic "
                     "Technol. 29, 1329-1346; Liu et al. 2019, J. Phys. Oceanogr. 49, 489-517",
       .options = set_options(
           "st6", {.breaking = 1, .growth = "exponential", .longest_step = 300}, {},
           {number_option(
                "drag_factor", 1,
                "Factor of the drag coefficient of Hwang (2011); with ERA5 winds about 1.08 (Liu et al. "
                "2021).",
                0.5, 2),
            number_option("wind_scale", 32,
                          "Scaling wind U_s over u* (Liu et al. 2019; Rogers et al. 2012: 28).", 20, 40),
            number_option("negative_input", 0.09, "Strength a_0 of the damping by adverse winds.", 0, 1),
            number_option("whitecapping", 4.75e-6, "Strength a_1 of inherent breaking.", 0, 1e-3),
            number_option("whitecapping_power", 4, "Power p_1 of inherent breaking.", 1, 6),
            number_option("cumulative", 7e-5, "Strength a_2 of breaking forced by longer waves.", 0, 1e-2),
            number_option("cumulative_power", 4, "Power p_2 of breaking forced by longer waves.", 1, 6),
            number_option("swell_damping", 0.0041,
                          "Strength B_1 of swell damping by turbulence in the water.", 0, 0.1),
            number_option("tail", 6, "Frequency of the tail over the mean frequency.", 1, 20)})},
      make_set<St6>};
}

}  // namespace halcyon::wave
