#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::bench {

/// a = b + s c of STREAM (McCalpin 1995), on arrays of one length: what memory gives.
void triad(std::span<float> a, std::span<const float> b, std::span<const float> c, float s);

/// The edges on the first `n_cells` cells in the order in which a hash set of them, filled cell by cell,
/// hands them back: how MPAS' mesh converter numbers edges (MPAS-Tools, mpas_mesh_converter.cpp, buildEdges,
/// an `unordered_set` of pairs of vertices).
/// @returns order[new] = old
std::vector<LocalIndex> hashed_edges(const mesh::Mesh& mesh, LocalIndex n_cells);

/// The terms of a sum over other items: sum_j factors[j] x[items[j]].
struct Terms {
  std::span<const LocalIndex> items;
  const double* factors;
};

/// The cells on both sides of an edge, and one over their distance on the unit sphere.
struct Sides {
  LocalIndex from, to;
  double over_distance;
};

/// How many cells and edges a stencil computes, which come first, and how many it reads.
struct Counts {
  LocalIndex cells, edges;          ///< computed
  LocalIndex all_cells, all_edges;  ///< with those of the halo
};

/// What the stencil reads of a mesh, in flat arrays: entries offsets[i] .. offsets[i + 1] are those of item
/// i.
class FlatLists {
 public:
  /// Lists of the first `n_cells` cells and of all edges on them.
  /// @param edges their order, order[new] = old; empty where they stay as they are
  /// @throws InputError where the mesh ends at one of these edges, or `edges` is no order of them
  FlatLists(const mesh::Mesh& mesh, LocalIndex n_cells, std::span<const LocalIndex> edges = {});

  const Counts& counts() const { return counts_; }
  /// n_ei l_e / A_i, by which a divergence weighs the edges of a cell
  Terms divergence(LocalIndex cell) const { return terms(cell_offsets_, edges_on_cell_, lengths_, cell); }
  /// w_ee', by which a tangential velocity weighs the edges near an edge
  Terms tangent(LocalIndex edge) const { return terms(edge_offsets_, edges_on_edge_, weights_, edge); }
  Sides sides(LocalIndex edge) const {
    return {cells_on_edge_[edge][0], cells_on_edge_[edge][1], over_distance_[edge]};
  }

 private:
  static Terms terms(const std::vector<LocalIndex>& offsets, const std::vector<LocalIndex>& items,
                     const std::vector<double>& factors, LocalIndex at) {
    const LocalIndex begin = offsets[at];
    return {std::span(items).subspan(begin, offsets[at + 1] - begin), &factors[begin]};
  }
  void list_cells(const mesh::Mesh& mesh, std::span<const LocalIndex> edge_places);
  void list_edge(const mesh::Mesh& mesh, LocalIndex edge, std::span<const LocalIndex> edge_places);

  Counts counts_;
  std::vector<LocalIndex> cell_offsets_{0}, edges_on_cell_;
  std::vector<double> lengths_;  ///< n l / A beside edges_on_cell
  std::vector<LocalIndex> edge_offsets_{0}, edges_on_edge_;
  std::vector<double> weights_;
  std::vector<std::array<LocalIndex, 2>> cells_on_edge_;
  std::vector<double> over_distance_;  ///< 1 / d (edge)
};

/// The same in a structure a cell and a structure an edge, whose lists lie where the heap puts them, as
/// GRIST's GND core had its `vertice_structure` before it made flat arrays of it (the paper on it, CMC 2020,
/// 3.2 and figure 4).
class Structures {
 public:
  explicit Structures(const FlatLists& lists);

  const Counts& counts() const { return counts_; }
  Terms divergence(LocalIndex cell) const { return cells_[cell].terms(); }
  Terms tangent(LocalIndex edge) const { return edges_[edge].near.terms(); }
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
    Lists near;
  };

  Counts counts_;
  std::vector<Lists> cells_;
  std::vector<Edge> edges_;
};

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
