#include "halcyon/wave/sources/physics_options.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::wave {

namespace {

void check_number(const std::string& set, const Option& option, double value) {
  require<ConfigError>(value >= option.minimum && value <= option.maximum,
                       "physics.{} = {} of set {} is outside {} to {}{}{}. The default is {}.", option.name,
                       value, set, option.minimum, option.maximum, option.units.empty() ? "" : " ",
                       option.units, std::get<double>(option.value));
}

void check_text(const std::string& set, const Option& option, const std::string& value) {
  require<ConfigError>(std::ranges::find(option.choices, value) != option.choices.end(),
                       "physics.{} = '{}' of set {} is not one of: {}.", option.name, value, set,
                       fmt::join(option.choices, ", "));
}

OptionValue checked(const std::string& set, const Option& option, const OptionValue& value) {
  static constexpr const char* kinds[] = {"true or false", "a number", "a word"};
  require<ConfigError>(value.index() == option.value.index(), "physics.{} of set {} must be {}.", option.name,
                       set, kinds[option.value.index()]);
  if (const auto* number = std::get_if<double>(&value)) check_number(set, option, *number);
  if (const auto* text = std::get_if<std::string>(&value)) check_text(set, option, *text);
  return value;
}

}  // namespace

Options resolve(const std::string& set, const std::vector<Option>& table, const Options& given) {
  Options values;
  std::vector<std::string> names;
  for (const auto& option : table) {
    const auto found = given.find(option.name);
    values[option.name] = found == given.end() ? option.value : checked(set, option, found->second);
    names.push_back(option.name);
  }
  for (const auto& [name, value] : given) {
    require<ConfigError>(values.contains(name), "Physics set {} has no option '{}'. It has: {}.", set, name,
                         fmt::join(names, ", "));
  }
  return values;
}

}  // namespace halcyon::wave
