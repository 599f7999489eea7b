#include "halcyon/graph/partition.hpp"

#include <fmt/ranges.h>
#include <metis.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
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

namespace {

constexpr std::int64_t kMost = std::numeric_limits<idx_t>::max();

template <class Range>
std::vector<idx_t> metis_indices(const Range& values) {
  require<InputError>(std::ssize(values) < kMost, "METIS has {}-bit indices; {} entries are too many.",
                      8 * sizeof(idx_t), values.size());
  return {values.begin(), values.end()};
}

/// METIS adds weights up in its indices.
std::vector<idx_t> metis_weights(std::string_view what, const std::vector<std::int64_t>& weights) {
  std::int64_t sum = 0;
  for (const std::int64_t weight : weights) {
    require<ConfigError>(
        weight <= kMost - sum,
        "The {} weights add up to more than {}, the most that METIS counts. Make them smaller.", what, kMost);
    sum += weight;
  }
  return metis_indices(weights);
}

std::vector<real_t> metis_shares(std::span<const int> shares) {
  const int sum = std::accumulate(shares.begin(), shares.end(), 0);
  std::vector<real_t> parts_of_one;
  for (const int share : shares) parts_of_one.push_back(static_cast<real_t>(1.0 * share / sum));
  return parts_of_one;
}

/// METIS traps signals for its own errors, and leaves what the program had set for the next signal only
/// (SA_RESETHAND). So all is set again as it was.
class SignalsKept {
 public:
  SignalsKept() {
    for (std::size_t i = 0; i < kTrapped.size(); ++i) sigaction(kTrapped[i], nullptr, &actions_[i]);
  }
  ~SignalsKept() {
    for (std::size_t i = 0; i < kTrapped.size(); ++i) sigaction(kTrapped[i], &actions_[i], nullptr);
  }
  SignalsKept(const SignalsKept&) = delete;
  SignalsKept& operator=(const SignalsKept&) = delete;

 private:
  static constexpr std::array kTrapped = {SIGABRT, SIGTERM};
  std::array<struct sigaction, kTrapped.size()> actions_{};
};

using MetisOptions = std::array<idx_t, METIS_NOPTIONS>;

MetisOptions metis_options(const PartitionOptions& options) {
  MetisOptions given;
  METIS_SetDefaultOptions(given.data());
  given[METIS_OPTION_SEED] = options.seed;
  given[METIS_OPTION_NUMBERING] = 0;
  given[METIS_OPTION_CONTIG] = options.contiguous && options.method == PartitionMethod::kway;
  return given;
}

idx_t* or_null(std::vector<idx_t>& values) {
  return values.empty() ? nullptr : values.data();
}

/// The parts that METIS makes of a graph (Karypis and Kumar 1998); some may be empty or in several pieces.
/// Signals are handled afterwards as they were before.
/// @param shares (part) of the weight, in relation to each other; two parts or more
/// @throws InputError where the graph, and ConfigError where its weights are too large for METIS' indices
std::vector<Rank> metis_parts(const Adjacency& graph, std::span<const int> shares,
                              const PartitionOptions& options) {
  auto offsets = metis_indices(graph.offsets), neighbours = metis_indices(graph.neighbours);
  auto node_weights = metis_weights("node", graph.node_weights),
       edge_weights = metis_weights("edge", graph.edge_weights);
  auto parts_of_one = metis_shares(shares);
  auto given = metis_options(options);
  neighbours.reserve(1);  // METIS wants a list even where there is no edge
  idx_t n_nodes = static_cast<idx_t>(graph.n_nodes()), n_parts = static_cast<idx_t>(shares.size());
  idx_t n_constraints = 1, cut = 0;
  std::vector<idx_t> parts(n_nodes);
  const SignalsKept kept;
  const auto cut_graph =
      options.method == PartitionMethod::kway ? METIS_PartGraphKway : METIS_PartGraphRecursive;
  const int status = cut_graph(&n_nodes, &n_constraints, offsets.data(), neighbours.data(),
                               or_null(node_weights), nullptr, or_null(edge_weights), &n_parts,
                               parts_of_one.data(), nullptr, given.data(), &cut, parts.data());
  require<RunError>(status == METIS_OK, "METIS could not cut {} nodes into {} parts (status {}).", n_nodes,
                    n_parts, status);
  return {parts.begin(), parts.end()};
}

/// METIS may leave too few nodes to a part when parts are nearly as many as nodes: the part with most to
/// spare gives it some, from an end, so that it stays in one piece.
/// @param least (part) the number of nodes that it must have
void fill_parts(const Adjacency& graph, std::span<const int> least, std::vector<Rank>& parts) {
  std::vector<std::int64_t> spare(least.size());
  std::ranges::transform(least, spare.begin(), [](int nodes) { return -nodes; });
  for (const Rank part : parts) ++spare[part];
  for (std::size_t part = 0; part < least.size(); ++part) {
    while (spare[part] < 0) {
      const auto giver = static_cast<Rank>(std::ranges::max_element(spare) - spare.begin());
      parts[end_of_part(graph, parts, giver)] = static_cast<Rank>(part);
      --spare[giver];
      ++spare[part];
    }
  }
}

std::size_t n_pieces(const Adjacency& graph) {
  return pieces_of(graph, std::vector<Rank>(graph.n_nodes(), 0)).part.size();
}

/// @param ranks (part) that share it: so many times the weight, and at least so many nodes
std::vector<Rank> parts_for(const Adjacency& graph, std::span<const int> ranks, PartitionOptions options) {
  if (ranks.size() == 1) return std::vector<Rank>(graph.n_nodes(), 0);
  const bool joined = options.contiguous;
  options.contiguous = joined && n_pieces(graph) == 1;  // METIS refuses others
  auto parts = metis_parts(graph, ranks, options);
  if (joined) join_pieces(graph, static_cast<int>(ranks.size()), parts);
  fill_parts(graph, ranks, parts);
  return parts;
}

void require_possible(const Adjacency& graph, int n_parts, const PartitionOptions& options) {
  const auto n_nodes = graph.n_nodes();
  require<ConfigError>(n_parts >= 1, "A partition needs at least 1 part, not {}.", n_parts);
  require<ConfigError>(
      n_parts <= n_nodes,
      "The run has {} ranks but the mesh only {} cells. Start at most {} ranks, or take a finer mesh.",
      n_parts, n_nodes, n_nodes);
  const auto pieces = options.contiguous ? n_pieces(graph) : 1;
  require<ConfigError>(
      pieces == 1, "Parts must be contiguous, but the graph itself is in {} pieces. Leave out contiguous.",
      pieces);
}

}  // namespace

PartitionMethod partition_method_named(std::string_view name) {
  const auto at = std::ranges::find(kPartitionMethodNames, name);
  require<ConfigError>(at != kPartitionMethodNames.end(), "There is no partition method '{}'. Use {}.", name,
                       fmt::join(kPartitionMethodNames, " or "));
  return static_cast<PartitionMethod>(at - kPartitionMethodNames.begin());
}

std::vector<Rank> partition(const Adjacency& graph, int n_parts, const PartitionOptions& options) {
  require_possible(graph, n_parts, options);
  return parts_for(graph, std::vector<int>(n_parts, 1), options);
}

std::vector<Rank> two_level_partition(const Adjacency& graph, int n_ranks, int ranks_per_node,
                                      const PartitionOptions& options) {
  require_possible(graph, n_ranks, options);
  require<ConfigError>(ranks_per_node >= 1, "A computer needs at least 1 rank, not {}.", ranks_per_node);
  std::vector<int> ranks((n_ranks - 1) / ranks_per_node + 1, ranks_per_node);
  ranks.back() = n_ranks - static_cast<int>(ranks.size() - 1) * ranks_per_node;
  auto owners = parts_for(graph, ranks, options);
  const auto nodes = nodes_of_parts(owners, static_cast<int>(ranks.size()));
  std::vector<GlobalIndex> place(graph.n_nodes(), -1);
  for (std::size_t computer = 0; computer < ranks.size(); ++computer) {
    const auto& own = nodes[computer];
    for (std::size_t i = 0; i < own.size(); ++i) place[own[i]] = static_cast<GlobalIndex>(i);
    const auto inner = parts_for(subgraph(graph, own, place), std::vector<int>(ranks[computer], 1), options);
    for (const GlobalIndex node : own) {
      owners[node] = static_cast<Rank>(computer) * ranks_per_node + inner[place[node]];
      place[node] = -1;
    }
  }
  return owners;
}

}  // namespace halcyon::graph
