// Halo exchange of a small model with Halcyon: hello_halo [MESH]
//
// Two fields on the cells of a longitude-latitude grid, or of a mesh file in the MPAS format, hold global
// ids. Every rank sums over the neighbours of its cells; the inner cells overlap with the halo exchange.
#include <fmt/core.h>
#include <mpi.h>

#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "halcyon/decomposition/from_lists.hpp"
#include "halcyon/graph/partition.hpp"
#include "halcyon/halo/halo.hpp"
#include "halcyon/mesh/mpas/mpas.hpp"

using namespace halcyon;

namespace {

constexpr LocalIndex kLongitudes = 24, kLatitudes = 12;
constexpr int kLevels = 10, kHaloLayers = 1;

LocalIndex cell_at(LocalIndex longitude, LocalIndex latitude) {
  if (latitude < 0 || latitude >= kLatitudes) return kNone;
  return latitude * kLongitudes + (longitude + kLongitudes) % kLongitudes;
}

decomposition::Topology grid() {
  std::vector<LocalIndex> offsets{0}, cells_on_cell;
  for (LocalIndex j = 0; j < kLatitudes; ++j) {
    for (LocalIndex i = 0; i < kLongitudes; ++i) {
      for (const auto cell : {cell_at(i + 1, j), cell_at(i, j + 1), cell_at(i - 1, j), cell_at(i, j - 1)})
        cells_on_cell.push_back(cell);
      offsets.push_back(static_cast<LocalIndex>(cells_on_cell.size()));
    }
  }
  return decomposition::topology_of(offsets, cells_on_cell);
}

/// The neighbours of the owned cells, as local indices.
decomposition::Lists local_neighbours(const decomposition::Topology& topology,
                                      const decomposition::IndexMap& cells) {
  decomposition::Lists neighbours;
  std::vector<GlobalIndex> ids;
  for (LocalIndex i = 0; i < cells.n_owned; ++i) {
    const auto cells_around = topology.cells_on_cell[static_cast<LocalIndex>(cells.to_global[i])];
    ids.insert(ids.end(), cells_around.begin(), cells_around.end());
    neighbours.offsets.push_back(static_cast<LocalIndex>(ids.size()));
  }
  neighbours.values.resize(ids.size());
  decomposition::to_local(cells, ids, neighbours.values);
  return neighbours;
}

/// sum[i]: sum of heat over the neighbours of cell i, for cells first to end - 1.
void add_neighbours(const decomposition::Lists& neighbours, std::span<const double> heat, LocalIndex first,
                    LocalIndex end, std::vector<double>& sum) {
  for (auto i = first; i < end; ++i) {
    sum[i] = 0;
    for (const auto cell : neighbours[i]) sum[i] += heat[cell];
  }
}

/// Values that depend on the global id, so that received values can be checked.
double heat_of(GlobalIndex id) {
  return static_cast<double>(id);
}
float wind_of(GlobalIndex id, int level) {
  return static_cast<float>(id) + 0.01f * static_cast<float>(level);
}

template <class T>
std::span<T> values_of(const halo::FieldMemory& memory) {
  return {reinterpret_cast<T*>(memory.bytes().data()), memory.bytes().size() / sizeof(T)};
}

void run(const comm::Communicator& comm, const char* path) {
  // Decompose the mesh, partitioned by METIS.
  const auto topology = path ? decomposition::topology_of(mesh::read_mpas(path)) : grid();
  const auto& lists = topology.cells_on_cell;
  const auto owners = graph::partition(graph::make_adjacency(lists.offsets, lists.values), comm.size());
  const auto part = decomposition::decompose(topology, owners, comm.rank(), kHaloLayers);
  const auto& cells = part.cells();

  // Renumber the arrays of the model.
  const auto neighbours = local_neighbours(topology, cells);

  // Group the fields that are exchanged together.
  halo::Halo halo(comm, part, {{0, sizeof(double)}, {0, kLevels * sizeof(float)}}, comm::method_named("auto"),
                  comm::BufferPlacement::node_memory);
  const std::array memory{halo.allocate(0), halo.allocate(1)};
  const std::array arrays{memory[0].bytes(), memory[1].bytes()};
  const auto heat = values_of<double>(memory[0]);
  const auto wind = values_of<float>(memory[1]);
  for (LocalIndex i = 0; i < cells.n_owned; ++i) {
    heat[i] = heat_of(cells.to_global[i]);
    for (int level = 0; level < kLevels; ++level)
      wind[i * kLevels + level] = wind_of(cells.to_global[i], level);
  }

  // Exchange, overlapped with computation.
  std::vector<double> sum(cells.n_owned);
  auto pending = halo.start(arrays);
  add_neighbours(neighbours, heat, 0, part.n_inner, sum);
  pending.wait();
  add_neighbours(neighbours, heat, part.n_inner, cells.n_owned, sum);

  // Check that every value equals the value on its owner.
  // Numbers of halo cells and wrong values, and the sum over neighbours.
  std::array<std::int64_t, 3> counts{cells.size() - cells.n_owned, 0, 0}, all_counts{};
  for (LocalIndex i = 0; i < cells.size(); ++i) {
    counts[1] += heat[i] != heat_of(cells.to_global[i]);
    for (int level = 0; level < kLevels; ++level)
      counts[1] += wind[i * kLevels + level] != wind_of(cells.to_global[i], level);
  }
  counts[2] = static_cast<std::int64_t>(std::accumulate(sum.begin(), sum.end(), 0.0));
  MPI_Reduce(counts.data(), all_counts.data(), 3, MPI_INT64_T, MPI_SUM, 0, comm.get());
  if (comm.rank() == 0)
    fmt::print("{} cells on {} ranks, {} in halos, {} values wrong, neighbours add up to {}\n",
               topology.n_cells(), comm.size(), all_counts[0], all_counts[1], all_counts[2]);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(comm::Communicator(MPI_COMM_WORLD), argc > 1 ? argv[1] : nullptr);
  MPI_Finalize();
}
