#pragma once

#include <vector>

#include "halcyon/base/divisor.hpp"
#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/topology.hpp"

namespace halcyon::network {

/// Levels of switches with nodes below the lowest: an extended generalised fat tree (Ohring et al. 1995).
///
/// Level i (from 0) has down[i] ports downwards and up[i] upwards; so there are prod(down) nodes, and
/// prod(down[i + 1 ..]) prod(up[.. i - 1]) switches on level i. Switches are numbered level by level from the
/// lowest, so that a leaf has the number of its nodes' block.
///
/// Routes go up to the first level that has the target below it, and down. The digits of `Route::flow` to the
/// bases up[0], up[1], ... choose the way up: by chance, or with d_mod_k those of the target. `Route::choice`
/// is the level that the route has come to.
class FatTree final : public Topology {
 public:
  /// @param down (level), up (level but the highest): ports of a switch
  /// @throws ConfigError for no level, another number of entries, ports below 1, and trees that are too large
  FatTree(std::vector<std::int32_t> down, std::vector<std::int32_t> up);

  /// The tree of switches with `radix` ports: half of them down and half up, on the highest level all down.
  /// The lowest has `oversubscription` times as many down as up.
  /// @throws ConfigError where the ports cannot be divided so
  static FatTree of_radix(std::int32_t levels, std::int32_t radix, std::int32_t oversubscription = 1);

  static Choices choices();

  const std::vector<std::int32_t>& down() const { return down_; }
  const std::vector<std::int32_t>& up() const { return up_; }

  std::string name() const override;
  Switch switch_of(Node node) const override { return nodes_per_leaf_.quotient(node); }
  Switch n_edge_switches() const override { return levels_.front().end; }
  Link first_link(Switch from) const override;
  Ends ends(Link link) const override;
  /// @returns the level below the cable
  int kind(Link link) const override;
  int distance(Switch from, Switch to) const override {
    int level = 0;
    while (levels_[level].leaves.quotient(from) != levels_[level].leaves.quotient(to)) ++level;
    return 2 * level;
  }
  int diameter() const override { return 2 * static_cast<int>(levels_.size() - 1); }
  /// The highest switches lie in the first half.
  bool beyond_middle(Switch at) const override;

  int n_channels() const { return 1; }

  [[gnu::always_inline]] Hop hop(Switch at, Route& route) const {
    const int i = route.choice == kNone ? 0 : route.choice;
    const Level& level = levels_[i];
    const Switch index = at - level.first, tree = level.copies.quotient(index);
    const Switch copy = index - tree * level.copies.value();
    const Link first = level.first_link + index * level.ports.value();
    if (level.leaves.quotient(route.goal) == tree) {
      const Switch child = levels_[i - 1].leaves.quotient(route.goal);
      route.choice = i - 1;
      return {first + child - tree * level.down, 0, child_of(level, child, copy)};
    }
    const std::int32_t digits = level.copies.quotient(static_cast<std::int32_t>(route.flow));
    const std::int32_t port = level.up.remainder(digits);
    route.choice = i + 1;
    return {first + level.down + port, 0, parent_of(level, tree, copy, port)};
  }

 private:
  // A level's switches: for each tree below them, `copies` of its root.
  struct Level {
    Switch first = 0, end = 0;
    Link first_link = 0;
    std::int32_t down = 0;       // cables down to switches: none from leaves
    Divisor siblings{};          // trees below a switch of the next level
    Divisor up{}, ports{};       // up: 1 on the highest, where it serves nothing
    Divisor copies{}, leaves{};  // leaves below a switch
  };

  const Level& level_of_link(Link link) const;
  // Of `level` in `levels_`: the children of switch (tree, copy) on level i are (tree down + port, copy mod
  // copies[i - 1]), its parents (tree / down[i + 1], copy + copies port).
  static Switch child_of(const Level& level, Switch child, Switch copy) {
    const Level& below = *(&level - 1);
    return below.first + child * below.copies.value() + below.copies.remainder(copy);
  }
  static Switch parent_of(const Level& level, Switch tree, Switch copy, std::int32_t port) {
    const Level& above = *(&level + 1);
    return above.first + level.siblings.quotient(tree) * above.copies.value() + copy +
           port * level.copies.value();
  }

  std::vector<Level> levels_;
  std::vector<std::int32_t> down_, up_;
  Divisor nodes_per_leaf_;
};

}  // namespace halcyon::network
