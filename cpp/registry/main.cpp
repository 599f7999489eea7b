// Prints all registries (lists of entries that a case can name) as JSON. The build installs the output,
// choices.json, with the Python module, which makes options, help and docs of it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halcyon/atmosphere/core.hpp"
#include "halcyon/comm/methods/method.hpp"
#include "halcyon/comm/progress.hpp"
#include "halcyon/graph/order.hpp"
#include "halcyon/graph/partition.hpp"
#include "halcyon/io/ranks.hpp"
#include "halcyon/network/engine/engine.hpp"
#include "halcyon/network/machine.hpp"
#include "halcyon/network/mapping/placement.hpp"
#include "halcyon/network/routing/routing.hpp"
#include "halcyon/network/topology/attached_nics.hpp"
#include "halcyon/network/topology/topologies.hpp"
#include "halcyon/options/option.hpp"
#include "halcyon/physics/scheme.hpp"
#include "halcyon/schedule/collectives/alltoall.hpp"
#include "halcyon/spectral/equation_set.hpp"
#include "halcyon/spectral/time_scheme.hpp"
#include "halcyon/transform/sphere/grid.hpp"
#include "halcyon/wave/products/table.hpp"
#include "halcyon/wave/sources/physics.hpp"

namespace {

using halcyon::options::Option;
using halcyon::options::RegistryEntry;
using halcyon::options::Value;
using Field = std::pair<const char*, std::string>;  // name, and value as JSON

std::string json(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string json(bool value) {
  return value ? "true" : "false";
}

std::string json(std::int64_t value) {
  return fmt::format("{}", value);
}

// Returns a number with a decimal point or an exponent, so that Python reads a float.
std::string json(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string json(const Value& value);
std::string json(const Option& option);
std::string json(const RegistryEntry& entry);

template <class T>
std::string json(const std::vector<T>& values) {
  std::vector<std::string> items;
  for (const auto& value : values) items.push_back(json(value));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string json(const Value& value) {
  return std::visit([](const auto& alternative) { return json(alternative); }, value);
}

// Returns a JSON object without empty texts and lists; `value`, the default of an option, may be empty.
std::string json_object(const std::vector<Field>& fields) {
  std::vector<std::string> items;
  for (const auto& [name, value] : fields) {
    const bool is_empty = value == "\"\"" || value == "[]";
    if (!is_empty || std::string_view(name) == "value")
      items.push_back(fmt::format("\"{}\": {}", name, value));
  }
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

std::string json(const Option& option) {
  std::vector<Field> fields = {{"name", json(option.name)},        {"text", json(option.text)},
                               {"unit", json(option.unit)},        {"allowed", json(option.allowed)},
                               {"names", json(option.names)},      {"word", json(option.word)},
                               {"required", json(option.required)}};
  fields.emplace_back("value", json(option.value));
  if (std::isfinite(option.minimum)) fields.emplace_back("ge", json(option.minimum));
  if (std::isfinite(option.above)) fields.emplace_back("gt", json(option.above));
  if (std::isfinite(option.maximum)) fields.emplace_back("le", json(option.maximum));
  return json_object(fields);
}

std::string json(const RegistryEntry& entry) {
  return json_object({{"name", json(entry.name)},
                      {"text", json(entry.text)},
                      {"references", json(entry.references)},
                      {"only_with", json(entry.only_with)},
                      {"traits", json(entry.traits)},
                      {"heading", json(entry.heading)},
                      {"options", json(entry.options)}});
}

// Returns registry entries that have only a name.
std::vector<RegistryEntry> entries_named(const auto& names) {
  std::vector<RegistryEntry> entries;
  for (const auto& name : names) entries.push_back({.name = std::string(name)});
  return entries;
}

}  // namespace

int main() {
  const std::vector<std::pair<std::string, std::vector<RegistryEntry>>> registries = {
      {"exchange methods", halcyon::options::entries_of(halcyon::comm::methods())},
      {"progress", entries_named(halcyon::comm::kProgressNames)},
      {"all-to-alls", entries_named(halcyon::schedule::kAlltoallNames)},
      {"equation sets", halcyon::atmosphere::equation_choices()},
      {"starts", halcyon::atmosphere::start_choices()},
      {"gaussian grids", halcyon::transform::grid_choices()},
      {"spectral equation sets", halcyon::options::entries_of(halcyon::spectral::equation_sets())},
      {"spectral time schemes", halcyon::spectral::time_schemes()},
      {"partition methods", entries_named(halcyon::graph::kPartitionMethodNames)},
      {"cell orders", entries_named(halcyon::graph::kOrderNames)},
      {"file layouts", entries_named(halcyon::io::kLayoutNames)},
      {"machines", halcyon::options::entries_of(halcyon::network::machines())},
      {"fidelities", halcyon::network::fidelity_choices()},
      {"placements", halcyon::options::entries_of(halcyon::network::placements())},
      {"NIC attachments", halcyon::network::nic_attachments()},
      {"topologies", halcyon::network::topology_choices()},
      {"routings", halcyon::options::entries_of(halcyon::network::routings())},
      {"physics schemes", halcyon::physics::column_scheme_choices()},
      {"physics sets", halcyon::wave::physics_choices()},
      {"wave variables", halcyon::wave::wave_variable_choices()},
  };
  std::vector<std::string> members;
  for (const auto& [name, entries] : registries)
    members.push_back(fmt::format("{}: {}", json(name), json(entries)));
  fmt::print("{{{}}}\n", fmt::join(members, ",\n"));
  return std::fflush(stdout) == 0 ? 0 : 1;
}
