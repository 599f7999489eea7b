#pragma once

#include <span>
#include <utility>

#include "halcyon/bench/stencil_lists.hpp"

namespace halcyon::bench {

/// How a field lies in memory: (item, level), or (level, item).
enum class Layout { levels_innermost, items_innermost };

/// A stencil such as a dynamical core works with, to measure what the order of cells and the layout of arrays
/// cost: the tangential velocity and a gradient on each edge, and a divergence in each cell, on many levels.
/// All is on the unit sphere. Sums have the same order, so the same bits, in every layout.
/// @tparam Lists of the mesh: `FlatLists` or `Structures`
template <class Lists>
class Stencil {
 public:
  explicit Stencil(Lists lists) : lists_(std::move(lists)) {}

  const Counts& counts() const { return lists_.counts(); }

  /// D_i = (1 / A_i) sum_e n_ei l_e u_e (Ringler et al. 2010, J. Comput. Phys. 229, equation 21)
  /// @param u [m s-1] (all edges, level) along the normal
  /// @param divergence [s-1] (all cells, level), of which the computed cells are written
  void divergence(Layout layout, std::span<const double> u, int n_levels, std::span<double> divergence) const;

  /// t_e = sum_e' w_ee' u_e' - (D_2 - D_1) / d_e: the tangential velocity (Thuburn et al. 2009, J. Comput.
  /// Phys. 228, equation 33) less a gradient
  /// @param u (all edges, level); cell_values D (all cells, level)
  /// @param tendency t (all edges, level), of which the computed edges are written
  void tendency(Layout layout, std::span<const double> u, std::span<const double> cell_values, int n_levels,
                std::span<double> tendency) const;

 private:
  template <class Levels>
  void diverge(const double* u, Levels n_levels, double* divergence) const;
  template <class Levels>
  void tend(const double* u, const double* cell_values, Levels n_levels, double* tendency) const;

  Lists lists_;
};

extern template class Stencil<FlatLists>;
extern template class Stencil<Structures>;

}  // namespace halcyon::bench
