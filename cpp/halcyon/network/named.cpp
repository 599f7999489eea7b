#include "halcyon/network/named.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "halcyon/base/error.hpp"
#include "halcyon/network/topology/fat_tree.hpp"
#include "halcyon/network/topology/hyperx.hpp"
#include "halcyon/network/topology/torus.hpp"

namespace halcyon::network {
namespace {

using Made = std::unique_ptr<Topology>;

template <class Grid>
Made grid(std::int32_t x, std::int32_t y, std::int32_t z, std::int32_t nodes) {
  return std::make_unique<Grid>(std::vector{x, y, z}, nodes);
}

Made full_tree(std::int32_t ports) {
  return std::make_unique<FatTree>(std::vector(4, ports), std::vector(3, ports));
}

struct NamedNetwork {
  std::string_view name;
  Made (*make)();
};

constexpr std::array<NamedNetwork, 8> kNetworks{{
    {"torus-M", [] { return grid<Torus>(25, 25, 25, 25); }},
    {"fattree-M", [] { return full_tree(25); }},
    {"dragonfly-MM", [] { return grid<HyperX>(25, 25, 25, 25); }},
    {"dragonfly-SL", [] { return grid<HyperX>(25, 25, 125, 5); }},
    {"dragonfly-LS", [] { return grid<HyperX>(125, 125, 5, 5); }},
    {"torus-L", [] { return grid<Torus>(75, 25, 25, 25); }},
    {"fattree-L", [] { return full_tree(33); }},
    {"dragonfly-ML", [] { return grid<HyperX>(25, 25, 75, 25); }},
}};

Machine zheng2018() {
  Machine machine;
  machine.links = {{.bandwidth = 10e9, .latency = 100e-9}};
  machine.injection_bandwidth = machine.ejection_bandwidth = 10e9;
  machine.bypass_bytes = 256;
  return machine;
}

struct NamedMachine {
  std::string_view name;
  Machine (*make)();
};

constexpr std::array<NamedMachine, 2> kMachines{{
    {"reference", [] { return Machine(); }},
    {"zheng2018", zheng2018},
}};

template <class Table>
std::vector<std::string_view> names_of(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& entry : table) names.push_back(entry.name);
  return names;
}

template <class Table>
auto made(std::string_view what, const Table& table, std::string_view name) {
  const auto entry = std::ranges::find_if(table, [&](const auto& e) { return e.name == name; });
  require<ConfigError>(entry != table.end(), "There is no {} '{}'. Use {}.", what, name,
                       fmt::join(names_of(table), ", "));
  return entry->make();
}

}  // namespace

std::vector<std::string_view> network_names() {
  return names_of(kNetworks);
}

std::unique_ptr<Topology> named_network(std::string_view name) {
  return made("network", kNetworks, name);
}

std::vector<std::string_view> machine_names() {
  return names_of(kMachines);
}

Machine named_machine(std::string_view name) {
  return made("machine", kMachines, name);
}

}  // namespace halcyon::network
