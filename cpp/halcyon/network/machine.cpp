#include "halcyon/network/machine.hpp"

#include <fmt/ranges.h>

#include <string_view>

#include "halcyon/base/error.hpp"

namespace halcyon::network {
namespace {

template <class T>
void require_at_least(std::string_view name, T value, T least) {
  require<ConfigError>(value >= least, "The machine's {} is {}. Give {} or more.", name, value, least);
}

/// What a byte takes has room in the engine's numbers.
void require_bandwidth(std::string_view name, double value) {
  require_at_least(name, value, 1000.0);
}

void require_links(const Machine& machine, const Topology& topology) {
  const auto& kinds = topology.kinds();
  require<ConfigError>(
      machine.links.size() == 1 || machine.links.size() == kinds.size(),
      "The machine has {} speeds of links, and the network {} kinds of them: {}. Give one speed "
      "for all, or one for each.",
      machine.links.size(), kinds.size(), fmt::join(kinds, ", "));
  for (std::size_t i = 0; i < machine.links.size(); ++i) {
    require_bandwidth(fmt::format("links[{}].bandwidth", i), machine.links[i].bandwidth);
    require_at_least(fmt::format("links[{}].latency", i), machine.links[i].latency, 0.0);
  }
}

}  // namespace

void require_valid(const Machine& machine, const Topology& topology) {
  require_links(machine, topology);
  require_bandwidth("injection_bandwidth", machine.injection_bandwidth);
  require_bandwidth("ejection_bandwidth", machine.ejection_bandwidth);
  require_at_least("memory_channels", machine.memory_channels, 1);
  require_bandwidth("memory_bandwidth", machine.memory_bandwidth);
  require_at_least("switch_latency", machine.switch_latency, 0.0);
  require_at_least("crossbar_factor", machine.crossbar_factor, 0.0);
  require_at_least("injection_latency", machine.injection_latency, 0.0);
  require_at_least("ejection_latency", machine.ejection_latency, 0.0);
  require_at_least("send_overhead", machine.send_overhead, 0.0);
  require_at_least("receive_overhead", machine.receive_overhead, 0.0);
  require_at_least("memory_latency", machine.memory_latency, 0.0);
  require_at_least<std::int64_t>("eager_bytes", machine.eager_bytes, 0);
  require_at_least<std::int64_t>("memory_eager_bytes", machine.memory_eager_bytes, 0);
  require_at_least<std::int64_t>("bypass_bytes", machine.bypass_bytes, 0);
  require_at_least<std::int64_t>("packet_bytes", machine.packet_bytes, 1);
  require_at_least("buffer_packets", machine.buffer_packets, 1);
  require_at_least("messages_at_once", machine.messages_at_once, 1);
  require_at_least("nics_per_node", machine.nics_per_node, 1);
  require_at_least("ranks_per_node", machine.ranks_per_node, 1);
}

}  // namespace halcyon::network
