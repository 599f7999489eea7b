#include "halcyon/mesh/geometry/geometry.hpp"

#include "test.hpp"

using namespace halcyon;
using namespace halcyon::mesh;
using doctest::Approx;

const Vector3 kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

TEST_CASE("geometry: an octant has an eighth of the sphere, negative if clockwise") {
  CHECK(triangle_area(kX, kY, kZ) == Approx(kPi / 2).epsilon(1e-15));
  CHECK(triangle_area(kX, kZ, kY) == Approx(-kPi / 2).epsilon(1e-15));
}

TEST_CASE("geometry: a tiny triangle is flat") {
  const double side = 1e-6;
  const Vector3 b = normalized({1, side, 0}), c = normalized({1, 0, side});
  CHECK(triangle_area(kX, b, c) == Approx(side * side / 2).epsilon(1e-9));
}

TEST_CASE("geometry: arcs of any length") {
  CHECK(arc_length(kX, kY) == Approx(kPi / 2).epsilon(1e-15));
  CHECK(arc_length(kX, -1.0 * kX) == Approx(kPi).epsilon(1e-15));
  CHECK(arc_length(kX, normalized({1, 1e-8, 0})) == Approx(1e-8).epsilon(1e-14));
}

TEST_CASE("geometry: the circumcentre is as far from each corner") {
  const Vector3 centre = circumcentre(kX, kY, kZ);
  CHECK(arc_length(centre, kX) == Approx(arc_length(centre, kY)).epsilon(1e-15));
  CHECK(dot(centre, kX) > 0);
}

TEST_CASE("geometry: coordinates and directions") {
  CHECK(latitude(kZ) == Approx(kPi / 2));
  CHECK(longitude(-1.0 * kY) == Approx(1.5 * kPi));
  CHECK(angle_from_east(kX, kY) == Approx(0));
  CHECK(angle_from_east(kX, kZ) == Approx(kPi / 2));
}

TEST_CASE("geometry: great circles turn against the compass as meridians converge") {
  // The turn relative to north along a great circle, against spherical trigonometry.
  const auto point = [](double longitude, double latitude) {
    return Vector3{std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
                   std::sin(latitude)};
  };
  CHECK(compass_turn(point(0.3, 0), point(1.5, 0)) == Approx(0).epsilon(1e-14));
  CHECK(compass_turn(point(0.3, -0.5), point(0.3, 1.2)) == Approx(0).epsilon(1e-14));
  for (const double south : {-1.4, -0.2, 0.7, 1.5}) {
    for (const double eastward : {1e-4, 0.2, -2.0}) {
      const double north =
          south + 0.05;  // tan(turn/2) = tan(eastward/2) sin(mean latitude) / cos(half the step)
      const double expected =
          2 * std::atan(std::tan(eastward / 2) * std::sin(south + 0.025) / std::cos(0.025));
      CHECK(compass_turn(point(1, south), point(1 + eastward, north)) == Approx(expected).epsilon(1e-9));
      CHECK(compass_turn(point(1 + eastward, north), point(1, south)) == Approx(-expected).epsilon(1e-9));
    }
  }
}
