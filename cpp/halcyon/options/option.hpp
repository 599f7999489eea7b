#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace halcyon::options {

/// The value of an option. Lists hold integers, such as the sizes of a torus.
using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>>;
using Values = std::map<std::string, Value, std::less<>>;

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// An option of a registry entry. The options of case files and of the command line, `halcyon describe`,
/// error texts and tables of the docs are generated from Options.
struct Option {
  std::string name = {};
  Value value = {};       ///< the default; also determines the type of the option
  std::string text = {};  ///< meaning, and source of the default
  std::string unit = {};  ///< in UDUNITS notation; empty if dimensionless
  double minimum = -kUnbounded, maximum = kUnbounded;  ///< bounds of a number, or of each number of a list
  double above = -kUnbounded;                          ///< exclusive lower bound
  std::vector<std::string> names = {};                 ///< allowed values of a text option; empty: any
  std::string allowed = {};  ///< description of the allowed values, if the type does not suffice
  std::string word = {};     ///< name of a numeric default in case files, such as `unlimited`
  bool required = false;     ///< has no default; `value` only determines the type
};

/// An entry of a registry: a physics set, a topology, an exchange method...
struct RegistryEntry {
  std::string name = {};
  std::string text = {};        ///< one sentence or more, for users
  std::string references = {};  ///< literature
  std::vector<Option> options = {};
  /// The only entries of another registry that this entry can be combined with, such as the topologies of a
  /// routing or the equation sets of a start; empty: all.
  std::vector<std::string> only_with = {};
  std::vector<std::string> traits = {};  ///< properties, such as "threads"; each registry documents its own
  std::string heading = {};              ///< heading of the docs table of the entry, if it has one
};

/// Returns the values of all options of an entry: given values, and defaults of the other options. Integers
/// are converted to reals, and whole reals to integers, where the option has that type.
/// @param kind kind of the entry in error texts, such as "physics set"
/// @throws ConfigError for unknown or missing options, wrong types, and values outside their range
Values resolve(std::string_view kind, const RegistryEntry& entry, const Values& given);

/// Throws the ConfigError for an unknown name; its text lists the known names.
[[noreturn]] void throw_unknown(std::string_view kind, std::string_view name,
                                const std::vector<std::string>& known);

/// Returns the names of the entries of a registry, in order. `Entry` is derived from RegistryEntry.
template <class Entry>
std::vector<std::string> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const RegistryEntry& entry : entries) names.push_back(entry.name);
  return names;
}

/// Returns the base RegistryEntry of each entry, for files that are generated from the registry.
template <class Entry>
std::vector<RegistryEntry> entries_of(const std::vector<Entry>& entries) {
  return {entries.begin(), entries.end()};
}

/// Returns the entry of a registry with the given name.
/// @throws ConfigError that lists the known names
template <class Entry>
const Entry& find(std::string_view kind, const std::vector<Entry>& entries, std::string_view name) {
  for (const Entry& entry : entries)
    if (entry.name == name) return entry;
  throw_unknown(kind, name, names_of(entries));
}

}  // namespace halcyon::options
