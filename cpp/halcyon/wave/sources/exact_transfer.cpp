#include "halcyon/wave/sources/exact_transfer.hpp"

#include <algorithm>
#include <cmath>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::wave {

namespace {

double dot(Wave a, Wave b) {
  return a.east * b.east + a.north * b.north;
}
double length(Wave a) {
  return std::sqrt(dot(a, a));
}
double square(double x) {
  return x * x;
}

// 2 s a / z, whose limit is 0 where the difference wave vanishes.
double resonant(double s, double a, double z) {
  return std::abs(z) < 1e-12 ? 0 : 2 * s * a / z;
}

constexpr double kLongestRatio = 40;  // |k2| over |k1|, beyond which waves do not matter

// A wave off the grid: its lower neighbours, in bins away from wave 1, and the weights of the upper ones.
struct Place {
  int frequency, direction;
  double upper_frequency, upper_direction;
  double decay;  ///< of n f^9 = F f^5 times a constant, from the lower frequency's to n here
};

// A point of a locus for |k1| = 1 towards direction 0: waves 2 and 4, and its weight.
struct Point {
  Place second, fourth;
  double weight;
};

class Transfer {
 public:
  Transfer(const SpectralGrid& grid, std::span<const double> density)
      : grid_(grid), gain_(grid.n_bins(), 0.) {
    for (int m = 0; m < grid.n_frequencies; ++m) {
      const double sigma = grid.sigma[m], k = sigma * sigma / kGravity, f5 = std::pow(grid.frequency[m], 5);
      const double group = kGravity / (2 * sigma);
      area_.push_back(k * kTwoPi / group * grid.frequency_width[m] * grid.direction_width);
      from_scaled_.push_back(group / (kTwoPi * k * sigma * f5));
      power_.push_back(std::pow(k, 7.5));
      for (int j = 0; j < grid.n_directions; ++j) scaled_.push_back(f5 * density[m * grid.n_directions + j]);
    }
  }

  // Adds what all pairs of waves 1 and 3 exchange that are `below` bins of frequency and `turn` of direction
  // apart, at the points of their locus.
  void add(int below, int turn, const std::vector<Point>& locus) {
    for (const Point& point : locus) {
      for (int m = below; m < grid_.n_frequencies; ++m) add_frequency(m, below, turn, point);
    }
  }

  std::vector<double> rates() const {
    std::vector<double> rates(gain_);
    for (int i = 0; i < grid_.n_bins(); ++i) {
      const int m = i / grid_.n_directions;
      rates[i] *= grid_.sigma[m] / (grid_.frequency_width[m] * grid_.direction_width);
    }
    return rates;
  }

 private:
  // Directions are never further than a circle away.
  int bin(int m, int j) const {
    const int n = grid_.n_directions;
    return m * n + (j < 0 ? j + n : j < n ? j : j - n);
  }

  bool outside(int m, const Place& p) const {
    return m + p.frequency < 0 || m + p.frequency + 1 >= grid_.n_frequencies;
  }

  // n between bins, from F f^5, which is smooth.
  double action(int m, int j, const Place& p) const {
    const int low = m + p.frequency, k = j + p.direction;
    const double a = p.upper_frequency, b = p.upper_direction;
    const double value = (1 - a) * ((1 - b) * scaled_[bin(low, k)] + b * scaled_[bin(low, k + 1)]) +
                         a * ((1 - b) * scaled_[bin(low + 1, k)] + b * scaled_[bin(low + 1, k + 1)]);
    return value * p.decay * from_scaled_[low];
  }

  void give(int m, int j, const Place& p, double amount) {
    const int low = m + p.frequency, k = j + p.direction;
    const double a = p.upper_frequency, b = p.upper_direction;
    gain_[bin(low, k)] += (1 - a) * (1 - b) * amount;
    gain_[bin(low, k + 1)] += (1 - a) * b * amount;
    gain_[bin(low + 1, k)] += a * (1 - b) * amount;
    gain_[bin(low + 1, k + 1)] += a * b * amount;
  }

  void add_frequency(int m, int below, int turn, const Point& point) {
    if (outside(m, point.second) || outside(m, point.fourth)) return;
    const int m3 = m - below;
    const double weight = point.weight * power_[m] * area_[m] * area_[m3] / 4;
    for (int j = 0; j < grid_.n_directions; ++j) {
      const int first = bin(m, j), third = bin(m3, j + turn);
      const double n1 = scaled_[first] * from_scaled_[m];
      const double n3 = scaled_[third] * from_scaled_[m3];
      const double n2 = action(m, j, point.second), n4 = action(m, j, point.fourth);
      const double rate = weight * (n3 * n4 * (n1 + n2) - n1 * n2 * (n3 + n4));
      gain_[first] += rate;
      gain_[third] -= rate;
      give(m, j, point.second, rate);
      give(m, j, point.fourth, -rate);
    }
  }

  SpectralGrid grid_;
  std::vector<double> area_, from_scaled_, power_;  // d2k, n/(F f^5), |k|^7.5 (frequency)
  std::vector<double> scaled_;                      // F f^5 (bin)
  std::vector<double> gain_;                        // rate of F df dtheta / sigma (bin)
};

Place place(const SpectralGrid& grid, Wave k) {
  const double f = std::sqrt(std::hypot(k.east, k.north));  // over that of wave 1
  const double turn = std::atan2(k.east, k.north) / grid.direction_width;
  const int low = static_cast<int>(std::floor(std::log(f) / std::log(grid.ratio)));
  const int left = static_cast<int>(std::floor(turn));
  const double ratio = f / std::pow(grid.ratio, low);
  return {low, left, (ratio - 1) / (grid.ratio - 1), turn - left, std::pow(ratio, -9)};
}

// The points of both branches for k1 = (0, 1) and a k3 that is not longer.
std::vector<Point> locus(const SpectralGrid& grid, Wave k3, double multiplicity, int n_points) {
  const Wave k1{0, 1}, p{k1.east - k3.east, k1.north - k3.north};
  const double length = std::hypot(p.east, p.north), q = 1 - std::sqrt(std::hypot(k3.east, k3.north));
  const double least = (-q + std::sqrt(std::max(0., 2 * length - q * q))) / 2,
               longest = std::sqrt(kLongestRatio);
  const double end = q > 1e-9 ? (length - q * q) / (2 * q) : 2 * longest, most = std::min(end, longest);
  if (!(most > least) || length < 1e-9) return {};
  std::vector<Point> points;
  for (int i = 0; i < n_points; ++i) {
    const double t = (i + 0.5) / n_points;
    const bool closed = most == end;  // y vanishes at both ends, else at the first
    const double u =
        closed ? least + (most - least) * (1 - std::cos(kPi * t)) / 2 : least + (most - least) * t * t;
    const double du = (most - least) * (closed ? kPi / 2 * std::sin(kPi * t) : 2 * t) / n_points;
    const double r2 = u * u, r4 = (u + q) * (u + q);
    const double x = (r4 * r4 - r2 * r2 - length * length) / (2 * length), y2 = r2 * r2 - x * x;
    if (y2 <= 0) continue;
    for (const double y : {std::sqrt(y2), -std::sqrt(y2)}) {
      const Wave k2{(x * p.east - y * p.north) / length, (x * p.north + y * p.east) / length};
      const Wave k4{k2.east + p.east, k2.north + p.north};
      // 2 omega4/g dr2 = 2 (u + q) 2 u du; sqrt(1/g) and g^2 of G are left
      const double measure = r2 * r4 / (length * std::abs(y)) * 4 * u * (u + q) * du;
      const double weight = kPi / 4 * std::pow(kGravity, 1.5) * webb_coupling(k1, k2, k3, k4) * measure;
      points.push_back({place(grid, k2), place(grid, k4), multiplicity * weight});
    }
  }
  return points;
}

}  // namespace

double webb_coupling(Wave k1, Wave k2, Wave k3, Wave k4) {
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
  require<ConfigError>(n_points >= 2, "The exact transfer needs 2 points or more on a locus, not {}.",
                       n_points);
  const auto bad =
      std::ranges::find_if_not(variance_density, [](double f) { return f >= 0 && std::isfinite(f); });
  require<InputError>(bad == variance_density.end(),
                      "The exact transfer needs densities of 0 or more, but that of bin {} is {}.",
                      bad - variance_density.begin(), bad == variance_density.end() ? 0. : *bad);
  Transfer transfer(grid, variance_density);
  for (int below = 0; below < grid.n_frequencies; ++below) {
    const double length = std::pow(grid.ratio, -2 * below);
    for (int turn = 0; turn < grid.n_directions; ++turn) {
      if (below == 0 && turn == 0) continue;
      const double angle = turn * grid.direction_width;
      const Wave k3{length * std::sin(angle), length * std::cos(angle)};
      transfer.add(below, turn, locus(grid, k3, below == 0 ? 1 : 2, n_points));
    }
  }
  return transfer.rates();
}

}  // namespace halcyon::wave
