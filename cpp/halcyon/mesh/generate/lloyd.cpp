#include "halcyon/mesh/generate/lloyd.hpp"

#include <cmath>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/base/parallel.hpp"

namespace halcyon::mesh {
namespace {

/// What the triangles of a cell, each of a point and two vertices, add up to.
struct Sums {
  Vector3 moment;   ///< twice the integral of density times the way from the point, times 12
  double mass = 0;  ///< twice the integral of density, times 3
  double twice_area = 0;
};

/// Density h^-4 at the circumcentres and points.
class VariedDensity {
 public:
  VariedDensity(const MovingDelaunay& delaunay, const SpacingTable& spacing)
      : delaunay_(delaunay), spacing_(spacing), at_centres_(delaunay.centres().size()) {
    for_each_index(static_cast<std::int64_t>(at_centres_.size()), delaunay.threads(), [&](std::int64_t i) {
      at_centres_[i] = density(delaunay.centre(static_cast<LocalIndex>(i)));
    });
  }
  double at_point(Vector3 p) const { return density(p); }
  double at_centre(LocalIndex triangle) const { return at_centres_[triangle]; }

 private:
  double density(Vector3 p) const {
    const double h = spacing_(p);
    return 1 / (h * h * h * h);
  }
  const MovingDelaunay& delaunay_;
  const SpacingTable& spacing_;
  std::vector<double> at_centres_;
};

struct EvenDensity {
  double at_point(Vector3) const { return 1; }
  double at_centre(LocalIndex) const { return 1; }
};

/// Sums over the Voronoi cell of a point, walking counter-clockwise around it.
template <class Density>
Sums cell_sums(const MovingDelaunay& delaunay, const Density& density, LocalIndex cell) {
  const Triangulation& t = delaunay.triangulation();
  const Vector3 p = t.points[cell];
  const double at_p = density.at_point(p);
  Sums sums;
  const LocalIndex first = delaunay.triangle_at(cell);
  Vector3 right = delaunay.centre(first) - p;
  double at_right = density.at_centre(first);
  LocalIndex at = first;
  do {
    at = t.neighbours[at][next_corner(corner_of(t.corners[at], cell))];
    const Vector3 left = delaunay.centre(at) - p;
    const double at_left = density.at_centre(at);
    const double twice_area = dot(p, cross(right, left));
    const double sum = at_p + at_right + at_left;
    sums.moment = sums.moment + twice_area * ((sum + at_right) * right + (sum + at_left) * left);
    sums.mass += twice_area * sum;
    sums.twice_area += twice_area;
    right = left;
    at_right = at_left;
  } while (at != first);
  return sums;
}

template <class Density>
Step find_centroids(const MovingDelaunay& delaunay, const Density& density, std::span<const Vector3> before,
                    std::vector<Vector3>& found) {
  const auto& points = delaunay.triangulation().points;
  const auto n = static_cast<std::int64_t>(points.size());
  found.resize(points.size());
  std::vector<Step> steps(n_blocks(n));
  for_blocks(n, delaunay.threads(), [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    for (auto cell = static_cast<LocalIndex>(begin); cell < end; ++cell) {
      const Sums sums = cell_sums(delaunay, density, cell);
      found[cell] = normalized(points[cell] + (1 / (4 * sums.mass)) * sums.moment);
      const Vector3 way = found[cell] - points[cell];
      const double spacings = std::sqrt(3.0) / sums.twice_area;  // in a length, squared
      steps[block].move += std::sqrt(dot(way, way) * spacings);
      steps[block].back -= dot(way, found[cell] - before[cell]) * spacings;
    }
  });
  Step mean{};
  for (const Step& step : steps) {
    mean.move += step.move / static_cast<double>(n);
    mean.back += step.back / static_cast<double>(n);
  }
  return mean;
}

/// The next place to evaluate: beyond `reached` on the way from `before`, into `before`.
void look_ahead(std::vector<Vector3>& before, const std::vector<Vector3>& reached, double momentum,
                int threads) {
  for_each_index(static_cast<std::int64_t>(reached.size()), threads, [&](std::int64_t p) {
    before[p] = normalized(reached[p] + momentum * (reached[p] - before[p]));
  });
}

}  // namespace

Step centroids(const MovingDelaunay& delaunay, const SpacingTable* spacing, std::span<const Vector3> before,
               std::vector<Vector3>& centroids) {
  if (spacing == nullptr) return find_centroids(delaunay, EvenDensity{}, before, centroids);
  return find_centroids(delaunay, VariedDensity(delaunay, *spacing), before, centroids);
}

Relaxed relax(Triangulation start, const SpacingTable* spacing, const RelaxOptions& options,
              const RelaxProgress& progress) {
  require<ConfigError>(options.tolerance > 0, "The tolerance is {}, but must be positive.",
                       options.tolerance);
  require<ConfigError>(options.limit >= 1, "At most {} iterations are allowed. Allow at least 1.",
                       options.limit);
  std::vector<Vector3> before = start.points, reached;
  MovingDelaunay delaunay(std::move(start), options.threads);
  double ahead = 1;
  for (int iteration = 1;; ++iteration) {
    const Step step = centroids(delaunay, spacing, before, reached);
    if (progress) progress(iteration, step.move);
    if (step.move < options.tolerance || iteration == options.limit) {
      delaunay.move_to(reached);
      return {delaunay.triangulation(), iteration, step.move};
    }
    if (step.back > 0) ahead = 1;
    const double next = (1 + std::sqrt(1 + 4 * ahead * ahead)) / 2;
    look_ahead(before, reached, (ahead - 1) / next, options.threads);
    ahead = next;
    delaunay.move_to(before);
    std::swap(before, reached);
  }
}

}  // namespace halcyon::mesh
