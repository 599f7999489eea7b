#include "halcyon/atmosphere/core.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "halcyon/atmosphere/variables.hpp"

Bind bind_atmosphere_columns, bind_atmosphere_starts, bind_atmosphere_transport;

namespace {

using namespace halcyon;
using namespace halcyon::atmosphere;

/// AirOptions, and the flag that selects the equation set if no name is given.
struct NamedAirOptions : AirOptions {
  bool nonhydrostatic;
};

std::unique_ptr<Core> make(const comm::Communicator& comm, const decomposition::LocalMesh& mesh,
                           const Planet& planet, const Scheme& scheme, const std::string& equations,
                           bool single, const std::string& method, bool overlap, bool semi_implicit,
                           double tolerance, const std::optional<NamedAirOptions>& air) {
  CoreOptions options{
      .planet = planet, .scheme = scheme, .method = comm::method_named(method), .overlap = overlap};
  if (semi_implicit) options.implicit = {.tolerance = tolerance};
  const auto* air_set = air && air->nonhydrostatic ? "nonhydrostatic" : "hydrostatic";
  const auto name = !equations.empty() ? equations : air ? air_set : "shallow_water";
  return make_core(name, comm, mesh, options, air ? &*air : nullptr, single);
}

/// Reshapes values to the dimensions of a variable: (item) or (item, level).
nb::object shaped(const Core& core, const std::string& name, nb::object values) {
  const auto table = core.variables();
  const auto& dimensions = fields::find(table, name).dimensions;
  if (dimensions.size() == 1) return values;
  if (dimensions.back() == "tracer_level")
    return values.attr("reshape")(core.decomposition().cells().n_owned, -1);
  return values.attr("reshape")(-1, core.n_levels() + (dimensions.back() == "interface" ? 1 : 0));
}

/// Returns a view of a prognostic variable in the precision of the core.
nb::object prognostic(nb::handle self, const std::string& name) {
  const auto as_array = [&]<class Real>(std::span<Real> values) {
    return nb::cast(numpy_view<Real>(self, values.data(), values.size()));
  };
  auto& core = nb::cast<Core&>(self);
  return shaped(core, name, std::visit(as_array, core.prognostic(name)));
}

void set_state(Core& core, ::Numbers ground, ::Numbers surface, ::Numbers wind,
               const std::optional<::Numbers>& temperature, const std::optional<::Numbers>& tracers) {
  const ::Numbers empty;
  core.set(GivenState{.orography = ground,
                      .surface = surface,
                      .temperature = temperature.value_or(empty),
                      .wind = wind,
                      .tracers = tracers.value_or(empty)});
}

nb::dict products(Core& core, const std::vector<std::string>& names) {
  auto values = core.products(names);
  nb::dict result;
  for (std::size_t i = 0; i < names.size(); ++i)
    result[names[i].c_str()] = shaped(core, names[i], nb::cast(to_numpy(std::move(values[i]))));
  return result;
}

auto owned_ids(const Core& core, ItemKind kind) {
  const auto& map = core.decomposition().index_maps[kind];
  return to_numpy(std::vector<GlobalIndex>(map.to_global.begin(), map.to_global.begin() + map.n_owned));
}

void bind_planet_and_scheme(nb::module_& m) {
  nb::class_<Planet>(m, "Planet", "Radius [m], rotation [rad s-1] and gravity [m s-2].")
      .def(keywords<members<>, members<&Planet::radius, &Planet::rotation, &Planet::gravity>>())
      .def(properties<&Planet::radius, &Planet::rotation, &Planet::gravity>());
  nb::class_<Scheme>(m, "Scheme", "Options of the horizontal scheme; see docs/atmosphere.md.")
      .def(keywords<members<>,
                    members<&Scheme::sharp_vorticity, &Scheme::vertex_energy, &Scheme::anticipation,
                            &Scheme::diffusion, &Scheme::hyperdiffusion, &Scheme::divergence_damping,
                            &Scheme::frictional_heating, &Scheme::transport_order, &Scheme::upwinding,
                            &Scheme::monotone, &Scheme::viscosity, &Scheme::scalar_viscosity>>());
}

void bind_air(nb::module_& m) {
  const AirOptions defaults;
  nb::class_<NamedAirOptions>(m, "AirOptions", "Options of the air; see docs/atmosphere.md.")
      .def(
          init_from([](std::vector<double> a, std::vector<double> b, bool nonhydrostatic, double off_centring,
                       double sponge_pressure, double sponge_rate, std::vector<physics::ColumnScheme> physics,
                       bool held_suarez, bool reference, bool keep_energy, std::vector<std::string> tracers,
                       std::int64_t tile_bytes, bool moist) {
            if (held_suarez) physics.push_back(physics::built_in<halcyon_columns>("held_suarez"));
            return NamedAirOptions{{.hybrid = {std::move(a), std::move(b)},
                                    .air = {},
                                    .off_centring = off_centring,
                                    .sponge = {sponge_pressure, sponge_rate},
                                    .physics = std::move(physics),
                                    .reference = reference,
                                    .keep_energy = keep_energy,
                                    .tile_bytes = tile_bytes,
                                    .moist = moist,
                                    .tracers = std::move(tracers)},
                                   nonhydrostatic};
          }),
          nb::kw_only(), "a"_a, "b"_a, "nonhydrostatic"_a = false, "off_centring"_a = defaults.off_centring,
          "sponge_pressure"_a = defaults.sponge.pressure, "sponge_rate"_a = defaults.sponge.rate,
          "physics"_a = defaults.physics, "held_suarez"_a = false, "reference"_a = defaults.reference,
          "keep_energy"_a = defaults.keep_energy, "tracers"_a = defaults.tracers,
          "tile_bytes"_a = defaults.tile_bytes, "moist"_a = defaults.moist,
          "a [Pa] and b of the interfaces from the top; sponge_pressure [Pa], sponge_rate [s-1]; "
          "physics: schemes of\n`halcyon.physics`, in order; held_suarez: whether the scheme of this name "
          "is one of them; reference: whether pressure gradients are of "
          "perturbations from a reference atmosphere; tracers: "
          "names; tile_bytes:\nsize of one field of a tile of cells; moist: adds `WATER_TRACERS` before the "
          "tracers.");
}

void bind_core(nb::module_& m) {
  nb::class_<WallTimes>(m, "WallTimes").def(properties<&WallTimes::compute_s, &WallTimes::exchange_s>());
  nb::class_<StepFailure>(m, "StepFailure")
      .def(properties<&StepFailure::cell, &StepFailure::step, &StepFailure::variable, &StepFailure::level,
                      &StepFailure::value, &StepFailure::scheme, &StepFailure::message>());
  nb::class_<Core>(m, "Core", "The dynamical core on one rank's part of the global mesh.")
      .def("set", nb::overload_cast<const std::string&, const StartOptions&>(&Core::set), "name"_a,
           "options"_a, "Sets a named start; see `start_options` and, for the air, `air_start_options`.")
      .def("set_state", &set_state, nb::kw_only(), "ground"_a, "surface"_a, "wind"_a,
           "temperature"_a = nb::none(), "tracers"_a = nb::none(),
           "Sets the state to float64 arrays. ground: surface geopotential [m2 s-2], for shallow water "
           "height\nof the orography [m] (local cell with halo). surface: surface pressure [Pa], for shallow "
           "water height\nof the free surface [m] (owned cell). wind: normal wind [m s-1] (owned edge, "
           "level). temperature:\nlayer means over ln p [K] (owned cell, level), air only. tracers: mixing "
           "ratios (tracer, owned cell,\nlevel), needed if there are tracers other than `constant_tracer`.")
      .def("step", &Core::step, "dt"_a, nb::kw_only(), "check"_a = true, ReleaseGil(),
           "Collective. Takes one time step [s]. Raises, on all ranks and before the state changes, "
           "ConfigError for a\ndt that is not above 0, differs between ranks or exceeds the longest stable "
           "step, and RunError for an\ninvalid state; RunError if the solver of semi-implicit steps does not "
           "converge. check: False records failures\nonly in `failure`, without a reduction over the ranks.")
      .def("set_clock", &Core::set_clock, "n_steps"_a, "start_date"_a,
           "Sets the clock of the column physics: the number of steps so far, and the time of the start [s "
           "since 1970-01-01].")
      .def_prop_ro("reference_temperature", &Core::reference_temperature,
                   "Temperature of the reference atmosphere of pressure gradients, as a polynomial of "
                   "ln(p/p0): its\ncoefficients [K]; empty without levels.")
      .def("set_reference_temperature", &Core::set_reference_temperature, "terms"_a,
           "Collective. Sets `reference_temperature`; an empty list: fits it to the present state, as `set` "
           "does.")
      .def(
          "keep_initial_state", &Core::keep_initial_state,
          "Takes the present state for the initial state, to which a sponge relaxes and from which viscosity "
          "acts on\ndeviations. `set` and `set_state` do so; a state that is set by `prognostic` needs it.")
      .def("prognostic", &prognostic, "name"_a,
           "A view of a prognostic variable by its name: (owned cell or edge, level).")
      .def_prop_ro("n_levels", &Core::n_levels)
      .def_prop_ro("variables", &Core::variables, "The table of variables of the equation set.")
      .def_prop_ro("integral_variables", &Core::integral_variables, "The table of the `integrals`.")
      .def_prop_ro("tracers", &Core::tracers, "Names of the tracers, those of water first.")
      .def("products", &products, "names"_a,
           "Collective. Output variables by name, float64 (owned cell) or (owned cell, level).")
      .def(
          "integrals", [](Core& self) { return to_numpy(self.integrals()); },
          "Collective. Global integrals in the order of `integral_variables`.")
      .def_prop_ro("failure", [](const Core& self) { return self.failure(); })
      .def("longest_step", &Core::longest_step,
           "Collective. The longest stable step [s] of the present state in the owned cells.")
      .def("longest_step_with_margin", &Core::longest_step_with_margin,
           "Collective. The longest stable step [s], with a margin for growing winds if only winds limit it.")
      .def_prop_ro("n_iterations", &Core::n_iterations, "Solver iterations of all semi-implicit steps.")
      .def_prop_ro("n_owned", [](const Core& self) { return self.decomposition().cells().n_owned; })
      .def_prop_ro(
          "owned_cells", [](const Core& self) { return owned_ids(self, kCells); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "owned_edges", [](const Core& self) { return owned_ids(self, kEdges); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "ground", [](const Core& self) { return to_numpy(self.orography()); }, nb::rv_policy::automatic,
          "Height of the orography [m] (owned cell).")
      .def_prop_ro("times", &Core::times)
      .def_prop_ro("exchange", &Core::exchange,
                   "The exchange method and, if the method was chosen automatically, the reason.")
      .def(properties<&Core::halo_bytes, &Core::memory_bytes>());
}

void bind_equation_sets(nb::module_& m) {
  nb::class_<EquationSet>(m, "EquationSet", "An equation set.")
      .def_prop_ro("name", [](const EquationSet& self) { return self.name; })
      .def_prop_ro("text", [](const EquationSet& self) { return self.text; })
      .def_ro("has_levels", &EquationSet::has_levels)
      .def_ro("state", &EquationSet::state, "Prognostic variables, in the order of the halo exchange.")
      .def_prop_ro("variables", [](const EquationSet& self) { return self.variables(); })
      .def_prop_ro("integral_variables", [](const EquationSet& self) { return self.integral_variables(); })
      .def_prop_ro(
          "bytes", [](const EquationSet& self) { return self.costs.bytes; },
          "Memory traffic [bytes] per cell, level and step in 64 bits, if sweeps read fields once.")
      .def_prop_ro(
          "longest_step_s", [](const EquationSet& self) { return self.costs.longest_step_s; },
          "Longest stable step [s] on mesh level 0 (G0); each refinement level halves it.")
      .def_prop_ro(
          "halo_work", [](const EquationSet& self) { return self.costs.halo_work; },
          "Work in a cell of the first halo layer, relative to an owned cell.");
  m.def("equation_sets", [] { return equation_sets(); }, "All equation sets.");
}

}  // namespace

void bind_atmosphere(nb::module_& m) {
  bind_planet_and_scheme(m);
  bind_air(m);
  bind_core(m);
  bind_equation_sets(m);
  bind_atmosphere_starts(m);
  bind_atmosphere_columns(m);
  bind_atmosphere_transport(m);
  m.def("make_core", &make, "comm"_a, "mesh"_a, "planet"_a, "scheme"_a, nb::kw_only(), "equations"_a = "",
        "single"_a = false, "method"_a = "isend_irecv", "overlap"_a = true, "semi_implicit"_a = false,
        "tolerance"_a = ImplicitOptions{}.tolerance, "air"_a = nb::none(),
        "Collective. Makes a core. equations: a name of `equation_sets`; by default shallow_water, or with "
        "AirOptions\nhydrostatic or nonhydrostatic. single: 32-bit fields. The mesh needs two halo layers. "
        "semi_implicit: implicit gravity waves,\nsolved to the tolerance (shallow_water only). Raises "
        "InputError if the mesh does not cover the sphere,\nConfigError for an invalid vertical coordinate.");
  m.def(
      "shallow_water_variables", [] { return shallow_water_variables(); },
      "The table of variables of shallow water.");
  m.def(
      "air_integral_variables", [] { return air_integral_variables(); },
      "The table of global integrals of the air.");
  m.def("air_variables", [] { return air_variables(); }, "The table of variables of the air.");
  m.attr("WATER_TRACERS") = nb::cast(std::vector(kWaterTracers.begin(), kWaterTracers.end()));
  m.def("needs_moist_air", &is_moist, "name"_a, "Whether only moist air has the variable.");
  m.def("tracer_variable", &tracer_variable, "name"_a,
        "Returns the variable of a tracer: from the table if it has the name, else a new variable.");
  m.def(
      "integral_variables", [] { return integral_variables(); },
      "The table of global integrals of shallow water.");
}
