#include "halcyon/graph/partition_report.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/graph/pieces.hpp"

namespace halcyon::graph {
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
