#pragma once

#include <span>
#include <vector>

#include "halcyon/mesh/generate/flips.hpp"
#include "halcyon/mesh/generate/triangulation.hpp"

namespace halcyon::mesh {

/// A Delaunay triangulation whose points move, with the circumcentres of its triangles: the corners of the
/// Voronoi cells. The same to the bit for any number of threads.
class MovingDelaunay {
 public:
  /// @param triangulation of counter-clockwise triangles; it is flipped until it is Delaunay
  /// @param threads 0: one a processor
  /// @throws InputError if a triangle does not run counter-clockwise
  MovingDelaunay(Triangulation triangulation, int threads);

  /// Moves the points and keeps the triangulation Delaunay by flips, in O(n). The corners of triangles that
  /// would turn over go half of the way, or a quarter, and so on.
  /// @param points in: where the points go; out: where they came from
  void move_to(std::vector<Vector3>& points);

  const Triangulation& triangulation() const { return t_; }
  const Vector3& centre(LocalIndex triangle) const { return centres_[triangle]; }
  std::span<const Vector3> centres() const { return centres_; }
  /// A triangle that has the point as a corner.
  LocalIndex triangle_at(LocalIndex point) const { return triangle_at_[point]; }
  int threads() const { return threads_; }

 private:
  struct Findings {
    std::vector<Side> suspects;        ///< sides that may have to be flipped
    std::vector<LocalIndex> inverted;  ///< triangles that do not run counter-clockwise
  };
  std::vector<LocalIndex> settle();
  Findings examine();
  void examine_triangle(LocalIndex i, Findings& findings);

  Triangulation t_;
  int threads_;
  std::vector<Vector3> centres_;
  std::vector<LocalIndex> triangle_at_;
};

}  // namespace halcyon::mesh
