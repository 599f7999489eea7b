#pragma once

#include "halcyon/network/lattice.hpp"
#include "halcyon/network/routing.hpp"

namespace halcyon::network {

/// A grid of switches, each linked to all others of its row along every dimension (Ahn et al. 2009). Routes
/// go along the first dimension first. One switch alone is a crossbar.
class HyperX final : public Lattice {
 public:
  /// @param sizes of the dimensions
  /// @throws ConfigError for no dimension, sizes or nodes below 1, and networks that are too large
  HyperX(std::vector<std::int32_t> sizes, std::int32_t nodes_per_switch);

  std::string name() const override;
  Ends ends(Link link) const override;
  int distance(Switch from, Switch to) const override {
    int sum = 0;
    for (const Axis& axis : axes_) {
      const Switch from_rest = axis.size.quotient(from), to_rest = axis.size.quotient(to);
      sum += from - from_rest * axis.size.value() != to - to_rest * axis.size.value();
      from = from_rest, to = to_rest;
    }
    return sum;
  }
  int diameter() const override;

  int n_channels() const { return 1; }

  Hop hop(Switch at, const Route& route) const {
    return {at * ports_.value() + port_towards(at, route.goal), 0};
  }

  /// Which of the links of `at` leads towards another switch.
  std::int32_t port_towards(Switch at, Switch goal) const {
    for (const Axis& axis : axes_) {
      const Switch at_rest = axis.size.quotient(at), goal_rest = axis.size.quotient(goal);
      const std::int32_t here = at - at_rest * axis.size.value();
      const std::int32_t there = goal - goal_rest * axis.size.value();
      if (here != there) return axis.first_port + there - (there > here);
      at = at_rest, goal = goal_rest;
    }
    return kNone;
  }
};

}  // namespace halcyon::network
