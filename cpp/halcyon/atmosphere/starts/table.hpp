#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace halcyon::atmosphere {

/// By the names of a table.
using StartOptions = std::map<std::string, double>;

/// The options of a start: those given over the defaults.
/// @throws ConfigError for an option that is not among the defaults, or not finite
StartOptions completed(const std::string& name, StartOptions defaults, const StartOptions& given);

/// An option by which a start divides.
/// @throws ConfigError where it is not above 0
double positive(const StartOptions& options, const std::string& option);

/// @throws ConfigError always
[[noreturn]] void refuse_start(const std::string& name, const std::vector<std::string>& there_are);

/// Starts by their names. A `Row` has what makes one of them, `make(options, settings...)`, and its
/// `defaults`.
template <class Row>
class StartTable {
 public:
  explicit StartTable(std::map<std::string, Row> rows) : rows_(std::move(rows)) {}

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, row] : rows_) names.push_back(name);
    return names;
  }

  /// @throws ConfigError for what is not there
  const Row& row(const std::string& name) const {
    const auto found = rows_.find(name);
    if (found == rows_.end()) refuse_start(name, names());
    return found->second;
  }

  /// @throws ConfigError for what is not there
  auto make(const std::string& name, const StartOptions& options, const auto&... settings) const {
    const Row& start = row(name);
    return start.make(completed(name, start.defaults, options), settings...);
  }

 private:
  std::map<std::string, Row> rows_;
};

}  // namespace halcyon::atmosphere
