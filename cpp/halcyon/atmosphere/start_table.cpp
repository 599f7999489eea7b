#include "halcyon/atmosphere/start_table.hpp"

#include <fmt/ranges.h>

#include <ranges>

#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

StartOptions completed(const std::string& name, StartOptions defaults, const StartOptions& given) {
  for (const auto& [option, value] : given) {
    const auto known = defaults.find(option);
    require<ConfigError>(known != defaults.end(), "The start '{}' has no option '{}'. It has: {}.", name,
                         option, fmt::join(std::views::keys(defaults), ", "));
    known->second = value;
  }
  return defaults;
}

void refuse_start(const std::string& name, const std::vector<std::string>& there_are) {
  throw ConfigError(fmt::format("There is no start '{}'. There are: {}.", name, fmt::join(there_are, ", ")));
}

}  // namespace halcyon::atmosphere
