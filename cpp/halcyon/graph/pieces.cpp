#include "halcyon/graph/pieces.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "halcyon/base/error.hpp"

namespace halcyon::graph {

namespace {

constexpr GlobalIndex kNowhere = -1;
constexpr Rank kNoPart = -1;

/// Lists the piece of `root` breadth first, and marks its nodes.
/// @param piece_of (node) kNowhere where no piece is known yet
std::vector<GlobalIndex> find_piece(const Adjacency& graph, std::span<const Rank> parts, GlobalIndex root,
                                    GlobalIndex piece, std::vector<GlobalIndex>& piece_of) {
  std::vector<GlobalIndex> found{root};
  piece_of[root] = piece;
  for (std::size_t at = 0; at < found.size(); ++at) {
    for (const GlobalIndex other : graph[found[at]]) {
      if (piece_of[other] != kNowhere || parts[other] != parts[root]) continue;
      piece_of[other] = piece;
      found.push_back(other);
    }
  }
  return found;
}

/// The largest piece of each part, the first of equals; kNowhere where a part is empty.
std::vector<GlobalIndex> largest_pieces(const Pieces& pieces, int n_parts) {
  std::vector<GlobalIndex> largest(n_parts, kNowhere);
  for (std::size_t piece = 0; piece < pieces.part.size(); ++piece) {
    GlobalIndex& best = largest[pieces.part[piece]];
    if (best == kNowhere || pieces.n_nodes[piece] > pieces.n_nodes[best])
      best = static_cast<GlobalIndex>(piece);
  }
  return largest;
}

/// The part with the heaviest edges to some nodes, the smallest of equals; kNoPart where none has any.
Rank strongest_part(const Adjacency& graph, std::span<const GlobalIndex> nodes, std::span<const Rank> parts) {
  std::map<Rank, std::int64_t> links;
  for (const GlobalIndex node : nodes)
    for (std::int64_t at = graph.offsets[node]; at < graph.offsets[node + 1]; ++at)
      if (const Rank part = parts[graph.neighbours[at]]; part != kNoPart)
        links[part] += graph.edge_weight(at);
  const auto best = std::ranges::max_element(links, {}, [](const auto& link) { return link.second; });
  return best == links.end() ? kNoPart : best->first;
}

}  // namespace

Pieces pieces_of(const Adjacency& graph, std::span<const Rank> parts) {
  Pieces pieces{.of_node = std::vector<GlobalIndex>(parts.size(), kNowhere), .part = {}, .n_nodes = {}};
  for (GlobalIndex node = 0; node < graph.n_nodes(); ++node) {
    if (pieces.of_node[node] != kNowhere) continue;
    const auto found = find_piece(graph, parts, node, std::ssize(pieces.part), pieces.of_node);
    pieces.part.push_back(parts[node]);
    pieces.n_nodes.push_back(std::ssize(found));
  }
  return pieces;
}

void join_pieces(const Adjacency& graph, int n_parts, std::vector<Rank>& parts) {
  const Pieces pieces = pieces_of(graph, parts);
  const auto largest = largest_pieces(pieces, n_parts);
  std::map<GlobalIndex, std::vector<GlobalIndex>> loose;
  for (GlobalIndex node = 0; node < graph.n_nodes(); ++node) {
    const GlobalIndex piece = pieces.of_node[node];
    if (largest[parts[node]] != piece) loose[piece].push_back(node);
  }
  const auto give = [&](const std::vector<GlobalIndex>& nodes, Rank part) {
    for (const GlobalIndex node : nodes) parts[node] = part;
  };
  for (const auto& [piece, nodes] : loose) give(nodes, kNoPart);
  for (std::size_t n_before = loose.size() + 1; loose.size() < n_before;) {
    n_before = loose.size();
    std::erase_if(loose, [&](const auto& entry) {
      const Rank part = strongest_part(graph, entry.second, parts);
      give(entry.second, part);
      return part != kNoPart;
    });
  }
  for (const auto& [piece, nodes] : loose) give(nodes, pieces.part[piece]);
}

GlobalIndex end_of_part(const Adjacency& graph, std::span<const Rank> parts, Rank part) {
  std::vector<GlobalIndex> piece_of(parts.size(), kNowhere);
  const auto root = std::ranges::find(parts, part) - parts.begin();
  return find_piece(graph, parts, root, 0, piece_of).back();
}

std::vector<std::vector<GlobalIndex>> nodes_of_parts(std::span<const Rank> parts, int n_parts) {
  std::vector<std::vector<GlobalIndex>> nodes(n_parts);
  for (std::size_t node = 0; node < parts.size(); ++node)
    nodes[parts[node]].push_back(static_cast<GlobalIndex>(node));
  return nodes;
}

namespace {

void require_parts(const Adjacency& graph, std::span<const Rank> parts, int n_parts) {
  require<InputError>(std::ssize(parts) == graph.n_nodes(),
                      "The partition has {} entries, but the graph {} nodes. Give one a node.", parts.size(),
                      graph.n_nodes());
  for (std::size_t node = 0; node < parts.size(); ++node)
    require<InputError>(parts[node] >= 0 && parts[node] < n_parts,
                        "Node {} is in part {}, but there are the parts 0..{}.", node, parts[node],
                        n_parts - 1);
}

}  // namespace

PartitionReport partition_report(const Adjacency& graph, std::span<const Rank> parts, int n_parts) {
  require_parts(graph, parts, n_parts);
  std::vector<std::int64_t> weight(n_parts, 0), n_pieces(n_parts, 0);
  for (GlobalIndex node = 0; node < graph.n_nodes(); ++node) weight[parts[node]] += graph.node_weight(node);
  for (const Rank part : pieces_of(graph, parts).part) ++n_pieces[part];
  PartitionReport report{.n_parts = n_parts, .edge_cut = edge_cut(graph, parts)};
  if (n_parts == 0) return report;
  report.least_weight = std::ranges::min(weight);
  report.most_weight = std::ranges::max(weight);
  report.mean_weight = static_cast<double>(std::reduce(weight.begin(), weight.end())) / n_parts;
  if (report.mean_weight > 0) report.imbalance = static_cast<double>(report.most_weight) / report.mean_weight;
  report.n_empty = static_cast<int>(std::ranges::count(n_pieces, 0));
  report.n_split = static_cast<int>(std::ranges::count_if(n_pieces, [](auto n) { return n > 1; }));
  return report;
}

std::int64_t edge_cut(const Adjacency& graph, std::span<const Rank> parts) {
  std::int64_t cut = 0;
  for (GlobalIndex node = 0; node < graph.n_nodes(); ++node)
    for (std::int64_t at = graph.offsets[node]; at < graph.offsets[node + 1]; ++at)
      if (graph.neighbours[at] > node && parts[graph.neighbours[at]] != parts[node])
        cut += graph.edge_weight(at);
  return cut;
}

}  // namespace halcyon::graph
