#include "halcyon/network/topology/topologies.hpp"

#include <algorithm>
#include <array>

namespace halcyon::network {
namespace {

template <class... Types>
Choices all_choices(TypeList<Types...>) {
  Choices all;
  for (const auto& choices : {Types::choices()...}) all.insert(all.end(), choices.begin(), choices.end());
  return all;
}

/// Returns the first choice of a type whose second option is given, else the last choice of the type.
const TopologyChoice& find_choice(std::string_view type, const options::Values& values) {
  const TopologyChoice* result = nullptr;
  for (const auto& choice : topologies()) {
    if (choice.name != type) continue;
    result = &choice;
    if (values.contains(choice.options[1].name)) break;
  }
  if (result) return *result;
  auto names = options::names_of(topologies());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  options::throw_unknown("topology", type, names);
}

struct NamedNetwork {
  std::string name;
  std::string_view type;
  options::Values values;
};

using Sizes = std::vector<std::int64_t>;

options::Values grid(Sizes sizes, std::int64_t nodes) {
  return {{"sizes", std::move(sizes)}, {"nodes_per_switch", nodes}};
}

options::Values four_level_tree(std::int64_t ports) {
  return {{"down", Sizes(4, ports)}, {"up", Sizes(3, ports)}};
}

const std::array<NamedNetwork, 8>& networks() {
  static const std::array<NamedNetwork, 8> all{{
      {"torus-M", "torus", grid({25, 25, 25}, 25)},
      {"fattree-M", "fat_tree", four_level_tree(25)},
      {"dragonfly-MM", "hyperx", grid({25, 25, 25}, 25)},
      {"dragonfly-SL", "hyperx", grid({25, 25, 125}, 5)},
      {"dragonfly-LS", "hyperx", grid({125, 125, 5}, 5)},
      {"torus-L", "torus", grid({75, 25, 25}, 25)},
      {"fattree-L", "fat_tree", four_level_tree(33)},
      {"dragonfly-ML", "hyperx", grid({25, 25, 75}, 25)},
  }};
  return all;
}

}  // namespace

const Choices& topologies() {
  static const Choices all = all_choices(Topologies{});
  return all;
}

std::vector<options::RegistryEntry> topology_choices() {
  return options::entries_of(topologies());
}

std::unique_ptr<Topology> make_topology(std::string_view type, options::Values values) {
  const auto& choice = find_choice(type, values);
  values["type"] = choice.name;
  return choice.make(options::resolve("topology", choice, values));
}

std::vector<std::string_view> network_names() {
  std::vector<std::string_view> names;
  for (const auto& network : networks()) names.push_back(network.name);
  return names;
}

std::unique_ptr<Topology> named_network(std::string_view name) {
  const auto network = std::ranges::find(networks(), name, &NamedNetwork::name);
  if (network != networks().end()) return make_topology(network->type, network->values);
  const auto names = network_names();
  options::throw_unknown("network", name, {names.begin(), names.end()});
}

}  // namespace halcyon::network
