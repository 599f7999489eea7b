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
      halo_(comm, local.part, std::move(state), method, comm::BufferPlacement::node_memory) {}

void Core::record_failure(LocalIndex cell, const std::string& variable, int level, double value) {
  const auto& ids = decomposition_.cells().to_global;
  if (failure_.cell == kNone || ids[cell] < ids[failure_.cell])
    failure_ = {.cell = cell, .step = n_steps_, .variable = variable, .level = level, .value = value};
}

// Each equation set is defined in the source file of its core.
EquationSet shallow_water_set(), hydrostatic_set(), nonhydrostatic_set();

const std::vector<EquationSet>& equation_sets() {
  static const std::vector<EquationSet> sets{shallow_water_set(), hydrostatic_set(), nonhydrostatic_set()};
  return sets;
}

std::vector<options::RegistryEntry> equation_choices() {
  auto choices = options::entries_of(equation_sets());
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (equation_sets()[i].has_levels) choices[i].traits = {"levels"};
  return choices;
}

std::vector<options::RegistryEntry> start_choices() {
  std::vector<options::RegistryEntry> choices;
  const auto add = [&](std::vector<options::RegistryEntry> starts, bool has_levels) {
    for (auto& start : starts) {
      for (const auto& set : equation_sets())
        if (set.has_levels == has_levels) start.only_with.push_back(set.name);
      choices.push_back(std::move(start));
    }
  };
  add(options::entries_of(shallow_water_starts()), /*has_levels=*/false);
  add(options::entries_of(air_starts()), /*has_levels=*/true);
  return choices;
}

std::vector<options::Option> equation_options(std::vector<options::Option> specific) {
  const Planet planet;
  const Scheme scheme;
  const auto strength = [](const char* name, double value, const char* text) {
    return number(name, value, text, "m s-1", 0, 100);
  };
  std::vector<options::Option> all = {
      {.name = "precision",
       .value = std::int64_t{64},
       .text = "Floating-point precision in bits.",
       .names = {"64", "32"},
       .allowed = "64 or 32"},
      number("vertex_energy", scheme.vertex_energy,
             "Weight of the kinetic energy at vertices, which prevents the Hollingsworth instability "
             "(Gassmann 2013).",
             "", 0, 1),
      number("anticipation", scheme.anticipation,
             "Anticipation time of the potential vorticity as a fraction of the time step (Ringler et al. "
             "2010); dissipates enstrophy.",
             "", 0, 2),
      {.name = "transport_order",
       .value = std::int64_t{scheme.transport_order},
       .text = "Order of the advective fluxes of potential temperature, tracers and, with a prescribed wind, "
               "layer thickness.",
       .names = {"2", "3"},
       .allowed = "2 or 3"},
      number("upwinding", scheme.upwinding,
             "Upwind coefficient of third-order fluxes (beta of Skamarock and Gassmann 2011).", "", 0, 1),
      {.name = "monotone",
       .value = scheme.monotone,
       .text = "Monotonic (flux-corrected) tracer transport (Zalesak 1979)."},
      strength("diffusion", scheme.diffusion,
               "Strength of del^2 diffusion of the wind: coefficient divided by the cell spacing."),
      strength("hyperdiffusion", scheme.hyperdiffusion,
               "Strength of del^4 diffusion of the wind: coefficient divided by the cell spacing cubed."),
      strength("divergence_damping", scheme.divergence_damping,
               "Strength of divergence damping: coefficient divided by the cell spacing."),
  };
  std::ranges::move(specific, std::back_inserter(all));
  all.push_back(number_above("radius", planet.radius, "Radius of the planet.", "m", 1000, 1e9));
  all.push_back(
      number("rotation", planet.rotation, "Angular velocity of the planet.", "rad s-1", -1e-2, 1e-2));
  all.push_back(number_above("gravity", planet.gravity, "Gravity of the planet.", "m s-2", 0, 1000));
  return all;
}

std::unique_ptr<Core> make_core(const std::string& equations, const comm::Communicator& comm,
                                const decomposition::LocalMesh& local, const CoreOptions& options,
                                const AirOptions* air, bool single) {
  const auto& set = options::find("set of equations", equation_sets(), equations);
  require<ConfigError>(set.has_levels == (air != nullptr), "The equations '{}' {} levels. {} AirOptions.",
                       equations, set.has_levels ? "have" : "have no", set.has_levels ? "Give" : "Give no");
  require<ConfigError>(!options.implicit || !set.has_levels,
                       "Semi-implicit steps need the shallow-water equations. Give no AirOptions.");
  return set.make(comm, local, options, air, single);
}

}  // namespace halcyon::atmosphere
