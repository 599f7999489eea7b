#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"
#include "halcyon/mesh/mpas/check.hpp"

namespace halcyon::mesh {
namespace {

constexpr double kTolerance = 0.01;  // of a weight, relative to dv_edge[e'] / dc_edge[e] or to the weight

/// The arrays edge_offsets, edges_on_edge and weights_on_edge of a mesh.
struct Tangents {
  std::vector<LocalIndex> offsets, edges;
  std::vector<double> weights;
};

/// The edges and weights in the list of one edge.
struct Row {
  std::span<const LocalIndex> edges;
  std::span<const double> weights;
};

Row row_of(const std::vector<LocalIndex>& offsets, const std::vector<LocalIndex>& edges,
           const std::vector<double>& weights, LocalIndex e) {
  const auto begin = static_cast<std::size_t>(offsets[e]),
             n = static_cast<std::size_t>(offsets[e + 1]) - begin;
  return {std::span(edges).subspan(begin, n), std::span(weights).subspan(begin, n)};
}

bool is_boundary_edge(const Mesh& m, LocalIndex e) {
  return m.cells_on_edge[e][1] == kNone;
}

/// Result of the comparison of a row of a file with the computed row.
enum class RowMatch { same, reordered, wrong };

bool is_same_weight(const Mesh& m, LocalIndex e, LocalIndex other, double weight, double expected) {
  return std::abs(weight - expected) <=
         kTolerance * m.dv_edge[other] / m.dc_edge[e] + kTolerance * std::abs(expected);
}

/// Compares a row of a file with the computed row; the file's row may be longer on an outer boundary edge.
RowMatch compare_rows(const Mesh& m, LocalIndex e, const Row& file, const Row& computed) {
  const std::size_t n = computed.edges.size();
  const auto agrees = [&](std::size_t k, std::size_t i) {
    return file.edges[i] == computed.edges[k] &&
           is_same_weight(m, e, file.edges[i], file.weights[i], computed.weights[k]);
  };
  const bool long_enough = is_boundary_edge(m, e) ? file.edges.size() >= n : file.edges.size() == n;
  if (!long_enough) return RowMatch::wrong;
  std::size_t k = 0;
  while (k < n && agrees(k, k)) ++k;
  if (k == n) return RowMatch::same;
  for (k = 0; k < n; ++k) {
    const auto i = std::ranges::find(file.edges, computed.edges[k]) - file.edges.begin();
    if (static_cast<std::size_t>(i) == file.edges.size() || !agrees(k, i)) return RowMatch::wrong;
  }
  return RowMatch::reordered;
}

/// Whether an edge, or an edge in its computed row, is on the outer boundary.
bool touches_boundary(const Mesh& m, LocalIndex e, const Row& computed) {
  return is_boundary_edge(m, e) ||
         std::ranges::any_of(computed.edges, [&](LocalIndex other) { return is_boundary_edge(m, other); });
}

/// Whether all rows of the file equal the computed ones, also in order. @throws InputError if one is wrong
bool is_in_our_order(const Mesh& m, const std::string& path, const Tangents& file) {
  bool all_same = true;
  for (LocalIndex e = 0; e < m.n_edges(); ++e) {
    const Row computed = row_of(m.edge_offsets, m.edges_on_edge, m.weights_on_edge, e);
    const RowMatch match = compare_rows(m, e, row_of(file.offsets, file.edges, file.weights, e), computed);
    all_same = all_same && match == RowMatch::same;
    require<InputError>(
        match != RowMatch::wrong || touches_boundary(m, e, computed),
        "{}: edgesOnEdge and weightsOnEdge of edge {} (cell {}) do not follow from the edges and "
        "kites of its cells. Remove these variables: they are computed when the mesh is read.",
        path, e + 1, m.cells_on_edge[e][0] + 1);
  }
  return all_same;
}

}  // namespace

void canonicalize_tangents(Mesh& mesh, const std::string& path) {
  Tangents file{std::move(mesh.edge_offsets), std::move(mesh.edges_on_edge), std::move(mesh.weights_on_edge)};
  mesh.edges_on_edge.clear();
  mesh.weights_on_edge.clear();
  compute_tangential_weights(mesh, 0);
  if (file.offsets.empty() || !is_in_our_order(mesh, path, file)) return;
  mesh.edge_offsets = std::move(file.offsets);
  mesh.edges_on_edge = std::move(file.edges);
  mesh.weights_on_edge = std::move(file.weights);
}

}  // namespace halcyon::mesh
