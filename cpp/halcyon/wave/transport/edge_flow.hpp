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
/// transported to the centre along the great circle. Where the cell has no neighbour across the edge, turn,
/// distance, to_neighbour and neighbour_to_edge are zero.
struct CellEdge {
  double outward = 0;           ///< direction of the outward normal at the centre, clockwise from north [rad]
  double length_over_area = 0;  ///< of the edge and the cell, l / A [m-1]
  double turn = 0;      ///< change of compass direction from the neighbour's centre to this cell's [rad]
  double distance = 0;  ///< between the centres of the cell and the neighbour [m]
  Displacement to_edge = {};            ///< from the cell's centre to the middle of the edge
  Displacement to_neighbour = {};       ///< from the cell's centre to the neighbour's
  Displacement neighbour_to_edge = {};  ///< from the neighbour's centre to the middle of the edge
};

/// Returns the edges of a cell in the mesh's order.
/// @param great_circle whether compass directions change along great circles
std::vector<CellEdge> cell_edges(const mesh::Mesh& mesh, GlobalIndex cell, bool great_circle);

/// Weights [m-1] of the flux of each direction bin through an edge of a cell: the flux divided by group speed
/// times action. With k the unit wave direction, n the outward normal and h half the bin width [rad], the
/// weight is l / A times the mean of max(k.n, 0) over the bin, divided by sin(h) / h. In a bin where k.n
/// keeps its sign the weight is exactly l max(k.n, 0) / A. Outflow less inflow (after turning) is l k.n / A
/// in every bin; sums of the weights over all directions do not depend on n.
class EdgeFlow {
 public:
  EdgeFlow(const SpectralGrid& grid, const CellEdge& edge);

  /// Returns the outflow weight [m-1] of the cell's bin m.
  double outflow(int m) const;
  /// Returns the inflow weight [m-1] of the neighbour's bin m - turn_bins().
  double inflow(int m) const;
  /// Returns l / A [m-1] times sin^2 of the angle between bin m and the normal, equal in both cells.
  double transverse(int m) const;
  /// Returns the part of inflow(m) [m-1] that the residual turn moves into bin m + 1 (clockwise) or m - 1.
  double turned_inflow(int m) const;

  int turn_bins() const { return turn_bins_; }             ///< turn from neighbour to cell, in whole bins
  double residual_turn() const { return residual_turn_; }  ///< turn less turn_bins() [rad]
  bool turns_clockwise() const { return residual_turn_ >= 0; }   ///< sign of the residual turn
  double length_over_area() const { return length_over_area_; }  ///< l / A [m-1]

 private:
  double weight_between(double from, double to, double normal) const;

  const SpectralGrid& grid_;
  double inward_;  ///< direction of the inward normal [rad]
  double length_over_area_;
  int turn_bins_;
  double residual_turn_;
};

/// Diffusion against the garden-sprinkler effect: it spreads the discrete directions and frequencies of old
/// swell (Booij and Holthuijsen 1987, eq. 7),
///   D_aa = (cg dtheta)^2 T / 12 across the wave direction,  D_ss = dcg^2 T / 12 along it,
/// with T the age of swell. The discrete form is a flux between neighbours whose centres are h apart,
///   l / A  kappa rho cg [a sin^2(theta - n) + b] N,   kappa = min(cg_1 dtheta^2 T / (12 h), 0.15),
/// with n the direction of the edge normal, rho = cg / cg_1 in deep water, and cg_1 the deep-water group
/// speed of the first frequency. On hexagons a = 2 (1 - q) and b = (3 q - 1) / 2, q = D_ss / D_aa, give the
/// tensor exactly; q is limited to 1/3 .. 1, so that a, b >= 0. The bound 0.15 of kappa limits the decrease
/// of the stable transport step; on fine meshes, where the bound applies, the effective T is shorter.
class SwellDiffusion {
 public:
  SwellDiffusion(const SpectralGrid& grid, const TransportOptions& options);

  bool is_on() const { return length_ > 0; }
  /// Returns kappa of an edge [1]; 0 if diffusion is off.
  double strength(const CellEdge& edge) const;
  /// Returns the diffusion weight d = l / A kappa [a sin^2(theta - n) + b] [m-1] of direction bin m.
  double weight(const EdgeFlow& flow, double strength, int m) const;
  /// Returns rho (frequency), the factor of the weights.
  const std::vector<float>& factor() const { return factor_; }

 private:
  double length_ = 0;                      ///< cg_1 dtheta^2 T / 12 [m]
  double transverse_ = 0, isotropic_ = 0;  ///< a and b
  std::vector<float> factor_;              ///< rho (frequency)
};

/// Returns the longest step [s] (frequency) for which transport is positive and stable in a whole mesh.
/// @param strongest_current [m s-1] an upper bound of the current speed
std::vector<double> cfl_limits(const mesh::Mesh& mesh, const SpectralGrid& grid,
                               const TransportOptions& options, double strongest_current = 0);

}  // namespace halcyon::wave
