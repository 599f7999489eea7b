#include "halcyon/base/error.hpp"
#include "halcyon/graph/partition.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::graph;

TEST_CASE("graph: pieces of parts done by hand are joined to what they are linked to most") {
  // A row 0 - 1 - 2 - 3 - 4 - 5 of the parts 0 0 1 0 1 1.
  const std::vector<LocalIndex> offsets{0, 1, 3, 5, 7, 9, 10}, neighbours{1, 0, 2, 1, 3, 2, 4, 3, 5, 4};
  std::vector<Rank> parts{0, 0, 1, 0, 1, 1};
  const auto row = make_adjacency(offsets, neighbours);
  const auto pieces = components_of(row, parts);
  CHECK(pieces.of_node == std::vector<GlobalIndex>{0, 0, 1, 2, 3, 3});
  CHECK(pieces.part == std::vector<Rank>{0, 1, 0, 1});
  CHECK(pieces.n_nodes == std::vector<std::int64_t>{2, 1, 1, 2});
  CHECK(removable_node(row, parts, 0) == 1);
  const auto report = partition_report(row, parts, 3);
  CHECK(report.n_split == 2);
  CHECK(report.n_empty == 1);
  CHECK(report.edge_cut == 3);
  CHECK(report.least_weight == 0);
  CHECK(report.most_weight == 3);
  CHECK(report.mean_weight == 2);
  CHECK(report.imbalance == 1.5);
  join_components(row, 2, parts);
  CHECK(parts == std::vector<Rank>{0, 0, 0, 0, 1, 1});  // node 3 has one edge to each part
}

TEST_CASE("graph: a piece without a neighbour stays where it is") {
  const std::vector<LocalIndex> offsets{0, 1, 2, 2}, neighbours{1, 0};
  std::vector<Rank> parts{0, 0, 0};
  join_components(make_adjacency(offsets, neighbours), 1, parts);
  CHECK(parts == std::vector<Rank>{0, 0, 0});
}

TEST_CASE("graph: a report on another graph's partition is refused") {
  const std::vector<LocalIndex> offsets{0, 0, 0, 0, 0, 0, 0};
  const auto adjacency = make_adjacency(offsets, {});
  CHECK_THROWS_WITH_AS(partition_report(adjacency, std::vector<Rank>{0, 1}, 2),
                       "The partition has 2 entries, but the graph has 6 nodes. Give one entry per node.",
                       InputError);
  CHECK_THROWS_WITH_AS(partition_report(adjacency, std::vector<Rank>{0, 1, 0, 2, 0, 0}, 2),
                       "Node 3 is in part 2, but the parts are 0..1.", InputError);
}
