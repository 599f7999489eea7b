#pragma once

#include <vector>

#include "halcyon/mesh/mesh.hpp"
#include "halcyon/wave/spectra.hpp"
#include "halcyon/wave/transport/options.hpp"

namespace halcyon::wave {

/// A way from one point to another in the compass of the first [m].
struct Way {
  double east = 0, north = 0;
};

/// An edge of a cell in the compass at the cell's centre; directions at the edge are carried there along the
/// great circle. Where there is no neighbour, what depends on it is zero.
struct Crossing {
  double outward = 0;  ///< direction of the outward normal, clockwise from north [rad]
  double size = 0;     ///< l / A [m-1]
  double turn = 0;  ///< of the compass direction on the way from the neighbour's centre to this cell's [rad]
  double distance = 0;  ///< of the two centres [m]
  Way middle = {};      ///< from the cell's centre to the middle of the edge
  Way neighbour = {};   ///< from the cell's centre to the neighbour's
  Way beyond = {};      ///< from the neighbour's centre to the middle of the edge, in the neighbour's compass
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
  /// l / A [m-1] times the square of the sine between a bin m of the cell and the normal, the same as seen
  /// from the neighbour.
  double sideways(int m) const;
  /// The part of inflow(m) [m-1] that the rest of the turn carries into the next bin: m + 1, if turns_up().
  double swept(int m) const;

  int whole_turn() const { return whole_turn_; }  ///< the nearest number of bins
  bool turns_up() const { return rest_ >= 0; }    ///< whether directions grow by the rest of the turn
  double rest() const { return rest_; }           ///< of the turn [rad]
  double size() const { return size_; }           ///< l / A [m-1]

 private:
  double through(double from, double to, double normal) const;

  const SpectralGrid& grid_;
  double inward_, size_;
  int whole_turn_;
  double rest_;  ///< [rad]
};

/// The diffusion that joins the discrete directions and frequencies of old swell again, against the
/// garden-sprinkler effect (Booij and Holthuijsen 1987, eq. 7):
///   D_aa = (cg dtheta)^2 T / 12 across the way of the waves,  D_ss = dcg^2 T / 12 along it,
/// T the age of swell, as a flux between neighbours with centres h apart,
///   l / A  kappa rho cg [a sin^2(theta - n) + b] N,   kappa = min(cg_1 dtheta^2 T / (12 h), kMost),
/// rho = cg / cg_1 in deep water, cg_1 that of the first frequency. On hexagons a = 2 (1 - q) and
/// b = (3 q - 1) / 2, q = D_ss / D_aa, give the tensor exactly; q is kept within 1/3 (a flux is never
/// negative) and 1. kMost keeps the step of transport long: where it acts, on fine meshes, T is shorter.
class Exchange {
 public:
  Exchange(const SpectralGrid& grid, const TransportOptions& options);

  bool is_on() const { return reach_ > 0; }
  /// kappa of an edge.
  double strength(const Crossing& edge) const;
  /// d [m-1] of a bin.
  double weight(const EdgeFlow& flow, double strength, int m) const;
  /// rho (frequency)
  const std::vector<float>& share() const { return share_; }

 private:
  double reach_ = 0;  ///< cg_1 dtheta^2 T / 12 [m]
  double sideways_ = 0, all_ = 0;
  std::vector<float> share_;
};

/// The longest steps [s] (frequency) for which transport is positive and stable, over all cells of a mesh, in
/// water that moves at up to so many m s-1.
std::vector<double> cfl_limits(const mesh::Mesh& mesh, const SpectralGrid& grid,
                               const TransportOptions& options, double strongest_current = 0);

}  // namespace halcyon::wave
