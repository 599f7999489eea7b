#include "halcyon/fields/variable.hpp"

#include <fmt/ranges.h>

#include "halcyon/base/error.hpp"

namespace halcyon::fields {

const Variable& find(const std::vector<Variable>& table, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& variable : table) {
    if (variable.name == name) return variable;
    names.push_back(variable.name);
  }
  throw ConfigError(
      fmt::format("There is no variable '{}'. The model has: {}.", name, fmt::join(names, ", ")));
}

}  // namespace halcyon::fields
