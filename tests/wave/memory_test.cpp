#include "halcyon/graph/partition.hpp"
#include "halcyon/mesh/generate/lloyd.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"
#include "halcyon/wave/model.hpp"
#include "test.hpp"

using namespace halcyon;

TEST_CASE("wave: the memory of dispersion tables is what they allocate") {
  const wave::SpectralGrid grid(30, 0.045, 1.1, 24);
  const std::vector<double> depth(2000, 50.0);
  const auto before = test::allocations().present_bytes;
  const wave::DispersionTables tables(grid, depth);
  const auto allocated_bytes = test::allocations().present_bytes - before;
  CHECK(tables.memory_bytes() == 2000 * (3 * 30 + 1) * static_cast<std::int64_t>(sizeof(float)));
  CHECK(allocated_bytes >= tables.memory_bytes());
  CHECK(allocated_bytes <= tables.memory_bytes() + 4 * 4096);  // malloc rounds up to pages
}

TEST_CASE("wave: the memory of a model is most of what it allocates, with substeps of bands too") {
  const comm::Communicator comm(test::world());
  auto triangulation = mesh::icosahedron();
  for (int level = 1; level <= 3; ++level)
    triangulation = mesh::relax(mesh::bisected(triangulation), nullptr, {.tolerance = 1e-3}).triangulation;
  auto mesh = mesh::voronoi_mesh(triangulation);
  mesh.bottom_depth.assign(mesh.cell_points.size(), 4000);
  const auto graph = graph::make_adjacency(mesh.cell_offsets, mesh.cells_on_cell);
  const auto local = decomposition::local_mesh(mesh, graph::partition(graph, comm.size()), comm.rank(), 2);
  const wave::SpectralGrid grid(24, 0.045, 1.1, 32);
  wave::ModelOptions options;
  options.bands = {{12, 4}, {12, 1}};
  const auto before = test::allocations().present_bytes;
  const wave::Model model(comm, local, grid, options);
  const auto allocated_bytes = test::allocations().present_bytes - before;
  CHECK(model.memory_bytes() <= allocated_bytes);
  CHECK(model.memory_bytes() >= 0.7 * static_cast<double>(allocated_bytes));
}
