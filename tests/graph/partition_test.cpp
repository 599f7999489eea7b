#include "halcyon/graph/partition.hpp"

#include <algorithm>
#include <csignal>

#include "decomposition/grids.hpp"
#include "halcyon/base/error.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::graph;

namespace {

Adjacency grid(LocalIndex n_longitudes, LocalIndex n_latitudes) {
  const auto lists = test::longitude_latitude(n_longitudes, n_latitudes).cells_on_cell;
  return make_adjacency(lists.offsets, lists.values);
}

}  // namespace

TEST_CASE("graph: no part is empty, whatever the number of parts") {
  const auto adjacency = grid(8, 5);
  for (const auto method : {PartitionMethod::kway, PartitionMethod::recursive}) {
    for (int n_parts = 1; n_parts <= 40; ++n_parts) {
      const auto parts = partition(adjacency, n_parts, method, 1);
      REQUIRE(std::ssize(parts) == 40);
      for (Rank part = 0; part < n_parts; ++part) CHECK(std::ranges::count(parts, part) > 0);
      CHECK(*std::ranges::max_element(parts) == n_parts - 1);
    }
  }
}

TEST_CASE("graph: a partition is balanced, cuts little, and is the same each time") {
  const auto adjacency = grid(40, 20);
  const auto parts = partition(adjacency, 4, PartitionMethod::kway, 1);
  for (Rank part = 0; part < 4; ++part) CHECK(std::ranges::count(parts, part) <= 1.04 * 200);
  CHECK(edge_cut(adjacency, parts) <= 160);  // four strips of 10 columns cut 80
  CHECK(parts == partition(adjacency, 4, PartitionMethod::kway, 1));
}

TEST_CASE("graph: a partition leaves the program's handlers as they were, for every signal that comes") {
  struct sigaction ours{}, before{}, after{};
  ours.sa_handler = [](int) {};
  sigaction(SIGTERM, &ours, &before);
  partition(grid(40, 20), 4, PartitionMethod::kway, 1);
  sigaction(SIGTERM, &before, &after);
  CHECK((after.sa_handler == ours.sa_handler));
  CHECK((after.sa_flags & (SA_RESETHAND | SA_NODEFER)) == 0);
}

TEST_CASE("graph: impossible partitions and neighbours are refused") {
  CHECK_THROWS_WITH_AS(
      partition(grid(3, 2), 7, PartitionMethod::kway, 1),
      "The run has 7 ranks but the mesh only 6 cells. Start at most 6 ranks, or take a finer mesh.",
      ConfigError);
  const std::vector<LocalIndex> offsets{0, 1, 2}, neighbours{1, 2};
  CHECK_THROWS_AS(make_adjacency(offsets, neighbours), InputError);
}
