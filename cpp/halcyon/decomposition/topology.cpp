#include "halcyon/decomposition/topology.hpp"

#include "halcyon/base/error.hpp"
#include "halcyon/comm/collectives.hpp"

namespace halcyon::decomposition {

SharedEntities shared_entities(Lists on_cell, LocalIndex n_shared) {
  std::vector<LocalIndex> offsets(n_shared + 1, 0);
  for (const auto entity : on_cell.values) ++offsets[entity + 1];
  for (LocalIndex i = 0; i < n_shared; ++i) offsets[i + 1] += offsets[i];
  std::vector<LocalIndex> cells(on_cell.values.size());
  auto next = offsets;
  for (LocalIndex cell = 0; cell < on_cell.size(); ++cell)
    for (const auto entity : on_cell[cell]) cells[next[entity]++] = cell;
  return {std::move(on_cell), {std::move(offsets), std::move(cells)}};
}

Topology topology_of(const mesh::Mesh& mesh) {
  Topology topology;
  auto& neighbours = topology.cells_on_cell;
  for (LocalIndex cell = 0; cell < mesh.n_cells(); ++cell) {
    for (auto i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i)
      if (mesh.cells_on_cell[i] != kNone) neighbours.values.push_back(mesh.cells_on_cell[i]);
    neighbours.close();
  }
  topology.shared.push_back(shared_entities({mesh.cell_offsets, mesh.edges_on_cell}, mesh.n_edges()));
  topology.shared.push_back(shared_entities({mesh.cell_offsets, mesh.vertices_on_cell}, mesh.n_vertices()));
  return topology;
}

namespace {

constexpr const char* kNames[] = {"neighbour", "edge", "vertex"};

/// Checks that there is one list per cell of the block, and that the ids are 0..n_items-1.
void check_lists(const GlobalLists& lists, std::size_t kind, GlobalIndex n_items, GlobalIndex first,
                 GlobalIndex end) {
  require<InputError>(lists.size() == end - first,
                      "A slice has lists of {} cells, but its block is the cells {}..{}.", lists.size(),
                      first, end - 1);
  for (LocalIndex cell = 0; cell < lists.size(); ++cell)
    for (const auto item : lists[cell])
      require<InputError>(item >= 0 && item < n_items,
                          "Cell {} has {} {}, but the numbers are 0..{}. Make the mesh again.", first + cell,
                          kind < std::size(kNames) ? kNames[kind] : "item", item, n_items - 1);
}

/// Builds the graph of all cells from the `flattened` neighbour lists that all ranks sent.
graph::Adjacency graph_of(comm::ListsByRank blocks) {
  std::vector<LocalIndex> offsets{0}, neighbours;
  for (const auto& [rank, numbers] : blocks) {
    for (std::size_t begin = 0; begin < numbers.size(); begin += 1 + numbers[begin]) {
      for (std::int64_t i = 1; i <= numbers[begin]; ++i)
        neighbours.push_back(static_cast<LocalIndex>(numbers[begin + i]));
      offsets.push_back(static_cast<LocalIndex>(neighbours.size()));
    }
  }
  return graph::make_adjacency(offsets, neighbours);
}

/// All lists as one list of numbers: for each cell the length, then the entries.
std::vector<std::int64_t> flattened(const GlobalLists& lists) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(lists.values.size() + lists.size());
  for (LocalIndex cell = 0; cell < lists.size(); ++cell) {
    const auto list = lists[cell];
    numbers.push_back(std::ssize(list));
    numbers.insert(numbers.end(), list.begin(), list.end());
  }
  return numbers;
}

}  // namespace

void check(const comm::Communicator& comm, const Slice& slice, std::span<const Rank> owners) {
  comm.agree([&] {
    require<InternalError>(slice.on_cell.size() + 1 == slice.n_items.size(),
                           "A slice has lists of {} shared kinds, but {} counts.", slice.on_cell.size(),
                           slice.n_items.size());
    const auto cells = slice.blocks(comm);
    const auto first = cells.first(comm.rank()), end = cells.first(comm.rank() + 1);
    check_lists(slice.cells_on_cell, 0, slice.n_items[0], first, end);
    require<InputError>(std::ssize(owners) == end - first, "There are {} owners of the {} cells of a block.",
                        owners.size(), end - first);
    for (LocalIndex row = 0; row < std::ssize(owners); ++row)
      require<InputError>(owners[row] >= 0 && owners[row] < comm.size(),
                          "Cell {} is owned by rank {}, but the ranks are 0..{}.", first + row, owners[row],
                          comm.size() - 1);
    for (std::size_t kind = 1; kind < slice.n_items.size(); ++kind)
      check_lists(slice.on_cell[kind - 1], kind, slice.n_items[kind], first, end);
  });
}

std::vector<Rank> partition(const comm::Communicator& comm, const Slice& slice,
                            const graph::PartitionOptions& options) {
  check(comm, slice, std::vector<Rank>(slice.cells_on_cell.size(), 0));
  auto blocks = sparse_exchange(comm, {{0, flattened(slice.cells_on_cell)}});
  comm::ListsByRank owners;
  comm.agree([&] {
    if (comm.rank() != 0) return;
    const auto parts = graph::partition(graph_of(std::move(blocks)), comm.size(), options);
    const auto cells = slice.blocks(comm);
    for (Rank rank = 0; rank < comm.size(); ++rank)
      owners[rank].assign(parts.begin() + cells.first(rank), parts.begin() + cells.first(rank + 1));
  });
  const auto received = sparse_exchange(comm, owners);
  return {received.at(0).begin(), received.at(0).end()};
}

}  // namespace halcyon::decomposition
