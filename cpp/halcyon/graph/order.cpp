#include "halcyon/graph/order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/graph/curve.hpp"

namespace halcyon::graph {
namespace {

/// The levels of a breadth-first search.
struct Levels {
  LocalIndex n_levels = 0;
  std::size_t last_level_begin = 0;  // offset of the last level in the list of found nodes
  std::size_t n_found = 0;
};

/// Runs breadth-first searches of one graph. Found nodes are marked with the number of the search, so that
/// the marks need not be cleared between searches.
class BreadthFirstSearch {
 public:
  explicit BreadthFirstSearch(const NeighbourLists& graph) : graph_(graph), found_by_(graph.n_nodes(), 0) {}

  bool was_found(LocalIndex node) const { return found_by_[node] != 0; }

  /// Lists all nodes of the connected component of `root`, level by level.
  /// @param arrange sorts the newly found neighbours of a node
  /// @param found receives the nodes, with space for one node more than the graph has
  template <class Arrange>
  Levels run(LocalIndex root, std::span<LocalIndex> found, Arrange arrange) {
    found_by_[root] = ++search_;
    found[0] = root;
    Levels levels{.n_found = 1};
    for (std::size_t i = 0; i < levels.n_found;) {
      levels = {.n_levels = levels.n_levels + 1, .last_level_begin = i, .n_found = levels.n_found};
      for (const std::size_t end = levels.n_found; i < end; ++i) {
        const std::size_t n_before = levels.n_found;
        levels.n_found += list_new_neighbours(found[i], &found[n_before]);
        arrange(found.subspan(n_before, levels.n_found - n_before));
      }
    }
    return levels;
  }

 private:
  /// Writes the neighbours that this search has not found yet. To avoid mispredicted branches, writes every
  /// neighbour, and overwrites it with the next one unless it is new. @returns the number of new neighbours
  std::size_t list_new_neighbours(LocalIndex node, LocalIndex* found) {
    std::size_t n_new = 0;
    for (const LocalIndex other : graph_[node]) {
      if (other < 0) continue;
      found[n_new] = other;
      n_new += found_by_[other] != search_;
      found_by_[other] = search_;
    }
    return n_new;
  }

  const NeighbourLists& graph_;
  std::vector<LocalIndex> found_by_;  ///< number of the last search that found each node; 0: none
  LocalIndex search_ = 0;             ///< number of the current search
};

constexpr auto kKeepOrder = [](std::span<LocalIndex>) {};

/// Compares nodes by degree, and nodes of equal degree by number.
struct DegreeLess {
  std::vector<LocalIndex> n_neighbours;

  explicit DegreeLess(const NeighbourLists& graph) : n_neighbours(graph.n_nodes()) {
    for (LocalIndex node = 0; node < graph.n_nodes(); ++node)
      n_neighbours[node] = static_cast<LocalIndex>(
          std::ranges::count_if(graph[node], [](LocalIndex other) { return other >= 0; }));
  }
  bool operator()(LocalIndex a, LocalIndex b) const {
    return n_neighbours[a] != n_neighbours[b] ? n_neighbours[a] < n_neighbours[b] : a < b;
  }
};

/// Returns a pseudo-peripheral node of the component of `root`: repeats the search from the node of lowest
/// degree in the last level, as long as the number of levels grows.
LocalIndex peripheral_node(BreadthFirstSearch& search, LocalIndex root, const DegreeLess& is_before,
                           std::span<LocalIndex> found) {
  const auto node_of_lowest_degree = [&](std::size_t begin, std::size_t end) {
    return *std::ranges::min_element(found.subspan(begin, end - begin), std::cref(is_before));
  };
  root = node_of_lowest_degree(0, search.run(root, found, kKeepOrder).n_found);
  for (LocalIndex n_levels = 0;;) {
    const Levels levels = search.run(root, found, kKeepOrder);
    if (levels.n_levels <= n_levels) return root;
    n_levels = levels.n_levels;
    root = node_of_lowest_degree(levels.last_level_begin, levels.n_found);
  }
}

/// Orders all nodes, one connected component after the other.
/// @param list list(node, output) writes the nodes of the component of `node`, and returns their number
template <class List>
std::vector<LocalIndex> list_components(LocalIndex n_nodes, const BreadthFirstSearch& search, List list) {
  std::vector<LocalIndex> order(n_nodes + 1);  // one more: see BreadthFirstSearch::run
  std::size_t n_listed = 0;
  for (LocalIndex node = 0; node < n_nodes; ++node)
    if (!search.was_found(node)) n_listed += list(node, std::span(order).subspan(n_listed));
  order.pop_back();
  return order;
}

}  // namespace

Order order_named(std::string_view name) {
  const auto found = std::ranges::find(kOrderNames, name);
  require<ConfigError>(found != kOrderNames.end(), "There is no order '{}'. Use {}.", name,
                       fmt::join(kOrderNames, ", "));
  return static_cast<Order>(found - kOrderNames.begin());
}

std::vector<LocalIndex> bfs_order(const NeighbourLists& graph) {
  require_valid(graph);
  BreadthFirstSearch search(graph);
  return list_components(graph.n_nodes(), search, [&](LocalIndex node, std::span<LocalIndex> found) {
    return search.run(node, found, kKeepOrder).n_found;
  });
}

std::vector<LocalIndex> rcm_order(const NeighbourLists& graph) {
  require_valid(graph);
  BreadthFirstSearch search(graph);
  const DegreeLess is_before(graph);
  const auto arrange = [&](std::span<LocalIndex> nodes) { std::ranges::sort(nodes, std::cref(is_before)); };
  auto order = list_components(graph.n_nodes(), search, [&](LocalIndex node, std::span<LocalIndex> found) {
    return search.run(peripheral_node(search, node, is_before, found), found, arrange).n_found;
  });
  std::ranges::reverse(order);
  return order;
}

std::vector<LocalIndex> order_of(Order kind, const NeighbourLists& graph, std::span<const Vector3> points) {
  switch (kind) {
    case Order::bfs:
      return bfs_order(graph);
    case Order::rcm:
      return rcm_order(graph);
    case Order::hilbert:
      return hilbert_order(points);
    case Order::morton:
      return morton_order(points);
    case Order::grist_hilbert:
      return grist_hilbert_order(graph);
    case Order::grist_morton:
      return grist_morton_order(points);
    case Order::natural:
      break;
  }
  std::vector<LocalIndex> order(graph.n_nodes());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace halcyon::graph
