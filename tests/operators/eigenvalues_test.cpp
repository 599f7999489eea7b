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

constexpr double kRadius = 3.0;
constexpr int kTurns = 400;

/// The largest eigenvalue of -L by the power method, from a rough field.
template <class Apply>
double largest_of(LocalIndex n, const Apply& apply) {
  std::vector<double> x(n), y(n);
  for (LocalIndex i = 0; i < n; ++i) x[i] = std::sin(1.7 * i * i);
  double found = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    double before = 0, after = 0;
    for (LocalIndex i = 0; i < n; ++i) y[i] = -apply(x, i), before += x[i] * x[i], after += y[i] * y[i];
    found = std::sqrt(after / before);
    for (LocalIndex i = 0; i < n; ++i) x[i] = y[i] / std::sqrt(after);
  }
  return found;
}

}  // namespace

TEST_CASE("operators: bounds of eigenvalues are above the largest ones, and near them" * test::in_process()) {
  const auto globe = mesh::voronoi_mesh(mesh::bisected(mesh::bisected(mesh::icosahedron())));
  const auto local = decomposition::local_mesh(globe, std::vector<Rank>(globe.n_cells()), 0, 1);
  const operators::HorizontalMesh<double> mesh(local, kRadius);
  double cells = 0, vertices = 0;
  for (LocalIndex i = 0; i < globe.n_cells(); ++i) {
    cells = std::max(cells, operators::cell_laplacian_bound(globe, i, kRadius));
    vertices = std::max(vertices, operators::vertex_laplacian_bound(globe, i, kRadius));
  }
  const LevelBlock<double, 1> rows(1, 0);
  std::vector<double> across(mesh.n_edges());
  const auto of_cells = largest_of(mesh.n_cells(), [&](const std::vector<double>& x, LocalIndex i) {
    for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j)
      across[mesh.edges_on_cell[j]] = gradient(mesh, rows(x), mesh.edges_on_cell[j]);
    return divergence(mesh, rows(across), i);
  });
  const auto of_vertices = largest_of(mesh.n_vertices(), [&](const std::vector<double>& x, LocalIndex v) {
    for (const auto e : mesh.edges_on_vertex[v]) across[e] = tangential_gradient(mesh, rows(x), e);
    return curl(mesh, rows(across), v);
  });
  CHECK(of_cells < cells);
  CHECK(of_cells > 0.7 * cells);
  CHECK(of_vertices < vertices);
  CHECK(of_vertices > 0.7 * vertices);
}
