#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "halcyon/base/vector3.hpp"
#include "halcyon/operators/horizontal.hpp"

namespace halcyon::operators {

/// How many second derivatives a cell has.
inline constexpr int kSecondDerivatives = 3;

template <class Number>
using SecondDerivatives = std::array<Number, kSecondDerivatives>;

/// What fluxes of third order read. For each cell, weights w_j by which its second derivatives follow
/// from its neighbours j,
///   D (q_xx + q_yy, q_xx - q_yy, 2 q_xy) = sum_j w_j (q_j - q_i),
/// of the quadratic that fits them best and passes through the cell's own value, in the tangent plane, x
/// eastwards (Skamarock and Gassmann 2011, Mon. Weather Rev. 139, section 2c); D makes them as large as q.
/// For each edge, what makes of those of both its cells
///   (d_e^2 / 12) (second derivative along the normal of the edge).
/// Neighbours stand in the order of the mesh.
///
/// An edge has zeros, and carries the mean of its cells, where a cell beside it lacks a neighbour in the
/// local mesh: with n halo layers that is beyond the edges of the cells of layer n - 2. A cell whose
/// neighbours fit no quadratic, being fewer than five, has weights of zero.
template <class Real>
struct Curvature {
  /// @param cell_points on the unit sphere (local cell)
  /// @param order of the fluxes, 2 or 3  @param given_upwinding beta of that paper
  Curvature(const Horizontal<Real>& mesh, std::span<const Vector3> cell_points, int order,
            double given_upwinding);

  /// By order 2 there are no lists.
  bool empty() const { return along.empty(); }
  std::int64_t memory_bytes() const;

  Real upwinding;
  // Entries offsets[i] .. offsets[i + 1] are those of cell i.
  std::vector<LocalIndex> offsets, cells;
  std::vector<SecondDerivatives<Real>> weights;               ///< beside cells
  std::vector<std::array<SecondDerivatives<Real>, 2>> along;  ///< (edge, side)
};

/// Twice the largest second derivative in any direction.
template <class Real>
Real largest(const SecondDerivatives<Real>& of) {
  return std::abs(of[0]) + std::hypot(of[1], of[2]);
}

}  // namespace halcyon::operators
