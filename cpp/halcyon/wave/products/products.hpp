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

/// Computes products (bulk parameters) of the spectrum of each cell, and only the quantities that the
/// requested products need. Sums are in double precision and in fixed order, with an f^-5 tail beyond the
/// last frequency in closed form.
///
/// A sea with a significant height below 0.4 mm is calm: heights, drift and flux are 0, the rest is NaN.
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

  /// Computes the products of the given cells, in the given order.
  /// @param action [m2 s2] (cell, frequency, direction)
  /// @param medium, wind (cell); may be empty if no requested product needs them
  void compute(View<const float, 3> action, std::span<const LocalIndex> cells, const Medium& medium,
               const WindField& wind, std::span<const RequestedProduct> requested) {
    ProductKind costliest = ProductKind::moments;
    for (const auto& each : requested) costliest = std::max(costliest, each.product->kind);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const SeaState found = sea(action, cells[i], medium, wind, costliest);
      for (const auto& each : requested) each.values[i] = static_cast<float>(each.product->value(found));
    }
  }

 private:
  static constexpr double kWindSeaFactor = 1.7;
  static constexpr double kWindSeaCutoff = 1. / 3;
  static constexpr double kMinSwellVariance = 0.05 * 0.05 / 16;  // [m2], 5 cm of significant height
  /// Returns cosh(2 kd) / sinh^2(kd), 2 in deep water.
  static double surface_drift(double kd) {
    if (kd > 20) return 2;
    const double s = std::sinh(kd);
    return std::cosh(2 * kd) / (s * s);
  }
  struct PeakSystem {
    int peak;
    WaveSystem system;
    double wind_sea_variance = 0;  ///< variance [m2] of the bins under wind forcing
  };

  SeaState sea(View<const float, 3> action, LocalIndex cell, const Medium& medium, const WindField& wind,
               ProductKind costliest) {
    auto next = density_.begin();
    for (int m = 0; m < grid_.n_frequencies; ++m) {
      for (const float n : action.row(cell, m)) *next++ = grid_.sigma[m] * n;
    }
    SeaState found = moments();
    if (found.is_calm() || costliest == ProductKind::moments) return found;
    const auto wavenumber = medium.wavenumber.row(cell);
    add_transports(medium.depth[cell], wavenumber, found);
    if (costliest == ProductKind::systems) {
      add_systems(wavenumber, wind.eastward[cell], wind.northward[cell], found);
    }
    return found;
  }
  // Computes moments and peak. The peak is the vertex of the parabola over log f, in which frequencies are
  // evenly spaced, through the largest value of the frequency spectrum and its two neighbours.
  SeaState moments() {
    SeaState sea;
    std::ranges::fill(direction_sums_, 0.);
    auto next = density_.begin();
    for (int m = 0; m < grid_.n_frequencies; ++m) {
      const double f = grid_.frequency[m], df = grid_.frequency_width[m];
      double sum = 0;
      for (int k = 0; k < grid_.n_directions; ++k) {
        sum += *next;
        direction_sums_[k] += df * *next++;
      }
      const double e = sum * grid_.direction_width;
      const double tail =
          m + 1 == grid_.n_frequencies ? f : 0;  // int_f^inf (x/f)^-5 x^n dx = f^(n+1) / (4 - n)
      sea.all.m_1 += e * (df + tail / 5) / f;
      sea.all.m0 += e * (df + tail / 4);
      sea.m1 += e * (df + tail / 3) * f;
      sea.m2 += e * (df + tail / 2) * f * f;
      sea.resolved += e * df;
      spectrum_[m] = e;
      if (e > spectrum_[sea.peak]) sea.peak = m;
    }
    sea.peak_frequency = peak_frequency(sea.peak);
    add_directions(sea);
    return sea;
  }
  void add_directions(SeaState& sea) const {
    const double* at_peak = &density_[static_cast<std::size_t>(sea.peak) * grid_.n_directions];
    for (int k = 0; k < grid_.n_directions; ++k) {
      sea.all.east += direction_sums_[k] * sine_[k] * grid_.direction_width;
      sea.all.north += direction_sums_[k] * cosine_[k] * grid_.direction_width;
      sea.peak_east += at_peak[k] * sine_[k];
      sea.peak_north += at_peak[k] * cosine_[k];
      sea.peak_sum += at_peak[k];
    }
  }
  double peak_frequency(int peak) const {
    const double f = grid_.frequency[peak];
    if (peak == 0 || peak + 1 == grid_.n_frequencies) return f;
    const double below = spectrum_[peak - 1], at = spectrum_[peak], above = spectrum_[peak + 1];
    const double curvature = 2 * at - below - above;
    const double offset = curvature > 0 ? (above - below) / (2 * curvature) : 0;
    return f * std::pow(grid_.ratio, offset);
  }
  // Adds Stokes drift and energy flux, both in the frame that moves with the water,
  //   u_s = int sigma k cosh(2kd)/sinh^2(kd) F (sin, cos)(theta) df dtheta   (Kenyon 1969, at the surface)
  //   P = rho g int cg F (sin, cos)(theta) df dtheta                         (Komen et al. 1994)
  // with an f^-5 deep-water tail beyond the last frequency.
  void add_transports(double depth, std::span<const float> wavenumber, SeaState& sea) const {
    auto next = density_.begin();
    for (int m = 0; m < grid_.n_frequencies; ++m) {
      double east = 0, north = 0;
      for (int k = 0; k < grid_.n_directions; ++k) {
        east += *next * sine_[k];
        north += *next++ * cosine_[k];
      }
      const double k = wavenumber[m], sigma = grid_.sigma[m];
      const double df = grid_.frequency_width[m] * grid_.direction_width;
      const double tail = m + 1 == grid_.n_frequencies ? grid_.frequency[m] * grid_.direction_width : 0;
      const double drift = sigma * k * surface_drift(k * depth) * (df + tail);  // sigma k grows as f^3
      const double flux =
          kWaterDensity * kGravity * group_speed(k, sigma, depth) * (df + tail / 5);  // cg falls as 1/f
      sea.drift_east += drift * east;
      sea.drift_north += drift * north;
      sea.flux_east += flux * east;
      sea.flux_north += flux * north;
    }
  }
  // Adds wind sea and swells as in WAVEWATCH III (Tolman 2009; Tracy et al. 2007): a system is wind sea if
  // more than a third of its variance is in bins under wind forcing, 1.7 U10 cos(theta - theta_wind) > c,
  // otherwise swell. The highest swell systems of at least 5 cm are separate outputs.
  void add_systems(std::span<const float> wavenumber, double eastward_wind, double northward_wind,
                   SeaState& sea) {
    collect_systems(wavenumber, eastward_wind, northward_wind);
    const auto swells = std::ranges::partition(
        systems_, [](const PeakSystem& s) { return s.wind_sea_variance > kWindSeaCutoff * s.system.m0; });
    for (const auto& each : systems_) system_of_peak_[each.peak] = -1;
    std::ranges::sort(swells, [](const PeakSystem& a, const PeakSystem& b) {
      return a.system.m0 != b.system.m0 ? a.system.m0 > b.system.m0 : a.peak < b.peak;
    });
    std::sort(systems_.begin(), swells.begin(),
              [](const PeakSystem& a, const PeakSystem& b) { return a.peak < b.peak; });
    for (auto each = systems_.begin(); each != swells.begin(); ++each) sea.wind_sea += each->system;
    for (std::size_t i = 0; i < swells.size(); ++i) {
      sea.swell += swells[i].system;
      if (i < sea.swells.size() && swells[i].system.m0 >= kMinSwellVariance) sea.swells[i] = swells[i].system;
    }
  }
  void collect_systems(std::span<const float> wavenumber, double eastward_wind, double northward_wind) {
    systems_.clear();
    const auto peaks = partitions_.partition(density_);
    for (int m = 0, bin = 0; m < grid_.n_frequencies; ++m) {
      const double f = grid_.frequency[m], df = grid_.frequency_width[m] * grid_.direction_width;
      const double tail = m + 1 == grid_.n_frequencies ? f * grid_.direction_width : 0;
      const double phase_speed = grid_.sigma[m] / wavenumber[m];
      for (int k = 0; k < grid_.n_directions; ++k, ++bin) {
        if (peaks[bin] < 0) continue;
        auto& each = system_of(peaks[bin]);
        const double variance = density_[bin] * (df + tail / 4), resolved = density_[bin] * df;
        each.system +=
            {variance, density_[bin] * (df + tail / 5) / f, resolved * sine_[k], resolved * cosine_[k]};
        if (kWindSeaFactor * (eastward_wind * sine_[k] + northward_wind * cosine_[k]) > phase_speed)
          each.wind_sea_variance += variance;
      }
    }
  }
  PeakSystem& system_of(int peak) {
    if (system_of_peak_[peak] < 0) {
      system_of_peak_[peak] = static_cast<int>(systems_.size());
      systems_.push_back({peak, {}, 0});
    }
    return systems_[system_of_peak_[peak]];
  }

  SpectralGrid grid_;
  Partitions partitions_;
  std::vector<double> sine_, cosine_;              ///< (direction)
  std::vector<double> density_;                    ///< F [m2 s] (frequency, direction) of the cell
  std::vector<double> spectrum_, direction_sums_;  ///< (frequency) and (direction)
  std::vector<int> system_of_peak_;                ///< (bin of the peak) index into systems_, or -1
  std::vector<PeakSystem> systems_;
};

}  // namespace halcyon::wave
