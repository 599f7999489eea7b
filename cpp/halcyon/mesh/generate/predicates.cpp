#include "halcyon/mesh/generate/predicates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace halcyon::mesh {

namespace {

/// Error-free transformations of doubles: the rounded result and the rounding error.

/// a + b (Knuth 1969; Shewchuk 1997, Discrete Comput. Geom. 18, 305-363, theorem 7).
inline std::pair<double, double> two_sum(double a, double b) {
  const double sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

/// a b, without underflow.
inline std::pair<double, double> two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

/// An exact sum of doubles: non-overlapping parts of increasing size (Shewchuk 1997, theorem 10).
class ExactSum {
 public:
  void add(double term) {
    int kept = 0;
    for (int i = 0; i < n_parts_; ++i) {
      const auto [sum, lost] = two_sum(term, parts_[i]);
      term = sum;
      if (lost != 0) parts_[kept++] = lost;
    }
    if (term != 0 || kept == 0) parts_[kept++] = term;
    n_parts_ = kept;
  }
  void add_product(double a, double b, double c) {
    const auto [high, low] = two_product(a, b);
    for (const double factor : {low, high}) {
      const auto [product, lost] = two_product(factor, c);
      add(lost);
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

constexpr double kRightAngle = 4.5e-15;  ///< tolerated turn of an arc [rad] by rounding, over the length of a
/// side
constexpr int kMostLengths = 64;          ///< number of lengths that are tried
constexpr double kLengthStep = 0.68e-16;  ///< [1] difference of two lengths; not a multiple of the machine
/// epsilon

/// A vector in double-double precision: the rounded value and the remainder.
struct LongVector {
  Vector3 high, low;
};

/// b - a.
LongVector difference(Vector3 a, Vector3 b) {
  const auto [x, of_x] = two_sum(b.x, -a.x);
  const auto [y, of_y] = two_sum(b.y, -a.y);
  const auto [z, of_z] = two_sum(b.z, -a.z);
  return {{x, y, z}, {of_x, of_y, of_z}};
}

/// a b - c d.
std::pair<double, double> determinant(double a, double b, double c, double d) {
  const auto [ab, of_ab] = two_product(a, b);
  const auto [cd, of_cd] = two_product(c, d);
  const auto [high, low] = two_sum(ab, -cd);
  return {high, low + (of_ab - of_cd)};
}

/// u x v, without the product of the two low parts.
LongVector cross(const LongVector& u, const LongVector& v) {
  const auto [x, of_x] = determinant(u.high.y, v.high.z, u.high.z, v.high.y);
  const auto [y, of_y] = determinant(u.high.z, v.high.x, u.high.x, v.high.z);
  const auto [z, of_z] = determinant(u.high.x, v.high.y, u.high.y, v.high.x);
  const Vector3 low = halcyon::cross(u.low, v.high) + halcyon::cross(u.high, v.low);
  return {{x, y, z}, Vector3{of_x, of_y, of_z} + low};
}

/// Returns v / |v|, of length 1 to rounding.
LongVector normalized(const LongVector& v) {
  const double scale = 1 / norm(v.high);
  const auto [x, of_x] = two_product(scale, v.high.x);
  const auto [y, of_y] = two_product(scale, v.high.y);
  const auto [z, of_z] = two_product(scale, v.high.z);
  return {{x, y, z}, Vector3{of_x, of_y, of_z} + scale * v.low};
}

/// Rounds p to doubles. Tries several lengths near 1: returns the first whose rounding turns the direction by
/// at most `tolerance` [rad^2], or the one that turns it least.
Vector3 rounded(const LongVector& p, double tolerance) {
  Vector3 best;
  double least = 1;
  for (int i = 0; i < kMostLengths && least > tolerance; ++i) {
    const double longer = kLengthStep * (i % 2 == 0 ? i / 2 : -(i + 1) / 2);
    const Vector3 point = p.high + (longer * p.high + p.low), error = (point - p.high) - p.low;
    const double along = dot(error, p.high), turned = dot(error, error) - along * along;
    if (turned < least) {
      least = turned;
      best = point;
    }
  }
  return best;
}

}  // namespace

Vector3 vertex_point(Vector3 a, Vector3 b, Vector3 c) {
  const LongVector ab = difference(a, b), ac = difference(a, c);
  const Vector3 bc = c - b;
  const double least_side = std::min({dot(ab.high, ab.high), dot(ac.high, ac.high), dot(bc, bc)});  // squared
  return rounded(normalized(cross(ab, ac)), kRightAngle * kRightAngle * least_side);
}

}  // namespace halcyon::mesh
