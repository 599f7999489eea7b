#include "halcyon/options/option.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "halcyon/base/error.hpp"

namespace halcyon::options {
namespace {

constexpr const char* kTypeNames[] = {"true or false", "a whole number", "a number", "a text",
                                      "a list of whole numbers"};

// Returns the value in the type of the default: converts integers to reals, and whole reals to integers.
Value convert(const Value& value, const Value& default_value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value);
      whole && std::holds_alternative<double>(default_value)) {
    return static_cast<double>(*whole);
  }
  if (const auto* number = std::get_if<double>(&value);
      number && std::holds_alternative<std::int64_t>(default_value)) {
    if (std::abs(*number) < 0x1p53 && *number == std::floor(*number))
      return static_cast<std::int64_t>(*number);
  }
  return value;
}

std::string range_text(const Option& option) {
  const double low = std::max(option.minimum, option.above);
  const std::string unit = option.unit.empty() ? "" : " " + option.unit;
  const char* const lowest = option.above >= option.minimum ? "above" : "at least";
  if (std::isinf(low)) return fmt::format("at most {}{}", option.maximum, unit);
  if (std::isinf(option.maximum)) return fmt::format("{} {}{}", lowest, low, unit);
  return fmt::format("{} {} and at most {}{}", lowest, low, option.maximum, unit);
}

/// Checks the value of an option, which has the type of the default.
struct ValueCheck {
  std::string_view kind;
  const RegistryEntry& entry;
  const Option& option;

  void check_range(double value) const {
    require<ConfigError>(value >= option.minimum && value > option.above && value <= option.maximum,
                         "The option '{}' of the {} '{}' is {}, outside its range. Give a number {}.",
                         option.name, kind, entry.name, value, range_text(option));
  }
  void operator()(bool) const {}
  void operator()(std::int64_t value) const { check_range(static_cast<double>(value)); }
  void operator()(double value) const {
    require<ConfigError>(std::isfinite(value), "The option '{}' of the {} '{}' is {}. Give a finite number.",
                         option.name, kind, entry.name, value);
    check_range(value);
  }
  void operator()(const std::string& value) const {
    require<ConfigError>(option.names.empty() || std::ranges::find(option.names, value) != option.names.end(),
                         "The option '{}' of the {} '{}' is '{}'. Give one of: {}.", option.name, kind,
                         entry.name, value, fmt::join(option.names, ", "));
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    for (const auto value : values) check_range(static_cast<double>(value));
  }
};

/// Returns a given value in the type of the default, after a check.
Value checked_value(std::string_view kind, const RegistryEntry& entry, const Option& option,
                    const Value& given) {
  Value value = convert(given, option.value);
  require<ConfigError>(value.index() == option.value.index(), "The option '{}' of the {} '{}' must be {}.",
                       option.name, kind, entry.name, kTypeNames[option.value.index()]);
  std::visit(ValueCheck{kind, entry, option}, value);
  return value;
}

}  // namespace

Values resolve(std::string_view kind, const RegistryEntry& entry, const Values& given) {
  Values values;
  std::vector<std::string> names;
  for (const auto& option : entry.options) {
    const auto position = given.find(option.name);
    require<ConfigError>(position != given.end() || !option.required, "The {} '{}' needs the option '{}': {}",
                         kind, entry.name, option.name, option.text);
    values[option.name] =
        position == given.end() ? option.value : checked_value(kind, entry, option, position->second);
    names.push_back(option.name);
  }
  for (const auto& [name, value] : given)
    require<ConfigError>(values.contains(name), "The {} '{}' has no option '{}'. It has{}.", kind, entry.name,
                         name, names.empty() ? " no options" : fmt::format(": {}", fmt::join(names, ", ")));
  return values;
}

void throw_unknown(std::string_view kind, std::string_view name, const std::vector<std::string>& known) {
  throw ConfigError(fmt::format("There is no {} '{}'. Use {}.", kind, name, fmt::join(known, ", ")));
}

}  // namespace halcyon::options
