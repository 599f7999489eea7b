#include "halcyon/mesh/generate/predicates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace halcyon::mesh {
namespace {

// Error-free transformations of doubles: return the rounded result and the rounding error.

/// a + b (Knuth 1969; Shewchuk 1997, Discrete Comput. Geom. 18, 305-363, theorem 7).
inline std::pair<double, double> two_sum(double a, double b) {
  const double sum = a + b, b_virtual = sum - a;
  return {sum, (a - (sum - b_virtual)) + (b - b_virtual)};
}

/// a b, if the product does not underflow.
inline std::pair<double, double> two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

/// An exact sum of doubles, stored as non-overlapping parts of increasing size (Shewchuk 1997, theorem 10).
class ExactSum {
 public:
  void add(double term) {
    int n_kept = 0;
    for (int i = 0; i < n_parts_; ++i) {
      const auto [sum, error] = two_sum(term, parts_[i]);
      term = sum;
      if (error != 0) parts_[n_kept++] = error;
    }
    if (term != 0 || n_kept == 0) parts_[n_kept++] = term;
    n_parts_ = n_kept;
  }
  void add_product(double a, double b, double c) {
    const auto [high, low] = two_product(a, b);
    for (const double factor : {low, high}) {
      const auto [product, error] = two_product(factor, c);
      add(error);
      add(product);
    }
  }
  /// Adds scale * a.(b x c); scale is 1 or -1.
  void add_determinant(double scale, Vector3 a, Vector3 b, Vector3 c) {
    add_product(scale * a.x, b.y, c.z);
    add_product(-scale * a.x, b.z, c.y);
    add_product(scale * a.y, b.z, c.x);
    add_product(-scale * a.y, b.x, c.z);
    add_product(scale * a.z, b.x, c.y);
    add_product(-scale * a.z, b.y, c.x);
  }
  int sign() const { return mesh::sign(parts_[n_parts_ - 1]); }

 private:
  std::array<double, 97> parts_{};  // four determinants of six products of four parts
  int n_parts_ = 1;
};

}  // namespace

int exact_in_circle(Vector3 a, Vector3 b, Vector3 c, Vector3 d) {
  ExactSum sum;
  sum.add_determinant(1, b, c, d);
  sum.add_determinant(-1, a, c, d);
  sum.add_determinant(1, a, b, d);
  sum.add_determinant(-1, a, b, c);
  return sum.sign();
}

int exact_orientation(Vector3 a, Vector3 b, Vector3 c) {
  ExactSum sum;
  sum.add_determinant(1, a, b, c);
  return sum.sign();
}

namespace {

constexpr double kMaxTurn = 4.5e-15;      ///< tolerated rotation by rounding [rad] per side length [rad]
constexpr int kMaxTrials = 64;            ///< number of vector lengths that are tried
constexpr double kLengthStep = 0.68e-16;  ///< between trials; not a multiple of the machine epsilon

/// A vector in double-double precision: the rounded value and the remainder.
struct DoubleDouble3 {
  Vector3 high, low;
};

/// Returns b - a, exactly.
DoubleDouble3 difference(Vector3 a, Vector3 b) {
  const auto [x, x_low] = two_sum(b.x, -a.x);
  const auto [y, y_low] = two_sum(b.y, -a.y);
  const auto [z, z_low] = two_sum(b.z, -a.z);
  return {{x, y, z}, {x_low, y_low, z_low}};
}

/// Returns a b - c d.
std::pair<double, double> determinant(double a, double b, double c, double d) {
  const auto [ab, ab_low] = two_product(a, b);
  const auto [cd, cd_low] = two_product(c, d);
  const auto [high, low] = two_sum(ab, -cd);
  return {high, low + (ab_low - cd_low)};
}

/// Returns u x v, without the product of the two low parts.
DoubleDouble3 cross(const DoubleDouble3& u, const DoubleDouble3& v) {
  const auto [x, x_low] = determinant(u.high.y, v.high.z, u.high.z, v.high.y);
  const auto [y, y_low] = determinant(u.high.z, v.high.x, u.high.x, v.high.z);
  const auto [z, z_low] = determinant(u.high.x, v.high.y, u.high.y, v.high.x);
  const Vector3 low = halcyon::cross(u.low, v.high) + halcyon::cross(u.high, v.low);
  return {{x, y, z}, Vector3{x_low, y_low, z_low} + low};
}

/// Returns v / |v|, of length 1 to rounding.
DoubleDouble3 normalized(const DoubleDouble3& v) {
  const double scale = 1 / norm(v.high);
  const auto [x, x_low] = two_product(scale, v.high.x);
  const auto [y, y_low] = two_product(scale, v.high.y);
  const auto [z, z_low] = two_product(scale, v.high.z);
  return {{x, y, z}, Vector3{x_low, y_low, z_low} + scale * v.low};
}

/// Rounds a unit vector p to doubles. Tries several lengths near 1: returns the first vector whose direction
/// is rotated by at most the square root of `tolerance` [rad^2], or the one that is rotated least.
Vector3 rounded(const DoubleDouble3& p, double tolerance) {
  Vector3 best;
  double least_turn = 1;
  for (int i = 0; i < kMaxTrials && least_turn > tolerance; ++i) {
    const double stretch = kLengthStep * (i % 2 == 0 ? i / 2 : -(i + 1) / 2);
    const Vector3 point = p.high + (stretch * p.high + p.low), error = (point - p.high) - p.low;
    const double along = dot(error, p.high), turn = dot(error, error) - along * along;  // [rad^2]
    if (turn < least_turn) {
      least_turn = turn;
      best = point;
    }
  }
  return best;
}

}  // namespace

Vector3 vertex_point(Vector3 a, Vector3 b, Vector3 c) {
  const DoubleDouble3 ab = difference(a, b), ac = difference(a, c);
  const Vector3 bc = c - b;
  const double shortest = std::min({dot(ab.high, ab.high), dot(ac.high, ac.high), dot(bc, bc)});  // squared
  return rounded(normalized(cross(ab, ac)), kMaxTurn * kMaxTurn * shortest);
}

}  // namespace halcyon::mesh
