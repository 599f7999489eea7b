#include "halcyon/mesh/generate/triangulation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/generate/lloyd.hpp"
#include "halcyon/mesh/generate/predicates.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::mesh;

namespace {

/// Random points on the sphere, reproducible.
std::vector<Vector3> scattered(int n, unsigned seed) {
  std::mt19937 next(seed);
  const auto uniform = [&] { return static_cast<double>(next()) / (1LL << 31) - 1; };
  std::vector<Vector3> points;
  while (static_cast<int>(points.size()) < n) {
    const Vector3 p{uniform(), uniform(), uniform()};
    if (norm(p) > 0.1 && norm(p) < 1) points.push_back(normalized(p));
  }
  return points;
}

/// Whether all triangles are counter-clockwise and no circumcircle contains a corner of a neighbour.
bool is_delaunay(const Triangulation& t) {
  for (LocalIndex i = 0; i < t.n_triangles(); ++i) {
    const auto [a, b, c] = t.corners[i];
    if (orientation(t.points[a], t.points[b], t.points[c]) <= 0) return false;
    for (const LocalIndex other : t.neighbours[i])
      for (const LocalIndex d : t.corners[other])
        if (in_circle(t.points[a], t.points[b], t.points[c], t.points[d]) > 0) return false;
  }
  return true;
}

/// Whether the lists of neighbours are consistent with the corners.
bool is_linked(const Triangulation& t) {
  for (LocalIndex i = 0; i < t.n_triangles(); ++i)
    for (int k = 0; k < 3; ++k) {
      const LocalIndex other = t.neighbours[i][k];
      const int back = corner_of(t.neighbours[other], i);
      if (t.neighbours[other][back] != i) return false;
      if (t.corners[other][next_corner(back)] != t.corners[i][previous_corner(k)]) return false;
      if (t.corners[other][previous_corner(back)] != t.corners[i][next_corner(k)]) return false;
    }
  return true;
}

Triangulation delaunay_of(const std::vector<Vector3>& points) {
  Triangulation t = icosahedron();
  insert(t, points);
  return t;
}

std::set<Triangle> triangles_of(const Triangulation& t) {
  return {t.corners.begin(), t.corners.end()};
}

}  // namespace

TEST_CASE("triangulation: signs are right where doubles are not") {
  // Cases whose sign is lost, or wrong, in double precision.
  const Vector3 a{1, 0, 0}, b{0, 1, 0}, c{0, 0, 1};
  const double third = 1.0 / 3, tiny = std::ldexp(1.0, -54);
  CHECK(in_circle(a, b, c, {1, 1, 1}) == 1);
  CHECK(in_circle(a, b, c, {0, 0, 0}) == -1);
  CHECK(exact_in_circle(a, b, c, {0.25, 0.25, 0.5}) == 0);
  CHECK(in_circle(a, b, c, {0.25, 0.25, std::nextafter(0.5, 1.0)}) == 1);
  CHECK(in_circle(a, b, c, {0.25, 0.25, std::nextafter(0.5, 0.0)}) == -1);
  CHECK(in_circle(a, b, c, {third, third, third}) == -1);  // thirds are rounded down
  CHECK(orientation(a, b, c) == 1);
  CHECK(orientation(b, a, c) == -1);
  CHECK(orientation(a, b, {0.3, 0.7, 0}) == 0);
  CHECK(orientation({1, 1, 0}, {1, 1 + 2 * std::ldexp(1.0, -52), 0}, {0, 0, tiny}) == 1);
}

TEST_CASE("triangulation: exact signs agree with those of whole numbers") {
  std::mt19937 next(3);
  const auto whole = [&] { return static_cast<double>(static_cast<int>(next() % 2001) - 1000); };
  for (int i = 0; i < 2000; ++i) {
    Vector3 p[4];
    for (Vector3& q : p) q = {whole(), whole(), whole()};
    if (i % 2) p[3] = p[0] + (p[1] - p[0]) + (p[2] - p[0]);  // in the plane of p[0], p[1] and p[2]
    const Vector3 u = p[3] - p[0], v = p[1] - p[0], w = p[2] - p[0];
    CHECK(exact_in_circle(p[0], p[1], p[2], p[3]) == sign(dot(u, cross(v, w))));
    CHECK(exact_orientation(u, v, w) == sign(dot(u, cross(v, w))));
  }
}

TEST_CASE("triangulation: bisection gives 4 n - 6 points and keeps the links") {
  Triangulation t = icosahedron();
  for (LocalIndex n : {42, 162, 642}) {
    t = bisected(t);
    CHECK(t.n_points() == n);
    CHECK(t.n_triangles() == 2 * n - 4);
    CHECK(is_linked(t));
  }
  CHECK(is_delaunay(delaunay_of(scattered(100, 1))));
}

TEST_CASE("triangulation: insertion makes the Delaunay triangulation in any order of points") {
  auto points = scattered(500, 2);
  const Triangulation t = delaunay_of(points);
  CHECK(t.n_points() == 512);
  CHECK(is_linked(t));
  CHECK(is_delaunay(t));
  std::vector<LocalIndex> backwards(512);
  std::iota(backwards.begin(), backwards.begin() + 12, 0);
  for (LocalIndex i = 0; i < 500; ++i) backwards[12 + i] = 511 - i;
  std::vector<LocalIndex> same(512);
  std::iota(same.begin(), same.end(), 0);
  std::ranges::reverse(points);
  CHECK(triangles_of(ordered(delaunay_of(points), backwards)) == triangles_of(ordered(t, same)));
  Triangulation copy = t;  // a point twice is refused
  CHECK_THROWS_AS(insert(copy, std::vector{points[3]}), InputError);
}

TEST_CASE("triangulation: points on sides and at a pole are inserted") {
  Triangulation t = icosahedron();  // with the axes on its sides
  insert(t, std::vector<Vector3>{{0, 0, 1}, {1, 0, 0}, {0, -1, 0}, {0, 0, -1}});
  CHECK(t.n_points() == 16);
  CHECK(is_linked(t));
  CHECK(is_delaunay(t));
}

TEST_CASE("triangulation: moving points keeps the triangulation Delaunay, however far they go") {
  const Triangulation t = delaunay_of(scattered(800, 5));
  for (const double distance : {1e-9, 0.01, 0.1, 0.5}) {
    const auto noise = scattered(t.n_points(), 7);
    std::vector<Vector3> targets = t.points;
    for (std::size_t p = 0; p < targets.size(); ++p)
      targets[p] = normalized(targets[p] + distance * noise[p]);
    MovingDelaunay moving(t, 1);
    moving.move_to(targets);
    CHECK(is_linked(moving.triangulation()));
    CHECK(is_delaunay(moving.triangulation()));
    for (LocalIndex i = 0; i < t.n_triangles(); ++i) {
      const auto& moved = moving.triangulation();
      const Vector3 centre = moving.centre(i);
      const auto [a, b, c] = moved.corners[i];
      CHECK(norm(centre - moved.points[a]) == doctest::Approx(norm(centre - moved.points[b])).epsilon(1e-9));
      CHECK(norm(centre - moved.points[a]) == doctest::Approx(norm(centre - moved.points[c])).epsilon(1e-9));
    }
    for (LocalIndex p = 0; p < t.n_points(); ++p) {
      const Triangle& corners = moving.triangulation().corners[moving.triangle_at(p)];
      CHECK(std::ranges::count(corners, p) == 1);
    }
  }
}

TEST_CASE("triangulation: relaxing gives the same bits on any number of threads") {
  Triangulation start = delaunay_of(scattered(20000, 11));
  const RelaxResult single = relax(start, nullptr, {1e-12, 30, 1});
  CHECK(single.iterations == 30);
  for (const int threads : {2, 3}) {
    const RelaxResult several = relax(start, nullptr, {1e-12, 30, threads});
    CHECK(several.move == single.move);
    CHECK(several.triangulation.corners == single.triangulation.corners);
    for (LocalIndex p = 0; p < start.n_points(); ++p) {
      CHECK(several.triangulation.points[p].x == single.triangulation.points[p].x);
      CHECK(several.triangulation.points[p].z == single.triangulation.points[p].z);
    }
  }
  CHECK(is_delaunay(single.triangulation));
}

TEST_CASE("triangulation: momentum needs fewer iterations than Lloyd alone, and stops where asked") {
  Triangulation g4 = icosahedron();
  std::vector<double> moves;
  for (int level = 1; level <= 4; ++level) {
    moves.clear();
    RelaxResult relaxed =
        relax(bisected(g4), nullptr, {1e-8, 500, 1}, [&](int, double move) { moves.push_back(move); });
    CHECK(relaxed.move < 1e-8);
    CHECK(relaxed.iterations == static_cast<int>(moves.size()));
    g4 = std::move(relaxed.triangulation);
  }
  CHECK(moves.size() < 80);  // Lloyd alone takes 281 to a mean move of 1e-9 of the radius
  CHECK_THROWS_AS(relax(g4, nullptr, {0, 5, 1}), ConfigError);
  CHECK_THROWS_AS(relax(g4, nullptr, {1e-3, 0, 1}), ConfigError);
}

TEST_CASE("triangulation: two points that nearly coincide do not stop the others") {
  auto points = scattered(1500, 13);
  points.push_back(normalized(points[700] + Vector3{1e-7, 0, 0}));
  const RelaxResult relaxed = relax(delaunay_of(points), nullptr, {1e-12, 100, 1});
  CHECK(relaxed.move < 0.02);
  CHECK(is_delaunay(relaxed.triangulation));
}

TEST_CASE("triangulation: a table of spacing is exact at its nodes, continuous, and counts hexagons") {
  // The number of cells is the integral of 2 / (sqrt(3) h^2), h: spacing, over the sphere.
  const int n = 20;
  const auto nodes = SpacingTable::nodes(n);
  std::vector<float> values;
  for (const Vector3 p : nodes) values.push_back(static_cast<float>(2 + p.x + 0.3 * p.y * p.z));
  const SpacingTable table(n, values);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    CHECK(table(nodes[i]) == doctest::Approx(values[i]).epsilon(1e-5));
  for (const Vector3 p : scattered(2000, 4)) {
    CHECK(table(p) == doctest::Approx(2 + p.x + 0.3 * p.y * p.z).epsilon(2e-3));
    const Vector3 edge = normalized({p.x, p.x, p.z});  // where two faces meet
    CHECK(table(edge + Vector3{1e-12, 0, 0}) == doctest::Approx(table(edge - Vector3{1e-12, 0, 0})));
  }
  const SpacingTable even(40, std::vector<float>(6 * 41 * 41, 0.25f));
  CHECK(even.n_cells() == doctest::Approx(4 * kPi * 2 / std::sqrt(3.0) * 16).epsilon(1e-3));
  CHECK(even.scaled(2).n_cells() == doctest::Approx(even.n_cells() / 4));
  CHECK_THROWS_AS(SpacingTable(2, std::vector<float>(6 * 9, 0.0f)), InputError);
  CHECK_THROWS_AS(SpacingTable(2, std::vector<float>(6 * 9 - 1, 1.0f)), InputError);
}
