#include <algorithm>
#include <cmath>
#include <vector>

#include "halcyon/decomposition/local_mesh.hpp"
#include "halcyon/mesh/generate/triangulation.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"
#include "halcyon/operators/horizontal.hpp"
#include "halcyon/operators/trisk.hpp"
#include "test.hpp"

using namespace halcyon;

// On meshes where the line between two cells misses the middle of their edge.
TEST_CASE("operators: kinetic energy of solid rotation is exact at the centres of cells" *
          test::in_process()) {
  auto triangles = mesh::icosahedron();
  for (int level = 0; level < 4; ++level) triangles = mesh::bisected(triangles);
  const auto globe = mesh::voronoi_mesh(triangles);
  const auto local = decomposition::local_mesh(globe, std::vector<Rank>(globe.n_cells()), 0, 1);
  const operators::HorizontalMesh<double> mesh(local, 1.0);
  const Vector3 axis{0.6, 0, 0.8};
  std::vector<double> u;
  for (const auto [right, left] : globe.vertices_on_edge) {
    const Vector3 from = globe.vertex_points[right], to = globe.vertex_points[left],
                  point = normalized(from + to);
    u.push_back(dot(cross(axis, point), normalized(cross(to - from, point))));
  }
  const LevelBlock<double, 1> rows(1, 0);
  const auto largest_error = [&](const operators::KineticEnergyWeights<double>& weights) {
    double largest = 0;
    for (LocalIndex i = 0; i < globe.n_cells(); ++i) {
      const Vector3 wind = cross(axis, globe.cell_points[i]);
      const double found = kinetic_energy(weights, rows(std::span<const double>(u)), i);
      largest = std::max(largest, std::abs(found - dot(wind, wind) / 2));
    }
    return largest;
  };
  for (const double b : {0.25, -0.75}) {
    CHECK(largest_error({mesh, b, globe}) < 0.003);
    CHECK(largest_error({mesh, b}) > 0.01);
  }
  CHECK(largest_error({mesh, 0, globe}) == largest_error({mesh, 0}));
}
