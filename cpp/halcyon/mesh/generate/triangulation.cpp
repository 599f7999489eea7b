#include "halcyon/mesh/generate/triangulation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/generate/predicates.hpp"

namespace halcyon::mesh {
namespace {

constexpr double kOnSphere = 1e-6;  ///< tolerated deviation of a point's (generator's) distance from 1

void check_points(std::span<const Vector3> points) {
  require<InputError>(points.size() >= 4, "A mesh of {} points cannot be made. Give at least 4.",
                      points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    require<InputError>(std::abs(norm(points[i]) - 1) < kOnSphere,
                        "Generator {} lies {} from the centre, not on the unit sphere. Scale the points to "
                        "length 1.",
                        i, norm(points[i]));
}

/// Returns triangle number `index` with its corners c counter-clockwise.
Triangle oriented(Triangle c, std::size_t index, std::span<const Vector3> points) {
  const auto n = static_cast<LocalIndex>(points.size());
  for (const LocalIndex i : c)
    require<InputError>(i >= 0 && i < n, "Triangle {} names generator {}, but generators are numbered 0..{}.",
                        index, i, n - 1);
  const int side = orientation(points[c[0]], points[c[1]], points[c[2]]);
  require<InputError>(side != 0, "Triangle {} (generators {}, {}, {}) has no area. Remove duplicate points.",
                      index, c[0], c[1], c[2]);
  if (side < 0) std::swap(c[1], c[2]);
  return c;
}

/// The triangles with a corner at point p: triangles[offsets[p]] .. triangles[offsets[p + 1] - 1].
struct Incidence {
  std::vector<LocalIndex> offsets, triangles;
};

Incidence find_incidence(LocalIndex n_points, std::span<const Triangle> corners) {
  Incidence result{std::vector<LocalIndex>(n_points + 1, 0), std::vector<LocalIndex>(3 * corners.size())};
  for (const Triangle& c : corners)
    for (const LocalIndex p : c) ++result.offsets[p + 1];
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  std::vector<LocalIndex> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (const LocalIndex p : corners[i]) result.triangles[next[p]++] = static_cast<LocalIndex>(i);
  return result;
}

/// Returns the triangle on the other side of the side from `from` to `to` of triangle `self`.
LocalIndex neighbour_across(const Incidence& incidence, std::span<const Triangle> corners, LocalIndex self,
                            LocalIndex from, LocalIndex to) {
  LocalIndex neighbour = kNone;
  for (LocalIndex i = incidence.offsets[from]; i < incidence.offsets[from + 1]; ++i) {
    const Triangle& c = corners[incidence.triangles[i]];
    if (incidence.triangles[i] == self || c[previous_corner(corner_of(c, from))] != to) continue;
    require<InputError>(neighbour == kNone,
                        "Three triangles meet between generators {} and {}. Give a "
                        "triangulation that covers the sphere once.",
                        from, to);
    neighbour = incidence.triangles[i];
  }
  require<InputError>(neighbour != kNone,
                      "The triangles do not close around generator {}. Give a triangulation of the whole "
                      "sphere, without duplicate points.",
                      from);
  return neighbour;
}

void find_neighbours(Triangulation& t) {
  const Incidence incidence = find_incidence(t.n_points(), t.corners);
  t.neighbours.resize(t.corners.size());
  for (LocalIndex i = 0; i < t.n_triangles(); ++i)
    for (int k = 0; k < 3; ++k)
      t.neighbours[i][k] = neighbour_across(incidence, t.corners, i, t.corners[i][next_corner(k)],
                                            t.corners[i][previous_corner(k)]);
}

/// Rotates the corners of a triangle so that the smallest comes first.
void start_at_smallest(Triangle& corners, Triangle& neighbours) {
  const auto first = std::ranges::min_element(corners) - corners.begin();
  std::ranges::rotate(corners, corners.begin() + first);
  std::ranges::rotate(neighbours, neighbours.begin() + first);
}

/// Returns the position of each triangle when sorted by corners; each must start at its smallest corner.
std::vector<LocalIndex> sorted_positions(const Triangulation& t) {
  const Incidence incidence = find_incidence(t.n_points(), t.corners);
  std::vector<LocalIndex> new_index(t.corners.size(), kNone);
  LocalIndex next = 0;
  std::vector<LocalIndex> starting_here;
  for (LocalIndex p = 0; p < t.n_points(); ++p) {
    starting_here.clear();
    for (LocalIndex i = incidence.offsets[p]; i < incidence.offsets[p + 1]; ++i)
      if (t.corners[incidence.triangles[i]][0] == p) starting_here.push_back(incidence.triangles[i]);
    std::ranges::sort(starting_here, {}, [&](LocalIndex i) { return t.corners[i]; });
    for (const LocalIndex i : starting_here) new_index[i] = next++;
  }
  return new_index;
}

/// Returns the new index of each point. @param order the old index of each point
std::vector<LocalIndex> inverse(std::span<const LocalIndex> order) {
  std::vector<LocalIndex> new_index(order.size(), kNone);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const LocalIndex old = order[i];
    require<InputError>(old >= 0 && old < static_cast<LocalIndex>(order.size()) && new_index[old] == kNone,
                        "Entry {} of the order is {}, which is out of range or repeated. Give a permutation "
                        "of 0..{}.",
                        i, old, order.size() - 1);
    new_index[old] = static_cast<LocalIndex>(i);
  }
  return new_index;
}

}  // namespace

Triangulation triangulation_of(std::span<const Vector3> points, std::span<const Triangle> triangles) {
  check_points(points);
  require<InputError>(triangles.size() == 2 * points.size() - 4,
                      "{} triangles cannot cover the sphere with {} generators, which takes {}. Give a "
                      "triangulation of the whole sphere, in which every generator is a corner.",
                      triangles.size(), points.size(), 2 * points.size() - 4);
  Triangulation t{{points.begin(), points.end()}, {}, {}};
  t.corners.reserve(triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) t.corners.push_back(oriented(triangles[i], i, points));
  find_neighbours(t);
  return t;
}

Triangulation icosahedron() {
  const double golden = (1 + std::sqrt(5.0)) / 2;
  std::vector<Vector3> points;
  for (const double a : {-1.0, 1.0})
    for (const double b : {-golden, golden})
      points.insert(points.end(), {normalized({0, a, b}), normalized({b, 0, a}), normalized({a, b, 0})});
  const auto are_near = [&](LocalIndex i, LocalIndex j) { return dot(points[i], points[j]) > 0.4; };
  std::vector<Triangle> faces;
  for (LocalIndex i = 0; i < 12; ++i)
    for (LocalIndex j = i + 1; j < 12; ++j)
      for (LocalIndex k = j + 1; k < 12; ++k)
        if (are_near(i, j) && are_near(j, k) && are_near(k, i)) faces.push_back({i, j, k});
  return triangulation_of(points, faces);
}

Triangulation ordered(const Triangulation& from, std::span<const LocalIndex> order) {
  require<InputError>(order.size() == from.points.size(),
                      "The order has {} entries, but the triangulation has {} points.", order.size(),
                      from.points.size());
  const auto new_point = inverse(order);
  Triangulation t{{}, from.corners, from.neighbours};
  t.points.reserve(order.size());
  for (const LocalIndex old : order) t.points.push_back(from.points[old]);
  for (LocalIndex i = 0; i < t.n_triangles(); ++i) {
    for (LocalIndex& corner : t.corners[i]) corner = new_point[corner];
    start_at_smallest(t.corners[i], t.neighbours[i]);
  }
  const auto new_triangle = sorted_positions(t);
  Triangulation sorted{std::move(t.points), std::vector<Triangle>(t.corners.size()),
                       std::vector<Triangle>(t.corners.size())};
  for (LocalIndex i = 0; i < t.n_triangles(); ++i) {
    sorted.corners[new_triangle[i]] = t.corners[i];
    for (int k = 0; k < 3; ++k) sorted.neighbours[new_triangle[i]][k] = new_triangle[t.neighbours[i][k]];
  }
  return sorted;
}

std::vector<LocalIndex> first_triangles(const Triangulation& t) {
  std::vector<LocalIndex> first(t.points.size(), kNone);
  for (LocalIndex i = t.n_triangles() - 1; i >= 0; --i)
    for (const LocalIndex corner : t.corners[i]) first[corner] = i;
  return first;
}

namespace {

/// Indices in the finer triangulation, in the order of their first use by the triangles.
struct Numbering {
  std::vector<LocalIndex> point;   ///< (point) new index
  std::vector<Triangle> midpoint;  ///< (triangle) midpoints of the sides opposite its corners
  LocalIndex n = 0;                ///< number of new points
};

Numbering number_points(const Triangulation& t) {
  Numbering numbering{std::vector<LocalIndex>(t.points.size(), kNone),
                      std::vector<Triangle>(t.corners.size())};
  for (LocalIndex i = 0; i < t.n_triangles(); ++i) {
    for (int k = 0; k < 3; ++k) {
      LocalIndex& point = numbering.point[t.corners[i][k]];
      if (point == kNone) point = numbering.n++;
      const LocalIndex other = t.neighbours[i][k];
      numbering.midpoint[i][k] =
          i < other ? numbering.n++ : numbering.midpoint[other][corner_of(t.neighbours[other], i)];
    }
  }
  return numbering;
}

/// Returns the points of the finer triangulation.
std::vector<Vector3> compute_points(const Triangulation& t, const Numbering& numbering) {
  std::vector<Vector3> points(numbering.n);
  for (LocalIndex p = 0; p < t.n_points(); ++p) points[numbering.point[p]] = t.points[p];
  for (LocalIndex i = 0; i < t.n_triangles(); ++i)
    for (int k = 0; k < 3; ++k)
      if (i < t.neighbours[i][k])
        points[numbering.midpoint[i][k]] =
            normalized(t.points[t.corners[i][next_corner(k)]] + t.points[t.corners[i][previous_corner(k)]]);
  return points;
}

}  // namespace

Triangulation bisected(const Triangulation& t) {
  require<InputError>(t.n_points() < (1 << 28),  // 8 new triangles per point must fit 32-bit indices
                      "A mesh of {} points is too large to be refined.", t.n_points());
  const Numbering numbering = number_points(t);
  Triangulation fine{compute_points(t, numbering), {}, {}};
  // Triangle i becomes 4 i .. 4 i + 2 at its corners and 4 i + 3 in the middle.
  fine.corners.reserve(4 * t.corners.size());
  fine.neighbours.reserve(4 * t.corners.size());
  for (LocalIndex i = 0; i < t.n_triangles(); ++i) {
    const auto child_at = [&](LocalIndex triangle, LocalIndex point) {
      return 4 * triangle + corner_of(t.corners[triangle], point);
    };
    const Triangle& middle = numbering.midpoint[i];
    for (int k = 0; k < 3; ++k) {
      const LocalIndex corner = t.corners[i][k];
      fine.corners.push_back({numbering.point[corner], middle[previous_corner(k)], middle[next_corner(k)]});
      fine.neighbours.push_back({4 * i + 3, child_at(t.neighbours[i][next_corner(k)], corner),
                                 child_at(t.neighbours[i][previous_corner(k)], corner)});
    }
    fine.corners.push_back(middle);
    fine.neighbours.push_back({4 * i, 4 * i + 1, 4 * i + 2});
  }
  return fine;
}

}  // namespace halcyon::mesh
