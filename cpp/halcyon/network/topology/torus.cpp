#include "halcyon/network/topology/torus.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::network {
namespace {

/// Number of links of a switch along a ring, and of links in one direction across the middle of the ring.
std::int32_t links_of_ring(std::int32_t size) {
  return std::min(size - 1, 2);
}

}  // namespace

Torus::Torus(std::vector<std::int32_t> sizes, std::int32_t nodes_per_switch)
    : Lattice(std::move(sizes), nodes_per_switch, links_of_ring, links_of_ring) {}

Choices Torus::choices() {
  return {{{.name = "torus",
            .text = "A grid of switches, each dimension a ring.",
            .options = grid_options("torus", "Type of network: rings of switches.")},
           &make_grid<Torus>}};
}

std::string Torus::name() const {
  return fmt::format("torus {} with {} per switch", joined_sizes(sizes()),
                     count_with_noun(nodes_per_switch(), "node"));
}

LinkEnds Torus::ends(Link link) const {
  const Switch from = quotient(link, ports_per_switch_);
  const std::int32_t port = link - first_link(from);
  const Axis& axis = axes_[axis_of_port_[port]];
  const std::int32_t here = axis.coordinate(from), size = axis.size.value();
  const std::int32_t there = (here + (port == axis.first_port ? 1 : size - 1)) % size;
  return {.from = from, .to = from + (there - here) * axis.stride.value()};
}

int Torus::distance(Switch from, Switch to) const {
  int sum = 0;
  for (const Axis& axis : axes_) {
    const std::int32_t apart = std::abs(axis.coordinate(from) - axis.coordinate(to));
    sum += std::min(apart, axis.size.value() - apart);
  }
  return sum;
}

int Torus::diameter() const {
  int sum = 0;
  for (const std::int32_t size : sizes()) sum += size / 2;
  return sum;
}

}  // namespace halcyon::network
