#include "halcyon/mesh/generate/predicates.hpp"

#include <array>

#include "halcyon/mesh/generate/exact.hpp"

namespace halcyon::mesh {
namespace {

/// An exact sum of doubles: parts that do not overlap, of growing size (Shewchuk 1997, theorem 10).
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

int exact_side(Vector3 a, Vector3 b, Vector3 c, Vector3 d) {
  ExactSum sum;
  sum.add_determinant(1, b, c, d);
  sum.add_determinant(-1, a, c, d);
  sum.add_determinant(1, a, b, d);
  sum.add_determinant(-1, a, b, c);
  return sum.sign();
}

int exact_turn(Vector3 a, Vector3 b, Vector3 c) {
  ExactSum sum;
  sum.add_determinant(1, a, b, c);
  return sum.sign();
}

}  // namespace halcyon::mesh
