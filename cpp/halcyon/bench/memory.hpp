#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::bench {

/// a = b + s c on arrays of equal size: the STREAM triad (McCalpin 1995), which measures memory bandwidth.
void triad(std::span<float> a, std::span<const float> b, std::span<const float> c, float s);

/// Returns the edges on the first `n_cells` cells in the iteration order of a hash set that was filled cell
/// by cell. The mesh converter of MPAS numbers edges in this way (MPAS-Tools, mpas_mesh_converter.cpp,
/// buildEdges: an `unordered_set` of pairs of vertices).
/// @returns order[new] = old
std::vector<LocalIndex> hashed_edges(const mesh::Mesh& mesh, LocalIndex n_cells);

/// The terms of a sum over other items: sum_j factors[j] x[items[j]].
struct Terms {
  std::span<const LocalIndex> items;
  const double* factors;
};

/// The two cells of an edge, and the inverse of their distance on the unit sphere.
struct Sides {
  LocalIndex from, to;
  double inverse_distance;
};

/// Numbers of cells and edges of a stencil. In all arrays, the computed cells or edges come first.
struct Counts {
  LocalIndex cells, edges;          ///< cells and edges that the stencil computes
  LocalIndex all_cells, all_edges;  ///< all cells and edges of the mesh, including the halo
};

/// Connectivity and weights of the stencil in flat arrays: item i has entries offsets[i] to offsets[i+1] - 1.
class FlatLists {
 public:
  /// Lists of the first `n_cells` cells and of all edges on them.
  /// @param edges order of the edges, edges[new] = old; empty: the order of the mesh
  /// @throws InputError if one of these edges is on the outer boundary, or `edges` is not a permutation
  FlatLists(const mesh::Mesh& mesh, LocalIndex n_cells, std::span<const LocalIndex> edges = {});

  const Counts& counts() const { return counts_; }
  /// The terms of the divergence in a cell: its edges, with the weights n_ei l_e / A_i.
  Terms divergence(LocalIndex cell) const {
    return terms(cell_offsets_, edges_on_cell_, cell_weights_, cell);
  }
  /// The terms of the tangential velocity at an edge: its neighbouring edges, with the weights w_ee'.
  Terms tangent(LocalIndex edge) const { return terms(edge_offsets_, edges_on_edge_, edge_weights_, edge); }
  Sides sides(LocalIndex edge) const {
    return {cells_on_edge_[edge][0], cells_on_edge_[edge][1], inverse_distance_[edge]};
  }

 private:
  static Terms terms(const std::vector<LocalIndex>& offsets, const std::vector<LocalIndex>& items,
                     const std::vector<double>& factors, LocalIndex i) {
    const LocalIndex begin = offsets[i];
    return {std::span(items).subspan(begin, offsets[i + 1] - begin), &factors[begin]};
  }
  void append_cells(const mesh::Mesh& mesh, std::span<const LocalIndex> new_edge_index);
  void append_edge(const mesh::Mesh& mesh, LocalIndex edge, std::span<const LocalIndex> new_edge_index);

  Counts counts_;
  std::vector<LocalIndex> cell_offsets_{0}, edges_on_cell_;
  std::vector<double> cell_weights_;  ///< (entry of edges_on_cell_) n_ei l_e / A_i
  std::vector<LocalIndex> edge_offsets_{0}, edges_on_edge_;
  std::vector<double> edge_weights_;  ///< (entry of edges_on_edge_) w_ee'
  std::vector<std::array<LocalIndex, 2>> cells_on_edge_;
  std::vector<double> inverse_distance_;  ///< (edge) 1 / d_e
};

/// The data of FlatLists in one structure per cell and per edge, whose lists are allocated separately: as in
/// GRIST's GND core before its `vertice_structure` became flat arrays (CMC 2020, section 3.2, figure 4).
class Structures {
 public:
  explicit Structures(const FlatLists& lists);

  const Counts& counts() const { return counts_; }
  Terms divergence(LocalIndex cell) const { return cells_[cell].terms(); }
  Terms tangent(LocalIndex edge) const { return edges_[edge].neighbours.terms(); }
  Sides sides(LocalIndex edge) const { return edges_[edge].sides; }

 private:
  struct Lists {
    std::vector<LocalIndex> items;
    std::vector<double> factors;

    explicit Lists(const Terms& terms)
        : items(terms.items.begin(), terms.items.end()),
          factors(terms.factors, terms.factors + terms.items.size()) {}
    Terms terms() const { return {items, factors.data()}; }
  };
  struct Edge {
    Sides sides;
    Lists neighbours;
  };

  Counts counts_;
  std::vector<Lists> cells_;
  std::vector<Edge> edges_;
};

/// Memory layout of a field: (item, level) or (level, item), respectively.
enum class Layout { levels_innermost, items_innermost };

/// A stencil typical of a dynamical core, to measure the cost of cell orders and array layouts: a divergence
/// in each cell, and the tangential velocity and a gradient at each edge of the unit sphere, on many levels.
/// All layouts sum in the same order and give the same bits.
/// @tparam Lists `FlatLists` or `Structures`
template <class Lists>
class Stencil {
 public:
  explicit Stencil(Lists lists) : lists_(std::move(lists)) {}

  const Counts& counts() const { return lists_.counts(); }

  /// D_i = (1 / A_i) sum_e n_ei l_e u_e (Ringler et al. 2010, J. Comput. Phys. 229, equation 21)
  /// n_ei = +1 if the normal of edge e points out of cell i, else -1; l_e edge length; A_i cell area
  /// @param u normal velocity (all edges, level)  @param divergence D (all cells, level)
  void divergence(Layout layout, std::span<const double> u, int n_levels, std::span<double> divergence) const;

  /// t_e = sum_e' w_ee' u_e' - (D_2 - D_1) / d_e: the tangential velocity (Thuburn et al. 2009, J. Comput.
  /// Phys. 228, equation 33) minus the gradient between cells 1 and 2 of edge e, at distance d_e
  /// @param u (all edges, level); cell_values D (all cells, level)
  /// @param tendency t (all edges, level); written on the computed edges
  void tendency(Layout layout, std::span<const double> u, std::span<const double> cell_values, int n_levels,
                std::span<double> tendency) const;

 private:
  template <class Levels>
  void divergence_on(const double* u, Levels n_levels, double* divergence) const;
  template <class Levels>
  void tendency_on(const double* u, const double* cell_values, Levels n_levels, double* tendency) const;

  Lists lists_;
};

extern template class Stencil<FlatLists>;
extern template class Stencil<Structures>;

}  // namespace halcyon::bench
