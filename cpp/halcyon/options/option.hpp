#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace halcyon::options {

/// The value of an option. Lists are of whole numbers, such as the sizes of a torus.
using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>>;
using Values = std::map<std::string, Value, std::less<>>;

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// An option of a choice. Case files, the command line, `halcyon describe`, error texts and tables of the
/// docs are made from it.
struct Option {
  std::string name = {};
  Value value = {};       ///< the default; its type is the option's
  std::string text = {};  ///< its meaning, and the source of its default
  std::string unit = {};  ///< as UDUNITS reads it; empty for a number without unit
  double minimum = -kUnbounded, maximum = kUnbounded;  ///< of a number, or of each number of a list
  double above = -kUnbounded;                          ///< lower bound that is not allowed itself
  std::vector<std::string> names = {};                 ///< of a text: the values that are allowed
  std::string allowed = {};  ///< the allowed values in words, where the type does not say them
  std::string word = {};     ///< of a number: stands for the default, as `unlimited` does
  bool required = false;     ///< has no default: `value` only tells its type
};

/// One of the members of a registry: a physics set, a topology, an exchange method...
struct Choice {
  std::string name = {};
  std::string text = {};        ///< one sentence or more, for users
  std::string references = {};  ///< whom it follows
  std::vector<Option> options = {};
  /// What it needs, by names: a start its equation sets, a routing its topologies; empty: it goes with any.
  std::vector<std::string> goes_with = {};
};

/// The values of `given`, and defaults of what is not given. Whole numbers stand for real ones and the
/// reverse where that loses nothing.
/// @param kind the noun of the registry, for errors: "physics set"
/// @throws ConfigError for unknown and missing options, values of another type and values outside their range
Values resolve(std::string_view kind, const Choice& choice, const Values& given);

/// @throws ConfigError that lists the known names
[[noreturn]] void refuse(std::string_view kind, std::string_view name, const std::vector<std::string>& known);

/// Names of a registry's members, in its order. `Member` is a Choice with what makes it.
template <class Member>
std::vector<std::string> names_of(const std::vector<Member>& members) {
  std::vector<std::string> names;
  for (const Choice& member : members) names.push_back(member.name);
  return names;
}

/// The members of a registry as choices, for what is generated from it.
template <class Member>
std::vector<Choice> choices_of(const std::vector<Member>& members) {
  return {members.begin(), members.end()};
}

/// A member of a registry by its name.
/// @throws ConfigError that lists the known names
template <class Member>
const Member& find(std::string_view kind, const std::vector<Member>& members, std::string_view name) {
  for (const Member& member : members) {
    if (member.name == name) return member;
  }
  refuse(kind, name, names_of(members));
}

}  // namespace halcyon::options
