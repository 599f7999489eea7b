#pragma once

#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/lattice.hpp"

namespace halcyon::network {

/// A grid of switches whose every dimension is a ring. A ring of two switches has one cable, a ring of one
/// switch has none.
///
/// Dimension-order routing, first dimension first, in the shorter direction; if both are equally long,
/// forwards from even coordinates, backwards from odd ones. Along a ring, a route uses channel 0 up to the
/// cable that closes the ring, and channel 1 after it (Dally and Seitz 1987); without this cable, either, as
/// a bit of `Route::path_selector` says, so that both carry similar loads. `Route::state` is the dimension
/// whose ring was last closed.
class Torus final : public Lattice {
 public:
  /// @param sizes (dimension) number of switches
  /// @throws ConfigError for no dimension, sizes or nodes below 1, or too large a network
  Torus(std::vector<std::int32_t> sizes, std::int32_t nodes_per_switch);
  static Choices choices();
  std::string name() const override;
  LinkEnds ends(Link link) const override;
  int distance(Switch from, Switch to) const override;
  int diameter() const override;
  int n_channels() const { return 2; }
  int n_detour_channels() const { return 2 * n_channels(); }
  std::uint8_t detour_channel(Leg leg, std::uint8_t channel) const {
    return static_cast<std::uint8_t>(leg == Leg::first ? channel + n_channels() : channel);
  }
  bool has_equal_routes() const { return false; }
  Via random_via(Switch, Switch, std::uint64_t random) const {
    return {edge_switch(random_below(random, n_edge_switches()))};
  }

  [[gnu::always_inline]] Hop hop(Switch current, Route& route) const {
    Switch here_number = current, there_number = route.goal;  // coordinates not yet compared
    for (int number = 0; const Axis& axis : axes_) {
      const Switch here_next = quotient(here_number, axis.size),
                   there_next = quotient(there_number, axis.size);
      const std::int32_t size = axis.size.value();
      const std::int32_t here = here_number - here_next * size, there = there_number - there_next * size;
      if (here != there) {
        const bool backwards = goes_backwards(here, there, size);
        const bool will_wrap = backwards ? there > here : there < here;
        const bool wraps = here == (backwards ? 0 : size - 1);
        const std::int32_t step = (backwards ? -1 : 1) + (wraps ? (backwards ? size : -size) : 0);
        const bool has_wrapped = route.state == number;
        const bool channel = !will_wrap && (has_wrapped || (route.path_selector >> (number & 15) & 1) != 0);
        if (wraps) route.state = number;
        return {.link = current * ports_per_switch_.value() + axis.first_port + backwards,
                .channel = channel,
                .to = current + step * axis.stride.value()};
      }
      here_number = here_next, there_number = there_next;
      ++number;
    }
    return {};
  }

 private:
  static bool goes_backwards(std::int32_t here, std::int32_t there, std::int32_t size) {
    const std::int32_t distance_forwards = there > here ? there - here : there - here + size;
    if (2 * distance_forwards == size) return size > 2 && here % 2 == 1;
    return 2 * distance_forwards > size;
  }
};

}  // namespace halcyon::network
