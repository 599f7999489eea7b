#include "halcyon/schedule/collectives/collective.hpp"

#include <bit>
#include <map>
#include <numeric>
#include <ranges>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/schedule/groups.hpp"

namespace halcyon::schedule {
namespace {

constexpr std::string_view kNodeAware = "node_aware_";

/// Algorithms by operation and name.
const std::map<std::string, std::map<std::string, CollectiveMaker>>& registry() {
  static const auto all = [] {
    std::map<std::string, std::map<std::string, CollectiveMaker>> map;
    for (const auto& algorithms : {tree_algorithms(), allgather_algorithms(), reduction_algorithms(),
                                   other_algorithms(), composed_algorithms()})
      for (const auto& [operation, name, make] : algorithms)
        map[std::string(operation)][std::string(name)] = make;
    return map;
  }();
  return all;
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

const std::map<std::string, CollectiveMaker>& algorithms_by_name(const std::string& operation) {
  const auto found = registry().find(operation);
  require<ConfigError>(found != registry().end(), "There is no collective '{}'. Use {}.", operation,
                       joined(collective_operations()));
  return found->second;
}

CollectiveMaker maker_of(const CollectiveOptions& options) {
  const auto& algorithms = algorithms_by_name(options.operation);
  const auto found = algorithms.find(options.algorithm);
  require<ConfigError>(found != algorithms.end(), "There is no algorithm '{}' of {}. Use {}.",
                       options.algorithm, options.operation, joined(algorithms_of(options.operation)));
  return found->second;
}

void require_valid(const CollectiveOptions& o) {
  const auto n_sizes = std::ssize(o.bytes);
  require<ConfigError>(
      o.n_ranks >= 1 && o.root >= 0 && o.root < o.n_ranks,
      "A collective has {} ranks and the root {}. Give 1 rank or more and a root among them.", o.n_ranks,
      o.root);
  require<ConfigError>(o.item_bytes >= 1 && o.segment_bytes >= 0 && o.ranks_per_node >= 1,
                       "A collective has items of {} bytes, segments of {} bytes and {} ranks per node. Give "
                       "positive numbers.",
                       o.item_bytes, o.segment_bytes, o.ranks_per_node);
  const bool has_blocks = o.operation == "gather" || o.operation == "scatter" || o.operation == "allgather" ||
                          o.operation == "reduce_scatter";
  const auto n_pairs = std::int64_t{o.n_ranks} * o.n_ranks;
  require<ConfigError>(n_sizes == 1 || (has_blocks && n_sizes == o.n_ranks) ||
                           (o.operation == "alltoall" && n_sizes == n_pairs),
                       "The {} of {} ranks has {} sizes. Give one{}.", o.operation, o.n_ranks, n_sizes,
                       has_blocks                  ? ", or one per rank"
                       : o.operation == "alltoall" ? ", or one per pair"
                                                   : "");
  require<ConfigError>(std::ranges::min(o.bytes) >= 0,
                       "The size of a collective is {} bytes. Give 0 or more.", std::ranges::min(o.bytes));
}

CollectiveOptions changed(CollectiveOptions options, std::string operation, std::string algorithm) {
  options.operation = std::move(operation);
  options.algorithm = std::move(algorithm);
  return options;
}

/// In each node to its first rank (the root in its own node), between these by the algorithm, and back.
SchedulePointer node_aware(const CollectiveOptions& options) {
  const auto& operation = options.operation;
  require<ConfigError>(
      operation == "broadcast" || operation == "reduce" || operation == "allreduce" || operation == "barrier",
      "{} has no algorithm that begins with {}. Use {}.", operation, kNodeAware,
      joined(algorithms_of(operation)));
  const auto between = changed(options, operation, options.algorithm.substr(kNodeAware.size()));
  (void)maker_of(between);
  std::vector<std::vector<Rank>> nodes;
  std::vector<Rank> leaders;
  Rank root_node = 0;
  for (Rank first = 0; first < options.n_ranks; first += options.ranks_per_node) {
    auto& node = nodes.emplace_back(std::min(options.ranks_per_node, options.n_ranks - first));
    std::iota(node.begin(), node.end(), first);
    if (options.root >= first && options.root - first < std::ssize(node)) {
      root_node = static_cast<Rank>(leaders.size());
      std::swap(node.front(), node[options.root - first]);
    }
    leaders.push_back(node.front());
  }
  const auto within_nodes = [&](const std::string& name, const std::string& algorithm) {
    std::vector<InGroups::Group> groups;
    for (const auto& node : nodes) {
      auto inner = changed(options, name, algorithm);
      inner.n_ranks = static_cast<Rank>(node.size());
      inner.root = 0;
      groups.push_back({node, collective(inner)});
    }
    return std::make_shared<InGroups>(options.n_ranks, std::move(groups));
  };
  auto among_leaders = between;
  among_leaders.n_ranks = static_cast<Rank>(leaders.size());
  among_leaders.root = root_node;
  std::vector<SchedulePointer> parts;
  const bool up = operation != "broadcast", down = operation != "reduce",
             synchronizes = operation == "barrier";
  if (up) parts.push_back(within_nodes(synchronizes ? "gather" : "reduce", "binomial"));
  std::vector<InGroups::Group> leader_group{{leaders, collective(among_leaders)}};
  parts.push_back(std::make_shared<InGroups>(options.n_ranks, std::move(leader_group)));
  if (down) parts.push_back(within_nodes(synchronizes ? "scatter" : "broadcast", "binomial"));
  return std::make_shared<Sequence>(std::move(parts));
}

/// Two collectives one after the other; the first one's result is the second one's data.
SchedulePointer in_sequence(const CollectiveOptions& first, const CollectiveOptions& second,
                            const std::map<std::string, std::string>& names_of_first,
                            const std::map<std::string, std::string>& names_of_second) {
  return std::make_shared<Sequence>(
      std::vector<SchedulePointer>{std::make_shared<Renamed>(collective(first), names_of_first),
                                   std::make_shared<Renamed>(collective(second), names_of_second)});
}

SchedulePointer gather_broadcast(const CollectiveOptions& options) {
  auto all = changed(options, "broadcast", "binomial");
  const BlockList blocks(options.n_ranks, options.bytes);
  all.bytes = {blocks.offset(options.n_ranks)};
  auto gathered = changed(options, "gather", "linear");
  gathered.root = all.root = 0;
  // Ranks other than the root need no memory for the result of a gather.
  return in_sequence(gathered, all, {}, {{"data", "receive"}});
}

}  // namespace

BlockList::BlockList(Rank n, const std::vector<std::int64_t>& bytes) : n_(n) {
  if (bytes.size() == 1) {
    equal_ = bytes[0];
    return;
  }
  offsets_.assign(bytes.size() + 1, 0);
  std::partial_sum(bytes.begin(), bytes.end(), offsets_.begin() + 1);
}

std::int64_t BlockList::rotated_bytes(Rank first, std::int64_t i, std::int64_t j) const {
  const auto up_to = [&](std::int64_t k) {  // blocks first to first + k - 1
    return first + k <= n_ ? offset(first + k) - offset(first)
                           : offset(n_) - offset(first) + offset(first + k - n_);
  };
  return i < j ? up_to(j) - up_to(i) : 0;
}

int rounds_of_doubling(Rank n) {
  return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(std::max(n, 1) - 1)));
}

void require_power_of_two(const CollectiveOptions& options) {
  require<ConfigError>(is_power_of_two(options.n_ranks),
                       "The {} {} needs a power of two ranks, not {}. Use bruck or ring.", options.operation,
                       options.algorithm, options.n_ranks);
}

SchedulePointer collective(const CollectiveOptions& options) {
  require_valid(options);
  if (options.algorithm.starts_with(kNodeAware)) return node_aware(options);
  return maker_of(options)(options);
}

std::vector<std::string> algorithms_of(const std::string& operation) {
  std::vector<std::string> names;
  for (const auto& name : algorithms_by_name(operation) | std::views::keys) names.push_back(name);
  return names;
}

std::vector<std::string> collective_operations() {
  std::vector<std::string> names;
  for (const auto& name : registry() | std::views::keys) names.push_back(name);
  return names;
}

std::vector<NamedAlgorithm> composed_algorithms() {
  using Options = const CollectiveOptions&;
  return {{"allreduce", "reduce_broadcast",
           [](Options o) {
             return in_sequence(changed(o, "reduce", "binomial"), changed(o, "broadcast", "binomial"), {},
                                {});
           }},
          {"allreduce", "linear",
           [](Options o) {
             return in_sequence(changed(o, "reduce", "linear"), changed(o, "broadcast", "linear"), {}, {});
           }},
          {"allgather", "linear", gather_broadcast},
          {"reduce_scatter", "reduce_scatter", [](Options o) {
             auto reduced = changed(o, "reduce", "binomial");
             reduced.bytes = {BlockList(o.n_ranks, o.bytes).offset(o.n_ranks)};
             reduced.root = 0;
             auto scattered = changed(o, "scatter", "linear");
             scattered.root = 0;
             return in_sequence(reduced, scattered, {{"data", "send"}}, {});
           }}};
}

}  // namespace halcyon::schedule
