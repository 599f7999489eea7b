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

/// Returns the point (u, v) of a face of the cube [-1, 1]^3. Faces 0..5: x = 1, x = -1, y = 1, ... z = -1; u
/// and v are along the next two axes in cyclic order (y, z on face 0).
Vector3 point_on_cube(int face, double u, double v) {
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
        points.push_back(normalized(point_on_cube(face, 2.0 * i / n - 1, 2.0 * j / n - 1)));
  return points;
}

double SpacingTable::n_cells() const {
  double cells = 0;
  const double step = 2.0 / n_;
  for (int face = 0; face < 6; ++face)
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i < n_; ++i) {
        const double u = (i + 0.5) * step - 1, v = (j + 0.5) * step - 1;
        const double solid_angle = step * step / std::pow(1 + u * u + v * v, 1.5);
        const double h = on_face(face, u, v);
        cells += 2 / std::sqrt(3.0) * solid_angle / (h * h);
      }
  return cells;
}

SpacingTable SpacingTable::scaled(double factor) const {
  std::vector<float> values = values_;
  for (float& value : values) value = static_cast<float>(factor * value);
  return {n_, std::move(values)};
}

namespace {

constexpr int kMaxHalvings = 40;  ///< of a move

/// The sign of a determinant of differences is uncertain below this multiple of the sum of their squares: it
/// has six products of three lengths of at most 2, and the relative rounding error kDeterminantError.
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

/// Computes the circumcentre of triangle i. Adds the triangle to `findings` if it is inverted, and its sides
/// to triangles of larger index if they may have to be flipped.
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
    const LocalIndex opposite =  // exclusive or cancels the two common corners
        far[0] ^ far[1] ^ far[2] ^ corners[next_corner(k)] ^ corners[previous_corner(k)];
    const Vector3 ad = t_.points[opposite] - a;
    if (dot(ad, normal) > -kUncertainty * (sides + dot(ad, ad))) findings.suspects.push_back({i, k});
  }
}

MovingDelaunay::Findings MovingDelaunay::examine() {
  std::vector<Findings> per_block(n_blocks(t_.n_triangles()));
  for_blocks(t_.n_triangles(), threads_, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<LocalIndex>(begin); i < end; ++i) examine_triangle(i, per_block[block]);
  });
  Findings all;
  for (const auto& [suspects, inverted] : per_block) {
    all.suspects.insert(all.suspects.end(), suspects.begin(), suspects.end());
    all.inverted.insert(all.inverted.end(), inverted.begin(), inverted.end());
  }
  return all;
}

/// Returns the triangles that do not run counter-clockwise. If there are none, restores the Delaunay property
/// by flips.
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
  std::vector<double> fraction(targets.size(), 1.0);
  for (int halving = 0; halving < kMaxHalvings && !inverted.empty(); ++halving) {
    for (const LocalIndex i : inverted)
      for (const LocalIndex p : t_.corners[i]) fraction[p] /= 2;
    for_each_index(t_.n_points(), threads_, [&](std::int64_t p) {
      if (fraction[p] < 1) t_.points[p] = normalized(points[p] + fraction[p] * (targets[p] - points[p]));
    });
    inverted = restore();
  }
  if (inverted.empty()) return;
  t_.points = points;
  require<InternalError>(restore().empty(), "Points could not be moved without inverting a triangle.");
}

namespace {

/// Sums over the triangles (generator, vertex, vertex) that form a Voronoi cell.
struct CellSums {
  Vector3 moment;   ///< 24 times the integral of density times the vector from the generator
  double mass = 0;  ///< 6 times the integral of density
  double twice_area = 0;
};

/// Density h^-4, with the spacing h, at the circumcentres and points.
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

/// Adds up the triangles around the generator of a Voronoi cell, counter-clockwise.
template <class Density>
CellSums sum_cell(const MovingDelaunay& delaunay, const Density& density, LocalIndex cell) {
  const Triangulation& t = delaunay.triangulation();
  const Vector3 p = t.points[cell];
  const double density_p = density.at_point(p);
  CellSums sums;
  const LocalIndex first_triangle = delaunay.triangle_at(cell);
  Vector3 right = delaunay.centre(first_triangle) - p;
  double density_right = density.at_centre(first_triangle);
  LocalIndex triangle = first_triangle;
  do {
    triangle = t.neighbours[triangle][next_corner(corner_of(t.corners[triangle], cell))];
    const Vector3 left = delaunay.centre(triangle) - p;
    const double density_left = density.at_centre(triangle);
    const double twice_area = dot(p, cross(right, left));
    const double density_sum = density_p + density_right + density_left;
    sums.moment = sums.moment +
                  twice_area * ((density_sum + density_right) * right + (density_sum + density_left) * left);
    sums.mass += twice_area * density_sum;
    sums.twice_area += twice_area;
    right = left;
    density_right = density_left;
  } while (triangle != first_triangle);
  return sums;
}

template <class Density>
Movement find_centroids(const MovingDelaunay& delaunay, const Density& density,
                        std::span<const Vector3> previous, std::vector<Vector3>& centroids) {
  const auto& points = delaunay.triangulation().points;
  const auto n = static_cast<std::int64_t>(points.size());
  centroids.resize(points.size());
  std::vector<Movement> block_sums(n_blocks(n));
  for_blocks(n, delaunay.threads(), [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
    for (auto cell = static_cast<LocalIndex>(begin); cell < end; ++cell) {
      const CellSums sums = sum_cell(delaunay, density, cell);
      centroids[cell] = normalized(points[cell] + (1 / (4 * sums.mass)) * sums.moment);
      const Vector3 move = centroids[cell] - points[cell];
      const double inverse_square = std::sqrt(3.0) / sums.twice_area;  // 1 / spacing^2
      block_sums[block].move += std::sqrt(dot(move, move) * inverse_square);
      block_sums[block].reversal -= dot(move, centroids[cell] - previous[cell]) * inverse_square;
    }
  });
  Movement mean{};
  for (const Movement& sum : block_sums) {
    mean.move += sum.move / static_cast<double>(n);
    mean.reversal += sum.reversal / static_cast<double>(n);
  }
  return mean;
}

/// Nesterov's extrapolation: replaces the previous centroids by centroids + momentum (centroids - previous).
void extrapolate(std::vector<Vector3>& previous, const std::vector<Vector3>& centroids, double momentum,
                 int threads) {
  for_each_index(static_cast<std::int64_t>(centroids.size()), threads, [&](std::int64_t p) {
    previous[p] = normalized(centroids[p] + momentum * (centroids[p] - previous[p]));
  });
}

}  // namespace

Movement centroids(const MovingDelaunay& delaunay, const SpacingTable* spacing,
                   std::span<const Vector3> previous, std::vector<Vector3>& centroids) {
  if (spacing == nullptr) return find_centroids(delaunay, UniformDensity{}, previous, centroids);
  return find_centroids(delaunay, VariableDensity(delaunay, *spacing), previous, centroids);
}

RelaxResult relax(Triangulation start, const SpacingTable* spacing, const RelaxOptions& options,
                  const RelaxProgress& progress) {
  require<ConfigError>(options.tolerance > 0, "The tolerance is {}, but must be positive.",
                       options.tolerance);
  require<ConfigError>(options.limit >= 1, "At most {} iterations are allowed. Allow at least 1.",
                       options.limit);
  std::vector<Vector3> previous = start.points, new_centroids;
  MovingDelaunay delaunay(std::move(start), options.threads);
  double momentum_factor = 1;
  for (int iteration = 1;; ++iteration) {
    const Movement step = centroids(delaunay, spacing, previous, new_centroids);
    if (progress) progress(iteration, step.move);
    if (step.move < options.tolerance || iteration == options.limit) {
      delaunay.move_to(new_centroids);
      return {delaunay.triangulation(), iteration, step.move};
    }
    if (step.reversal > 0) momentum_factor = 1;
    const double next_factor = (1 + std::sqrt(1 + 4 * momentum_factor * momentum_factor)) / 2;
    extrapolate(previous, new_centroids, (momentum_factor - 1) / next_factor, options.threads);
    momentum_factor = next_factor;
    delaunay.move_to(previous);
    std::swap(previous, new_centroids);
  }
}

}  // namespace halcyon::mesh
