#include "halcyon/wave/transport/options.hpp"

#include "halcyon/base/error.hpp"

namespace halcyon::wave {

Scheme scheme_named(std::string_view name) {
  require<ConfigError>(name == "upwind" || name == "second_order",
                       "There is no scheme '{}'. Take 'upwind' or 'second_order'.", name);
  return name == "upwind" ? Scheme::upwind : Scheme::second_order;
}

std::vector<Band> bands_of(const std::vector<std::pair<int, int>>& counts, int n_frequencies) {
  std::vector<Band> bands;
  int first = 0;
  for (const auto& [n, n_steps] : counts) {
    require<ConfigError>(n > 0 && n_steps > 0,
                         "A band of {} frequencies with {} steps: both must be positive.", n, n_steps);
    bands.push_back({first, first + n, n_steps});
    first += n;
  }
  require<ConfigError>(first == n_frequencies, "The bands have {} frequencies, the spectrum has {}.", first,
                       n_frequencies);
  return bands;
}

}  // namespace halcyon::wave
