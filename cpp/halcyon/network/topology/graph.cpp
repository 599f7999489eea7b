#include "halcyon/network/topology/graph.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::network {
namespace {

constexpr std::uint8_t kUnreached = 255;
constexpr int kLongest = 100;  // two legs of it fit into the number of a channel

void require_valid(const Cable& cable, std::size_t number, Switch n_switches, std::size_t n_kinds) {
  for (const Switch end : {cable.a, cable.b})
    require<InputError>(end >= 0 && end < n_switches,
                        "Cable {} leads to switch {}, but there are the switches 0 to {}.", number, end,
                        n_switches - 1);
  require<InputError>(cable.a != cable.b, "Cable {} leads from switch {} to itself. Leave it out.", number,
                      cable.a);
  require<InputError>(cable.kind >= 0 && static_cast<std::size_t>(cable.kind) < n_kinds,
                      "Cable {} is of kind {}, but there are the kinds 0 to {}.", number, cable.kind,
                      n_kinds - 1);
}

}  // namespace

Graph::Graph(std::vector<std::int32_t> nodes, const std::vector<Cable>& cables,
             std::vector<std::string> kinds) {
  n_switches_ = static_cast<Switch>(nodes.size());
  kinds_ = std::move(kinds);
  require<ConfigError>(
      std::ssize(nodes) <= kMostSwitches,
      "A network from lists has {} switches, but {} at most are possible. Describe it as a torus, "
      "fat tree, dragonfly or HyperX.",
      nodes.size(), kMostSwitches);
  require<ConfigError>(std::ssize(kinds_) <= kMostKinds,
                       "The network has {} kinds of cables, but {} at most are possible. Give cables of like "
                       "speed one kind.",
                       kinds_.size(), kMostKinds);
  for (std::size_t i = 0; i < cables.size(); ++i) require_valid(cables[i], i, n_switches_, kinds_.size());
  list_nodes(nodes);
  list_links(cables);
  distances_.assign(nodes.size() * nodes.size(), kUnreached);
  for (Switch to = 0; to < n_switches_; ++to) measure_from(to);
}

std::string Graph::name() const {
  return fmt::format("network of {}, {} and {}", numbered(n_switches_, "switch", "es"),
                     numbered(std::ssize(links_) / 2, "cable"), numbered(n_nodes(), "node"));
}

void Graph::list_nodes(const std::vector<std::int32_t>& nodes) {
  std::int64_t total = 0;
  for (Switch at = 0; at < n_switches_; ++at) {
    require<InputError>(nodes[at] >= 0, "Switch {} has {} nodes. Give 0 or more.", at, nodes[at]);
    if (nodes[at] > 0) edge_switches_.push_back(at);
    total += nodes[at];
  }
  require<InputError>(total > 0, "The network of {} switches has no node. Give some switches nodes.",
                      n_switches_);
  n_nodes_ = counted(total, "nodes");
  switch_of_node_.reserve(n_nodes_);
  for (Switch at = 0; at < n_switches_; ++at) {
    first_node_.push_back(first_node_.back() + nodes[at]);
    switch_of_node_.resize(first_node_.back(), at);
  }
}

void Graph::list_links(const std::vector<Cable>& cables) {
  for (const Cable& cable : cables) {
    links_.push_back({cable.a, cable.b, cable.kind});
    links_.push_back({cable.b, cable.a, cable.kind});
  }
  n_links_ = counted(std::ssize(links_), "links");
  std::ranges::stable_sort(links_, {}, [](const LinkEnd& link) { return std::pair(link.from, link.to); });
  for (Switch from = 0; from <= n_switches_; ++from)
    first_link_.push_back(
        static_cast<Link>(std::ranges::lower_bound(links_, from, {}, &LinkEnd::from) - links_.begin()));
}

// Breadth first; every link has its like in the other direction.
void Graph::measure_from(Switch to) {
  std::uint8_t* left = &distances_[static_cast<std::size_t>(to) * n_switches_];
  std::vector<Switch> reached{to};
  left[to] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Switch at = reached[i];
    require<InputError>(left[at] <= kLongest,
                        "Switch {} is more than {} links from switch {}. Shorten the way.", at, kLongest, to);
    diameter_ = std::max<int>(diameter_, left[at]);
    for (Link link = first_link_[at]; link < first_link_[at + 1]; ++link) {
      const Switch next = links_[link].to;
      if (left[next] != kUnreached) continue;
      left[next] = static_cast<std::uint8_t>(left[at] + 1);
      reached.push_back(next);
    }
  }
  const auto lost = std::find(left, left + n_switches_, kUnreached) - left;
  require<InputError>(lost == n_switches_,
                      "Switch {} has no way to switch {}. Add cables that join the parts.", lost, to);
}

}  // namespace halcyon::network
