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

/// Returns a point on a face of the cube [-1, 1]^3; u and v as in SpacingTable's operator().
Vector3 on_cube(int face, double u, double v) {
  const double side = face % 2 == 0 ? 1 : -1;
  if (face / 2 == 0) return {side, u, v};
  if (face / 2 == 1) return {v, side, u};
  return {u, v, side};
}

}  // namespace

SpacingTable::SpacingTable(int n, std::vector<float> values) : n_(n), values_(std::move(values)) {
  require<ConfigError>(n >= 1, "A table of spacing has {} steps per side. Give at least 1.", n);
  const std::size_t size = 6 * std::size_t(n + 1) * (n + 1);
  require<InputError>(values_.size() == size,
                      "A table of spacing with {} steps per side has {} values, not {}.", n, size,
                      values_.size());
  for (std::size_t i = 0; i < size; ++i)
    require<InputError>(values_[i] > 0 && std::isfinite(values_[i]),
                        "Spacing is {} at node {} of its table. Spacing must be positive everywhere.",
                        values_[i], i);
}

std::vector<Vector3> SpacingTable::nodes(int n) {
  require<ConfigError>(n >= 1, "A table of spacing has {} steps per side. Give at least 1.", n);
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
        const double solid = step * step / std::pow(1 + u * u + v * v, 1.5);  // solid angle of the table cell
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

constexpr int kMaxSteps = 40;  ///< halvings of a move

/// Below this multiple of the squared side lengths of a triangle, the sign of a determinant is uncertain: its
/// products are less than six cubes of lengths, lengths are at most 2, and rounding adds kDeterminantError.
constexpr double kUncertainty = 12 * kDeterminantError;

}  // namespace

MovingDelaunay::MovingDelaunay(Triangulation triangulation, int threads)
    : t_(std::move(triangulation)),
      threads_(thread_count(threads)),
      centres_(t_.corners.size()),
      triangle_at_(first_triangles(t_)) {
  require<InputError>(
      restore().empty(),
      "A triangle does not run counter-clockwise. Give a triangulation that covers the sphere "
      "once.");
}

/// Computes the circumcentre of a triangle; adds the triangle to `findings` if it may be inverted, and its
/// sides to triangles of larger index that may have to be flipped.
void MovingDelaunay::examine_triangle(LocalIndex i, Findings& findings) {
  const Triangle& corners = t_.corners[i];
  const Vector3 a = t_.points[corners[0]], b = t_.points[corners[1]], c = t_.points[corners[2]];
  const Vector3 ab = b - a, ac = c - a, normal = cross(ab, ac);
  const double sides = dot(ab, ab) + dot(ac, ac);
  centres_[i] = normalized(normal);
  if (dot(a, normal) <= kUncertainty * sides && orientation(a, b, c) <= 0) findings.inverted.push_back(i);
  for (int k = 0; k < 3; ++k) {
    const LocalIndex other = t_.neighbours[i][k];
    if (other < i) continue;
    const Triangle& far = t_.corners[other];
    const LocalIndex opposite = far[0] ^ far[1] ^ far[2] ^ corners[next_corner(k)] ^ corners[last_corner(k)];
    const Vector3 ad = t_.points[opposite] - a;
    if (dot(ad, normal) > -kUncertainty * (sides + dot(ad, ad))) findings.suspects.push_back({i, k});
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

/// Restores the Delaunay property by flips, if all triangles run counter-clockwise. @returns the triangles
/// that do not
std::vector<LocalIndex> MovingDelaunay::restore() {
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
  auto inverted = restore();
  if (inverted.empty()) return;
  const std::vector<Vector3> targets = t_.points;
  std::vector<double> part(targets.size(), 1.0);
  for (int step = 0; step < kMaxSteps && !inverted.empty(); ++step) {
    for (const LocalIndex i : inverted)
      for (const LocalIndex p : t_.corners[i]) part[p] /= 2;
    for_each_index(t_.n_points(), threads_, [&](std::int64_t p) {
      if (part[p] < 1) t_.points[p] = normalized(points[p] + part[p] * (targets[p] - points[p]));
    });
    inverted = restore();
  }
  if (inverted.empty()) return;
  t_.points = points;
  require<InternalError>(restore().empty(), "Points could not be moved without inverting a triangle.");
}

namespace {

/// Sums over the triangles (point, vertex, vertex) of a cell.
struct CellSums {
  Vector3 moment;   ///< 24 times the integral of density times the vector from the point
  double mass = 0;  ///< 6 times the integral of density
  double twice_area = 0;
};

/// Density h^-4 at the circumcentres and points.
class VariableDensity {
 public:
  VariableDensity(const MovingDelaunay& delaunay, const SpacingTable& spacing)
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

struct UniformDensity {
  double at_point(Vector3) const { return 1; }
  double at_centre(LocalIndex) const { return 1; }
};

/// CellSums over the Voronoi cell of a point, walking counter-clockwise around it.
template <class Density>
CellSums cell_sums(const MovingDelaunay& delaunay, const Density& density, LocalIndex cell) {
  const Triangulation& t = delaunay.triangulation();
  const Vector3 p = t.points[cell];
  const double at_p = density.at_point(p);
  CellSums sums;
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
Movement find_centroids(const MovingDelaunay& delaunay, const Density& density,
                        std::span<const Vector3> before, std::vector<Vector3>& found) {
  const auto& points = delaunay.triangulation().points;
  const auto n = static_cast<std::int64_t>(points.size());
  found.resize(points.size());
  std::vector<Movement> steps(n_blocks(n));
  for_blocks(n, delaunay.threads(), [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    for (auto cell = static_cast<LocalIndex>(begin); cell < end; ++cell) {
      const CellSums sums = cell_sums(delaunay, density, cell);
      found[cell] = normalized(points[cell] + (1 / (4 * sums.mass)) * sums.moment);
      const Vector3 way = found[cell] - points[cell];
      const double spacings = std::sqrt(3.0) / sums.twice_area;  // 1 / spacing^2
      steps[block].move += std::sqrt(dot(way, way) * spacings);
      steps[block].reversal -= dot(way, found[cell] - before[cell]) * spacings;
    }
  });
  Movement mean{};
  for (const Movement& step : steps) {
    mean.move += step.move / static_cast<double>(n);
    mean.reversal += step.reversal / static_cast<double>(n);
  }
  return mean;
}

/// Nesterov's extrapolation: writes reached + momentum (reached - before) into `before`.
void extrapolate(std::vector<Vector3>& before, const std::vector<Vector3>& reached, double momentum,
                 int threads) {
  for_each_index(static_cast<std::int64_t>(reached.size()), threads, [&](std::int64_t p) {
    before[p] = normalized(reached[p] + momentum * (reached[p] - before[p]));
  });
}

}  // namespace

Movement centroids(const MovingDelaunay& delaunay, const SpacingTable* spacing,
                   std::span<const Vector3> before, std::vector<Vector3>& centroids) {
  if (spacing == nullptr) return find_centroids(delaunay, UniformDensity{}, before, centroids);
  return find_centroids(delaunay, VariableDensity(delaunay, *spacing), before, centroids);
}

RelaxResult relax(Triangulation start, const SpacingTable* spacing, const RelaxOptions& options,
                  const RelaxProgress& progress) {
  require<ConfigError>(options.tolerance > 0, "The tolerance is {}, but must be positive.",
                       options.tolerance);
  require<ConfigError>(options.limit >= 1, "At most {} iterations are allowed. Allow at least 1.",
                       options.limit);
  std::vector<Vector3> before = start.points, reached;
  MovingDelaunay delaunay(std::move(start), options.threads);
  double momentum_factor = 1;
  for (int iteration = 1;; ++iteration) {
    const Movement step = centroids(delaunay, spacing, before, reached);
    if (progress) progress(iteration, step.move);
    if (step.move < options.tolerance || iteration == options.limit) {
      delaunay.move_to(reached);
      return {delaunay.triangulation(), iteration, step.move};
    }
    if (step.reversal > 0) momentum_factor = 1;
    const double next = (1 + std::sqrt(1 + 4 * momentum_factor * momentum_factor)) / 2;
    extrapolate(before, reached, (momentum_factor - 1) / next, options.threads);
    momentum_factor = next;
    delaunay.move_to(before);
    std::swap(before, reached);
  }
}

}  // namespace halcyon::mesh
