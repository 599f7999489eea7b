#include "halcyon/wave/sources/physics.hpp"

namespace halcyon::wave {

PhysicsSet wam3(), wam4(), ard(), test451(), test471(), st6(), fvwam();

namespace {

constexpr const char* kNoun = "physics set";  // what error messages call an entry

const std::vector<PhysicsSet>& sets() {
  static const std::vector<PhysicsSet> all = {wam3(), wam4(), ard(), test451(), test471(), st6(), fvwam()};
  return all;
}

/// Returns whether an option only names the set (`set`, `preset`): it has one allowed value.
bool is_set_name(const options::Option& option) {
  return option.names.size() == 1;
}

}  // namespace

std::vector<options::RegistryEntry> physics_choices() {
  return options::entries_of(sets());
}
std::vector<std::string> physics_sets() {
  return options::names_of(sets());
}
std::string physics_references(const std::string& set) {
  return options::find(kNoun, sets(), set).references;
}

std::vector<options::Option> physics_options(const std::string& set) {
  auto table = options::find(kNoun, sets(), set).options;
  std::erase_if(table, is_set_name);
  return table;
}

std::unique_ptr<Physics> make_physics(const std::string& set, const SpectralGrid& grid,
                                      const options::Values& options) {
  const auto& entry = options::find(kNoun, sets(), set);
  return entry.make(grid, options::resolve(kNoun, entry, options));
}

}  // namespace halcyon::wave
