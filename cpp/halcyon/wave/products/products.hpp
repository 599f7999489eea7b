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

/// A product that is wanted, and where it goes: one value a cell.
struct WantedProduct {
  const Product* product;
  std::span<float> values;
};

/// The products of spectra. Of each cell only what those that are wanted need is computed, from its own data
/// alone: sums in double precision and in fixed order; beyond the last frequency a tail f^-5 is added in
/// closed form.
///
/// A sea below 0.4 mm counts as calm: heights, drift and flux are 0, the rest is NaN.
class Products {
 public:
  explicit Products(const SpectralGrid& grid)
      : grid_(grid),
        partitions_(grid),
        density_(grid.n_bins()),
        spectrum_(grid.n_frequencies),
        by_direction_(grid.n_directions),
        place_(grid.n_bins(), -1) {
    for (const double theta : grid.direction) {
      sine_.push_back(std::sin(theta));
      cosine_.push_back(std::cos(theta));
    }
  }

  /// Computes the products of some cells, in their order.
  /// @param action [m2 s2] (cell, frequency, direction)
  /// @param medium, wind of all cells; may be empty where nothing that is wanted needs them
  void compute(View<const float, 3> action, std::span<const LocalIndex> cells, const Medium& medium,
               const WindField& wind, std::span<const WantedProduct> wanted) {
    Need most = Need::moments;
    for (const auto& each : wanted) most = std::max(most, each.product->need);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Sea found = sea(action, cells[i], medium, wind, most);
      for (const auto& each : wanted) each.values[i] = static_cast<float>(each.product->value(found));
    }
  }

 private:
  static constexpr double kDriven = 1.7;
  static constexpr double kWindSeaShare = 1. / 3;
  static constexpr double kLeastSwell = 0.05 * 0.05 / 16;  // [m2], 5 cm of significant height
  /// cosh(2x) / sinh^2(x), 2 on deep water.
  static double surface_drift(double kd) {
    if (kd > 20) return 2;
    const double s = std::sinh(kd);
    return std::cosh(2 * kd) / (s * s);
  }
  struct Found {
    int peak;
    System system;
    double driven = 0;  ///< variance [m2] of bins that the wind drives
  };

  Sea sea(View<const float, 3> action, LocalIndex cell, const Medium& medium, const WindField& wind,
          Need most) {
    auto next = density_.begin();
    for (int m = 0; m < grid_.n_frequencies; ++m) {
      for (const float n : action.row(cell, m)) *next++ = grid_.sigma[m] * n;
    }
    Sea found = moments();
    if (found.is_calm() || most == Need::moments) return found;
    const auto wavenumber = medium.wavenumber.row(cell);
    add_transports(medium.depth[cell], wavenumber, found);
    if (most == Need::systems) {
      add_systems(wavenumber, wind.eastward[cell], wind.northward[cell], found);
    }
    return found;
  }
  // Moments and peak. The peak is the vertex of the parabola through the largest value of the frequency
  // spectrum and its neighbours over log f, in which the frequencies are evenly spaced.
  Sea moments() {
    Sea sea;
    std::ranges::fill(by_direction_, 0.);
    auto next = density_.begin();
    for (int m = 0; m < grid_.n_frequencies; ++m) {
      const double f = grid_.frequency[m], df = grid_.frequency_width[m];
      double row = 0;
      for (int k = 0; k < grid_.n_directions; ++k) {
        row += *next;
        by_direction_[k] += df * *next++;
      }
      const double e = row * grid_.direction_width;
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
  void add_directions(Sea& sea) const {
    const double* at_peak = &density_[static_cast<std::size_t>(sea.peak) * grid_.n_directions];
    for (int k = 0; k < grid_.n_directions; ++k) {
      sea.all.east += by_direction_[k] * sine_[k] * grid_.direction_width;
      sea.all.north += by_direction_[k] * cosine_[k] * grid_.direction_width;
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
  // Stokes drift and energy flux, both in the frame that moves with the water,
  //   u_s = int sigma k cosh(2kd)/sinh^2(kd) F (sin, cos)(theta) df dtheta   (Kenyon 1969, at the surface)
  //   P = rho g int cg F (sin, cos)(theta) df dtheta                         (Komen et al. 1994)
  // with a tail f^-5 on deep water beyond the last frequency.
  void add_transports(double depth, std::span<const float> wavenumber, Sea& sea) const {
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
      const double drift = sigma * k * surface_drift(k * depth) * (df + tail);  // sigma k grows with f^3
      const double flux = kWaterDensity * kGravity * group_speed(k, sigma, depth) * (df + tail / 5);  // 1/f
      sea.drift_east += drift * east;
      sea.drift_north += drift * north;
      sea.flux_east += flux * east;
      sea.flux_north += flux * north;
    }
  }
  // The wind sea and the swells, after WAVEWATCH III (Tolman 2009; Tracy et al. 2007): a system is wind sea
  // where more than a third of its variance is in bins that the wind drives, 1.7 U10 cos(theta - theta_wind)
  // > c. All others are swell; the highest of them are told apart, unless they are below 5 cm.
  void add_systems(std::span<const float> wavenumber, double eastward_wind, double northward_wind, Sea& sea) {
    collect(wavenumber, eastward_wind, northward_wind);
    const auto swells =
        std::ranges::partition(found_, [](const Found& f) { return f.driven > kWindSeaShare * f.system.m0; });
    for (const auto& each : found_) place_[each.peak] = -1;
    std::ranges::sort(swells, [](const Found& a, const Found& b) {
      return a.system.m0 != b.system.m0 ? a.system.m0 > b.system.m0 : a.peak < b.peak;
    });
    std::sort(found_.begin(), swells.begin(), [](const Found& a, const Found& b) { return a.peak < b.peak; });
    for (auto each = found_.begin(); each != swells.begin(); ++each) sea.wind_sea += each->system;
    for (std::size_t i = 0; i < swells.size(); ++i) {
      sea.swell += swells[i].system;
      if (i < sea.swells.size() && swells[i].system.m0 >= kLeastSwell) sea.swells[i] = swells[i].system;
    }
  }
  void collect(std::span<const float> wavenumber, double eastward_wind, double northward_wind) {
    found_.clear();
    const auto peaks = partitions_.divide(density_);
    for (int m = 0, bin = 0; m < grid_.n_frequencies; ++m) {
      const double f = grid_.frequency[m], df = grid_.frequency_width[m] * grid_.direction_width;
      const double tail = m + 1 == grid_.n_frequencies ? f * grid_.direction_width : 0;
      const double phase_speed = grid_.sigma[m] / wavenumber[m];
      for (int k = 0; k < grid_.n_directions; ++k, ++bin) {
        if (peaks[bin] < 0) continue;
        auto& each = found_at(peaks[bin]);
        const double variance = density_[bin] * (df + tail / 4), resolved = density_[bin] * df;
        each.system +=
            {variance, density_[bin] * (df + tail / 5) / f, resolved * sine_[k], resolved * cosine_[k]};
        if (kDriven * (eastward_wind * sine_[k] + northward_wind * cosine_[k]) > phase_speed)
          each.driven += variance;
      }
    }
  }
  Found& found_at(int peak) {
    if (place_[peak] < 0) {
      place_[peak] = static_cast<int>(found_.size());
      found_.push_back({peak, {}, 0});
    }
    return found_[place_[peak]];
  }

  SpectralGrid grid_;
  Partitions partitions_;
  std::vector<double> sine_, cosine_;            ///< (direction)
  std::vector<double> density_;                  ///< F [m2 s] (frequency, direction) of the cell
  std::vector<double> spectrum_, by_direction_;  ///< of the cell, (frequency) and (direction)
  std::vector<int> place_;  ///< of a system in found_, by the bin of its peak; -1 for none
  std::vector<Found> found_;
};

}  // namespace halcyon::wave
