#include "halcyon/graph/metis.hpp"

#include <metis.h>

#include <array>
#include <csignal>
#include <limits>
#include <numeric>
#include <string_view>

#include "halcyon/base/error.hpp"

namespace halcyon::graph {
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

}  // namespace

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

}  // namespace halcyon::graph
