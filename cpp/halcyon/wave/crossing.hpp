#pragma once

#include <vector>

#include "halcyon/mesh/mesh.hpp"
#include "halcyon/wave/spectral_grid.hpp"

namespace halcyon::wave {

/// An edge of a cell in the compass at the cell's centre; directions at the edge are carried there along the
/// great circle.
struct Crossing {
  double outward;  ///< direction of the outward normal, clockwise from north [rad]
  double size;     ///< l / A [m-1]
  double turn;     ///< of the compass direction on the way from the neighbour's centre to this cell's [rad]
};

/// The edges of a cell in the mesh's order.
/// @param great_circle whether compass directions change along the way; if not, they are those at the edge
std::vector<Crossing> crossings(const mesh::Mesh& mesh, GlobalIndex cell, bool great_circle);

/// What waves of each direction carry through an edge of a cell, for a unit of group speed times action.
/// Weights are means of max(cos, 0) over a bin of directions, over sin(half a bin) / (half a bin), so that a
/// bin wholly on one side has l k.n / A itself. Then outflow(m) less what ends in bin m, which is inflow(m)
/// less swept(m) and what is swept into m, is exactly l k.n / A; and the sums over directions do not depend
/// on the normal.
class EdgeFlow {
 public:
  EdgeFlow(const SpectralGrid& grid, const Crossing& crossing);

  /// Out of the cell in its bin m [m-1].
  double outflow(int m) const;
  /// Into the cell [m-1] from what the neighbour has in bin m - whole_turn().
  double inflow(int m) const;
  /// The part of inflow(m) [m-1] that the rest of the turn carries into the next bin: m + 1, if turns_up().
  double swept(int m) const;

  int whole_turn() const { return whole_turn_; }  ///< the nearest number of bins
  bool turns_up() const { return rest_ >= 0; }    ///< whether directions grow by the rest of the turn

 private:
  double through(double from, double to, double normal) const;

  const SpectralGrid& grid_;
  double inward_, size_;
  int whole_turn_;
  double rest_;  ///< [rad]
};

}  // namespace halcyon::wave
