#include "halcyon/mesh/generate/lloyd.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/base/parallel.hpp"
#include "halcyon/mesh/generate/predicates.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::mesh {

namespace {

/// A point of the cube, of sides -1 .. 1; u and v as in SpacingTable's operator().
Vector3 on_cube(int face, double u, double v) {
  const double side = face % 2 == 0 ? 1 : -1;
  if (face / 2 == 0) return {side, u, v};
  if (face / 2 == 1) return {v, side, u};
  return {u, v, side};
}

}  // namespace

SpacingTable::SpacingTable(int n, std::vector<float> values) : n_(n), values_(std::move(values)) {
  require<ConfigError>(n >= 1, "A table of spacing has {} steps a side. Give at least 1.", n);
  const std::size_t size = 6 * std::size_t(n + 1) * (n + 1);
  require<InputError>(values_.size() == size,
                      "A table of spacing with {} steps a side has {} values, not {}.", n, size,
                      values_.size());
  for (std::size_t i = 0; i < size; ++i)
    require<InputError>(values_[i] > 0 && std::isfinite(values_[i]),
                        "Spacing is {} at node {} of its table. Spacing must be positive everywhere.",
                        values_[i], i);
}

std::vector<Vector3> SpacingTable::nodes(int n) {
  require<ConfigError>(n >= 1, "A table of spacing has {} steps a side. Give at least 1.", n);
  std::vector<Vector3> points;
  points.reserve(6 * std::size_t(n + 1) * (n + 1));
  for (int face = 0; face < 6; ++face)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i)
        points.push_back(normalized(on_cube(face, 2.0 * i / n - 1, 2.0 * j / n - 1)));
  return points;
}

double SpacingTable::n_cells() const {
  double cells = 0;
  const double step = 2.0 / n_;
  for (int face = 0; face < 6; ++face)
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i < n_; ++i) {
        const double u = (i + 0.5) * step - 1, v = (j + 0.5) * step - 1;
        const double solid = step * step / std::pow(1 + u * u + v * v, 1.5);  // of the cell of the table
        const double h = on_face(face, u, v);
        cells += 2 / std::sqrt(3.0) * solid / (h * h);
      }
  return cells;
}

SpacingTable SpacingTable::scaled(double factor) const {
  std::vector<float> values = values_;
  for (float& value : values) value = static_cast<float>(factor * value);
  return {n_, std::move(values)};
}

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
