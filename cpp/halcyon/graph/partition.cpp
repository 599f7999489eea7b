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

constexpr GlobalIndex kNoComponent = -1;
constexpr Rank kNoPart = -1;

/// Returns the nodes of the component of `root` (nodes of its part that are connected to it within the part),
/// breadth first, and sets component_of of these nodes to `component`.
/// @param component_of (node) kNoComponent for nodes that have not been found
std::vector<GlobalIndex> find_component(const Adjacency& graph, std::span<const Rank> parts, GlobalIndex root,
                                        GlobalIndex component, std::vector<GlobalIndex>& component_of) {
  std::vector<GlobalIndex> found{root};
  component_of[root] = component;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const GlobalIndex other : graph[found[i]]) {
      if (component_of[other] != kNoComponent || parts[other] != parts[root]) continue;
      component_of[other] = component;
      found.push_back(other);
    }
  }
  return found;
}

/// The largest component of each part, the first if several are equally large; kNoComponent for empty parts.
std::vector<GlobalIndex> largest_components(const Components& components, int n_parts) {
  std::vector<GlobalIndex> largest(n_parts, kNoComponent);
  for (std::size_t component = 0; component < components.part.size(); ++component) {
    GlobalIndex& best = largest[components.part[component]];
    if (best == kNoComponent || components.n_nodes[component] > components.n_nodes[best])
      best = static_cast<GlobalIndex>(component);
  }
  return largest;
}

/// The part with the largest weight of edges to the given nodes, the first if several have the same weight;
/// kNoPart if no part has an edge to them.
Rank most_connected_part(const Adjacency& graph, std::span<const GlobalIndex> nodes,
                         std::span<const Rank> parts) {
  std::map<Rank, std::int64_t> edge_weights;
  for (const GlobalIndex node : nodes)
    for (std::int64_t entry = graph.offsets[node]; entry < graph.offsets[node + 1]; ++entry)
      if (const Rank part = parts[graph.neighbours[entry]]; part != kNoPart)
        edge_weights[part] += graph.edge_weight(entry);
  const auto best = std::ranges::max_element(
      edge_weights, {}, [](const auto& part_and_weight) { return part_and_weight.second; });
  return best == edge_weights.end() ? kNoPart : best->first;
}

}  // namespace

Components components_of(const Adjacency& graph, std::span<const Rank> parts) {
  Components components{
      .of_node = std::vector<GlobalIndex>(parts.size(), kNoComponent), .part = {}, .n_nodes = {}};
  for (GlobalIndex node = 0; node < graph.n_nodes(); ++node) {
    if (components.of_node[node] != kNoComponent) continue;
    const auto found = find_component(graph, parts, node, std::ssize(components.part), components.of_node);
    components.part.push_back(parts[node]);
    components.n_nodes.push_back(std::ssize(found));
  }
  return components;
}

void join_components(const Adjacency& graph, int n_parts, std::vector<Rank>& parts) {
  const Components components = components_of(graph, parts);
  const auto largest = largest_components(components, n_parts);
  std::map<GlobalIndex, std::vector<GlobalIndex>> detached;
  for (GlobalIndex node = 0; node < graph.n_nodes(); ++node) {
    const GlobalIndex component = components.of_node[node];
    if (largest[parts[node]] != component) detached[component].push_back(node);
  }
  const auto assign = [&](const std::vector<GlobalIndex>& nodes, Rank part) {
    for (const GlobalIndex node : nodes) parts[node] = part;
  };
  for (const auto& [component, nodes] : detached) assign(nodes, kNoPart);
  // A component may have an edge to a part only after another component has joined this part.
  for (std::size_t n_before = detached.size() + 1; detached.size() < n_before;) {
    n_before = detached.size();
    std::erase_if(detached, [&](const auto& entry) {
      const Rank part = most_connected_part(graph, entry.second, parts);
      assign(entry.second, part);
      return part != kNoPart;
    });
  }
  for (const auto& [component, nodes] : detached) assign(nodes, components.part[component]);
}

GlobalIndex removable_node(const Adjacency& graph, std::span<const Rank> parts, Rank part) {
  std::vector<GlobalIndex> component_of(parts.size(), kNoComponent);
  const auto root = std::ranges::find(parts, part) - parts.begin();
  return find_component(graph, parts, root, 0, component_of).back();
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
                      "The partition has {} entries, but the graph has {} nodes. Give one entry per node.",
                      parts.size(), graph.n_nodes());
  for (std::size_t node = 0; node < parts.size(); ++node)
    require<InputError>(parts[node] >= 0 && parts[node] < n_parts,
                        "Node {} is in part {}, but the parts are 0..{}.", node, parts[node], n_parts - 1);
}

}  // namespace

PartitionReport partition_report(const Adjacency& graph, std::span<const Rank> parts, int n_parts) {
  require_parts(graph, parts, n_parts);
  std::vector<std::int64_t> weight(n_parts, 0), n_components(n_parts, 0);
  for (GlobalIndex node = 0; node < graph.n_nodes(); ++node) weight[parts[node]] += graph.node_weight(node);
  for (const Rank part : components_of(graph, parts).part) ++n_components[part];
  PartitionReport report{.n_parts = n_parts, .edge_cut = edge_cut(graph, parts)};
  if (n_parts == 0) return report;
  report.least_weight = std::ranges::min(weight);
  report.most_weight = std::ranges::max(weight);
  report.mean_weight = static_cast<double>(std::reduce(weight.begin(), weight.end())) / n_parts;
  if (report.mean_weight > 0) report.imbalance = static_cast<double>(report.most_weight) / report.mean_weight;
  report.n_empty = static_cast<int>(std::ranges::count(n_components, 0));
  report.n_split = static_cast<int>(std::ranges::count_if(n_components, [](auto n) { return n > 1; }));
  return report;
}

std::int64_t edge_cut(const Adjacency& graph, std::span<const Rank> parts) {
  std::int64_t cut = 0;
  for (GlobalIndex node = 0; node < graph.n_nodes(); ++node)
    for (std::int64_t entry = graph.offsets[node]; entry < graph.offsets[node + 1]; ++entry)
      if (graph.neighbours[entry] > node && parts[graph.neighbours[entry]] != parts[node])
        cut += graph.edge_weight(entry);
  return cut;
}

namespace {

constexpr std::int64_t kMaxIndex = std::numeric_limits<idx_t>::max();

template <class Range>
std::vector<idx_t> metis_indices(const Range& values) {
  require<InputError>(std::ssize(values) < kMaxIndex, "METIS has {}-bit indices; {} entries are too many.",
                      8 * sizeof(idx_t), values.size());
  return {values.begin(), values.end()};
}

/// Checks that the sum of the weights fits the index type of METIS, in which METIS computes it.
std::vector<idx_t> metis_weights(std::string_view kind, const std::vector<std::int64_t>& weights) {
  std::int64_t sum = 0;
  for (const std::int64_t weight : weights) {
    require<ConfigError>(
        weight <= kMaxIndex - sum,
        "The {} weights add up to more than {}, the most that METIS counts. Make them smaller.", kind,
        kMaxIndex);
    sum += weight;
  }
  return metis_indices(weights);
}

std::vector<real_t> metis_fractions(std::span<const int> weights_of_parts) {
  const int sum = std::accumulate(weights_of_parts.begin(), weights_of_parts.end(), 0);
  std::vector<real_t> fractions;
  for (const int weight : weights_of_parts) fractions.push_back(static_cast<real_t>(1.0 * weight / sum));
  return fractions;
}

/// Restores signal handlers at the end of a scope; METIS restores them for one signal only (SA_RESETHAND).
class SignalHandlerRestorer {
 public:
  SignalHandlerRestorer() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &actions_[i]);
  }
  ~SignalHandlerRestorer() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &actions_[i], nullptr);
  }
  SignalHandlerRestorer(const SignalHandlerRestorer&) = delete;
  SignalHandlerRestorer& operator=(const SignalHandlerRestorer&) = delete;

 private:
  static constexpr std::array kSignals = {SIGABRT, SIGTERM};  // those that METIS handles
  std::array<struct sigaction, kSignals.size()> actions_{};
};

using MetisOptions = std::array<idx_t, METIS_NOPTIONS>;

MetisOptions metis_options(const PartitionOptions& options) {
  MetisOptions result;
  METIS_SetDefaultOptions(result.data());
  result[METIS_OPTION_SEED] = options.seed;
  result[METIS_OPTION_NUMBERING] = 0;
  result[METIS_OPTION_CONTIG] = options.contiguous && options.method == PartitionMethod::kway;
  return result;
}

idx_t* or_null(std::vector<idx_t>& values) {
  return values.empty() ? nullptr : values.data();
}

/// Partitions a graph by METIS (Karypis and Kumar 1998); parts may be empty or disconnected.
/// @param weights_of_parts (part) relative target weights of two or more parts
/// @throws InputError if the graph is too large for the index type of METIS, ConfigError if its weights are
std::vector<Rank> metis_parts(const Adjacency& graph, std::span<const int> weights_of_parts,
                              const PartitionOptions& options) {
  auto offsets = metis_indices(graph.offsets), neighbours = metis_indices(graph.neighbours);
  auto node_weights = metis_weights("node", graph.node_weights),
       edge_weights = metis_weights("edge", graph.edge_weights);
  auto fractions = metis_fractions(weights_of_parts);
  auto settings = metis_options(options);
  neighbours.reserve(1);  // METIS needs a pointer even without edges
  idx_t n_nodes = static_cast<idx_t>(graph.n_nodes()), n_parts = static_cast<idx_t>(weights_of_parts.size());
  idx_t n_constraints = 1, cut = 0;
  std::vector<idx_t> parts(n_nodes);
  const SignalHandlerRestorer restorer;
  const auto partition_graph =
      options.method == PartitionMethod::kway ? METIS_PartGraphKway : METIS_PartGraphRecursive;
  const int status =
      partition_graph(&n_nodes, &n_constraints, offsets.data(), neighbours.data(), or_null(node_weights),
                      /*vsize=*/nullptr, or_null(edge_weights), &n_parts, fractions.data(), /*ubvec=*/nullptr,
                      settings.data(), &cut, parts.data());
  require<RunError>(status == METIS_OK, "METIS could not cut {} nodes into {} parts (status {}).", n_nodes,
                    n_parts, status);
  return {parts.begin(), parts.end()};
}

/// Moves nodes to parts with too few nodes, which METIS may return if there are nearly as many parts as
/// nodes. Takes each node from the part with the largest surplus, and leaves this part connected.
/// @param min_nodes (part) smallest allowed number of nodes
void fill_parts(const Adjacency& graph, std::span<const int> min_nodes, std::vector<Rank>& parts) {
  std::vector<std::int64_t> surplus(min_nodes.size());
  std::ranges::transform(min_nodes, surplus.begin(), [](int n_nodes) { return -n_nodes; });
  for (const Rank part : parts) ++surplus[part];
  for (std::size_t part = 0; part < min_nodes.size(); ++part) {
    while (surplus[part] < 0) {
      const auto donor = static_cast<Rank>(std::ranges::max_element(surplus) - surplus.begin());
      parts[removable_node(graph, parts, donor)] = static_cast<Rank>(part);
      --surplus[donor];
      ++surplus[part];
    }
  }
}

std::size_t n_components(const Adjacency& graph) {
  return components_of(graph, std::vector<Rank>(graph.n_nodes(), 0)).part.size();
}

/// Partitions a graph into parts that will be divided among ranks.
/// @param n_ranks (part) number of ranks of the part: its relative weight, and its smallest number of nodes
std::vector<Rank> parts_for_ranks(const Adjacency& graph, std::span<const int> n_ranks,
                                  PartitionOptions options) {
  if (n_ranks.size() == 1) return std::vector<Rank>(graph.n_nodes(), 0);
  const bool is_contiguous = options.contiguous;
  options.contiguous = is_contiguous && n_components(graph) == 1;  // METIS rejects other graphs
  auto parts = metis_parts(graph, n_ranks, options);
  if (is_contiguous) join_components(graph, static_cast<int>(n_ranks.size()), parts);
  fill_parts(graph, n_ranks, parts);
  return parts;
}

void require_feasible(const Adjacency& graph, int n_parts, const PartitionOptions& options) {
  const auto n_nodes = graph.n_nodes();
  require<ConfigError>(n_parts >= 1, "A partition needs at least 1 part, not {}.", n_parts);
  require<ConfigError>(
      n_parts <= n_nodes,
      "The run has {} ranks but the mesh only {} cells. Start at most {} ranks, or use a finer mesh.",
      n_parts, n_nodes, n_nodes);
  const auto components = options.contiguous ? n_components(graph) : 1;
  require<ConfigError>(components == 1,
                       "Parts must be contiguous, but the graph itself has {} connected components. Omit the "
                       "option contiguous.",
                       components);
}

}  // namespace

PartitionMethod partition_method_named(std::string_view name) {
  const auto found = std::ranges::find(kPartitionMethodNames, name);
  require<ConfigError>(found != kPartitionMethodNames.end(), "There is no partition method '{}'. Use {}.",
                       name, fmt::join(kPartitionMethodNames, " or "));
  return static_cast<PartitionMethod>(found - kPartitionMethodNames.begin());
}

std::vector<Rank> partition(const Adjacency& graph, int n_parts, const PartitionOptions& options) {
  require_feasible(graph, n_parts, options);
  return parts_for_ranks(graph, std::vector<int>(n_parts, 1), options);
}

std::vector<Rank> two_level_partition(const Adjacency& graph, int n_ranks, int ranks_per_node,
                                      const PartitionOptions& options) {
  require_feasible(graph, n_ranks, options);
  require<ConfigError>(ranks_per_node >= 1, "A compute node needs at least 1 rank, not {}.", ranks_per_node);
  std::vector<int> node_ranks((n_ranks - 1) / ranks_per_node + 1, ranks_per_node);  // (compute node)
  node_ranks.back() = n_ranks - static_cast<int>(node_ranks.size() - 1) * ranks_per_node;
  auto owners = parts_for_ranks(graph, node_ranks, options);  // compute nodes, and then ranks
  const auto nodes_of = nodes_of_parts(owners, static_cast<int>(node_ranks.size()));
  std::vector<GlobalIndex> index_in_subgraph(graph.n_nodes(), -1);
  for (std::size_t compute_node = 0; compute_node < node_ranks.size(); ++compute_node) {
    const auto& nodes = nodes_of[compute_node];
    for (std::size_t i = 0; i < nodes.size(); ++i) index_in_subgraph[nodes[i]] = static_cast<GlobalIndex>(i);
    const auto parts = parts_for_ranks(subgraph(graph, nodes, index_in_subgraph),
                                       std::vector<int>(node_ranks[compute_node], 1), options);
    for (const GlobalIndex node : nodes) {
      owners[node] = static_cast<Rank>(compute_node) * ranks_per_node + parts[index_in_subgraph[node]];
      index_in_subgraph[node] = -1;
    }
  }
  return owners;
}

}  // namespace halcyon::graph
