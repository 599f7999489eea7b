#include "halcyon/base/error.hpp"
#include "halcyon/mesh/generate/triangulation.hpp"

namespace halcyon::mesh {
namespace {

/// The numbers of old points and of midpoints (those of a triangle's sides, opposite its corners) as the
/// triangles touch them first.
struct Numbering {
  std::vector<LocalIndex> point;
  std::vector<Triangle> midpoint;
  LocalIndex n = 0;
};

Numbering number_points(const Triangulation& t) {
  Numbering to{std::vector<LocalIndex>(t.points.size(), kNone), std::vector<Triangle>(t.corners.size())};
  for (LocalIndex i = 0; i < t.n_triangles(); ++i) {
    for (int k = 0; k < 3; ++k) {
      LocalIndex& point = to.point[t.corners[i][k]];
      if (point == kNone) point = to.n++;
      const LocalIndex other = t.neighbours[i][k];
      to.midpoint[i][k] = i < other ? to.n++ : to.midpoint[other][corner_of(t.neighbours[other], i)];
    }
  }
  return to;
}

/// The points of the finer triangulation.
std::vector<Vector3> place_points(const Triangulation& t, const Numbering& to) {
  std::vector<Vector3> points(to.n);
  for (LocalIndex p = 0; p < t.n_points(); ++p) points[to.point[p]] = t.points[p];
  for (LocalIndex i = 0; i < t.n_triangles(); ++i)
    for (int k = 0; k < 3; ++k)
      if (i < t.neighbours[i][k])
        points[to.midpoint[i][k]] =
            normalized(t.points[t.corners[i][next_corner(k)]] + t.points[t.corners[i][last_corner(k)]]);
  return points;
}

}  // namespace

Triangulation bisected(const Triangulation& t) {
  require<InputError>(t.n_points() < (1 << 28), "A mesh of {} points is too large to be refined.",
                      t.n_points());
  const Numbering to = number_points(t);
  Triangulation fine{place_points(t, to), {}, {}};
  fine.corners.reserve(4 * t.corners.size());
  fine.neighbours.reserve(4 * t.corners.size());
  for (LocalIndex i = 0; i < t.n_triangles(); ++i) {
    const auto child_at = [&](LocalIndex triangle, LocalIndex point) {
      return 4 * triangle + corner_of(t.corners[triangle], point);
    };
    const Triangle& middle = to.midpoint[i];
    for (int k = 0; k < 3; ++k) {
      const LocalIndex corner = t.corners[i][k];
      fine.corners.push_back({to.point[corner], middle[last_corner(k)], middle[next_corner(k)]});
      fine.neighbours.push_back({4 * i + 3, child_at(t.neighbours[i][next_corner(k)], corner),
                                 child_at(t.neighbours[i][last_corner(k)], corner)});
    }
    fine.corners.push_back(middle);
    fine.neighbours.push_back({4 * i, 4 * i + 1, 4 * i + 2});
  }
  return fine;
}

}  // namespace halcyon::mesh
