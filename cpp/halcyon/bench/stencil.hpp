#pragma once

#include <array>
#include <span>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::bench {

/// A stencil such as a dynamical core works with on a closed mesh, to measure what the order of cells costs:
/// the tangential velocity and a gradient on each edge, and a divergence in each cell, on many levels. Arrays
/// are flat, levels innermost. All is on the unit sphere.
class Stencil {
 public:
  /// @throws InputError where the mesh has an outer boundary
  explicit Stencil(const mesh::Mesh& mesh);

  LocalIndex n_cells() const { return static_cast<LocalIndex>(cell_offsets_.size()) - 1; }
  LocalIndex n_edges() const { return static_cast<LocalIndex>(cells_on_edge_.size()); }

  /// D_i = (1 / A_i) sum_e n_ei l_e u_e (Ringler et al. 2010, J. Comput. Phys. 229, equation 21)
  /// @param u [m s-1] (edge, level) along the normal
  /// @param divergence [s-1] (cell, level)
  void divergence(std::span<const double> u, int n_levels, std::span<double> divergence) const;

  /// t_e = sum_e' w_ee' u_e' - (D_2 - D_1) / d_e: the tangential velocity (Thuburn et al. 2009, J. Comput.
  /// Phys. 228, equation 33) less a gradient
  /// @param u (edge, level); cell_values D (cell, level); tendency t (edge, level)
  void tendency(std::span<const double> u, std::span<const double> cell_values, int n_levels,
                std::span<double> tendency) const;

 private:
  std::vector<LocalIndex> cell_offsets_, edges_on_cell_;
  std::vector<double> lengths_over_area_;  ///< n l / A beside edges_on_cell
  std::vector<LocalIndex> edge_offsets_, edges_on_edge_;
  std::vector<double> weights_on_edge_;
  std::vector<std::array<LocalIndex, 2>> cells_on_edge_;
  std::vector<double> over_distance_;  ///< 1 / d (edge)
};

}  // namespace halcyon::bench
