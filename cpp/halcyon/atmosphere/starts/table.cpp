#include "halcyon/atmosphere/starts/table.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <ranges>

#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

StartOptions completed(const std::string& name, StartOptions defaults, const StartOptions& given) {
  for (const auto& [option, value] : given) {
    const auto known = defaults.find(option);
    require<ConfigError>(known != defaults.end(), "The start '{}' has no option '{}'. It has: {}.", name,
                         option, fmt::join(std::views::keys(defaults), ", "));
    require<ConfigError>(std::isfinite(value),
                         "The option '{}' of the start '{}' is {}. Give a finite number.", option, name,
                         value);
    known->second = value;
  }
  return defaults;
}

double positive(const StartOptions& options, const std::string& option) {
  const double value = options.at(option);
  require<ConfigError>(value > 0, "The option '{}' of the start is {}. Give a number above 0.", option,
                       value);
  return value;
}

void refuse_start(const std::string& name, const std::vector<std::string>& there_are) {
  throw ConfigError(fmt::format("There is no start '{}'. There are: {}.", name, fmt::join(there_are, ", ")));
}

}  // namespace halcyon::atmosphere
