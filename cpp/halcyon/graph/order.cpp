#include "halcyon/graph/order.hpp"

#include <algorithm>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/graph/curve.hpp"

namespace halcyon::graph {
namespace {

/// What a search found: how many levels, and where the last one begins among the nodes found.
struct Levels {
  LocalIndex n = 0;
  std::size_t last = 0;
};

/// Breadth-first searches of one graph. A node found in a search carries its number, so nothing is cleared
/// between two.
class Searches {
 public:
  explicit Searches(const NeighbourLists& graph) : graph_(graph), found_in_(graph.n_nodes(), 0) {}

  bool ever_found(LocalIndex node) const { return found_in_[node] != 0; }

  /// Appends all nodes that links join to `root`, level by level. `arrange` sorts the new neighbours of a
  /// node.
  template <class Arrange>
  Levels run(LocalIndex root, std::vector<LocalIndex>& found, Arrange arrange) {
    ++search_;
    std::size_t at = found.size();
    Levels levels;
    visit(root, found);
    while (at < found.size()) {
      levels = {levels.n + 1, at};
      for (const std::size_t end = found.size(); at < end; ++at) {
        const std::size_t first = found.size();
        for (const LocalIndex other : graph_[found[at]])
          if (other >= 0 && found_in_[other] != search_) visit(other, found);
        arrange(std::span(found).subspan(first));
      }
    }
    return levels;
  }

 private:
  void visit(LocalIndex node, std::vector<LocalIndex>& found) {
    found_in_[node] = search_;
    found.push_back(node);
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
LocalIndex rim_node(Searches& searches, LocalIndex root, const FewestNeighbours& before) {
  std::vector<LocalIndex> found;
  searches.run(root, found, kAsListed);
  root = *std::ranges::min_element(found, before);
  for (LocalIndex n_levels = 0;;) {
    found.clear();
    const Levels levels = searches.run(root, found, kAsListed);
    if (levels.n <= n_levels) return root;
    n_levels = levels.n;
    root = *std::ranges::min_element(std::span(found).subspan(levels.last), before);
  }
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
  std::vector<LocalIndex> order;
  order.reserve(graph.n_nodes());
  Searches searches(graph);
  for (LocalIndex node = 0; node < graph.n_nodes(); ++node)
    if (!searches.ever_found(node)) searches.run(node, order, kAsListed);
  return order;
}

std::vector<LocalIndex> rcm_order(const NeighbourLists& graph) {
  require_valid(graph);
  std::vector<LocalIndex> order;
  order.reserve(graph.n_nodes());
  Searches searches(graph);
  const FewestNeighbours before(graph);
  const auto arrange = [&](std::span<LocalIndex> nodes) {
    std::ranges::sort(nodes, [&](LocalIndex a, LocalIndex b) { return before(a, b); });
  };
  for (LocalIndex node = 0; node < graph.n_nodes(); ++node)
    if (!searches.ever_found(node)) searches.run(rim_node(searches, node, before), order, arrange);
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
    case Order::natural:
      break;
  }
  std::vector<LocalIndex> order(graph.n_nodes());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace halcyon::graph
