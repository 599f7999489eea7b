#include "halcyon/graph/order.hpp"

#include <algorithm>
#include <numeric>

#include "decomposition/grids.hpp"
#include "halcyon/base/error.hpp"
#include "test.hpp"

using namespace halcyon;
using namespace halcyon::graph;

namespace {

using Nodes = std::vector<LocalIndex>;

struct Graph {
  Nodes offsets{0}, neighbours;

  Graph(std::initializer_list<Nodes> rows) {
    for (const auto& row : rows) {
      neighbours.insert(neighbours.end(), row.begin(), row.end());
      offsets.push_back(static_cast<LocalIndex>(neighbours.size()));
    }
  }
  NeighbourLists lists() const { return {offsets, neighbours}; }
};

/// The largest distance of two neighbours in an order, in positions.
LocalIndex bandwidth(const NeighbourLists& graph, const Nodes& order) {
  Nodes position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<LocalIndex>(i);
  LocalIndex largest = 0;
  for (LocalIndex node = 0; node < graph.n_nodes(); ++node)
    for (const LocalIndex other : graph[node])
      if (other >= 0) largest = std::max(largest, std::abs(position[node] - position[other]));
  return largest;
}

bool is_permutation(Nodes order) {
  std::ranges::sort(order);
  Nodes all(order.size());
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

}  // namespace

TEST_CASE("order: breadth first from the smallest node, part by part") {
  // Components: 1 - 3 - 0 - 4; 2 - 5; 6.
  const Graph graph{{3, kNone, 4}, {3}, {5}, {1, 0}, {0}, {2}, {}};
  CHECK(bfs_order(graph.lists()) == Nodes{0, 3, 4, 1, 2, 5, 6});
}

TEST_CASE("order: Cuthill and McKee's, reversed, of a tree that is done by hand") {
  // A chain 3 - 0 - 4 - 1 with a leaf 2 at node 4. The search from 1 has four levels, and ends at 3; the
  // search from 3 has as many: {3}, {0}, {4}, {1, 2}.
  const Graph graph{{3, 4}, {4}, {4}, {0}, {0, 1, 2}};
  CHECK(rcm_order(graph.lists()) == Nodes{2, 1, 4, 0, 3});
}

TEST_CASE("order: a chain is followed from end to end") {
  const Graph chain{{4, 2}, {3}, {0, 3}, {2, 1}, {0}};  // 4 - 0 - 2 - 3 - 1
  const auto order = rcm_order(chain.lists());
  CHECK(bandwidth(chain.lists(), order) == 1);
  CHECK(order == Nodes{1, 3, 2, 0, 4});
}

TEST_CASE("order: every order of a grid is a permutation, and rcm is narrow") {
  const auto lists = test::longitude_latitude(40, 20).cells_on_cell;
  const NeighbourLists graph{lists.offsets, lists.values};
  for (const auto& order : {bfs_order(graph), rcm_order(graph)}) {
    CHECK(is_permutation(order));
    CHECK(bandwidth(graph, order) <=
          81);  // two cells per level and direction on a cylinder of 40 x 20, plus 1
  }
  CHECK(bandwidth(graph, rcm_order(graph)) <= bandwidth(graph, bfs_order(graph)));
}

TEST_CASE("order: the empty graph") {
  const Graph graph{};
  CHECK(bfs_order(graph.lists()).empty());
  CHECK(rcm_order(graph.lists()).empty());
}

TEST_CASE("order: names") {
  CHECK(order_named("natural") == Order::natural);
  CHECK(order_named("morton") == Order::morton);
  CHECK_THROWS_WITH_AS(
      order_named("bsf"),
      "There is no order 'bsf'. Use natural, bfs, rcm, hilbert, morton, grist_hilbert, grist_morton.",
      ConfigError);
}

TEST_CASE("order: lists that make no graph are refused") {
  const Nodes one{0}, bad_end{0, 1, 3}, backwards{0, 2, 1, 2}, two{1, 0}, far{1, 2};
  CHECK_THROWS_AS(bfs_order({{}, two}), InputError);
  CHECK_THROWS_AS(bfs_order({bad_end, two}), InputError);
  CHECK_THROWS_WITH_AS(rcm_order({backwards, two}), "The offsets of node 1 decrease from 2 to 1.",
                       InputError);
  const Nodes offsets{0, 1, 2};
  CHECK_THROWS_WITH_AS(bfs_order({offsets, far}), "Node 1 has the neighbour 2, but there are only 2 nodes.",
                       InputError);
}
