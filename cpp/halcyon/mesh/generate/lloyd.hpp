#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "halcyon/base/vector3.hpp"
#include "halcyon/mesh/generate/triangulation.hpp"

namespace halcyon::mesh {

/// Requested distance between neighbouring cells [rad] as a table on the faces of a cube around the sphere,
/// with (n + 1) x (n + 1) nodes per face. Interpolation is bilinear, and continuous across the cube's edges.
class SpacingTable {
 public:
  /// @param n steps along the side of a face
  /// @param values spacing [rad] at the points `nodes(n)` (face, row, column)
  /// @throws ConfigError if n < 1; InputError if `values` has the wrong size or a value is not positive
  SpacingTable(int n, std::vector<float> values);

  /// Returns the nodes of a table, projected to the sphere (face, row, column).
  static std::vector<Vector3> nodes(int n);

  /// Spacing [rad] at a point of the unit sphere.
  double operator()(Vector3 p) const {
    const double x = std::abs(p.x), y = std::abs(p.y), z = std::abs(p.z);
    if (x >= y && x >= z) return on_face(p.x > 0 ? 0 : 1, p.y / x, p.z / x);
    if (y >= z) return on_face(p.y > 0 ? 2 : 3, p.z / y, p.x / y);
    return on_face(p.z > 0 ? 4 : 5, p.x / z, p.y / z);
  }

  /// Number of cells of a mesh with this spacing h: the integral of 2 / sqrt(3) h^-2 (hexagons) over the
  /// sphere.
  double n_cells() const;

  /// Returns the spacing times `factor`.
  SpacingTable scaled(double factor) const;

 private:
  /// Spacing [rad] at (u, v) in [-1, 1]^2 on a face; see `point_on_cube`.
  double on_face(int face, double u, double v) const {
    const double x = (u + 1) / 2 * n_, y = (v + 1) / 2 * n_;
    const int i = std::min(static_cast<int>(x), n_ - 1), j = std::min(static_cast<int>(y), n_ - 1);
    const double fx = x - i, fy = y - j;
    const std::size_t width = n_ + 1;
    const float* node = &values_[(face * width + j) * width + i];
    return (1 - fy) * ((1 - fx) * node[0] + fx * node[1]) +
           fy * ((1 - fx) * node[width] + fx * node[width + 1]);
  }

  int n_;                      ///< steps along the side of a face
  std::vector<float> values_;  ///< [rad] (face, row, column)
};

/// A Delaunay triangulation whose points move, with the circumcentres of its triangles, which are the corners
/// of the Voronoi cells. The result does not depend on the number of threads, to the bit.
class MovingDelaunay {
 public:
  /// @param triangulation its triangles must run counter-clockwise; flips make it Delaunay
  /// @param threads 0: one per processor
  /// @throws InputError if a triangle does not run counter-clockwise
  MovingDelaunay(Triangulation triangulation, int threads);

  /// Moves the points and restores the Delaunay property by flips, in O(n). Points that would
  /// invert a triangle move only half of the way, or a quarter, and so on.
  /// @param points in: the new positions; out: the old positions
  void move_to(std::vector<Vector3>& points);

  const Triangulation& triangulation() const { return t_; }
  const Vector3& centre(LocalIndex triangle) const { return centres_[triangle]; }
  std::span<const Vector3> centres() const { return centres_; }
  /// Returns a triangle with the point as a corner.
  LocalIndex triangle_at(LocalIndex point) const { return triangle_at_[point]; }
  int threads() const { return threads_; }

 private:
  struct Findings {
    std::vector<Side> suspects;        ///< sides that may have to be flipped
    std::vector<LocalIndex> inverted;  ///< triangles that do not run counter-clockwise
  };
  std::vector<LocalIndex> restore();
  Findings examine();
  void examine_triangle(LocalIndex i, Findings& findings);

  Triangulation t_;
  int threads_;
  std::vector<Vector3> centres_;         ///< (triangle) circumcentres
  std::vector<LocalIndex> triangle_at_;  ///< (point) a triangle with this corner
};

struct RelaxOptions {
  double tolerance = 1e-6;  ///< the iteration ends when Movement::move is smaller
  int limit = 1000;         ///< maximum number of iterations
  int threads = 0;          ///< 0: one per processor
};

struct RelaxResult {
  Triangulation triangulation;
  int iterations;  ///< number of iterations
  double move;     ///< Movement::move of the last iteration
};

/// Called after each iteration with the iteration's number and Movement::move.
using RelaxProgress = std::function<void(int iteration, double move)>;

/// The movement of an iteration, averaged over cells and relative to the local spacing, which is
/// sqrt(2 / sqrt(3) area) for a cell of that area.
struct Movement {
  double move;      ///< distance from point to centroid over the spacing
  double reversal;  ///< (point - centroid).(centroid - previous centroid) over the spacing squared
};

/// Computes the centroid, on the sphere, of each point's Voronoi cell under the density h^-4, which leads to
/// a distance h between neighbours (Ju, Ringler and Gunzburger 2011). Density is linear on each of the
/// triangles (point, vertex, vertex) of a cell.
/// @param spacing h, or nullptr if it is uniform
/// @param previous centroids of the previous iteration (point)
/// @param[out] centroids (point)
Movement centroids(const MovingDelaunay& delaunay, const SpacingTable* spacing,
                   std::span<const Vector3> previous, std::vector<Vector3>& centroids);

/// Moves points to a centroidal Voronoi tessellation by Lloyd's iteration with Nesterov's momentum. The
/// momentum is reset when Movement::reversal is positive (the gradient scheme of O'Donoghue and Candes 2015,
/// with each cell weighted by its mass). The result does not depend on the number of threads, to the bit.
/// @throws ConfigError if the tolerance is not positive or the limit is less than 1
RelaxResult relax(Triangulation start, const SpacingTable* spacing, const RelaxOptions& options,
                  const RelaxProgress& progress = {});

}  // namespace halcyon::mesh
