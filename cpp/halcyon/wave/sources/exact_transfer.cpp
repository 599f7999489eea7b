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

// Returns 2 s a / z; its limit is 0 where the difference wave vanishes.
double resonant(double s, double a, double z) {
  return std::abs(z) < 1e-12 ? 0 : 2 * s * a / z;
}

constexpr double kMaxWavenumberRatio = 40;  // largest |k2| / |k1|; longer wave vectors contribute little

// The position of a wave between bins: offsets of the lower bins from wave 1, and weights of the upper bins.
struct BinPosition {
  int frequency, direction;
  double upper_frequency, upper_direction;
  double decay;  ///< (f / frequency of the lower bin)^-9
};

// A point of a locus for |k1| = 1 in direction 0: waves 2 and 4, and its weight.
struct LocusPoint {
  BinPosition second, fourth;
  double weight;
};

class Transfer {
 public:
  Transfer(const SpectralGrid& grid, std::span<const double> density)
      : grid_(grid), rate_(grid.n_bins(), 0.) {
    for (int m = 0; m < grid.n_frequencies; ++m) {
      const double sigma = grid.sigma[m], k = sigma * sigma / kGravity, f5 = std::pow(grid.frequency[m], 5);
      const double group_speed = kGravity / (2 * sigma);
      area_.push_back(k * kTwoPi / group_speed * grid.frequency_width[m] * grid.direction_width);
      from_scaled_.push_back(group_speed / (kTwoPi * k * sigma * f5));
      power_.push_back(std::pow(k, 7.5));
      for (int j = 0; j < grid.n_directions; ++j)
        scaled_density_.push_back(f5 * density[m * grid.n_directions + j]);
    }
  }

  // Adds the transfer of all pairs of waves 1 and 3 that are `bins_below` frequencies and `turn` directions
  // apart, at the points of their locus.
  void add_pairs(int bins_below, int turn, const std::vector<LocusPoint>& locus) {
    for (const LocusPoint& point : locus) {
      for (int m = bins_below; m < grid_.n_frequencies; ++m) add_frequency(m, bins_below, turn, point);
    }
  }

  std::vector<double> rates() const {
    std::vector<double> rates(rate_);
    for (int i = 0; i < grid_.n_bins(); ++i) {
      const int m = i / grid_.n_directions;
      rates[i] *= grid_.sigma[m] / (grid_.frequency_width[m] * grid_.direction_width);
    }
    return rates;
  }

 private:
  // Returns the index of a bin; the direction j is wrapped from -n .. 2 n - 1.
  int bin(int m, int j) const {
    const int n = grid_.n_directions;
    return m * n + (j < 0 ? j + n : j < n ? j : j - n);
  }

  bool is_outside(int m, const BinPosition& p) const {
    return m + p.frequency < 0 || m + p.frequency + 1 >= grid_.n_frequencies;
  }

  // Interpolates n through F f^5, which is smooth.
  double action(int m, int j, const BinPosition& p) const {
    const int low = m + p.frequency, k = j + p.direction;
    const double a = p.upper_frequency, b = p.upper_direction;
    const double value =
        (1 - a) * ((1 - b) * scaled_density_[bin(low, k)] + b * scaled_density_[bin(low, k + 1)]) +
        a * ((1 - b) * scaled_density_[bin(low + 1, k)] + b * scaled_density_[bin(low + 1, k + 1)]);
    return value * p.decay * from_scaled_[low];
  }

  void scatter(int m, int j, const BinPosition& p, double amount) {
    const int low = m + p.frequency, k = j + p.direction;
    const double a = p.upper_frequency, b = p.upper_direction;
    rate_[bin(low, k)] += (1 - a) * (1 - b) * amount;
    rate_[bin(low, k + 1)] += (1 - a) * b * amount;
    rate_[bin(low + 1, k)] += a * (1 - b) * amount;
    rate_[bin(low + 1, k + 1)] += a * b * amount;
  }

  void add_frequency(int m, int bins_below, int turn, const LocusPoint& point) {
    if (is_outside(m, point.second) || is_outside(m, point.fourth)) return;
    const int m3 = m - bins_below;
    const double weight = point.weight * power_[m] * area_[m] * area_[m3] / 4;
    for (int j = 0; j < grid_.n_directions; ++j) {
      const int first = bin(m, j), third = bin(m3, j + turn);
      const double n1 = scaled_density_[first] * from_scaled_[m];
      const double n3 = scaled_density_[third] * from_scaled_[m3];
      const double n2 = action(m, j, point.second), n4 = action(m, j, point.fourth);
      const double rate = weight * (n3 * n4 * (n1 + n2) - n1 * n2 * (n3 + n4));
      rate_[first] += rate;
      rate_[third] -= rate;
      scatter(m, j, point.second, rate);
      scatter(m, j, point.fourth, -rate);
    }
  }

  SpectralGrid grid_;
  std::vector<double> area_, from_scaled_, power_;  // d2k, n/(F f^5), |k|^7.5 (frequency)
  std::vector<double> scaled_density_;              // F f^5 (bin)
  std::vector<double> rate_;                        // d(F df dtheta / sigma)/dt (bin)
};

BinPosition bin_position(const SpectralGrid& grid, WaveVector k) {
  const double f = std::sqrt(std::hypot(k.east, k.north));  // relative to wave 1
  const double turn = std::atan2(k.east, k.north) / grid.direction_width;
  const int low = static_cast<int>(std::floor(std::log(f) / std::log(grid.ratio)));
  const int left = static_cast<int>(std::floor(turn));
  const double ratio = f / std::pow(grid.ratio, low);
  return {low, left, (ratio - 1) / (grid.ratio - 1), turn - left, std::pow(ratio, -9)};
}

// Returns the points of both branches of the locus for k1 = (0, 1) and |k3| <= 1.
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
    const bool closed = u_last == end;  // y vanishes at both ends, otherwise at the first only
    const double u = closed ? u_first + (u_last - u_first) * (1 - std::cos(kPi * t)) / 2
                            : u_first + (u_last - u_first) * t * t;
    const double du = (u_last - u_first) * (closed ? kPi / 2 * std::sin(kPi * t) : 2 * t) / n_points;
    const double r2 = u * u, r4 = (u + q) * (u + q);
    const double x = (r4 * r4 - r2 * r2 - length * length) / (2 * length), y2 = r2 * r2 - x * x;
    if (y2 <= 0) continue;
    for (const double y : {std::sqrt(y2), -std::sqrt(y2)}) {
      const WaveVector k2{(x * p.east - y * p.north) / length, (x * p.north + y * p.east) / length};
      const WaveVector k4{k2.east + p.east, k2.north + p.north};
      // 2 omega4/g dr2 = 2 (u + q) 2 u du; sqrt(1/g) and g^2 of G remain
      const double measure = r2 * r4 / (length * std::abs(y)) * 4 * u * (u + q) * du;
      const double weight = kPi / 4 * std::pow(kGravity, 1.5) * webb_coupling(k1, k2, k3, k4) * measure;
      points.push_back({bin_position(grid, k2), bin_position(grid, k4), multiplicity * weight});
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
  const double d = resonant(s12, (l1 * l2 - d12) * (l3 * l4 - d34), z12) +
                   resonant(s13, (l1 * l3 + d13) * (l2 * l4 + d24), z13) +
                   resonant(s14, (l1 * l4 + d14) * (l2 * l3 + d23), z14) +
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
    const double length = std::pow(grid.ratio, -2 * bins_below);
    for (int turn = 0; turn < grid.n_directions; ++turn) {
      if (bins_below == 0 && turn == 0) continue;
      const double angle = turn * grid.direction_width;
      const WaveVector k3{length * std::sin(angle), length * std::cos(angle)};
      transfer.add_pairs(bins_below, turn, locus(grid, k3, bins_below == 0 ? 1 : 2, n_points));
    }
  }
  return transfer.rates();
}

}  // namespace halcyon::wave
