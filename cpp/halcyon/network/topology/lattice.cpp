#include "halcyon/network/topology/lattice.hpp"

#include <algorithm>
#include <limits>

#include "halcyon/base/error.hpp"

namespace halcyon::network {

Lattice::Lattice(std::vector<std::int32_t> sizes, std::int32_t nodes_per_switch,
                 std::int32_t (*links_along)(std::int32_t), std::int32_t (*links_across)(std::int32_t)) {
  require<ConfigError>(!sizes.empty() && sizes.size() <= 64,
                       "The network has {} dimensions. Give the sizes of 1 to 64 dimensions.", sizes.size());
  require<ConfigError>(nodes_per_switch >= 1, "A switch has {} nodes. Give 1 or more.", nodes_per_switch);
  n_switches_ = checked_product(sizes, "The size of dimension");
  std::int32_t stride = 1;
  std::int64_t n_ports = 0;
  double fewest_per_switch = std::numeric_limits<double>::max();
  for (const std::int32_t size : sizes) {
    axes_.push_back(
        {.size = Divisor(size), .stride = Divisor(stride), .first_port = static_cast<std::int32_t>(n_ports)});
    kinds_.push_back(fmt::format("dimension {}", axes_.size()));
    n_ports += links_along(size);
    n_links_ = checked_count(n_ports * n_switches_, "links");
    axis_of_port_.resize(n_ports, static_cast<std::uint8_t>(axes_.size() - 1));
    stride *= size;
    const double links_per_switch = static_cast<double>(links_across(size)) / size;
    if (size == 1 || links_per_switch > fewest_per_switch) continue;
    fewest_per_switch = links_per_switch;
    bisected_axis_ = axes_.size() - 1;
  }
  n_nodes_ = checked_count(std::int64_t{n_switches_} * nodes_per_switch, "nodes");
  ports_per_switch_ = Divisor(std::max(axis_of_port_.empty() ? 1 : static_cast<std::int32_t>(n_ports), 1));
  nodes_per_switch_ = Divisor(nodes_per_switch);
  sizes_ = std::move(sizes);
}

}  // namespace halcyon::network
