#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "halcyon/base/constants.hpp"
#include "halcyon/wave/medium.hpp"
#include "halcyon/wave/products/partitions.hpp"
#include "halcyon/wave/products/table.hpp"
#include "halcyon/wave/spectra.hpp"

namespace halcyon::wave {

/// A requested product and its output array (cell).
struct RequestedProduct {
  const Product* product;
  std::span<float> values;
};

/// Computes products (bulk parameters) of the spectrum of each cell. Only the quantities that the requested
/// products need are computed. Sums are in double precision and in fixed order, with an f^-5 tail of the
/// directions of the last frequency beyond it in closed form, as WAVEWATCH III has it.
///
/// A sea or wave system with a significant height below 5 cm is calm: its periods, directions, spreading and
/// steepness are NaN. Below 0.4 mm heights, drift and flux are 0.
class Products {
 public:
  explicit Products(const SpectralGrid& grid)
      : grid_(grid),
        partitions_(grid),
        density_(grid.n_bins()),
        spectrum_(grid.n_frequencies),
        direction_sums_(grid.n_directions),
        system_of_peak_(grid.n_bins(), -1) {
    for (const double theta : grid.direction) {
      sine_.push_back(std::sin(theta));
      cosine_.push_back(std::cos(theta));
    }
  }
  /// Computes the requested products of the given cells, in the order of `cells`.
  /// @param action [m2 s2] (cell, frequency, direction)
  /// @param medium, wind (cell); may be empty if no requested product needs them
  void compute(View<const float, 3> action, std::span<const LocalIndex> cells, const Medium& medium,
               const WindField& wind, std::span<const RequestedProduct> requested) {
    ProductKind costliest = ProductKind::moments;
    for (const auto& request : requested) costliest = std::max(costliest, request.product->kind);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const SeaState state = sea_state(action, cells[i], medium, wind, costliest);
      for (const auto& request : requested)
        request.values[i] = static_cast<float>(request.product->value(state));
    }
  }

 private:
  static constexpr double kWindSeaFactor = 1.7;     // wind forces a bin where 1.7 U10 cos exceeds c
  static constexpr double kWindSeaCutoff = 1. / 3;  // fraction of the variance under wind forcing
  /// Returns cosh(2 kd) / sinh^2(kd), the surface Stokes drift over sigma k times the variance; 2 in deep
  /// water.
  static double surface_drift(double kd) {
    if (kd > 20) return 2;
    const double s = std::sinh(kd);
    return std::cosh(2 * kd) / (s * s);
  }
  /// A wave system and the bin of its peak.
  struct PeakSystem {
    int peak_bin;
    WaveSystem system;
    double wind_sea_variance = 0;  ///< variance [m2] of the bins under wind forcing
  };
  SeaState sea_state(View<const float, 3> action, LocalIndex cell, const Medium& medium,
                     const WindField& wind, ProductKind costliest) {
    auto next_density = density_.begin();
    for (int f = 0; f < grid_.n_frequencies; ++f) {
      for (const float n : action.row(cell, f)) *next_density++ = grid_.sigma[f] * n;
    }
    SeaState state = moments();
    if (state.is_zero() || costliest == ProductKind::moments) return state;
    const auto wavenumber = medium.wavenumber.row(cell);
    add_drift_and_flux(medium.depth[cell], wavenumber, state);
    if (costliest == ProductKind::systems)
      add_systems(wavenumber, wind.eastward[cell], wind.northward[cell], state);
    return state;
  }
  // Returns moments and peak of density_. The peak is the vertex of the parabola over log f (in which
  // frequencies are evenly spaced) through the largest E(f) and the values at the two adjacent frequencies.
  SeaState moments() {
    SeaState sea;
    std::ranges::fill(direction_sums_, 0.);
    auto next_density = density_.begin();
    for (int f = 0; f < grid_.n_frequencies; ++f) {
      const double frequency = grid_.frequency[f], df = grid_.frequency_width[f];
      // The tail adds int_f^inf (x/f)^-5 x^n dx = f^(n+1) / (4 - n) to the moment of order n.
      const double tail = f + 1 == grid_.n_frequencies ? frequency : 0;
      double sum = 0;
      for (int m = 0; m < grid_.n_directions; ++m) {
        sum += *next_density;
        direction_sums_[m] += (df + tail / 4) * *next_density++;
      }
      const double e = sum * grid_.direction_width;  // E(f)
      sea.all.m_minus_1 += e * (df + tail / 5) / frequency;
      sea.all.m0 += e * (df + tail / 4);
      sea.m1 += e * (df + tail / 3) * frequency;
      sea.m2 += e * (df + tail / 2) * frequency * frequency;
      spectrum_[f] = e;
      if (e > spectrum_[sea.peak_index]) sea.peak_index = f;
      if (f == 0) sea.first_variance = e * df;
    }
    sea.peak_frequency = peak_frequency(sea.peak_index);
    add_directions(sea);
    return sea;
  }
  // Adds the sums from which directions and spreading follow.
  void add_directions(SeaState& sea) const {
    const double* peak_density = &density_[static_cast<std::size_t>(sea.peak_index) * grid_.n_directions];
    for (int m = 0; m < grid_.n_directions; ++m) {
      sea.all.east += direction_sums_[m] * sine_[m] * grid_.direction_width;
      sea.all.north += direction_sums_[m] * cosine_[m] * grid_.direction_width;
      sea.peak_east += peak_density[m] * sine_[m];
      sea.peak_north += peak_density[m] * cosine_[m];
      sea.peak_sum += peak_density[m];
    }
  }
  // Returns the vertex [Hz] of the parabola. @param peak index of the frequency of the largest E(f)
  double peak_frequency(int peak) const {
    const double frequency = grid_.frequency[peak];
    if (peak == 0 || peak + 1 == grid_.n_frequencies) return frequency;
    const double below = spectrum_[peak - 1], largest = spectrum_[peak], above = spectrum_[peak + 1];
    const double curvature = 2 * largest - below - above;
    const double offset = curvature > 0 ? (above - below) / (2 * curvature) : 0;
    return frequency * std::pow(grid_.ratio, offset);
  }
  // Adds Stokes drift and energy flux, both relative to the water (currents are not added):
  //   u_s = int sigma k cosh(2kd)/sinh^2(kd) F (sin, cos)(theta) df dtheta   (Kenyon 1969, at the surface)
  //   P = rho g int cg F (sin, cos)(theta) df dtheta                         (Komen et al. 1994)
  // with an f^-5 deep-water tail beyond the last frequency.
  void add_drift_and_flux(double depth, std::span<const float> wavenumber, SeaState& sea) const {
    auto next_density = density_.begin();
    for (int f = 0; f < grid_.n_frequencies; ++f) {
      double east = 0, north = 0;
      for (int m = 0; m < grid_.n_directions; ++m) {
        east += *next_density * sine_[m];
        north += *next_density++ * cosine_[m];
      }
      const double k = wavenumber[f], sigma = grid_.sigma[f];
      const double bin_area = grid_.frequency_width[f] * grid_.direction_width;
      const double tail = f + 1 == grid_.n_frequencies ? grid_.frequency[f] * grid_.direction_width : 0;
      const double drift = sigma * k * surface_drift(k * depth) * (bin_area + tail);  // sigma k grows as f^3
      const double flux =
          kWaterDensity * kGravity * group_speed(k, sigma, depth) * (bin_area + tail / 5);  // cg falls as 1/f
      sea.drift_east += drift * east;
      sea.drift_north += drift * north;
      sea.flux_east += flux * east;
      sea.flux_north += flux * north;
    }
  }
  // Adds wind sea and swells as in WAVEWATCH III (Tolman 2009; Tracy et al. 2007). A system is wind sea if
  // more than a third of its variance is in bins under wind forcing, 1.7 U10 cos(theta - theta_wind) > c,
  // otherwise swell. The kSwells highest swell systems are also stored separately if higher than 5 cm.
  void add_systems(std::span<const float> wavenumber, double eastward_wind, double northward_wind,
                   SeaState& sea) {
    collect_systems(wavenumber, eastward_wind, northward_wind);
    const auto swells = std::ranges::partition(
        systems_, [](const PeakSystem& s) { return s.wind_sea_variance > kWindSeaCutoff * s.system.m0; });
    for (const auto& peak_system : systems_) system_of_peak_[peak_system.peak_bin] = -1;
    std::ranges::sort(swells, [](const PeakSystem& a, const PeakSystem& b) {
      return a.system.m0 != b.system.m0 ? a.system.m0 > b.system.m0 : a.peak_bin < b.peak_bin;
    });
    std::sort(systems_.begin(), swells.begin(),
              [](const PeakSystem& a, const PeakSystem& b) { return a.peak_bin < b.peak_bin; });
    for (auto wind_sea = systems_.begin(); wind_sea != swells.begin(); ++wind_sea)
      sea.wind_sea += wind_sea->system;
    for (std::size_t i = 0; i < swells.size(); ++i) {
      sea.swell += swells[i].system;
      if (i < sea.swells.size() && swells[i].system.m0 >= kCalm) sea.swells[i] = swells[i].system;
    }
  }
  // Sums the bins of each wave system into systems_.
  void collect_systems(std::span<const float> wavenumber, double eastward_wind, double northward_wind) {
    systems_.clear();
    const auto peaks = partitions_.partition(density_);
    for (int f = 0, bin = 0; f < grid_.n_frequencies; ++f) {
      const double frequency = grid_.frequency[f],
                   bin_area = grid_.frequency_width[f] * grid_.direction_width;
      const double tail = f + 1 == grid_.n_frequencies ? frequency * grid_.direction_width : 0;
      const double phase_speed = grid_.sigma[f] / wavenumber[f];
      for (int m = 0; m < grid_.n_directions; ++m, ++bin) {
        if (peaks[bin] < 0) continue;
        auto& peak_system = system_of(peaks[bin]);
        const double variance = density_[bin] * (bin_area + tail / 4);
        peak_system.system += {.m0 = variance,
                               .m_minus_1 = density_[bin] * (bin_area + tail / 5) / frequency,
                               .east = variance * sine_[m],
                               .north = variance * cosine_[m]};
        if (kWindSeaFactor * (eastward_wind * sine_[m] + northward_wind * cosine_[m]) > phase_speed)
          peak_system.wind_sea_variance += variance;
      }
    }
  }
  // Returns the system of a peak; adds it to systems_ if it is new.
  PeakSystem& system_of(int peak_bin) {
    if (system_of_peak_[peak_bin] < 0) {
      system_of_peak_[peak_bin] = static_cast<int>(systems_.size());
      systems_.push_back({.peak_bin = peak_bin, .system = {}});
    }
    return systems_[system_of_peak_[peak_bin]];
  }

  SpectralGrid grid_;
  Partitions partitions_;
  std::vector<double> sine_, cosine_;  ///< (direction)
  // Of the cell being computed:
  std::vector<double> density_;         ///< F [m2 Hz-1 rad-1] (frequency, direction)
  std::vector<double> spectrum_;        ///< E(f) [m2 Hz-1] (frequency)
  std::vector<double> direction_sums_;  ///< int F df [m2 rad-1] (direction), with the tail
  std::vector<int> system_of_peak_;     ///< (bin of the peak) index into systems_, or -1
  std::vector<PeakSystem> systems_;
};

}  // namespace halcyon::wave
