#include <algorithm>
#include <vector>

#include "decomposition/grids.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/comm/collectives.hpp"
#include "halcyon/halo/halo.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::test;

namespace {

/// A communicator with the ranks in reverse order, a permutation that MPI may choose.
comm::Communicator reversed() {
  MPI_Comm permuted = MPI_COMM_NULL;
  comm::check(MPI_Comm_split(world(), 0, -world_rank(), &permuted), "MPI_Comm_split");
  const comm::Communicator result(permuted);
  MPI_Comm_free(&permuted);
  return result;
}

/// Exchanges the global ids of a decomposition among the ranks of `comm`. @returns the number of wrong ids
int n_wrong_ids(const comm::Communicator& comm, comm::Method method) {
  const auto topology = longitude_latitude(26, 13);
  const auto mine = decomposition::decompose(topology, owners_of(topology, comm.size()), comm.rank(), 2);
  const auto& cells = mine.cells();
  std::vector<GlobalIndex> ids(cells.to_global.begin(), cells.to_global.begin() + cells.n_owned);
  ids.resize(cells.size(), kNone);
  halo::Halo halo(comm, mine, {{0, sizeof(GlobalIndex)}}, method);
  const auto bytes = std::as_writable_bytes(std::span(ids));
  halo.start({&bytes, 1}).wait();
  int n_wrong = 0;
  for (LocalIndex i = 0; i < cells.size(); ++i) n_wrong += ids[i] != cells.to_global[i];
  return n_wrong;
}

/// The neighbours of this rank in a partitioned grid, weighted with the number of cells that it sends.
std::vector<comm::WeightedNeighbour> neighbours_of(const comm::Communicator& comm) {
  const auto topology = longitude_latitude(26, 13);
  const auto mine = decomposition::decompose(topology, owners_of(topology, comm.size()), comm.rank(), 1);
  std::vector<comm::WeightedNeighbour> neighbours;
  for (const auto& neighbour : mine.neighbours) {
    neighbours.push_back({neighbour.rank, static_cast<int>(neighbour.items[0].send.positions.size())});
  }
  return neighbours;
}

}  // namespace

TEST_CASE("comm: halos are right on permuted ranks, and on what the MPI makes of them, by every method") {
  // Halo exchanges on a communicator with reversed ranks, and on one that MPI reordered.
  const auto permuted = reversed();
  CHECK(permuted.rank() == world_size() - 1 - world_rank());
  const auto reordered = reorder_ranks(permuted, neighbours_of(permuted));
  CHECK(reordered.size() == world_size());
  for (const auto& method : comm::methods()) {
    CAPTURE(method.name);
    CHECK(n_wrong_ids(permuted, &method) == 0);
    CHECK(n_wrong_ids(reordered, &method) == 0);
  }
}

TEST_CASE("comm: a reordered communicator has every rank once") {
  const comm::Communicator comm(world());
  const auto result = reorder_ranks(comm, neighbours_of(comm));
  std::vector<int> ranks(comm.size());
  const int mine = result.rank();
  comm::check(MPI_Allgather(&mine, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm.get()), "MPI_Allgather");
  std::ranges::sort(ranks);
  for (Rank rank = 0; rank < comm.size(); ++rank) CHECK(ranks[rank] == rank);
}

TEST_CASE("comm: neighbours that cannot be are refused on all ranks") {
  const comm::Communicator comm(world());
  const auto fails = [&](std::vector<comm::WeightedNeighbour> neighbours, const std::string& text) {
    if (comm.rank() < comm.size() - 1) neighbours.clear();  // only the last rank is wrong
    CHECK_THROWS_WITH_AS(reorder_ranks(comm, neighbours), text.c_str(), ConfigError);
  };
  const auto last_rank = comm.size() - 1;
  fails({{comm.size(), 1}}, fmt::format("Rank {} gives rank {} as its neighbour, but there are {} ranks.",
                                        last_rank, comm.size(), comm.size()));
  fails({{0, -1}}, fmt::format("Rank {} gives its neighbour 0 the weight -1. Use 0 or more.", last_rank));
  fails({{0, 1}, {0, 2}},
        fmt::format("Rank {} gives its neighbour 0 twice. Give it once, with the sum of the weights.",
                    last_rank));
}
