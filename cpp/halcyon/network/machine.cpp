#include "halcyon/network/machine.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::network {
namespace {

constexpr double kLongest = 1000;  // [s]
constexpr double kSlowest = 1000;  // [B s-1]

template <class T>
void require_at_least(std::string_view name, T value, T least) {
  require<ConfigError>(value >= least, "The machine's {} is {}. Give {} or more.", name, value, least);
}

/// What is added up over a way has room in the engine's numbers.
void require_latency(std::string_view name, double value) {
  require<ConfigError>(value >= 0 && value <= kLongest, "The machine's {} is {}. Give 0 to {} [s].", name,
                       value, kLongest);
}

/// What a byte takes has room in the engine's numbers.
void require_bandwidth(std::string_view name, double value) {
  require_at_least(name, value, kSlowest);
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
    require_latency(fmt::format("links[{}].latency", i), machine.links[i].latency);
  }
}

void require_crossbar(const Machine& machine) {
  require_at_least("crossbar_factor", machine.crossbar_factor, 0.0);
  if (machine.crossbar_factor == 0) return;
  const auto fastest = std::ranges::max(machine.links, {}, &LinkSpeed::bandwidth).bandwidth;
  require<ConfigError>(
      machine.crossbar_factor * fastest >= kSlowest,
      "The machine's crossbar_factor is {}, of links with {} B/s. Give 0 (no limit), or {} or "
      "more.",
      machine.crossbar_factor, fastest, kSlowest / fastest);
}

}  // namespace

void require_valid(const Machine& machine, const Topology& topology) {
  require_links(machine, topology);
  require_bandwidth("injection_bandwidth", machine.injection_bandwidth);
  require_bandwidth("ejection_bandwidth", machine.ejection_bandwidth);
  require_at_least("memory_channels", machine.memory_channels, 1);
  require_bandwidth("memory_bandwidth", machine.memory_bandwidth);
  require_latency("switch_latency", machine.switch_latency);
  require_crossbar(machine);
  require_latency("injection_latency", machine.injection_latency);
  require_latency("ejection_latency", machine.ejection_latency);
  require_latency("send_overhead", machine.send_overhead);
  require_latency("receive_overhead", machine.receive_overhead);
  require_latency("memory_latency", machine.memory_latency);
  require_at_least<std::int64_t>("eager_bytes", machine.eager_bytes, 0);
  require_at_least<std::int64_t>("memory_eager_bytes", machine.memory_eager_bytes, 0);
  require_at_least<std::int64_t>("bypass_bytes", machine.bypass_bytes, 0);
  require_at_least<std::int64_t>("packet_bytes", machine.packet_bytes, 1);
  require_at_least("buffer_packets", machine.buffer_packets, 1);
  require_at_least("messages_at_once", machine.messages_at_once, 1);
  require_at_least("nics_per_node", machine.nics_per_node, 1);
  require_at_least("ranks_per_node", machine.ranks_per_node, 1);
}

std::vector<std::string_view> machine_names() {
  return {"reference", "zheng2018"};
}

Machine named_machine(std::string_view name) {
  Machine machine;
  if (name == "reference") return machine;
  require<ConfigError>(name == "zheng2018", "There is no machine '{}'. Use {}.", name,
                       fmt::join(machine_names(), ", "));
  machine.links = {{.bandwidth = 10e9, .latency = 100e-9}};
  machine.injection_bandwidth = machine.ejection_bandwidth = 10e9;
  machine.bypass_bytes = 256;
  return machine;
}

}  // namespace halcyon::network
