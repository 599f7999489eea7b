// Prints checksums of the results of halo exchanges and of the wave model; tools/same_bits.py compares the
// checksums of two MPI libraries.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "decomposition/grids.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/mesh/generate/lloyd.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"
#include "halcyon/wave/model.hpp"
#include "halcyon/wave/wind/holland.hpp"

using namespace halcyon;

namespace {

using Bytes = std::span<const std::byte>;

/// FNV-1a hash (Fowler, Noll and Vo), seeded with a number.
std::uint64_t checksum(std::int64_t number, Bytes bytes) {
  constexpr std::uint64_t kBegin = 14695981039346656037u, kPrime = 1099511628211u;
  auto sum = (kBegin ^ static_cast<std::uint64_t>(number)) * kPrime;
  for (const auto byte : bytes) sum = (sum ^ static_cast<std::uint64_t>(byte)) * kPrime;
  return sum;
}

/// Collective. Prints a checksum of the items of all ranks, which does not depend on which rank has which
/// item.
/// @param numbers one number per item of this rank, unique over all ranks
/// @param items   bytes of the items, of equal size
void print_sum(const comm::Communicator& comm, const std::string& name, std::span<const std::int64_t> numbers,
               Bytes items) {
  const auto item_bytes = numbers.empty() ? 0 : items.size() / numbers.size();
  std::uint64_t local_sum = 0, global_sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    local_sum += checksum(numbers[i], items.subspan(i * item_bytes, item_bytes));
  comm::check(MPI_Allreduce(&local_sum, &global_sum, 1, MPI_UINT64_T, MPI_SUM, comm.get()), "MPI_Allreduce");
  if (comm.rank() == 0)
    std::printf("%s %016llx\n", name.c_str(), static_cast<unsigned long long>(global_sum));
}

/// A field (entity, level) whose owned values depend on the global id; halo values are -1.
std::vector<double> owned_values(const decomposition::IndexMap& index_map, int n_levels) {
  std::vector<double> values(static_cast<std::size_t>(index_map.size()) * n_levels, -1);
  for (LocalIndex i = 0; i < index_map.n_owned; ++i) {
    for (int level = 0; level < n_levels; ++level)
      values[i * n_levels + level] = std::sin(static_cast<double>(index_map.to_global[i]) + 0.1 * level);
  }
  return values;
}

/// Collective. Prints checksums of three fields, on cells, edges and vertices, after two halo exchanges.
void print_halo(const comm::Communicator& comm, const decomposition::Decomposition& part,
                const comm::MethodEntry& method, const std::string& name) {
  constexpr std::array kLevels{3, 1, 5};
  std::vector<schedule::HaloField> group;
  std::vector<std::vector<double>> fields;
  for (int kind = 0; kind < 3; ++kind) {
    group.push_back({kind, kLevels[kind] * static_cast<std::int64_t>(sizeof(double))});
    fields.push_back(owned_values(part.index_maps[kind], kLevels[kind]));
  }
  halo::Halo halo(comm, part, group, &method);
  std::vector<std::span<std::byte>> spans;
  for (auto& field : fields) spans.push_back(std::as_writable_bytes(std::span(field)));
  for (int repeat = 0; repeat < 2; ++repeat) halo.start(spans).wait();
  for (int kind = 0; kind < 3; ++kind) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(part.index_maps[kind].size()));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<std::int64_t>(i) * comm.size() + comm.rank();
    print_sum(comm, fmt::format("{} {} kind {}", name, method.name, kind), numbers, spans[kind]);
  }
}

/// Collective. Prints the checksums for 1 to 3 halo layers and every exchange method.
void print_halos(const comm::Communicator& comm) {
  const auto topology = test::longitude_latitude(60, 30);
  const auto owners = test::owners_of(topology, comm.size());
  for (const int n_layers : {1, 2, 3}) {
    const auto part = decompose(topology, owners, comm.rank(), n_layers);
    for (const auto& method : comm::methods())
      print_halo(comm, part, method, fmt::format("halo, {} layers,", n_layers));
  }
}

/// The uniform mesh G4 (2562 cells) with ocean depths of 20 to 4000 m.
mesh::Mesh sea() {
  auto triangulation = mesh::icosahedron();
  for (int level = 1; level <= 4; ++level)
    triangulation = mesh::relax(mesh::bisected(triangulation), nullptr, {.tolerance = 1e-4}).triangulation;
  auto mesh = mesh::voronoi_mesh(triangulation);
  for (const auto& point : mesh.cell_points) mesh.bottom_depth.push_back(2010 + 1990 * point.z);
  return mesh;
}

std::vector<std::int64_t> owned_cells(const decomposition::IndexMap& cells) {
  return {cells.to_global.begin(), cells.to_global.begin() + cells.n_owned};
}

/// Collective. Prints checksums of the waves under a moving storm after four steps of the source terms, each
/// after three steps of transport.
void print_waves(const comm::Communicator& comm, const mesh::Mesh& mesh, comm::Method method) {
  const auto graph = graph::make_adjacency(mesh.cell_offsets, mesh.cells_on_cell);
  const wave::SpectralGrid grid(12, 0.045, 1.15, 24);
  wave::ModelOptions options;
  options.method = method;
  const auto owners = graph::partition(graph, comm.size());
  wave::Model model(comm, decomposition::local_mesh(mesh, owners, comm.rank(), 2), grid, options);
  const wave::Vortex storm{
      .latitude = 0.4, .longitude = 2.4, .radius = 3e5, .shape = 1.4, .peak = 45, .eastward = -5};
  const wave::VortexWind wind({0, 1e5}, {storm, storm}, {});
  model.set_wind(wind, 0);
  model.set_fetch_law(2e5);
  const auto step_s = 0.9 * std::ranges::min(wave::cfl_limits(mesh, grid, {}));
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < 3; ++i) model.advance_transport(step_s);
    model.advance_sources(1200);
  }
  const auto cells = owned_cells(model.decomposition().cells());
  const auto action = model.action();
  const auto name = fmt::format("wave, {},", method->name);
  print_sum(comm, name + " action", cells,
            std::as_bytes(std::span(action.data(), cells.size() * grid.n_bins())));
  std::vector<float> height(cells.size()), direction(cells.size());
  std::vector<LocalIndex> owned(cells.size());
  std::iota(owned.begin(), owned.end(), 0);
  const wave::RequestedProduct requested[] = {{&wave::product_named("significant_height"), height},
                                              {&wave::product_named("mean_direction"), direction}};
  model.compute_products(owned, requested);
  print_sum(comm, name + " significant height", cells, std::as_bytes(std::span(height)));
  print_sum(comm, name + " mean direction", cells, std::as_bytes(std::span(direction)));
}

}  // namespace

int main(int argc, char** argv) {
  int thread_level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &thread_level);
  {
    const comm::Communicator comm(MPI_COMM_WORLD);
    print_halos(comm);
    const auto mesh = sea();
    for (const auto& method : comm::methods()) print_waves(comm, mesh, &method);
  }
  MPI_Finalize();
}
