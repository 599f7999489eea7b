#include "halcyon/network/topology/hyperx.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::network {

HyperX::HyperX(std::vector<std::int32_t> sizes, std::int32_t nodes_per_switch)
    : Lattice(
          std::move(sizes), nodes_per_switch,
          [](std::int32_t size) { return size - 1; },  // links of a switch along a dimension
          [](std::int32_t size) { return size / 2 * (size - size / 2); }) {}  // links across its middle

Choices HyperX::choices() {
  return {{{.name = "hyperx",
            .text = "A grid of switches, fully connected along each dimension.",
            .options = grid_options("hyperx", "Type of network: grid with fully connected rows.")},
           &make_grid<HyperX>}};
}

Choices Crossbar::choices() {
  return {{{.name = "crossbar",
            .text = "Single switch that connects all nodes.",
            .options = {type_option("crossbar", "Type of network: single switch."),
                        count_option("nodes", "Nodes of the switch.")}},
           [](const options::Values& values) -> std::unique_ptr<Topology> {
             return std::make_unique<HyperX>(std::vector{1}, count_in(values, "nodes"));
           }}};
}

std::string HyperX::name() const {
  const auto nodes = count_with_noun(nodes_per_switch(), "node");
  if (n_switches() == 1) return fmt::format("crossbar of {}", nodes);
  return fmt::format("HyperX {} with {} per switch", joined_sizes(sizes()), nodes);
}

LinkEnds HyperX::ends(Link link) const {
  const Switch from = quotient(link, ports_per_switch_);
  const std::int32_t port = link - first_link(from);
  const Axis& axis = axes_[axis_of_port_[port]];
  const std::int32_t here = axis.coordinate(from), peer = port - axis.first_port;
  const std::int32_t there = peer + (peer >= here);  // peers are numbered without the switch itself
  return {.from = from, .to = from + (there - here) * axis.stride.value()};
}

int HyperX::diameter() const {
  int sum = 0;
  for (const std::int32_t size : sizes()) sum += size > 1;
  return sum;
}

}  // namespace halcyon::network
