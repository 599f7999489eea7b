#pragma once

#include <vector>

#include "halcyon/operators/horizontal.hpp"

namespace halcyon::operators {

/// The kinetic energy of cells as one sum over the edges at their vertices,
///   K_i = (1 - b) (1/A_i) sum_e (l_e d_e / 4) u_e^2 + b (1/A_i) sum_v R_iv K_v,
///   K_v = (1/A_v) sum_e (l_e d_e / 4) u_e^2
/// with a share b from the vertices (Gassmann 2013, Q. J. R. Meteorol. Soc. 139): entries offsets[i] ..
/// offsets[i + 1] are those of cell i, in the order of the mesh, first its own edges. Cells beyond the first
/// halo layer may lack some.
template <class Real>
struct Energy {
  Energy(const Horizontal<Real>& mesh, double share);

  std::vector<LocalIndex> offsets, edges;
  std::vector<Real> weights;  ///< beside edges
};

}  // namespace halcyon::operators
