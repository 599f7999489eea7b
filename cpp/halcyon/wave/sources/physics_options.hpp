#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace halcyon::wave {

/// What a case may give for an option.
using OptionValue = std::variant<bool, double, std::string>;
using Options = std::map<std::string, OptionValue>;

/// An option of a physics set.
struct Option {
  std::string name;
  OptionValue value;                 ///< the default; its type is the option's
  std::string units;                 ///< empty for a number without units
  std::string text;                  ///< what it does, and its source
  double minimum = 0, maximum = 0;   ///< of a number
  std::vector<std::string> choices;  ///< of a text
};

/// The values of `given`, or defaults where nothing is given.
/// Throws ConfigError for an unknown option, a value of the wrong type, or one outside its range.
Options resolve(const std::string& set, const std::vector<Option>& table, const Options& given);

}  // namespace halcyon::wave
