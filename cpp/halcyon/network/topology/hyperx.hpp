#pragma once

#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/lattice.hpp"

namespace halcyon::network {

/// A grid of switches, each linked to all others of its row along every dimension (Ahn et al. 2009).
/// Dimension-order routing, first dimension first. A single switch is a crossbar.
class HyperX final : public Lattice {
 public:
  /// @param sizes (dimension) number of switches
  /// @throws ConfigError for no dimension, sizes or nodes below 1, or too large a network
  HyperX(std::vector<std::int32_t> sizes, std::int32_t nodes_per_switch);
  static Choices choices();
  std::string name() const override;
  LinkEnds ends(Link link) const override;
  int distance(Switch from, Switch to) const override {
    int sum = 0;
    for (const Axis& axis : axes_) {
      const Switch from_next = quotient(from, axis.size), to_next = quotient(to, axis.size);
      sum += from - from_next * axis.size.value() != to - to_next * axis.size.value();  // coordinates differ
      from = from_next, to = to_next;
    }
    return sum;
  }
  int diameter() const override;
  int n_channels() const { return 1; }
  int n_detour_channels() const { return 3; }
  std::uint8_t detour_channel(Leg leg, std::uint8_t) const { return static_cast<std::uint8_t>(leg); }
  bool has_equal_routes() const { return false; }
  Via random_via(Switch, Switch, std::uint64_t random) const {
    return {edge_switch(random_below(random, n_edge_switches()))};
  }

  [[gnu::always_inline]] Hop hop(Switch current, const Route& route) const {
    const Port port = port_towards(current, route.goal);
    return {.link = current * ports_per_switch_.value() + port.number, .to = port.to};
  }

  /// A port of a switch, and the switch at the other end.
  struct Port {
    std::int32_t number = kNone;
    Switch to = kNone;
  };

  /// Returns the port of switch `current` that leads towards another switch.
  Port port_towards(Switch current, Switch goal) const {
    Switch here_number = current, there_number = goal;  // coordinates of the dimensions not yet compared
    for (const Axis& axis : axes_) {
      const Switch here_next = quotient(here_number, axis.size),
                   there_next = quotient(there_number, axis.size);
      const std::int32_t here = here_number - here_next * axis.size.value();
      const std::int32_t there = there_number - there_next * axis.size.value();
      if (here != there) {
        return {.number = axis.first_port + there - (there > here),
                .to = current + (there - here) * axis.stride.value()};
      }
      here_number = here_next, there_number = there_next;
    }
    return {};
  }
};

/// A single switch: a HyperX of one switch, with its own type in case files.
struct Crossbar {
  static Choices choices();
};

}  // namespace halcyon::network
