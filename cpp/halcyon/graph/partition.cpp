#include "halcyon/graph/partition.hpp"

#include <metis.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <limits>

#include "halcyon/base/error.hpp"

namespace halcyon::graph {

namespace {

template <class Range>
std::vector<idx_t> metis_indices(const Range& values) {
  require<InputError>(values.size() < std::numeric_limits<idx_t>::max(),
                      "METIS has {}-bit indices; {} entries are too many.", 8 * sizeof(idx_t), values.size());
  return {values.begin(), values.end()};
}

/// METIS may leave a part empty when parts are nearly as many as nodes: the largest part gives it a node.
void fill_empty_parts(std::vector<Rank>& parts, int n_parts) {
  std::vector<int> size(n_parts, 0);
  for (const auto part : parts) ++size[part];
  for (int part = 0; part < n_parts; ++part) {
    if (size[part] > 0) continue;
    const auto giver = static_cast<Rank>(std::ranges::max_element(size) - size.begin());
    *std::ranges::find(parts, giver) = part;
    --size[giver];
    ++size[part];
  }
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

std::vector<idx_t> run_metis(const Adjacency& adjacency, idx_t n_parts, PartitionMethod method, int seed) {
  auto offsets = metis_indices(adjacency.offsets);
  auto neighbours = metis_indices(adjacency.neighbours);
  auto n_nodes = static_cast<idx_t>(adjacency.n_nodes());
  idx_t n_constraints = 1, cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_NUMBERING] = 0;
  std::vector<idx_t> parts(n_nodes);
  const SignalsKept kept;
  const auto cut_graph = method == PartitionMethod::kway ? METIS_PartGraphKway : METIS_PartGraphRecursive;
  const int status = cut_graph(&n_nodes, &n_constraints, offsets.data(), neighbours.data(), nullptr, nullptr,
                               nullptr, &n_parts, nullptr, nullptr, options, &cut, parts.data());
  require<RunError>(status == METIS_OK, "METIS could not cut {} nodes into {} parts (status {}).", n_nodes,
                    n_parts, status);
  return parts;
}

}  // namespace

std::vector<Rank> partition(const Adjacency& adjacency, int n_parts, PartitionMethod method, int seed) {
  const auto n_nodes = adjacency.n_nodes();
  require<ConfigError>(n_parts >= 1, "A partition needs at least 1 part, not {}.", n_parts);
  require<ConfigError>(
      n_parts <= n_nodes,
      "The run has {} ranks but the mesh only {} cells. Start at most {} ranks, or take a finer mesh.",
      n_parts, n_nodes, n_nodes);
  if (n_parts == 1) return std::vector<Rank>(n_nodes, 0);
  const auto metis = run_metis(adjacency, n_parts, method, seed);
  std::vector<Rank> parts(metis.begin(), metis.end());
  fill_empty_parts(parts, n_parts);
  return parts;
}

std::int64_t edge_cut(const Adjacency& adjacency, const std::vector<Rank>& parts) {
  std::int64_t cut = 0;
  for (GlobalIndex node = 0; node < adjacency.n_nodes(); ++node) {
    for (const auto other : adjacency[node]) cut += other > node && parts[other] != parts[node];
  }
  return cut;
}

}  // namespace halcyon::graph
