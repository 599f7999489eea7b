#include <algorithm>
#include <cmath>
#include <random>

#include "halcyon/atmosphere/kernels/shallow_water.hpp"
#include "halcyon/base/constants.hpp"
#include "halcyon/mesh/generate/triangulation.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::atmosphere;

namespace {

constexpr double kTau = 900;  // tau of the operator [s]

/// A global mesh with random thickness H [m] on edges, and the operator L eta = eta - tau^2 g div(H grad
/// eta).
struct Globe {
  Globe()
      : whole(mesh::voronoi_mesh(mesh::bisected(mesh::bisected(mesh::icosahedron())))),
        local(decomposition::local_mesh(whole, std::vector<Rank>(whole.n_cells()), 0, 1)),
        mesh(local, kEarthRadius),
        thickness(random_values(mesh.n_edges(), 500, 6000)),
        cells{{0, mesh.n_cells()}} {}

  std::vector<double> random_values(LocalIndex n, double low, double high) {
    std::uniform_real_distribution<double> values(low, high);
    std::vector<double> result(n);
    for (auto& value : result) value = values(generator);
    return result;
  }

  /// Returns L eta.
  std::vector<double> apply_operator(std::span<const double> eta) const {
    std::vector<LocalIndex> neighbours;
    std::vector<double> weight;
    for (LocalIndex i = 0; i < mesh.n_cells(); ++i) {
      for (auto j = mesh.cell_offsets[i]; j < mesh.cell_offsets[i + 1]; ++j) {
        const auto e = mesh.edges_on_cell[j];
        neighbours.push_back(whole.cells_on_cell[j]);
        weight.push_back(kGravity * std::abs(mesh.outward_length[j]) * mesh.inverse_distance[e]);
      }
    }
    std::vector<double> coupling(weight.size()), inverse_diagonal(mesh.n_cells()), result(mesh.n_cells());
    helmholtz_coefficients<double>(mesh, kTau * kTau, weight, thickness, coupling, inverse_diagonal);
    helmholtz(mesh.cell_offsets, neighbours, coupling, cells, eta, result);
    return result;
  }

  /// Returns the inner product weighted by the areas of cells.
  double inner_product(std::span<const double> a, std::span<const double> b) const {
    double sum = 0;
    for (LocalIndex i = 0; i < mesh.n_cells(); ++i) sum += mesh.cell_area[i] * a[i] * b[i];
    return sum;
  }

  std::mt19937 generator{1};
  mesh::Mesh whole;
  decomposition::LocalMesh local;
  HorizontalMesh<double> mesh;
  std::vector<double> thickness;
  IndexRanges cells;
};

}  // namespace

// Against the operators of the explicit step: acceleration by the surface, then tendency of thickness.
TEST_CASE("gravity waves: the operator is 1 - tau^2 g div(H grad)" * test::in_process()) {
  Globe globe;
  const auto eta = globe.random_values(globe.mesh.n_cells(), -1, 1);
  const IndexRanges edges{{0, globe.mesh.n_edges()}};
  std::vector<double> acceleration(globe.mesh.n_edges()), rate(globe.mesh.n_cells());
  surface_acceleration<double>(globe.mesh, edges, kGravity, eta, acceleration);
  thickness_tendency<double>(globe.mesh, globe.cells, globe.thickness, acceleration, rate);
  const auto result = globe.apply_operator(eta);
  double max_error = 0;
  for (LocalIndex i = 0; i < globe.mesh.n_cells(); ++i)
    max_error = std::max(max_error, std::abs(result[i] - (eta[i] - kTau * kTau * rate[i])));
  CHECK(max_error < 1e-13);
}

TEST_CASE("gravity waves: it is symmetric and positive where cells weigh by their areas" *
          test::in_process()) {
  Globe globe;
  const auto a = globe.random_values(globe.mesh.n_cells(), -1, 1),
             b = globe.random_values(globe.mesh.n_cells(), -1, 1);
  const auto a_Lb = globe.inner_product(a, globe.apply_operator(b)),
             La_b = globe.inner_product(globe.apply_operator(a), b);
  CHECK(a_Lb == doctest::Approx(La_b).epsilon(1e-12));
  CHECK(globe.inner_product(a, globe.apply_operator(a)) > globe.inner_product(a, a));
}
