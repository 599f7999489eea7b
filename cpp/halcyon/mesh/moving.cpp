#include "halcyon/mesh/moving.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/base/parallel.hpp"
#include "halcyon/mesh/geometry.hpp"
#include "halcyon/mesh/predicates.hpp"

namespace halcyon::mesh {
namespace {

constexpr int kMostSteps = 16;  ///< tries of a move that is made in steps

/// Below this multiple of the squared length of a triangle's sides, a determinant's sign is in doubt: its
/// products are less than six cubes of lengths, lengths are at most 2, and rounding adds kDeterminantError.
constexpr double kDoubt = 12 * kDeterminantError;

}  // namespace

MovingDelaunay::MovingDelaunay(Triangulation triangulation, int threads)
    : t_(std::move(triangulation)),
      threads_(thread_count(threads)),
      centres_(t_.corners.size()),
      triangle_at_(first_triangles(t_)) {
  require<InputError>(settle(),
                      "A triangle does not run counter-clockwise. Give a triangulation that covers "
                      "the sphere once.");
}

/// Finds the circumcentre of a triangle, and those of its sides to larger triangles that may have to be
/// flipped.
/// @returns whether it runs counter-clockwise
bool MovingDelaunay::examine_triangle(LocalIndex i, std::vector<Side>& suspects) {
  const Triangle& corners = t_.corners[i];
  const Vector3 a = t_.points[corners[0]], b = t_.points[corners[1]], c = t_.points[corners[2]];
  const Vector3 ab = b - a, ac = c - a, normal = cross(ab, ac);
  const double sides = dot(ab, ab) + dot(ac, ac);
  centres_[i] = normalized(normal);
  if (dot(a, normal) <= kDoubt * sides && turn(a, b, c) <= 0) return false;
  for (int k = 0; k < 3; ++k) {
    const LocalIndex other = t_.neighbours[i][k];
    if (other < i) continue;
    const Triangle& far = t_.corners[other];
    const LocalIndex opposite = far[0] ^ far[1] ^ far[2] ^ corners[next_corner(k)] ^ corners[last_corner(k)];
    const Vector3 ad = t_.points[opposite] - a;
    if (dot(ad, normal) > -kDoubt * (sides + dot(ad, ad))) suspects.push_back({i, k});
  }
  return true;
}

/// Examines all triangles. @returns whether all run counter-clockwise
bool MovingDelaunay::examine(std::vector<Side>& suspects) {
  std::vector<std::vector<Side>> found(n_blocks(t_.n_triangles()));
  std::atomic<bool> whole = true;
  for_blocks(t_.n_triangles(), threads_, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<LocalIndex>(begin); i < end; ++i)
      if (!examine_triangle(i, found[block])) whole = false;
  });
  for (const auto& some : found) suspects.insert(suspects.end(), some.begin(), some.end());
  return whole;
}

/// Makes the triangulation Delaunay again, if its triangles run counter-clockwise. @returns whether they do
bool MovingDelaunay::settle() {
  std::vector<Side> suspects;
  if (!examine(suspects)) return false;
  std::vector<LocalIndex> touched;
  restore_delaunay(t_, std::move(suspects), touched);
  for (const LocalIndex i : touched) {
    const auto [a, b, c] = t_.corners[i];
    centres_[i] = circumcentre(t_.points[a], t_.points[b], t_.points[c]);
    for (const LocalIndex corner : t_.corners[i]) triangle_at_[corner] = i;
  }
  return true;
}

void MovingDelaunay::move_to(std::vector<Vector3>& points) {
  std::swap(t_.points, points);
  if (settle()) return;
  const std::vector<Vector3> targets = t_.points;
  std::vector<Vector3> reached = points;
  double part = 1;
  for (int step = 0; step < kMostSteps; ++step) {
    for_each_index(t_.n_points(), threads_, [&](std::int64_t p) {
      t_.points[p] = normalized(reached[p] + part * (targets[p] - reached[p]));
    });
    const bool arrived = settle();
    if (arrived && part == 1) return;
    if (arrived) reached = t_.points;
    part = arrived ? 1 : part / 2;
  }
  t_.points = reached;
  require<InternalError>(settle(), "Points could not be moved without turning over a triangle.");
}

}  // namespace halcyon::mesh
