#pragma once

#include <algorithm>

#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/lattice.hpp"

namespace halcyon::network {

/// A grid of switches whose every dimension is a ring. A ring of two switches has one cable, a ring of one
/// switch has none.
///
/// Dimension-order routing, first dimension first, in the shorter direction; if both are equal, forwards from
/// even coordinates and backwards from odd ones. Routes use channel 0 before the ring's last cable, and
/// channel 1 after it (Dally and Seitz 1987).
class Torus final : public Lattice {
 public:
  /// @param sizes of the dimensions
  /// @throws ConfigError for no dimension, sizes or nodes below 1, or too large a network
  Torus(std::vector<std::int32_t> sizes, std::int32_t nodes_per_switch);

  static Choices choices();

  std::string name() const override;
  LinkEnds ends(Link link) const override;
  int distance(Switch from, Switch to) const override;
  int diameter() const override;

  int n_channels() const { return 2; }

  [[gnu::always_inline]] Hop hop(Switch at, const Route& route) const {
    Switch here_left = at, there_left = route.goal;
    for (const Axis& axis : axes_) {
      const Switch here_rest = axis.size.quotient(here_left), there_rest = axis.size.quotient(there_left);
      const std::int32_t size = axis.size.value();
      const std::int32_t here = here_left - here_rest * size, there = there_left - there_rest * size;
      if (here != there) {
        const bool back = backwards(here, there, size);
        const bool will_wrap = back ? there > here : there < here;
        const bool wraps = here == (back ? 0 : size - 1);
        const std::int32_t step = (back ? -1 : 1) + (wraps ? (back ? size : -size) : 0);
        return {at * ports_.value() + axis.first_port + back, static_cast<std::uint8_t>(!will_wrap),
                at + step * axis.stride.value()};
      }
      here_left = here_rest, there_left = there_rest;
    }
    return {};
  }

 private:
  static bool backwards(std::int32_t here, std::int32_t there, std::int32_t size) {
    const std::int32_t distance_forwards = there > here ? there - here : there - here + size;
    if (2 * distance_forwards == size) return size > 2 && here % 2 == 1;
    return 2 * distance_forwards > size;
  }
};

}  // namespace halcyon::network
