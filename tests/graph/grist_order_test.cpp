
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/graph/curve.hpp"
#include "halcyon/graph/order.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::graph;

namespace {

/// Steps to the six neighbours in oblique coordinates, counter-clockwise.
constexpr int kSteps[6][2] = {{0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}, {1, 0}};

/// A rhombus of n x n hexagons: node i n + j has the oblique coordinates (i, j). The neighbour lists of
/// different nodes begin in different directions; the list of node 0 begins with direction 0.
struct Rhombus {
  std::vector<LocalIndex> offsets{0}, neighbours;

  explicit Rhombus(int n) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int side = 0; side < 6; ++side) {
          const auto& step = kSteps[(side + i * 5 + j) % 6];
          const int x = i + step[0], y = j + step[1];
          neighbours.push_back(x < 0 || y < 0 || x >= n || y >= n ? kNone : x * n + y);
        }
        offsets.push_back(static_cast<LocalIndex>(neighbours.size()));
      }
    }
  }
  NeighbourLists lists() const { return {offsets, neighbours}; }
};

/// The point at a latitude and longitude [degrees].
Vector3 point(double latitude, double longitude) {
  const double lat = latitude * kPi / 180, lon = longitude * kPi / 180;
  return {std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon), std::sin(lat)};
}

}  // namespace

TEST_CASE("grist order: oblique places of hexagons, wherever their lists begin") {
  // The coordinates found from the neighbour lists alone are those from which the lists were made.
  const int n = 8;
  const Rhombus rhombus(n);
  const auto coordinates = oblique_coordinates(rhombus.lists());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) CHECK(coordinates[i * n + j] == Oblique{i, j});
}

TEST_CASE("grist order: Hilbert's curve from (0, 0) to the end of x, a step at a time") {
  const int n = 8;
  const auto order = grist_hilbert_order(Rhombus(n).lists());
  CHECK(order.front() == 0);
  CHECK(order.back() == (n - 1) * n);
  CHECK(std::set(order.begin(), order.end()).size() == n * n);
  for (std::size_t k = 1; k < order.size(); ++k) {
    const int x = order[k] / n - order[k - 1] / n, y = order[k] % n - order[k - 1] % n;
    CHECK(std::abs(x) + std::abs(y) == 1);
  }
  for (const int levels : {1, 3, 5, 6}) {
    CHECK(hilbert_index(0, 0, levels) == 0);
    CHECK(hilbert_index((1U << levels) - 1, 0, levels) == (1ULL << 2 * levels) - 1);
  }
  const std::uint64_t first[] = {hilbert_index(0, 0, 1), hilbert_index(0, 1, 1), hilbert_index(1, 1, 1),
                                 hilbert_index(1, 0, 1)};
  for (std::uint64_t k = 0; k < 4; ++k) CHECK(first[k] == k);
}

TEST_CASE("grist order: what is no hexagon hands no place on") {
  // Coordinates spread only from hexagons: node 7, a neighbour of a pentagon only, keeps (0, 0).
  // Node 1 is a pentagon next to the hexagon 0; node 7 is a neighbour of node 1 only.
  const std::vector<LocalIndex> offsets{0, 6, 11, 14, 17, 20, 23, 26, 27};
  const std::vector<LocalIndex> neighbours{1, 2, 3, 4, 5, 6, 0, 6, 7, kNone, 2, 0, 1, 3,
                                           0, 2, 4, 0, 3, 5, 0, 4, 6, 0,     5, 1, 1};
  const auto coordinates = oblique_coordinates({offsets, neighbours});
  CHECK(coordinates[1] == Oblique{0, 1});
  CHECK(coordinates[6] == Oblique{1, 0});
  CHECK(coordinates[7] == Oblique{0, 0});
}

TEST_CASE("grist order: without a hexagon nodes stay as they are") {
  const std::vector<LocalIndex> offsets{0, 1, 2}, neighbours{1, 0};
  CHECK(grist_hilbert_order({offsets, neighbours}) == std::vector<LocalIndex>{0, 1});
  CHECK(grist_hilbert_order({std::vector<LocalIndex>{0}, {}}).empty());
}

TEST_CASE("grist order: the paper's intervals and text, of the point that they are of") {
  // The paper states (31 N, 121 E), but its bits and its GeoHash are those of 31.19 N 121.44 E; both points
  // have the same first 3 characters.
  const double latitude = 31.1932993, longitude = 121.4396019;
  CHECK(bisection_index(latitude, -90, 90, 15) == 0b101011000101110);
  CHECK(bisection_index(longitude, -180, 180, 15) == 0b110101100101101);
  CHECK(morton_index(0b110101100101101, 0b101011000101110) == 0b111001100111100000110011110110);
  CHECK(geohash(latitude, longitude, 6) == "wtw37q");
  CHECK(bisection_index(31, -90, 90, 15) == 0b101011000001011);
  CHECK(geohash(31, 121, 3) == "wtw");
  CHECK(geohash(31, 121, 6) == "wtw037");
}

TEST_CASE("grist order: known GeoHashes, and the ends of the map") {
  CHECK(geohash(57.64911, 10.40744, 11) == "u4pruydqqvj");
  CHECK(geohash(42.605, -5.603, 5) == "ezs42");
  CHECK(geohash(-90, -180, 12) == "000000000000");
  CHECK(geohash(90, 180, 12) == "zzzzzzzzzzzz");
  CHECK(geohash(0, 0, 1) == "s");
  CHECK_THROWS_WITH_AS(
      geohash(91, 0, 6),
      "There is no point at latitude 91 and longitude 0. Give -90..90 and -180..180 degrees.", InputError);
  CHECK_THROWS_AS(geohash(0, std::nan(""), 6), InputError);
  CHECK_THROWS_WITH_AS(geohash(0, 0, 13), "A GeoHash cannot have 13 characters. Give 1 to 12.", ConfigError);
}

TEST_CASE("grist order: points come as their GeoHashes are sorted") {
  std::vector<Vector3> points;
  std::vector<std::pair<std::string, LocalIndex>> texts;
  for (int i = 0; i < 400; ++i) {
    const double latitude = std::fmod(i * 77.31, 179.0) - 89.5,
                 longitude = std::fmod(i * 131.17, 359.0) - 179.5;
    points.push_back(point(latitude, longitude));
    texts.emplace_back(geohash(latitude, longitude, 8), i);
  }
  std::ranges::sort(texts);
  const auto order = grist_morton_order(points);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == texts[i].second);
  const std::vector<Vector3> off_sphere{{0, 0, 2}};
  CHECK_THROWS_AS(grist_morton_order(off_sphere), InputError);
}

TEST_CASE("grist order: by name, too") {
  const Rhombus rhombus(4);
  const std::vector<Vector3> points{point(10, 10), point(-10, 10)};
  CHECK(order_of(order_named("grist_hilbert"), rhombus.lists(), {}) == grist_hilbert_order(rhombus.lists()));
  CHECK(order_of(order_named("grist_morton"), rhombus.lists(), points) == std::vector<LocalIndex>{1, 0});
}
