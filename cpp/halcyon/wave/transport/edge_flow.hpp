#pragma once

#include <vector>

#include "halcyon/mesh/mesh.hpp"
#include "halcyon/wave/spectra.hpp"
#include "halcyon/wave/transport/options.hpp"

namespace halcyon::wave {

/// Great-circle displacement [m] between two points: eastward and northward component at the first point.
struct Displacement {
  double east = 0, north = 0;
};

/// An edge of a cell in the local east-north frame of the cell's centre. Directions at the edge are
/// transported to the centre along the great circle. Without a neighbour the members that refer to it are
/// zero.
struct CellEdge {
  double outward = 0;   ///< direction of the outward normal, clockwise from north [rad]
  double size = 0;      ///< edge length over cell area, l / A [m-1]
  double turn = 0;      ///< change of compass direction from the neighbour's centre to this cell's [rad]
  double distance = 0;  ///< between the two centres [m]
  Displacement to_edge = {};            ///< from the cell's centre to the middle of the edge
  Displacement to_neighbour = {};       ///< from the cell's centre to the neighbour's
  Displacement neighbour_to_edge = {};  ///< from the neighbour's centre to the middle of the edge
};

/// Returns the edges of a cell in the mesh's order.
/// @param great_circle whether compass directions change along great circles
std::vector<CellEdge> cell_edges(const mesh::Mesh& mesh, GlobalIndex cell, bool great_circle);

/// Weights [m-1] of the flux of each direction bin through an edge of a cell, per unit of group speed times
/// action: l / A times the mean of max(k.n, 0) over the bin (k unit wave direction, n outward normal) divided
/// by sin(h) / h, h half a bin. A bin in which k.n keeps its sign has exactly the weight l k.n / A. Outflow
/// less inflow (after turning) is l k.n / A, too; the sums over directions do not depend on the normal.
class EdgeFlow {
 public:
  EdgeFlow(const SpectralGrid& grid, const CellEdge& edge);

  /// Returns the outflow weight [m-1] of the cell's bin m.
  double outflow(int m) const;
  /// Returns the inflow weight [m-1] of the neighbour's bin m - turn_bins().
  double inflow(int m) const;
  /// Returns l / A [m-1] times sin^2 of the angle between bin m and the normal, equal on both sides.
  double transverse(int m) const;
  /// Returns the part of inflow(m) [m-1] that the residual turn moves into bin m + 1 (clockwise) or m - 1.
  double turned_inflow(int m) const;

  int turn_bins() const { return turn_bins_; }                  ///< the turn in whole bins, rounded
  double residual_turn() const { return residual_turn_; }       ///< the turn less turn_bins() [rad]
  bool turns_clockwise() const { return residual_turn_ >= 0; }  ///< sign of the residual turn
  double size() const { return size_; }                         ///< l / A [m-1]

 private:
  double through(double from, double to, double normal) const;

  const SpectralGrid& grid_;
  double inward_, size_;
  int turn_bins_;
  double residual_turn_;  ///< [rad]
};

/// Diffusion against the garden-sprinkler effect: it spreads the discrete directions and frequencies of old
/// swell (Booij and Holthuijsen 1987, eq. 7),
///   D_aa = (cg dtheta)^2 T / 12 across the wave direction,  D_ss = dcg^2 T / 12 along it,
/// T the age of swell, as a flux between neighbours with centres h apart,
///   l / A  kappa rho cg [a sin^2(theta - n) + b] N,   kappa = min(cg_1 dtheta^2 T / (12 h), kMaxDiffusion),
/// rho = cg / cg_1 in deep water, cg_1 that of the first frequency. On hexagons a = 2 (1 - q) and
/// b = (3 q - 1) / 2, q = D_ss / D_aa, give the tensor exactly; q is limited to 1/3 .. 1, so that a, b >= 0.
/// kMaxDiffusion limits the decrease of the stable transport step; where it applies, on fine meshes, the
/// effective T is shorter.
class SwellDiffusion {
 public:
  SwellDiffusion(const SpectralGrid& grid, const TransportOptions& options);

  bool is_on() const { return length_ > 0; }
  /// Returns kappa of an edge.
  double strength(const CellEdge& edge) const;
  /// Returns the diffusion weight d = l / A kappa [a sin^2(theta - n) + b] [m-1] of direction bin m.
  double weight(const EdgeFlow& flow, double strength, int m) const;
  /// Returns rho (frequency).
  const std::vector<float>& factor() const { return factor_; }

 private:
  double length_ = 0;  ///< cg_1 dtheta^2 T / 12 [m]
  double transverse_ = 0, isotropic_ = 0;
  std::vector<float> factor_;
};

/// Returns the longest step [s] (frequency) for which transport is positive and stable in all cells of a
/// mesh.
/// @param strongest_current [m s-1] an upper bound of the current speed
std::vector<double> cfl_limits(const mesh::Mesh& mesh, const SpectralGrid& grid,
                               const TransportOptions& options, double strongest_current = 0);

}  // namespace halcyon::wave
