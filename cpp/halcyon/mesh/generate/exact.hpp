#pragma once

#include <cmath>
#include <utility>

namespace halcyon::mesh {

/// Operations on doubles without an error: what they give, rounded, and what rounding took from it.

/// a + b (Knuth 1969; Shewchuk 1997, Discrete Comput. Geom. 18, 305-363, theorem 7).
inline std::pair<double, double> two_sum(double a, double b) {
  const double sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

/// a b, where it does not underflow.
inline std::pair<double, double> two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

}  // namespace halcyon::mesh
