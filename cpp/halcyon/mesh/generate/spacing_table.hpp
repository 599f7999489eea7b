#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "halcyon/base/vector3.hpp"

namespace halcyon::mesh {

/// Wanted distance of neighbouring cells [rad] as a table on the faces of a cube around the sphere, (n + 1) x
/// (n + 1) nodes each, bilinear in between: continuous over the edges of the cube, and like everywhere.
class SpacingTable {
 public:
  /// @param n steps along the side of a face
  /// @param values [rad] (face, row, column), at `nodes(n)`
  /// @throws ConfigError if n < 1; InputError if `values` has another size, or one is not positive
  SpacingTable(int n, std::vector<float> values);

  /// The points of the sphere where a table has its values, (face, row, column).
  static std::vector<Vector3> nodes(int n);

  /// Spacing [rad] at a point of the unit sphere.
  double operator()(Vector3 p) const {
    const double x = std::abs(p.x), y = std::abs(p.y), z = std::abs(p.z);
    if (x >= y && x >= z) return on_face(p.x > 0 ? 0 : 1, p.y / x, p.z / x);
    if (y >= z) return on_face(p.y > 0 ? 2 : 3, p.z / y, p.x / y);
    return on_face(p.z > 0 ? 4 : 5, p.x / z, p.y / z);
  }

  /// The hexagons that fill the sphere at this spacing h: the integral of 2 / sqrt(3) h^-2.
  double n_cells() const;

  /// The same shape of spacing, `factor` times as large everywhere.
  SpacingTable scaled(double factor) const;

 private:
  double on_face(int face, double u, double v) const {
    const double x = (u + 1) / 2 * n_, y = (v + 1) / 2 * n_;
    const int i = std::min(static_cast<int>(x), n_ - 1), j = std::min(static_cast<int>(y), n_ - 1);
    const double fx = x - i, fy = y - j;
    const std::size_t width = n_ + 1;
    const float* at = &values_[(face * width + j) * width + i];
    return (1 - fy) * ((1 - fx) * at[0] + fx * at[1]) + fy * ((1 - fx) * at[width] + fx * at[width + 1]);
  }

  int n_;
  std::vector<float> values_;
};

}  // namespace halcyon::mesh
