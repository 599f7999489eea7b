#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/topology.hpp"

namespace halcyon::network {

/// A cable between two switches: a link each way.
struct Cable {
  Switch a = kNone, b = kNone;
  std::int32_t kind = 0;
};

/// Any network, from lists. It holds the distances between all switches, a byte each, so it may have 16,384
/// of them at most.
///
/// Routes are shortest ones, `Route::flow` draws among several. The channel is the number of links that the
/// leg has behind it.
class Graph final : public Topology {
 public:
  static constexpr std::int32_t kMostSwitches = 16384;
  static constexpr std::int32_t kMostKinds = 256;  ///< that the engine can tell apart

  /// @param nodes (switch) how many hang on it
  /// @param cables several between the same switches share the traffic
  /// @param kinds of cables
  /// @throws InputError that names the switch or cable, where a cable ends nowhere or where it begins, its
  /// kind is none, a switch has fewer nodes than 0, there is no node, or two switches have no way to each
  /// other of up to 100 links; ConfigError where there are too many
  Graph(std::vector<std::int32_t> nodes, const std::vector<Cable>& cables,
        std::vector<std::string> kinds = {"cable"});

  static Choices choices();

  std::string name() const override;
  Switch switch_of(Node node) const override { return switch_of_node_[node]; }
  Switch n_edge_switches() const override { return static_cast<Switch>(edge_switches_.size()); }
  Switch edge_switch(Switch i) const override { return edge_switches_[i]; }
  Link first_link(Switch from) const override { return first_link_[from]; }
  Ends ends(Link link) const override { return {links_[link].from, links_[link].to}; }
  int kind(Link link) const override { return links_[link].kind; }
  int distance(Switch from, Switch to) const override {
    return distances_[static_cast<std::size_t>(to) * n_switches_ + from];
  }
  int diameter() const override { return diameter_; }
  bool beyond_middle(Switch at) const override { return 2 * std::int64_t{first_node_[at]} >= n_nodes(); }

  int n_channels() const { return std::max(diameter_, 1); }

  [[gnu::always_inline]] Hop hop(Switch at, Route& route) const {
    const std::uint8_t* left = &distances_[static_cast<std::size_t>(route.goal) * n_switches_];
    const int nearer = left[at] - 1;
    if (route.choice == kNone) route.choice = left[at];
    std::uint32_t n = 0;
    for (Link link = first_link_[at]; link < first_link_[at + 1]; ++link)
      n += left[links_[link].to] == nearer;
    std::uint32_t skip = n > 1 ? route.flow % n : 0;
    Link link = first_link_[at];
    while (left[links_[link].to] != nearer || skip-- > 0) ++link;
    return {link, static_cast<std::uint8_t>(route.choice - left[at]), links_[link].to};
  }

 private:
  struct LinkEnd {
    Switch from, to;
    std::int32_t kind;
  };

  void list_links(const std::vector<Cable>& cables);
  void list_nodes(const std::vector<std::int32_t>& nodes);
  void measure_from(Switch to);

  std::vector<Node> first_node_{0};  // (switch + 1)
  std::vector<Switch> switch_of_node_, edge_switches_;
  std::vector<Link> first_link_;  // (switch + 1)
  std::vector<LinkEnd> links_;
  std::vector<std::uint8_t> distances_;  // (to, from)
  int diameter_ = 0;
};

/// Reads a network from a file of lines. `switches N` comes first; `nodes N` gives each switch as many nodes,
/// `nodes S N` the switch S; `cable A B` joins two switches, `cable A B KIND` by a cable of a kind. Switches
/// are numbered from 0; # begins a comment.
/// @throws InputError that names file and line of what it cannot read, and as the constructor
Graph read_graph(const std::string& path);

}  // namespace halcyon::network
