#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/topology.hpp"

namespace halcyon::network {

/// A cable between two switches: one link in each direction.
struct Cable {
  Switch a = kNone, b = kNone;
  std::int32_t kind = 0;
};

/// An arbitrary network, given by lists of switches and cables. The graph stores the distances between all
/// pairs of switches, one byte each: 256 MiB at the maximum of 16,384 switches.
///
/// Routes are shortest paths; `Route::path_selector` chooses among several. The channel is the number of
/// links that the message has crossed on the current leg: to an intermediate switch, or to the target.
class Graph final : public Topology {
 public:
  static constexpr std::int32_t kMaxSwitches = 16384;
  static constexpr std::int32_t kMaxKinds = 256;  ///< limited by the size of `LinkState::kind`

  /// @param nodes nodes[switch]: number of nodes of the switch
  /// @param cables may be parallel: the routes are distributed over parallel cables
  /// @param kinds names of the kinds of cables
  /// @throws InputError naming the switch or cable for a cable with an unknown end, with equal ends or of an
  /// unknown kind, a negative number of nodes, no nodes at all, or two switches that are not connected by a
  /// path of up to 100 links; ConfigError for too many switches or kinds
  Graph(std::vector<std::int32_t> nodes, const std::vector<Cable>& cables,
        std::vector<std::string> kinds = {"cable"});

  static Choices choices();
  std::string name() const override;
  Switch switch_of(Node node) const override { return switch_of_node_[node]; }
  Switch n_edge_switches() const override { return static_cast<Switch>(edge_switches_.size()); }
  Switch edge_switch(Switch i) const override { return edge_switches_[i]; }
  Link first_link(Switch from) const override { return link_offsets_[from]; }
  LinkEnds ends(Link link) const override { return {.from = links_[link].from, .to = links_[link].to}; }
  int kind(Link link) const override { return links_[link].kind; }
  int distance(Switch from, Switch to) const override {
    return distances_[static_cast<std::size_t>(to) * n_switches_ + from];
  }
  int diameter() const override { return diameter_; }
  bool is_in_second_half(Switch number) const override {
    return 2 * std::int64_t{node_offsets_[number]} >= n_nodes();
  }

  int n_channels() const { return std::max(diameter_, 1); }
  int n_detour_channels() const { return 2 * n_channels(); }
  std::uint8_t detour_channel(Leg leg, std::uint8_t channel) const {
    return static_cast<std::uint8_t>(leg == Leg::first ? channel + n_channels() : channel);
  }
  bool has_equal_routes() const { return true; }
  Via random_via(Switch, Switch, std::uint64_t random) const {
    return {edge_switch(random_below(random, n_edge_switches()))};
  }

  /// `route.state` is the number of links of the current leg, from its first switch to its goal.
  [[gnu::always_inline]] Hop hop(Switch current, Route& route) const {
    const std::uint8_t* hops_left = &distances_[static_cast<std::size_t>(route.goal) * n_switches_];
    const int hops_after_next = hops_left[current] - 1;
    if (route.state == kNone) route.state = hops_left[current];
    std::uint32_t n_nearer = 0;
    for (Link link = link_offsets_[current]; link < link_offsets_[current + 1]; ++link)
      n_nearer += hops_left[links_[link].to] == hops_after_next;
    std::uint32_t skip = n_nearer > 1 ? route.path_selector % n_nearer : 0;
    Link link = link_offsets_[current];
    while (hops_left[links_[link].to] != hops_after_next || skip-- > 0) ++link;
    const auto channel = static_cast<std::uint8_t>(route.state - hops_left[current]);
    return {.link = link, .channel = channel, .to = links_[link].to};
  }

 private:
  struct DirectedLink {
    Switch from, to;
    std::int32_t kind;
  };

  void list_links(const std::vector<Cable>& cables);
  void list_nodes(const std::vector<std::int32_t>& nodes);
  void compute_distances_to(Switch to);

  // Shapes are in parentheses: node_offsets_[switch] is the first node of the switch.
  std::vector<Node> node_offsets_{0};  // (n_switches + 1)
  std::vector<Switch> switch_of_node_, edge_switches_;
  std::vector<Link> link_offsets_;  // (n_switches + 1): link_offsets_[switch] is the first link of the switch
  std::vector<DirectedLink> links_;
  std::vector<std::uint8_t> distances_;  // (n_switches, n_switches): to, from
  int diameter_ = 0;
};

/// Reads a network from a text file. `switches N` comes first; `nodes N` sets the number of nodes of every
/// switch, `nodes S N` sets the number of nodes of switch S; `cable A B` connects switches A and B, `cable A
/// B KIND` by a cable of the kind KIND. Switches are numbered from 0; # begins a comment.
/// @throws InputError naming file and line, for an invalid line and where the constructor of `Graph` throws
Graph read_graph(const std::string& path);

}  // namespace halcyon::network
