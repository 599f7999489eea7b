#include "halcyon/wave/sources/kernels/quadruplet.hpp"

#include <cmath>

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

}  // namespace halcyon::wave
