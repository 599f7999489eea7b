#include "halcyon/atmosphere/core.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/base/flush_denormals.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::atmosphere {

Core::Core(const comm::Communicator& comm, const decomposition::LocalMesh& local, comm::Method method,
           int n_levels, std::vector<schedule::HaloField> state)
    : comm_(comm),
      decomposition_(local.part),
      n_levels_(n_levels),
      halo_(comm, local.part, std::move(state), method, comm::BufferPlacement::node_memory) {}

void Core::record_failure(LocalIndex cell, const std::string& variable, int level, double value) {
  const auto& ids = decomposition_.cells().to_global;
  if (failure_.cell == kNone || ids[cell] < ids[failure_.cell])
    failure_ = {.cell = cell, .step = n_steps_, .variable = variable, .level = level, .value = value};
}

namespace {

constexpr auto kNoFailure = std::numeric_limits<std::int64_t>::max();

bool is_courant_number(const std::string& variable) {
  return variable.ends_with("courant_number");
}

void require_positive(double dt) {
  require<ConfigError>(dt > 0 && std::isfinite(dt), "dt is {} s. Give more than 0 s.", dt);
}

}  // namespace

void Core::step(double dt, bool check) {
  if (!check) require_positive(dt);
  if (check) failure_ = {};
  throws_failures_ = check;
  const auto previous_dt = std::exchange(dt_, dt);
  try {
    const FlushDenormals flush_denormals;
    take_step(dt);
  } catch (const Error&) {
    dt_ = previous_dt;
    throw;
  }
  const bool is_solver = failure_.variable == "implicit_gravity_waves";  // recorded on all ranks or on none
  require<RunError>(!check || !is_solver,
                    "The solver for the implicit gravity waves did not converge in step {}: the relative "
                    "residual is {:.1e}. Shorten dt = {:g} s, or raise the tolerance.",
                    n_steps_ + 1, failure_.value, dt);
  ++n_steps_;
}

/// One reduction; further messages only in case of a failure. The first failure is at the cell of the lowest
/// global id, whatever the number of ranks.
void Core::agree_on_step(std::span<const Vector3> cell_points) {
  if (!throws_failures_) return;
  const bool is_positive = dt_ > 0 && std::isfinite(dt_);
  std::int64_t failed_cell = kNoFailure;
  if (failure_.cell != kNone) failed_cell = decomposition_.cells().to_global[failure_.cell];
  if (!is_positive) failed_cell = -1;
  // The bit patterns of positive numbers are ordered like the numbers.
  const auto dt_bits = std::bit_cast<std::int64_t>(is_positive ? dt_ : 0.0);
  std::array minima{failed_cell, dt_bits, -dt_bits};
  comm_.min(minima);
  const auto [first_cell, shortest, minus_longest] = minima;
  if (first_cell == -1) comm_.agree([&] { require_positive(dt_); });
  require<ConfigError>(shortest == -minus_longest,
                       "dt is {} s on one rank and {} s on another. Give the same on all ranks.",
                       std::bit_cast<double>(shortest), std::bit_cast<double>(-minus_longest));
  if (first_cell == kNoFailure) return;
  const auto text = first_cell == failed_cell ? failure_text(cell_points) : "";
  const bool is_too_long = first_cell == failed_cell && is_courant_number(failure_.variable);
  const auto failure = failure_;
  const auto longest_bits = std::bit_cast<std::int64_t>(longest_step());  // may record another failure
  const auto longest_s = std::bit_cast<double>(comm_.min(longest_bits));
  failure_ = failure;
  comm_.agree([&] {
    if (first_cell != failed_cell) return;
    // Rounded down to four digits.
    const double unit = std::pow(10, std::floor(std::log10(longest_s)) - 3);
    require<ConfigError>(!is_too_long, "{} Give at most {:.4g} s.", text,
                         std::floor(longest_s / unit) * unit);
    throw RunError(text);
  });
}

std::string Core::failure_text(std::span<const Vector3> cell_points) const {
  constexpr double kDegree = std::numbers::pi / 180;
  const auto& [cell, step, variable, level, value, scheme, message] = failure_;
  const auto place =
      fmt::format("cell {} ({:.2f} E {:.2f} N){}", decomposition_.cells().to_global[cell],
                  mesh::longitude(cell_points[cell]) / kDegree, mesh::latitude(cell_points[cell]) / kDegree,
                  n_levels_ > 1 ? fmt::format(", level {}", level) : "");
  if (!message.empty())
    return fmt::format("The physics scheme '{}' failed after {} steps: {}.", scheme, step, message);
  if (!scheme.empty())
    return fmt::format("The physics scheme '{}' computes a {} of {:g} at {} after {} steps. Correct it.",
                       scheme, variable, value, place, step);
  if (is_courant_number(variable))
    return fmt::format("dt is {:g} s: with {} at {}, the Courant number is {:.4g}, above 1.", dt_,
                       variable == "courant_number" ? "winds and waves" : "vertical mass fluxes", place,
                       value);
  return fmt::format(
      "{} is {:g} at {} after {} steps: the state is invalid. Check the initial state, or reduce the time "
      "step.",
      variable, value, place, step);
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
  const auto strength = [](const char* name, double value, const char* text, const char* word = "") {
    auto option = number(name, value, text, "m s-1", 0, 100);
    option.word = word;
    return option;
  };
  std::vector<options::Option> all = {
      {.name = "precision",
       .value = std::int64_t{64},
       .text = "Floating-point precision in bits.",
       .names = {"64", "32"},
       .allowed = "64 or 32"},
      {.name = "sharp_vorticity",
       .value = scheme.sharp_vorticity,
       .text = "Fourth-order flux of vorticity, on regular hexagons; auto: true for the air without "
               "keep_energy, else false.",
       .word = "auto"},
      number("vertex_energy", scheme.vertex_energy,
             "Weight of the kinetic energy at vertices (with sharp_vorticity minus 1), which prevents the "
             "Hollingsworth instability (Gassmann 2013).",
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
      strength(
          "hyperdiffusion", scheme.hyperdiffusion,
          "Strength of del^4 diffusion of the wind: coefficient divided by the cell spacing cubed; auto: "
          "0.025 for the air without keep_energy, else 0.",
          "auto"),
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
  for (const double viscosity : {options.scheme.viscosity, options.scheme.scalar_viscosity}) {
    require<ConfigError>(viscosity >= 0 && std::isfinite(viscosity),
                         "A viscosity is {} m2 s-1. Give 0 or more.", viscosity);
    require<ConfigError>(
        viscosity == 0 || equations == "nonhydrostatic",
        "Only nonhydrostatic air has constant viscosity, but the equations are '{}'. Give 0.", equations);
  }
  return set.make(comm, local, options, air, single);
}

}  // namespace halcyon::atmosphere
