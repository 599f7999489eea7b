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
/// transported to the centre along the great circle. Without a neighbour across the edge, compass_turn,
/// neighbour_distance, to_neighbour and neighbour_to_edge are zero.
struct CellEdge {
  double outward_direction = 0;  ///< of the outward normal at the cell's centre, clockwise from north [rad]
  double length_over_area = 0;   ///< edge length over cell area, l / A [m-1]
  /// Change of the compass direction of a great circle from the neighbour's centre to the cell's [rad]: the
  /// angle between the north directions of the two centres.
  double compass_turn = 0;
  double neighbour_distance = 0;        ///< between the centres of the cell and the neighbour [m]
  Displacement to_edge = {};            ///< from the cell's centre to the middle of the edge
  Displacement to_neighbour = {};       ///< from the cell's centre to the neighbour's
  Displacement neighbour_to_edge = {};  ///< from the neighbour's centre to the middle of the edge
  bool has_neighbour() const { return neighbour_distance > 0; }
};

/// Returns the edges of a cell in the mesh's order.
/// @param great_circle whether compass directions change along great circles
std::vector<CellEdge> cell_edges(const mesh::Mesh& mesh, GlobalIndex cell, bool great_circle);

/// Weights w [m-1] of the fluxes through an edge of a cell per direction bin: flux = w cg N. With k the unit
/// wave direction, n the outward normal and h half the bin width [rad], the weight is l / A times the mean of
/// max(k.n, 0) over the bin, divided by sin(h) / h. In a bin where k.n keeps its sign the weight is exactly
/// l max(k.n, 0) / A. Outflow less inflow (after the turn) is l k.n / A in every bin; sums of the weights
/// over all directions do not depend on n.
class EdgeFlow {
 public:
  EdgeFlow(const SpectralGrid& grid, const CellEdge& edge);
  /// Returns the outflow weight [m-1] of the cell's bin m.
  double outflow(int m) const;
  /// Returns the weight [m-1] of the inflow into the cell's bin m, from the neighbour's bin m - turn_bins().
  double inflow(int m) const;
  /// Returns l / A times sin^2 of the angle between bin m and the normal [m-1], the same for both cells.
  double transverse(int m) const;
  /// Returns the part of inflow(m) [m-1] that the residual turn moves into bin m + 1 (clockwise) or m - 1.
  double turned_inflow(int m) const;
  int turn_bins() const { return turn_bins_; }                   ///< compass turn, rounded to whole bins
  double residual_turn() const { return residual_turn_; }        ///< compass turn less turn_bins() [rad]
  bool turns_clockwise() const { return residual_turn_ >= 0; }   ///< whether the residual turn is clockwise
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
///   l / A  kappa rho cg max(a sin^2(theta - n) + b, 0) N,   kappa = min(cg_1 dtheta^2 T / (12 h), 0.15),
/// with n the direction of the edge normal, rho = cg / cg_1 in deep water, and cg_1 the deep-water group
/// speed of the first frequency. On hexagons a = 2 (1 - q) and b = (3 q - 1) / 2, q = D_ss / D_aa <= 1, give
/// the tensor exactly where the weight is not negative. A negative weight, at q < 1/3, is replaced by zero:
/// D_aa remains, and D_ss becomes larger than it should, at most D_aa / 3. The bound 0.15 of kappa limits the
/// decrease of the stable transport step; on fine meshes, where the bound applies, the effective T is
/// shorter.
class SwellDiffusion {
 public:
  SwellDiffusion(const SpectralGrid& grid, const TransportOptions& options);
  bool is_on() const { return length_ > 0; }
  /// Returns kappa of an edge that has a neighbour [1]; 0 if diffusion is off.
  double kappa(const CellEdge& edge) const;
  /// Returns the diffusion weight d = l / A kappa max(a sin^2(theta - n) + b, 0) [m-1] of direction bin m.
  double weight(const EdgeFlow& flow, double kappa, int m) const;
  /// Returns rho (frequency), the factor of the weights.
  const std::vector<float>& factor() const { return factor_; }

 private:
  double length_ = 0;                      ///< cg_1 dtheta^2 T / 12 [m]; 0: no diffusion
  double transverse_ = 0, isotropic_ = 0;  ///< a and b
  std::vector<float> factor_;              ///< rho (frequency)
};

/// Returns the longest step [s] (frequency) for which transport is positive and stable in a whole mesh.
/// @param strongest_current upper bound of the current speed [m s-1]
std::vector<double> cfl_limits(const mesh::Mesh& mesh, const SpectralGrid& grid,
                               const TransportOptions& options, double strongest_current = 0);

}  // namespace halcyon::wave
