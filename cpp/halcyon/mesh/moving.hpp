#pragma once

#include <span>
#include <vector>

#include "halcyon/mesh/flips.hpp"
#include "halcyon/mesh/triangulation.hpp"

namespace halcyon::mesh {

/// A Delaunay triangulation whose points move, with the circumcentres of its triangles: the corners of the
/// Voronoi cells. The same to the bit for any number of threads.
class MovingDelaunay {
 public:
  /// @param triangulation of counter-clockwise triangles; it is flipped until it is Delaunay
  /// @param threads 0: one a processor
  /// @throws InputError if a triangle does not run counter-clockwise
  MovingDelaunay(Triangulation triangulation, int threads);

  /// Moves the points and keeps the triangulation Delaunay by flips, in O(n). Where a triangle would turn
  /// over, all points go part of the way, flip, and go on; they may end short of their targets after several
  /// steps.
  /// @param points in: where the points go; out: where they came from
  void move_to(std::vector<Vector3>& points);

  const Triangulation& triangulation() const { return t_; }
  const Vector3& centre(LocalIndex triangle) const { return centres_[triangle]; }
  std::span<const Vector3> centres() const { return centres_; }
  /// A triangle that has the point as a corner.
  LocalIndex triangle_at(LocalIndex point) const { return triangle_at_[point]; }
  int threads() const { return threads_; }

 private:
  bool settle();
  bool examine(std::vector<Side>& suspects);
  bool examine_triangle(LocalIndex i, std::vector<Side>& suspects);

  Triangulation t_;
  int threads_;
  std::vector<Vector3> centres_;
  std::vector<LocalIndex> triangle_at_;
};

}  // namespace halcyon::mesh
