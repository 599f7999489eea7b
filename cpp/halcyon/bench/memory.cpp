#include "halcyon/bench/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <unordered_set>

#include "halcyon/base/error.hpp"

namespace halcyon::bench {

void triad(std::span<float> a, std::span<const float> b, std::span<const float> c, float s) {
  float* __restrict a_data = a.data();
  const float* __restrict b_data = b.data(), * __restrict c_data = c.data();
  const std::size_t n = a.size();
  for (std::size_t i = 0; i < n; ++i) a_data[i] = b_data[i] + s * c_data[i];
}

namespace {

/// Hash of the two vertices of an edge (Steele, Lea and Flood 2014, SplitMix64).
struct EdgeHash {
  const mesh::Mesh* mesh;

  std::size_t operator()(LocalIndex edge) const {
    const auto [low, high] = std::minmax(mesh->vertices_on_edge[edge][0], mesh->vertices_on_edge[edge][1]);
    std::uint64_t x = (static_cast<std::uint64_t>(low) << 32) + static_cast<std::uint64_t>(high);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
};

}  // namespace

std::vector<LocalIndex> hashed_edges(const mesh::Mesh& mesh, LocalIndex n_cells) {
  std::unordered_set<LocalIndex, EdgeHash> edges(0, EdgeHash{&mesh});
  for (LocalIndex i = 0; i < mesh.cell_offsets[n_cells]; ++i) edges.insert(mesh.edges_on_cell[i]);
  return {edges.begin(), edges.end()};
}

namespace {

/// Counts cells and edges. Edges must be numbered in the order in which the lists of the cells contain them.
Counts counts_of(const mesh::Mesh& mesh, LocalIndex n_cells) {
  require<InputError>(n_cells >= 1 && n_cells <= mesh.n_cells(),
                      "The stencil has {0} cells, but the mesh has {1}. Give 1 to {1}.", n_cells,
                      mesh.n_cells());
  const auto edges = std::span(mesh.edges_on_cell).first(mesh.cell_offsets[n_cells]);
  const LocalIndex n_edges = 1 + *std::ranges::max_element(edges);
  return {n_cells, n_edges, mesh.n_cells(), mesh.n_edges()};
}

/// Returns the new index of each edge: order[new] = old for the computed edges; the other edges do not move.
std::vector<LocalIndex> new_edge_indices(std::span<const LocalIndex> order, const Counts& counts) {
  std::vector<LocalIndex> indices(counts.all_edges);
  std::iota(indices.begin(), indices.end(), 0);
  if (order.empty()) return indices;
  require<InputError>(std::ssize(order) == counts.edges,
                      "The order has {} edges, but the stencil computes {}.", order.size(), counts.edges);
  std::fill_n(indices.begin(), counts.edges, kNone);
  for (LocalIndex e = 0; e < counts.edges; ++e) {
    require<InputError>(
        order[e] >= 0 && order[e] < counts.edges && indices[order[e]] == kNone,
        "The order of edges has edge {} twice, or it is not one of the {} edges of the stencil.", order[e],
        counts.edges);
    indices[order[e]] = e;
  }
  return indices;
}

void require_no_outer_boundary(const mesh::Mesh& mesh, LocalIndex edge) {
  const auto neighbours =
      std::span(mesh.edges_on_edge)
          .subspan(mesh.edge_offsets[edge], mesh.edge_offsets[edge + 1] - mesh.edge_offsets[edge]);
  require<InputError>(
      mesh.cells_on_edge[edge][1] != kNone && std::ranges::find(neighbours, kNone) == neighbours.end(),
      "The mesh has an outer boundary at edge {}, but the stencil needs both sides. Give a mesh "
      "of the whole sphere, or with one layer of cells around the computed cells.",
      edge);
}

}  // namespace

FlatLists::FlatLists(const mesh::Mesh& mesh, LocalIndex n_cells, std::span<const LocalIndex> edges)
    : counts_(counts_of(mesh, n_cells)) {
  const auto new_edge_index = new_edge_indices(edges, counts_);
  append_cells(mesh, new_edge_index);
  for (LocalIndex e = 0; e < counts_.edges; ++e)
    append_edge(mesh, edges.empty() ? e : edges[e], new_edge_index);
}

void FlatLists::append_cells(const mesh::Mesh& mesh, std::span<const LocalIndex> new_edge_index) {
  for (LocalIndex cell = 0; cell < counts_.cells; ++cell) {
    for (LocalIndex i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
      const LocalIndex edge = mesh.edges_on_cell[i];
      const double outward = mesh.cells_on_edge[edge][0] == cell ? 1 : -1;
      edges_on_cell_.push_back(new_edge_index[edge]);
      cell_weights_.push_back(outward * mesh.dv_edge[edge] / mesh.area_cell[cell]);
    }
    cell_offsets_.push_back(static_cast<LocalIndex>(edges_on_cell_.size()));
  }
}

void FlatLists::append_edge(const mesh::Mesh& mesh, LocalIndex edge,
                            std::span<const LocalIndex> new_edge_index) {
  require_no_outer_boundary(mesh, edge);
  for (LocalIndex i = mesh.edge_offsets[edge]; i < mesh.edge_offsets[edge + 1]; ++i) {
    edges_on_edge_.push_back(new_edge_index[mesh.edges_on_edge[i]]);
    edge_weights_.push_back(mesh.weights_on_edge[i]);
  }
  edge_offsets_.push_back(static_cast<LocalIndex>(edges_on_edge_.size()));
  cells_on_edge_.push_back(mesh.cells_on_edge[edge]);
  inverse_distance_.push_back(1 / mesh.dc_edge[edge]);
}

Structures::Structures(const FlatLists& lists) : counts_(lists.counts()) {
  for (LocalIndex cell = 0; cell < counts_.cells; ++cell) cells_.emplace_back(lists.divergence(cell));
  for (LocalIndex edge = 0; edge < counts_.edges; ++edge)
    edges_.push_back({lists.sides(edge), Lists(lists.tangent(edge))});
}

namespace {

using OneLevel = std::integral_constant<std::size_t, 1>;

/// y += sum_j a_j x_j on each level. x and y do not alias, so the sum of one level stays in a register.
template <class Levels>
void add_terms(const Terms& terms, const double* __restrict x, Levels n_levels, double* __restrict y) {
  const std::size_t n = n_levels;
  for (std::size_t j = 0; j < terms.items.size(); ++j) {
    const double a = terms.factors[j];
    const double* values = x + static_cast<std::size_t>(terms.items[j]) * n;
    for (std::size_t k = 0; k < n; ++k) y[k] += a * values[k];
  }
}

/// Calls kernel(n_levels, k): once with all levels and k = 0, or once per level k with one level.
template <class Kernel>
void for_levels(Layout layout, int n_levels, Kernel kernel) {
  if (layout == Layout::levels_innermost) return kernel(static_cast<std::size_t>(n_levels), std::size_t{0});
  for (std::size_t k = 0; k < static_cast<std::size_t>(n_levels); ++k) kernel(OneLevel(), k);
}

}  // namespace

template <class Lists>
template <class Levels>
void Stencil<Lists>::divergence_on(const double* u, Levels n_levels, double* divergence) const {
  for (LocalIndex cell = 0; cell < counts().cells; ++cell) {
    double* sum = divergence + static_cast<std::size_t>(cell) * n_levels;
    std::fill_n(sum, static_cast<std::size_t>(n_levels), 0.0);
    add_terms(lists_.divergence(cell), u, n_levels, sum);
  }
}

template <class Lists>
template <class Levels>
void Stencil<Lists>::tendency_on(const double* u, const double* cell_values, Levels n_levels,
                                 double* tendency) const {
  const std::size_t n = n_levels;
  for (LocalIndex edge = 0; edge < counts().edges; ++edge) {
    double* sum = tendency + static_cast<std::size_t>(edge) * n;
    const auto [from, to, inverse_distance] = lists_.sides(edge);
    const double *value_from = cell_values + static_cast<std::size_t>(from) * n,
                 *value_to = cell_values + static_cast<std::size_t>(to) * n;
    for (std::size_t k = 0; k < n; ++k) sum[k] = inverse_distance * (value_from[k] - value_to[k]);
    add_terms(lists_.tangent(edge), u, n_levels, sum);
  }
}

template <class Lists>
void Stencil<Lists>::divergence(Layout layout, std::span<const double> u, int n_levels,
                                std::span<double> divergence) const {
  for_levels(layout, n_levels, [&](auto levels, std::size_t k) {
    divergence_on(&u[k * counts().all_edges], levels, &divergence[k * counts().all_cells]);
  });
}

template <class Lists>
void Stencil<Lists>::tendency(Layout layout, std::span<const double> u, std::span<const double> cell_values,
                              int n_levels, std::span<double> tendency) const {
  for_levels(layout, n_levels, [&](auto levels, std::size_t k) {
    tendency_on(&u[k * counts().all_edges], &cell_values[k * counts().all_cells], levels,
                &tendency[k * counts().all_edges]);
  });
}

template class Stencil<FlatLists>;
template class Stencil<Structures>;

}  // namespace halcyon::bench
