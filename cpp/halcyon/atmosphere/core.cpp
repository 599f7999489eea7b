#include "halcyon/atmosphere/core.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "halcyon/base/error.hpp"

namespace halcyon::atmosphere {

Core::Core(const comm::Communicator& comm, const decomposition::LocalMesh& local, comm::Method method,
           int n_levels, std::vector<schedule::HaloField> state)
    : decomposition_(local.part),
      n_levels_(n_levels),
      halo_(comm, local.part, std::move(state), method, comm::Placement::node_memory) {}

void Core::note(LocalIndex cell, const std::string& variable, int level, double value) {
  const auto& ids = decomposition_.cells().to_global;
  if (trouble_.cell == kNone || ids[cell] < ids[trouble_.cell])
    trouble_ = {cell, n_steps_, variable, level, value};
}

// The sets, each in the file of its core.
EquationSet shallow_water_set(), hydrostatic_set(), nonhydrostatic_set();

const std::vector<EquationSet>& equation_sets() {
  static const std::vector<EquationSet> sets{shallow_water_set(), hydrostatic_set(), nonhydrostatic_set()};
  return sets;
}

std::vector<options::Choice> equation_choices() {
  auto choices = options::choices_of(equation_sets());
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (equation_sets()[i].has_levels) choices[i].goes_with = {"levels"};
  return choices;
}

std::vector<options::Choice> start_choices() {
  std::vector<options::Choice> choices;
  const auto add = [&](std::vector<options::Choice> starts, bool has_levels) {
    for (auto& start : starts) {
      for (const auto& set : equation_sets())
        if (set.has_levels == has_levels) start.goes_with.push_back(set.name);
      choices.push_back(std::move(start));
    }
  };
  add(options::choices_of(shallow_water_starts()), false);
  add(options::choices_of(air_starts()), true);
  return choices;
}

std::vector<options::Option> equation_options(std::vector<options::Option> own) {
  const Planet planet;
  const Scheme scheme;
  const auto strength = [](const char* name, double value, const char* text) {
    return number(name, value, text, "m s-1", 0, 100);
  };
  std::vector<options::Option> all = {
      {.name = "precision",
       .value = std::int64_t{64},
       .text = "Bits of a number.",
       .names = {"64", "32"},
       .allowed = "64 or 32"},
      number("vertex_energy", scheme.vertex_energy,
             "Share of kinetic energy from vertices, against Hollingsworth's instability (Gassmann 2013).",
             "", 0, 1),
      number("anticipation", scheme.anticipation,
             "Part of a step that potential vorticity is taken upstream (Ringler et al. 2010), against "
             "enstrophy.",
             "", 0, 2),
      {.name = "transport_order",
       .value = std::int64_t{scheme.transport_order},
       .text = "Of the fluxes of what is carried: temperature, tracers, the thickness where the wind stays.",
       .names = {"2", "3"},
       .allowed = "2 or 3"},
      number("upwinding", scheme.upwinding,
             "How much fluxes of order 3 are taken upstream (beta of Skamarock and Gassmann 2011).", "", 0,
             1),
      {.name = "monotone", .value = scheme.monotone, .text = "Tracers make no new extremes (Zalesak 1979)."},
      strength("diffusion", scheme.diffusion, "Of the wind: the coefficient is this times the spacing."),
      strength("hyperdiffusion", scheme.hyperdiffusion,
               "Of the wind: the coefficient is this times the spacing cubed."),
      strength("divergence_damping", scheme.divergence_damping,
               "Of the wind's divergence: the coefficient is this times the spacing."),
  };
  std::ranges::move(own, std::back_inserter(all));
  all.push_back(number_above("radius", planet.radius, "Of the planet.", "m", 1000, 1e9));
  all.push_back(number("rotation", planet.rotation, "Of the planet.", "rad s-1", -1e-2, 1e-2));
  all.push_back(number_above("gravity", planet.gravity, "Of the planet.", "m s-2", 0, 1000));
  return all;
}

std::unique_ptr<Core> make_core(const std::string& equations, const comm::Communicator& comm,
                                const decomposition::LocalMesh& local, const CoreOptions& options,
                                const AirOptions* air, bool single) {
  const auto& set = options::find("set of equations", equation_sets(), equations);
  require<ConfigError>(set.has_levels == (air != nullptr), "The equations '{}' {} levels. {} AirOptions.",
                       equations, set.has_levels ? "have" : "have no", set.has_levels ? "Give" : "Give no");
  require<ConfigError>(!options.implicit || !set.has_levels,
                       "Semi-implicit steps are of shallow water. Give no air.");
  return set.make(comm, local, options, air, single);
}

}  // namespace halcyon::atmosphere
