#pragma once

#include <vector>

#include "halcyon/base/divisor.hpp"
#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/topology.hpp"

namespace halcyon::network {

/// Levels of switches with nodes below the lowest level: an extended generalized fat tree (XGFT; Öhring et
/// al. 1995).
///
/// A switch of level i (from 0) has down[i] down-ports and up[i] up-ports; so there are prod(down) nodes, and
/// prod(down[i + 1 ..]) prod(up[.. i - 1]) switches on level i. Switches are numbered level by level from the
/// lowest, so that leaf switch i connects the i-th block of nodes.
///
/// Routes go up to the first level that has the target below it, and then down. The digits of
/// `Route::path_selector` to the bases up[0], up[1], ... select the up-ports: random digits, or the digits of
/// the target for d_mod_k. `Route::state` is the level of the switch that `hop` has chosen.
class FatTree final : public Topology {
 public:
  /// @param down (level) down-ports per switch; up: (level, except the highest) up-ports per switch
  /// @throws ConfigError for no level, different numbers of levels, ports below 1, or too large a tree
  FatTree(std::vector<std::int32_t> down, std::vector<std::int32_t> up);

  /// Makes a tree of switches with `radix` ports each: half are down-ports; on the highest level, all are.
  /// Leaf switches have `oversubscription` times as many down-ports as up-ports.
  /// @throws ConfigError if the ports cannot be divided in this way
  static FatTree of_radix(std::int32_t levels, std::int32_t radix, std::int32_t oversubscription = 1);
  static Choices choices();
  const std::vector<std::int32_t>& down() const { return down_; }
  const std::vector<std::int32_t>& up() const { return up_; }
  std::string name() const override;
  Switch switch_of(Node node) const override { return quotient(node, nodes_per_leaf_); }
  Switch n_edge_switches() const override { return levels_.front().end; }
  Link first_link(Switch from) const override;
  LinkEnds ends(Link link) const override;
  /// @returns the level at the lower end of the link
  int kind(Link link) const override;
  int distance(Switch from, Switch to) const override {
    int level = 0;
    while (quotient(from, levels_[level].leaves) != quotient(to, levels_[level].leaves)) ++level;
    return 2 * level;
  }
  int diameter() const override { return 2 * static_cast<int>(levels_.size() - 1); }
  /// The switches of the highest level belong to the first half.
  bool is_in_second_half(Switch number) const override;
  int n_channels() const { return 1; }
  int n_detour_channels() const { return 2 * n_channels(); }
  std::uint8_t detour_channel(Leg leg, std::uint8_t channel) const {
    return static_cast<std::uint8_t>(leg == Leg::first ? channel + n_channels() : channel);
  }
  bool has_equal_routes() const { return !up_.empty(); }
  Via random_via(Switch, Switch, std::uint64_t random) const {
    return {edge_switch(random_below(random, n_edge_switches()))};
  }

  [[gnu::always_inline]] Hop hop(Switch current, Route& route) const {
    const int number = route.state == kNone ? 0 : route.state;
    const Level& level = levels_[number];
    const Switch index = current - level.first, tree = quotient(index, level.copies);
    const Switch copy = index - tree * level.copies.value();
    const Link first_link = level.first_link + index * level.n_outgoing_links.value();
    if (quotient(route.goal, level.leaves) == tree) {
      const Switch child = quotient(route.goal, levels_[number - 1].leaves);
      route.state = number - 1;
      return {.link = first_link + child - tree * level.down, .to = child_of(level, child, copy)};
    }
    const std::int32_t digits = quotient(static_cast<std::int32_t>(route.path_selector), level.copies);
    const std::int32_t port = remainder(digits, level.up);
    route.state = number + 1;
    return {.link = first_link + level.down + port, .to = parent_of(level, tree, copy, port)};
  }

  /// Returns the hop over the up-port with the shortest queue, or `hop` itself if it leads down. Of equal
  /// queues, the first one after that of `hop` is taken, which is random.
  Hop least_loaded(Switch current, const Route& route, const Hop& hop, const LinkLoads& loads) const;

 private:
  // The switches of a level. A switch is one of `copies` equivalent root switches of a subtree: `tree` is the
  // number of the subtree, `copy` the number of the root switch. Index on the level: tree copies + copy.
  struct Level {
    Switch first = 0, end = 0;  // the level's switches are first .. end - 1
    Link first_link = 0;
    std::int32_t down = 0;       // down-ports to switches: 0 for leaf switches
    Divisor siblings{};          // subtrees below a switch of the next level
    Divisor up{};                // up-ports; 1 on the highest level, where it is unused
    Divisor n_outgoing_links{};  // links from a switch of the level to other switches
    Divisor copies{}, leaves{};  // leaves: leaf switches below a switch
  };

  const Level& level_of_link(Link link) const;
  // Switch (tree, copy) of level i has the children (tree down[i] + port, copy mod copies[i - 1]) and the
  // parents (tree / down[i + 1], copy + copies[i] port). `child`: number of the child's subtree.
  static Switch child_of(const Level& level, Switch child, Switch copy) {
    const Level& below = *(&level - 1);
    return below.first + child * below.copies.value() + remainder(copy, below.copies);
  }
  static Switch parent_of(const Level& level, Switch tree, Switch copy, std::int32_t port) {
    const Level& above = *(&level + 1);
    return above.first + quotient(tree, level.siblings) * above.copies.value() + copy +
           port * level.copies.value();
  }

  std::vector<Level> levels_;
  std::vector<std::int32_t> down_, up_;
  Divisor nodes_per_leaf_;
};

}  // namespace halcyon::network
