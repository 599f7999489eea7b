#include "halcyon/graph/curve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "halcyon/base/error.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::graph;

namespace {

/// The centres of n x n equal squares on each face of the cube [-1, 1]^3.
std::vector<Vector3> squares(int n) {
  std::vector<Vector3> points;
  for (const double side : {-1.0, 1.0}) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const double u = (2 * i + 1.0) / n - 1, v = (2 * j + 1.0) / n - 1;
        points.insert(points.end(), {{side, u, v}, {v, side, u}, {u, v, side}});
      }
    }
  }
  return points;
}

std::vector<Vector3> on_sphere(std::vector<Vector3> points) {
  for (Vector3& p : points) p = normalized(p);
  return points;
}

/// The lengths of the steps of a closed path over the points, in the maximum norm.
std::vector<double> steps(const std::vector<Vector3>& points, const std::vector<LocalIndex>& order) {
  std::vector<double> lengths;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Vector3 step = points[order[(i + 1) % order.size()]] - points[order[i]];
    lengths.push_back(std::max({std::abs(step.x), std::abs(step.y), std::abs(step.z)}));
  }
  return lengths;
}

}  // namespace

TEST_CASE("curve: Hilbert's goes from square to neighbouring square, over all faces and back to its start") {
  for (const int n : {1, 2, 8, 64}) {
    const auto points = squares(n);
    const auto order = hilbert_order(on_sphere(points));
    CHECK(std::set(order.begin(), order.end()).size() == points.size());
    CHECK(std::ranges::max(steps(points, order)) <= 2.0 / n + 1e-12);
  }
}

TEST_CASE("curve: Morton's fills quarter after quarter") {
  // Each block of 16 consecutive points is a square of 4 x 4; between blocks the curve jumps.
  const int n = 16;
  const auto points = squares(n);
  const auto order = morton_order(on_sphere(points));
  CHECK(std::set(order.begin(), order.end()).size() == points.size());
  for (std::size_t i = 0; i < order.size(); i += 16) {  // blocks of 4 x 4 squares
    for (std::size_t k = 1; k < 16; ++k) {
      const Vector3 offset = points[order[i + k]] - points[order[i]];
      CHECK(std::max({std::abs(offset.x), std::abs(offset.y), std::abs(offset.z)}) <= 3 * 2.0 / n + 1e-12);
    }
  }
  const auto jumps = steps(points, order);
  CHECK(std::ranges::count_if(jumps, [](double step) { return step > 2.5 / n; }) > 100);
}

TEST_CASE("curve: the same points keep their order, and corners of the cube have a place") {
  // Equal points stay in the order in which they were given.
  const Vector3 corner = normalized({-1, 1, -1}), pole{0, 0, 1};
  const std::vector<Vector3> points{pole, corner, pole, corner, pole};
  for (const auto& order : {hilbert_order(points), morton_order(points)}) {
    std::vector<LocalIndex> poles, corners;
    for (const LocalIndex i : order) (i % 2 ? corners : poles).push_back(i);
    CHECK(poles == std::vector<LocalIndex>{0, 2, 4});
    CHECK(corners == std::vector<LocalIndex>{1, 3});
  }
}

TEST_CASE("curve: points off the sphere are refused") {
  const std::vector<Vector3> points{{1, 0, 0}, {0, 0, 2}};
  CHECK_THROWS_WITH_AS(hilbert_order(points),
                       "Point 1 is at distance 2 from the centre. Give points on the unit sphere.",
                       InputError);
  const std::vector<Vector3> broken{{std::nan(""), 0, 0}};
  CHECK_THROWS_AS(morton_order(broken), InputError);
}
