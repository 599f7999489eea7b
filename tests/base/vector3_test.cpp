#include "halcyon/base/vector3.hpp"

#include "test.hpp"

using namespace halcyon;
using doctest::Approx;

TEST_CASE("Vector3: sums, differences and multiples go by component") {
  const Vector3 sum = Vector3{1, 2, 3} + Vector3{4, 5, 6};
  CHECK(sum.x == 5);
  CHECK(sum.y == 7);
  CHECK(sum.z == 9);
  const Vector3 difference = Vector3{1, 2, 3} - Vector3{4, 6, 8};
  CHECK(difference.x == -3);
  CHECK(difference.y == -4);
  CHECK(difference.z == -5);
  CHECK((2 * Vector3{1, 2, 3}).z == 6);
}

TEST_CASE("Vector3: the cross product is right-handed and normal to both") {
  const Vector3 z = cross({1, 0, 0}, {0, 1, 0});
  CHECK(z.x == 0);
  CHECK(z.y == 0);
  CHECK(z.z == 1);
  const Vector3 a{1, -2, 3}, b{.5, 4, -1};
  CHECK(dot(cross(a, b), a) == Approx(0));
  CHECK(dot(cross(a, b), b) == Approx(0));
}

TEST_CASE("Vector3: Lagrange's identity of dot and cross product") {
  const Vector3 a{1, -2, 3}, b{.5, 4, -1};
  const Vector3 c = cross(a, b);
  CHECK(dot(c, c) == Approx(dot(a, a) * dot(b, b) - dot(a, b) * dot(a, b)));
}

TEST_CASE("Vector3: norm and direction") {
  CHECK(norm({2, 3, 6}) == 7);
  const Vector3 unit = normalized({2, 3, 6});
  CHECK(norm(unit) == Approx(1));
  CHECK(unit.z == Approx(6. / 7));
}
