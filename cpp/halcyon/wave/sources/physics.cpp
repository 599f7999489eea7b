#include "halcyon/wave/sources/physics.hpp"

#include <fmt/ranges.h>

#include "halcyon/base/error.hpp"
#include "halcyon/wave/sources/ard.hpp"
#include "halcyon/wave/sources/wam3.hpp"
#include "halcyon/wave/sources/wam4.hpp"

namespace halcyon::wave {

namespace {

struct Set {
  std::string name, references;
  std::vector<Option> (*options)();
  std::unique_ptr<Physics> (*make)(const SpectralGrid&, const Options&);
};

const std::vector<Set>& sets() {
  static const std::vector<Set> known = {
      {"wam3",
       "WAMDI Group 1988, J. Phys. Oceanogr. 18, 1775-1810; Komen et al. 1984, J. Phys. Oceanogr. 14, "
       "1271-1285",
       wam3_option_table, make_wam3},
      {"wam4", "Janssen 1991, J. Phys. Oceanogr. 21, 1631-1642; Bidlot et al. 2007, ECMWF Tech. Memo. 509",
       wam4_option_table, make_wam4},
      {"ard",
       "Ardhuin et al. 2010, J. Phys. Oceanogr. 40, 1917-1941; ECMWF 2018, IFS documentation CY45R1, part "
       "VII",
       ard_option_table, make_ard},
      {"fvwam", "Pang et al. 2025, Geosci. Model Dev.; Ardhuin et al. 2010, J. Phys. Oceanogr. 40, 1917-1941",
       fvwam_option_table, make_fvwam}};
  return known;
}

const Set& find_set(const std::string& name) {
  for (const auto& set : sets()) {
    if (set.name == name) return set;
  }
  throw ConfigError(
      fmt::format("There is no physics set '{}'. Known sets: {}.", name, fmt::join(physics_sets(), ", ")));
}

}  // namespace

std::vector<std::string> physics_sets() {
  std::vector<std::string> names;
  for (const auto& set : sets()) names.push_back(set.name);
  return names;
}

std::string physics_references(const std::string& set) {
  return find_set(set).references;
}

std::vector<Option> physics_options(const std::string& set) {
  return find_set(set).options();
}

std::unique_ptr<Physics> make_physics(const std::string& set, const SpectralGrid& grid,
                                      const Options& options) {
  const auto& found = find_set(set);
  return found.make(grid, resolve(set, found.options(), options));
}

}  // namespace halcyon::wave
