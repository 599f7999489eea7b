#include <random>

#include "halcyon/mesh/generate/predicates.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::mesh;

namespace {

struct Corners {
  Vector3 a, b, c;
};

/// The corners of a triangle of given side length around p, rotated by an angle.
Corners around(Vector3 p, double side, double angle) {
  const Vector3 east = normalized(cross({0.3, -0.2, 0.9}, p)), north = cross(p, east);
  const auto corner = [&](int k) {
    const double direction = angle + k * kTwoPi / 3;
    return normalized(p + side / std::sqrt(3.0) * (std::cos(direction) * east + std::sin(direction) * north));
  };
  return {corner(0), corner(1), corner(2)};
}

/// The cosine of the angle between the vector p and the line between two points.
long double cosine(Vector3 p, Vector3 from, Vector3 to) {
  using Long = long double;
  const Long x = Long(to.x) - from.x, y = Long(to.y) - from.y, z = Long(to.z) - from.z;
  return (p.x * x + p.y * y + p.z * z) / std::sqrt(x * x + y * y + z * z);
}

/// The largest cosine between a vertex point and the sides of its triangle (exact: 0), in many triangles all
/// over the sphere and near the plane z = 0.
double largest_cosine(double side, Vector3 (*centre)(Vector3, Vector3, Vector3)) {
  std::mt19937 next(7);
  const auto even = [&] { return static_cast<double>(next()) / (1LL << 31) - 1; };
  double largest = 0;
  for (int i = 0; i < 20000; ++i) {
    const double z_scale = i % 3 == 0 ? 1e-3 : 1;
    const auto [a, b, c] = around(normalized({even() + 1.1, even(), z_scale * even()}), side, even());
    const Vector3 p = centre(a, b, c);
    for (const long double value : {cosine(p, a, b), cosine(p, b, c), cosine(p, c, a)})
      largest = std::max(largest, static_cast<double>(std::abs(value)));
    REQUIRE(std::abs(norm(p) - 1) < 3e-15);
  }
  return largest;
}

}  // namespace

TEST_CASE("vertex_point: the centre of an octant") {
  const Vector3 p = vertex_point({1, 0, 0}, {0, 1, 0}, {0, 0, 1});
  CHECK(norm(p - normalized({1, 1, 1})) < 4e-16);
}

TEST_CASE("vertex_point: arcs of 50 km and more turn by less than 5e-15 of their length") {
  // The arc between two cells and the edge, whose ends are vertex points, are orthogonal to this accuracy.
  for (const double side : {0.3, 0.03, 0.008}) CHECK(largest_cosine(side, vertex_point) < 5e-15 * side);
}

TEST_CASE("vertex_point: below rounding at any length, and better than in doubles alone") {
  for (const double side : {1e-3, 1e-6}) {
    const double cosine = largest_cosine(side, vertex_point);
    CHECK(cosine < 6e-17);
    CHECK(3 * cosine < largest_cosine(side, circumcentre));
  }
}
