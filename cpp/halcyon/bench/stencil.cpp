#include "halcyon/bench/stencil.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::bench {
namespace {

/// y += a x
void add(double a, const double* x, int n, double* y) {
  for (int k = 0; k < n; ++k) y[k] += a * x[k];
}

}  // namespace

Stencil::Stencil(const mesh::Mesh& mesh)
    : cell_offsets_(mesh.cell_offsets),
      edges_on_cell_(mesh.edges_on_cell),
      edge_offsets_(mesh.edge_offsets),
      edges_on_edge_(mesh.edges_on_edge),
      weights_on_edge_(mesh.weights_on_edge),
      cells_on_edge_(mesh.cells_on_edge) {
  require<InputError>(std::ranges::find(mesh.cells_on_cell, kNone) == mesh.cells_on_cell.end(),
                      "The mesh has an outer boundary, but the stencil is for closed ones. Take all of the "
                      "sphere.");
  lengths_over_area_.reserve(edges_on_cell_.size());
  for (LocalIndex cell = 0; cell < mesh.n_cells(); ++cell) {
    for (LocalIndex at = cell_offsets_[cell]; at < cell_offsets_[cell + 1]; ++at) {
      const LocalIndex edge = edges_on_cell_[at];
      const double outward = mesh.cells_on_edge[edge][0] == cell ? 1 : -1;
      lengths_over_area_.push_back(outward * mesh.dv_edge[edge] / mesh.area_cell[cell]);
    }
  }
  for (const double distance : mesh.dc_edge) over_distance_.push_back(1 / distance);
}

void Stencil::divergence(std::span<const double> u, int n_levels, std::span<double> divergence) const {
  const auto n = static_cast<std::size_t>(n_levels);
  for (LocalIndex cell = 0; cell < n_cells(); ++cell) {
    double* sum = &divergence[cell * n];
    std::fill_n(sum, n, 0.0);
    for (LocalIndex at = cell_offsets_[cell]; at < cell_offsets_[cell + 1]; ++at)
      add(lengths_over_area_[at], &u[edges_on_cell_[at] * n], n_levels, sum);
  }
}

void Stencil::tendency(std::span<const double> u, std::span<const double> cell_values, int n_levels,
                       std::span<double> tendency) const {
  const auto n = static_cast<std::size_t>(n_levels);
  for (LocalIndex edge = 0; edge < n_edges(); ++edge) {
    double* sum = &tendency[edge * n];
    const auto [from, to] = cells_on_edge_[edge];
    const double *behind = &cell_values[from * n], *ahead = &cell_values[to * n];
    for (int k = 0; k < n_levels; ++k) sum[k] = over_distance_[edge] * (behind[k] - ahead[k]);
    for (LocalIndex at = edge_offsets_[edge]; at < edge_offsets_[edge + 1]; ++at)
      add(weights_on_edge_[at], &u[edges_on_edge_[at] * n], n_levels, sum);
  }
}

}  // namespace halcyon::bench
