#include "halcyon/graph/order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/graph/curve.hpp"

namespace halcyon::graph {
namespace {

/// What a search found: how many levels, where the last one begins among the nodes found, and their number.
struct Levels {
  LocalIndex n = 0;
  std::size_t last = 0, n_found = 0;
};

/// Breadth-first searches of one graph. A node found in a search carries its number, so nothing is cleared
/// between two.
class Searches {
 public:
  explicit Searches(const NeighbourLists& graph) : graph_(graph), found_in_(graph.n_nodes(), 0) {}

  bool ever_found(LocalIndex node) const { return found_in_[node] != 0; }

  /// Lists all nodes that links join to `root`, level by level. `arrange` sorts the new neighbours of a node.
  /// @param found room for one node more than there are
  template <class Arrange>
  Levels run(LocalIndex root, std::span<LocalIndex> found, Arrange arrange) {
    found_in_[root] = ++search_;
    found[0] = root;
    Levels levels{.n_found = 1};
    for (std::size_t at = 0; at < levels.n_found;) {
      levels = {levels.n + 1, at, levels.n_found};
      for (const std::size_t end = levels.n_found; at < end; ++at) {
        const std::size_t first = levels.n_found;
        levels.n_found += list_new_neighbours(found[at], &found[first]);
        arrange(found.subspan(first, levels.n_found - first));
      }
    }
    return levels;
  }

 private:
  /// Every neighbour is written down, and the next one over it if it was no new one: whether a node is new
  /// cannot be guessed by a processor, and wrong guesses cost more than all else.
  std::size_t list_new_neighbours(LocalIndex node, LocalIndex* found) {
    std::size_t n = 0;
    for (const LocalIndex other : graph_[node]) {
      if (other < 0) continue;
      found[n] = other;
      n += found_in_[other] != search_;
      found_in_[other] = search_;
    }
    return n;
  }

  const NeighbourLists& graph_;
  std::vector<LocalIndex> found_in_;
  LocalIndex search_ = 0;
};

constexpr auto kAsListed = [](std::span<LocalIndex>) {};

/// Sorts nodes by their number of neighbours, equals by their own number.
struct FewestNeighbours {
  std::vector<LocalIndex> n_neighbours;

  explicit FewestNeighbours(const NeighbourLists& graph) : n_neighbours(graph.n_nodes()) {
    for (LocalIndex node = 0; node < graph.n_nodes(); ++node)
      n_neighbours[node] = static_cast<LocalIndex>(
          std::ranges::count_if(graph[node], [](LocalIndex other) { return other >= 0; }));
  }
  bool operator()(LocalIndex a, LocalIndex b) const {
    return n_neighbours[a] != n_neighbours[b] ? n_neighbours[a] < n_neighbours[b] : a < b;
  }
};

/// A node from which many levels lead through its part of the graph: the end of the longest way found, again
/// and again while the way grows.
LocalIndex rim_node(Searches& searches, LocalIndex root, const FewestNeighbours& before,
                    std::span<LocalIndex> found) {
  const auto first_of = [&](std::size_t begin, std::size_t end) {
    return *std::ranges::min_element(found.subspan(begin, end - begin), std::cref(before));
  };
  root = first_of(0, searches.run(root, found, kAsListed).n_found);
  for (LocalIndex n_levels = 0;;) {
    const Levels levels = searches.run(root, found, kAsListed);
    if (levels.n <= n_levels) return root;
    n_levels = levels.n;
    root = first_of(levels.last, levels.n_found);
  }
}

/// All nodes, part by part of the graph, each part listed by `list(node, room)`, which says how many it has.
template <class List>
std::vector<LocalIndex> part_by_part(LocalIndex n_nodes, const Searches& searches, List list) {
  std::vector<LocalIndex> order(n_nodes + 1);
  std::size_t n_listed = 0;
  for (LocalIndex node = 0; node < n_nodes; ++node)
    if (!searches.ever_found(node)) n_listed += list(node, std::span(order).subspan(n_listed));
  order.pop_back();
  return order;
}

}  // namespace

Order order_named(std::string_view name) {
  const auto at = std::ranges::find(kOrderNames, name);
  require<ConfigError>(at != kOrderNames.end(), "There is no order '{}'. Use {}.", name,
                       fmt::join(kOrderNames, ", "));
  return static_cast<Order>(at - kOrderNames.begin());
}

std::vector<LocalIndex> bfs_order(const NeighbourLists& graph) {
  require_valid(graph);
  Searches searches(graph);
  return part_by_part(graph.n_nodes(), searches, [&](LocalIndex node, std::span<LocalIndex> room) {
    return searches.run(node, room, kAsListed).n_found;
  });
}

std::vector<LocalIndex> rcm_order(const NeighbourLists& graph) {
  require_valid(graph);
  Searches searches(graph);
  const FewestNeighbours before(graph);
  const auto arrange = [&](std::span<LocalIndex> nodes) { std::ranges::sort(nodes, std::cref(before)); };
  std::vector<LocalIndex> found(graph.n_nodes() + 1);
  auto order = part_by_part(graph.n_nodes(), searches, [&](LocalIndex node, std::span<LocalIndex> room) {
    return searches.run(rim_node(searches, node, before, found), room, arrange).n_found;
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
