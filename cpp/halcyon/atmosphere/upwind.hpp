#pragma once

#include <span>
#include <vector>

#include "halcyon/atmosphere/horizontal.hpp"
#include "halcyon/atmosphere/scheme.hpp"
#include "halcyon/base/vector3.hpp"

namespace halcyon::atmosphere {

/// What fluxes of third order read: for each edge, of both its cells, weights w_j by which
///   (d_e^2 / 12) (second derivative at the cell along the normal of the edge) = sum_j w_j (q_j - q_i)
/// over the cell's neighbours j, from the quadratic that fits them best and passes through the cell's own
/// value, in the tangent plane (Skamarock and Gassmann 2011, Mon. Weather Rev. 139, section 2c). Neighbours
/// stand in the order of the mesh.
///
/// An edge has no entries, and carries the mean of its cells, where a cell beside it lacks a neighbour in the
/// local mesh: with n halo layers that is beyond the edges of the cells of layer n - 2. Nor does a cell give
/// any whose neighbours fit no quadratic, being fewer than five.
template <class Real>
struct Curvature {
  /// @param cell_points on the unit sphere (local cell)
  /// @param scheme its `upwinding` and `transport_order`; with order 2 no edge has entries
  Curvature(const Horizontal<Real>& mesh, std::span<const Vector3> cell_points, const Scheme& scheme);

  Real upwinding;  ///< beta of that paper
  // Entries offsets[2 e] .. offsets[2 e + 1] are of the first cell of e, those of the second go on to
  // offsets[2 e + 2].
  std::vector<LocalIndex> offsets, cells;
  std::vector<Real> weights;  ///< beside cells
};

extern template struct Curvature<double>;
extern template struct Curvature<float>;

}  // namespace halcyon::atmosphere
