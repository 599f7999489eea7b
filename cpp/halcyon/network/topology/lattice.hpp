#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "halcyon/base/divisor.hpp"
#include "halcyon/network/topology/topology.hpp"

namespace halcyon::network {

/// A grid of switches with equal numbers of links, numbered with the first dimension fastest.
class Lattice : public Topology {
 public:
  Switch switch_of(Node node) const final { return quotient(node, nodes_per_switch_); }
  Link first_link(Switch from) const final { return from * n_ports(); }
  /// Returns the dimension of the link.
  int kind(Link link) const final { return axis_of_port_[remainder(link, ports_per_switch_)]; }

  bool is_in_second_half(Switch number) const final {
    return 2 * axes_[bisected_axis_].coordinate(number) >= std::max(sizes_[bisected_axis_], 2);
  }

  std::span<const std::int32_t> sizes() const { return sizes_; }
  std::int32_t nodes_per_switch() const { return nodes_per_switch_.value(); }
  /// Number of links from each switch.
  std::int32_t n_ports() const { return static_cast<std::int32_t>(axis_of_port_.size()); }

 protected:
  /// A dimension. size: number of switches along it; stride: difference of the numbers of adjacent switches.
  struct Axis {
    Divisor size, stride;
    std::int32_t first_port = 0;

    std::int32_t coordinate(Switch number) const { return remainder(quotient(number, stride), size); }
  };

  /// @param links_along(size) number of links of a switch along a dimension of `size` switches
  /// @param links_across(size) number of links in one direction across the middle of a row of `size` switches
  /// @throws ConfigError for no dimension, sizes or nodes below 1, or too large a network
  Lattice(std::vector<std::int32_t> sizes, std::int32_t nodes_per_switch,
          std::int32_t (*links_along)(std::int32_t size), std::int32_t (*links_across)(std::int32_t size));

  std::vector<Axis> axes_;
  Divisor ports_per_switch_{1}, nodes_per_switch_{1};
  std::vector<std::uint8_t> axis_of_port_;  // (port of a switch)

 private:
  std::vector<std::int32_t> sizes_;
  std::size_t bisected_axis_ = 0;  // the bisection cuts every row along this dimension
};

}  // namespace halcyon::network
