#include <cmath>
#include <vector>

#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/mesh/generate/triangulation.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"
#include "halcyon/operators/horizontal.hpp"
#include "halcyon/operators/trisk.hpp"
#include "test.hpp"

using namespace halcyon;

namespace {

constexpr double kRadius = 3.0;  // of the sphere [m]
constexpr int kIterations = 400;

/// Returns the largest eigenvalue of -L by the power method, from a rough field of n items. apply(x, i) is
/// item i of L x.
template <class Apply>
double largest_eigenvalue(LocalIndex n, const Apply& apply) {
  std::vector<double> x(n), y(n);
  for (LocalIndex i = 0; i < n; ++i) x[i] = std::sin(1.7 * i * i);
  double eigenvalue = 0;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    double before = 0, after = 0;
    for (LocalIndex i = 0; i < n; ++i) y[i] = -apply(x, i), before += x[i] * x[i], after += y[i] * y[i];
    eigenvalue = std::sqrt(after / before);
    for (LocalIndex i = 0; i < n; ++i) x[i] = y[i] / std::sqrt(after);
  }
  return eigenvalue;
}

}  // namespace

// For the Laplacians div grad on cells and curl grad on vertices.
TEST_CASE("operators: bounds of eigenvalues are above the largest ones, and near them" * test::in_process()) {
  const auto globe = mesh::voronoi_mesh(mesh::bisected(mesh::bisected(mesh::icosahedron())));
  const auto local = decomposition::local_mesh(globe, std::vector<Rank>(globe.n_cells()), 0, 1);
  const operators::HorizontalMesh<double> mesh(local, kRadius);
  double cell_bound = 0, vertex_bound = 0;
  for (LocalIndex i = 0; i < globe.n_cells(); ++i) {
    cell_bound = std::max(cell_bound, operators::cell_laplacian_bound(globe, i, kRadius));
    vertex_bound = std::max(vertex_bound, operators::vertex_laplacian_bound(globe, i, kRadius));
  }
  const LevelBlock<double, 1> rows(1, 0);
  std::vector<double> edge_values(mesh.n_edges());
  const auto cell_eigenvalue =
      largest_eigenvalue(mesh.n_cells(), [&](const std::vector<double>& x, LocalIndex i) {
        for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j)
          edge_values[mesh.edges_on_cell[j]] = gradient(mesh, rows(x), mesh.edges_on_cell[j]);
        return divergence(mesh, rows(edge_values), i);
      });
  const auto vertex_eigenvalue =
      largest_eigenvalue(mesh.n_vertices(), [&](const std::vector<double>& x, LocalIndex v) {
        for (const auto e : mesh.edges_on_vertex[v]) edge_values[e] = tangential_gradient(mesh, rows(x), e);
        return curl(mesh, rows(edge_values), v);
      });
  CHECK(cell_eigenvalue < cell_bound);
  CHECK(cell_eigenvalue > 0.7 * cell_bound);
  CHECK(vertex_eigenvalue < vertex_bound);
  CHECK(vertex_eigenvalue > 0.7 * vertex_bound);
}
