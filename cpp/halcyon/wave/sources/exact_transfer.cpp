#include "halcyon/wave/sources/exact_transfer.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

namespace {

double dot(WaveVector a, WaveVector b) {
  return a.east * b.east + a.north * b.north;
}
double length(WaveVector a) {
  return std::sqrt(dot(a, a));
}
double square(double x) {
  return x * x;
}

// Returns 2 s a / z, a term of D; its limit for z = 0 is 0.
double resonant_term(double s, double a, double z) {
  return std::abs(z) < 1e-12 ? 0 : 2 * s * a / z;
}

constexpr double kMaxWavenumberRatio = 40;  // largest |k2| / |k1|; larger wavenumbers contribute little

// The position of a wave between four bins.
struct BinPosition {
  int frequency, direction;                 ///< offsets of the lower bins from wave 1 [bins]
  double upper_frequency, upper_direction;  ///< interpolation weights of the upper bins
  double decay;                             ///< n / (F f^5) over its value at the lower bin: (f / f_low)^-9
};

// A point of a locus for |k1| = 1 in direction 0.
struct LocusPoint {
  BinPosition second, fourth;  ///< waves 2 and 4
  double weight;               ///< factor of the action product in the transfer, with the coupling
};

// Sums the transfer of all quadruplets. Index f: frequency, m: direction; n1 to n4: action of the four waves.
class Transfer {
 public:
  Transfer(const SpectralGrid& grid, std::span<const double> density)
      : grid_(grid), rate_(grid.n_bins(), 0.) {
    for (int f = 0; f < grid.n_frequencies; ++f) {
      const double sigma = grid.sigma[f], k = sigma * sigma / kGravity,
                   scale = std::pow(grid.frequency[f], 5);
      const double group_speed = kGravity / (2 * sigma);
      wavenumber_area_.push_back(k * kTwoPi / group_speed * grid.frequency_width[f] * grid.direction_width);
      action_per_scaled_.push_back(group_speed / (kTwoPi * k * sigma * scale));
      wavenumber_power_.push_back(std::pow(k, 7.5));
      for (int m = 0; m < grid.n_directions; ++m)
        scaled_density_.push_back(scale * density[f * grid.n_directions + m]);
    }
  }
  // Adds the transfer of all pairs of waves 1 and 3 with wave 3 `bins_below` frequency bins below wave 1 and
  // `direction_offset` bins clockwise of wave 1, at the points of the locus.
  void add_pairs(int bins_below, int direction_offset, const std::vector<LocusPoint>& locus) {
    for (const LocusPoint& point : locus) {
      for (int f = bins_below; f < grid_.n_frequencies; ++f)
        add_frequency(f, bins_below, direction_offset, point);
    }
  }
  // Returns dF/dt [m2 rad-1] (frequency, direction).
  std::vector<double> rates() const {
    std::vector<double> rates(rate_);
    for (int i = 0; i < grid_.n_bins(); ++i) {
      const int f = i / grid_.n_directions;
      rates[i] *= grid_.sigma[f] / (grid_.frequency_width[f] * grid_.direction_width);
    }
    return rates;
  }

 private:
  // Returns the index of a bin; the direction m, from -n to 2 n - 1, is wrapped to 0 .. n - 1.
  int bin(int f, int m) const {
    const int n = grid_.n_directions;
    return f * n + (m < 0 ? m + n : m < n ? m : m - n);
  }
  bool is_outside(int f, const BinPosition& position) const {
    return f + position.frequency < 0 || f + position.frequency + 1 >= grid_.n_frequencies;
  }
  // Returns n at a position relative to wave 1 in bin (f, m). Interpolates F f^5, which is smooth.
  double action(int f, int m, const BinPosition& position) const {
    const int low = f + position.frequency, left = m + position.direction;
    const double a = position.upper_frequency, b = position.upper_direction;
    const double value =
        (1 - a) * ((1 - b) * scaled_density_[bin(low, left)] + b * scaled_density_[bin(low, left + 1)]) +
        a * ((1 - b) * scaled_density_[bin(low + 1, left)] + b * scaled_density_[bin(low + 1, left + 1)]);
    return value * position.decay * action_per_scaled_[low];
  }
  // Distributes an amount to the four bins around a position: the adjoint of linear interpolation.
  void scatter(int f, int m, const BinPosition& position, double amount) {
    const int low = f + position.frequency, left = m + position.direction;
    const double a = position.upper_frequency, b = position.upper_direction;
    rate_[bin(low, left)] += (1 - a) * (1 - b) * amount;
    rate_[bin(low, left + 1)] += (1 - a) * b * amount;
    rate_[bin(low + 1, left)] += a * (1 - b) * amount;
    rate_[bin(low + 1, left + 1)] += a * b * amount;
  }
  // Adds the quadruplets with wave 1 at frequency f.
  void add_frequency(int f, int bins_below, int direction_offset, const LocusPoint& point) {
    if (is_outside(f, point.second) || is_outside(f, point.fourth)) return;
    const int f3 = f - bins_below;
    const double weight =
        point.weight * wavenumber_power_[f] * wavenumber_area_[f] * wavenumber_area_[f3] / 4;
    for (int m = 0; m < grid_.n_directions; ++m) {
      const int first = bin(f, m), third = bin(f3, m + direction_offset);
      const double n1 = scaled_density_[first] * action_per_scaled_[f];
      const double n3 = scaled_density_[third] * action_per_scaled_[f3];
      const double n2 = action(f, m, point.second), n4 = action(f, m, point.fourth);
      const double rate = weight * (n3 * n4 * (n1 + n2) - n1 * n2 * (n3 + n4));
      rate_[first] += rate;
      rate_[third] -= rate;
      scatter(f, m, point.second, rate);
      scatter(f, m, point.fourth, -rate);
    }
  }

  SpectralGrid grid_;
  std::vector<double> wavenumber_area_;    // d2k of a bin [m-2] (frequency)
  std::vector<double> action_per_scaled_;  // n / (F f^5) (frequency)
  std::vector<double> wavenumber_power_;   // |k|^7.5 (frequency), with which the integral scales
  std::vector<double> scaled_density_;     // F f^5 (bin)
  std::vector<double> rate_;               // d(F df dtheta / sigma)/dt (bin)
};

// Returns the position of a wave relative to wave 1, k1 = (0, 1).
BinPosition bin_position(const SpectralGrid& grid, WaveVector k) {
  const double f = std::sqrt(std::hypot(k.east, k.north));  // frequency over that of wave 1
  const double direction_offset = std::atan2(k.east, k.north) / grid.direction_width;
  const int low = static_cast<int>(std::floor(std::log(f) / std::log(grid.ratio)));
  const int left = static_cast<int>(std::floor(direction_offset));
  const double ratio = f / std::pow(grid.ratio, low);
  return {.frequency = low,
          .direction = left,
          .upper_frequency = (ratio - 1) / (grid.ratio - 1),
          .upper_direction = direction_offset - left,
          .decay = std::pow(ratio, -9)};
}

// Returns the points of both branches of the locus for k1 = (0, 1) and |k3| <= 1. With p = k1 - k3,
// u = sqrt|k2| and q = 1 - sqrt|k3|, resonance is sqrt|k4| = u + q; k2 is x along p and +-y across p.
// @param multiplicity factor of all weights: 2 where |k3| < 1, because pairs with |k3| > 1 are omitted
std::vector<LocusPoint> locus(const SpectralGrid& grid, WaveVector k3, double multiplicity, int n_points) {
  const WaveVector k1{0, 1}, p{k1.east - k3.east, k1.north - k3.north};
  const double length = std::hypot(p.east, p.north), q = 1 - std::sqrt(std::hypot(k3.east, k3.north));
  const double u_first = (-q + std::sqrt(std::max(0., 2 * length - q * q))) / 2,
               u_limit = std::sqrt(kMaxWavenumberRatio);
  const double end = q > 1e-9 ? (length - q * q) / (2 * q) : 2 * u_limit, u_last = std::min(end, u_limit);
  if (!(u_last > u_first) || length < 1e-9) return {};
  std::vector<LocusPoint> points;
  for (int i = 0; i < n_points; ++i) {
    const double t = (i + 0.5) / n_points;
    const bool is_closed = u_last == end;  // y vanishes at both ends, otherwise only at the first
    const double u = is_closed ? u_first + (u_last - u_first) * (1 - std::cos(kPi * t)) / 2
                               : u_first + (u_last - u_first) * t * t;
    const double du = (u_last - u_first) * (is_closed ? kPi / 2 * std::sin(kPi * t) : 2 * t) / n_points;
    const double r2 = u * u, r4 = (u + q) * (u + q);  // |k2|, |k4|
    const double x = (r4 * r4 - r2 * r2 - length * length) / (2 * length), y2 = r2 * r2 - x * x;
    if (y2 <= 0) continue;
    for (const double y : {std::sqrt(y2), -std::sqrt(y2)}) {
      const WaveVector k2{(x * p.east - y * p.north) / length, (x * p.north + y * p.east) / length};
      const WaveVector k4{k2.east + p.east, k2.north + p.north};
      // dr2 = 2 u du; delta(omega) gives d|k4|/domega4 = 2 omega4/g = 2 (u + q) g^-1/2; g^2 is from G.
      const double measure = r2 * r4 / (length * std::abs(y)) * 4 * u * (u + q) * du;
      const double weight = kPi / 4 * std::pow(kGravity, 1.5) * webb_coupling(k1, k2, k3, k4) * measure;
      points.push_back({.second = bin_position(grid, k2),
                        .fourth = bin_position(grid, k4),
                        .weight = multiplicity * weight});
    }
  }
  return points;
}

}  // namespace

double webb_coupling(WaveVector k1, WaveVector k2, WaveVector k3, WaveVector k4) {
  const double l1 = length(k1), l2 = length(k2), l3 = length(k3), l4 = length(k4);
  const double w1 = std::sqrt(l1), w2 = std::sqrt(l2), w3 = std::sqrt(l3), w4 = std::sqrt(l4);
  const double d12 = dot(k1, k2), d13 = dot(k1, k3), d14 = dot(k1, k4);
  const double d23 = dot(k2, k3), d24 = dot(k2, k4), d34 = dot(k3, k4);
  const double s12 = square(w1 + w2), s13 = square(w1 - w3), s14 = square(w1 - w4);
  const double z12 = length({k1.east + k2.east, k1.north + k2.north}) - s12;
  const double z13 = length({k1.east - k3.east, k1.north - k3.north}) - s13;
  const double z14 = length({k1.east - k4.east, k1.north - k4.north}) - s14;
  const double d = resonant_term(s12, (l1 * l2 - d12) * (l3 * l4 - d34), z12) +
                   resonant_term(s13, (l1 * l3 + d13) * (l2 * l4 + d24), z13) +
                   resonant_term(s14, (l1 * l4 + d14) * (l2 * l3 + d23), z14) +
                   0.5 * (d12 * d34 + d13 * d24 + d14 * d23) - 0.25 * s12 * s12 * (d12 + d34) +
                   0.25 * s13 * s13 * (d13 + d24) + 0.25 * s14 * s14 * (d14 + d23) + 2.5 * l1 * l2 * l3 * l4 +
                   s12 * s13 * s14 * (l1 + l2 + l3 + l4);
  return d * d / (w1 * w2 * w3 * w4);
}

std::vector<double> exact_transfer(const SpectralGrid& grid, std::span<const double> variance_density,
                                   int n_points) {
  require<ConfigError>(n_points >= 2, "The exact transfer needs at least 2 points per locus, not {}.",
                       n_points);
  const auto bad =
      std::ranges::find_if_not(variance_density, [](double f) { return f >= 0 && std::isfinite(f); });
  require<InputError>(bad == variance_density.end(),
                      "The exact transfer needs finite densities >= 0, but the density of bin {} is {}.",
                      bad - variance_density.begin(), bad == variance_density.end() ? 0. : *bad);
  Transfer transfer(grid, variance_density);
  for (int bins_below = 0; bins_below < grid.n_frequencies; ++bins_below) {
    const double k3_length = std::pow(grid.ratio, -2 * bins_below);  // |k| is proportional to f^2
    for (int direction_offset = 0; direction_offset < grid.n_directions; ++direction_offset) {
      if (bins_below == 0 && direction_offset == 0) continue;
      const double angle = direction_offset * grid.direction_width;
      const WaveVector k3{.east = k3_length * std::sin(angle), .north = k3_length * std::cos(angle)};
      const double multiplicity = bins_below == 0 ? 1 : 2;
      transfer.add_pairs(bins_below, direction_offset, locus(grid, k3, multiplicity, n_points));
    }
  }
  return transfer.rates();
}

}  // namespace halcyon::wave
