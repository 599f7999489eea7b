#include "halcyon/mesh/generate/moving.hpp"

#include <algorithm>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/base/parallel.hpp"
#include "halcyon/mesh/generate/predicates.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::mesh {
namespace {

constexpr int kMostSteps = 40;  ///< tries to go part of the way

/// Below this multiple of the squared length of a triangle's sides, a determinant's sign is in doubt: its
/// products are less than six cubes of lengths, lengths are at most 2, and rounding adds kDeterminantError.
constexpr double kDoubt = 12 * kDeterminantError;

}  // namespace

MovingDelaunay::MovingDelaunay(Triangulation triangulation, int threads)
    : t_(std::move(triangulation)),
      threads_(thread_count(threads)),
      centres_(t_.corners.size()),
      triangle_at_(first_triangles(t_)) {
  require<InputError>(
      settle().empty(),
      "A triangle does not run counter-clockwise. Give a triangulation that covers the sphere "
      "once.");
}

/// Finds the circumcentre of a triangle, and whether it or its sides to larger triangles want attention.
void MovingDelaunay::examine_triangle(LocalIndex i, Findings& findings) {
  const Triangle& corners = t_.corners[i];
  const Vector3 a = t_.points[corners[0]], b = t_.points[corners[1]], c = t_.points[corners[2]];
  const Vector3 ab = b - a, ac = c - a, normal = cross(ab, ac);
  const double sides = dot(ab, ab) + dot(ac, ac);
  centres_[i] = normalized(normal);
  if (dot(a, normal) <= kDoubt * sides && turn(a, b, c) <= 0) findings.inverted.push_back(i);
  for (int k = 0; k < 3; ++k) {
    const LocalIndex other = t_.neighbours[i][k];
    if (other < i) continue;
    const Triangle& far = t_.corners[other];
    const LocalIndex opposite = far[0] ^ far[1] ^ far[2] ^ corners[next_corner(k)] ^ corners[last_corner(k)];
    const Vector3 ad = t_.points[opposite] - a;
    if (dot(ad, normal) > -kDoubt * (sides + dot(ad, ad))) findings.suspects.push_back({i, k});
  }
}

MovingDelaunay::Findings MovingDelaunay::examine() {
  std::vector<Findings> found(n_blocks(t_.n_triangles()));
  for_blocks(t_.n_triangles(), threads_, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<LocalIndex>(begin); i < end; ++i) examine_triangle(i, found[block]);
  });
  Findings all;
  for (const auto& [suspects, inverted] : found) {
    all.suspects.insert(all.suspects.end(), suspects.begin(), suspects.end());
    all.inverted.insert(all.inverted.end(), inverted.begin(), inverted.end());
  }
  return all;
}

/// Makes the triangulation Delaunay again, if all triangles run counter-clockwise. @returns those that do not
std::vector<LocalIndex> MovingDelaunay::settle() {
  Findings findings = examine();
  if (!findings.inverted.empty()) return std::move(findings.inverted);
  std::vector<LocalIndex> touched;
  restore_delaunay(t_, std::move(findings.suspects), touched);
  for (const LocalIndex i : touched) {
    const auto [a, b, c] = t_.corners[i];
    centres_[i] = circumcentre(t_.points[a], t_.points[b], t_.points[c]);
    for (const LocalIndex corner : t_.corners[i]) triangle_at_[corner] = i;
  }
  return {};
}

void MovingDelaunay::move_to(std::vector<Vector3>& points) {
  std::swap(t_.points, points);
  auto inverted = settle();
  if (inverted.empty()) return;
  const std::vector<Vector3> targets = t_.points;
  std::vector<double> part(targets.size(), 1.0);
  for (int step = 0; step < kMostSteps && !inverted.empty(); ++step) {
    for (const LocalIndex i : inverted)
      for (const LocalIndex p : t_.corners[i]) part[p] /= 2;
    for_each_index(t_.n_points(), threads_, [&](std::int64_t p) {
      if (part[p] < 1) t_.points[p] = normalized(points[p] + part[p] * (targets[p] - points[p]));
    });
    inverted = settle();
  }
  if (inverted.empty()) return;
  t_.points = points;
  require<InternalError>(settle().empty(), "Points could not be moved without turning over a triangle.");
}

}  // namespace halcyon::mesh
