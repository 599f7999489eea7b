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

/// Options of the air, which may name their set by `nonhydrostatic`.
struct AirOf : AirOptions {
  bool nonhydrostatic;
};

std::unique_ptr<Core> make(const comm::Communicator& comm, const decomposition::LocalMesh& mesh,
                           const Planet& planet, const Scheme& scheme, const std::string& equations,
                           bool single, const std::string& method, bool overlap, bool semi_implicit,
                           double tolerance, const std::optional<AirOf>& air) {
  CoreOptions options{
      .planet = planet, .scheme = scheme, .method = comm::method_named(method), .overlap = overlap};
  if (semi_implicit) options.implicit = {.tolerance = tolerance};
  const auto* of_air = air && air->nonhydrostatic ? "nonhydrostatic" : "hydrostatic";
  const auto name = !equations.empty() ? equations : air ? of_air : "shallow_water";
  return make_core(name, comm, mesh, options, air ? &*air : nullptr, single);
}

/// An array with the dimensions of a row of the table of variables: (item) or (item, level).
nb::object shaped(const Core& core, const std::string& name, nb::object values) {
  const auto table = core.variables();
  const auto& dimensions = fields::find(table, name).dimensions;
  if (dimensions.size() == 1) return values;
  return values.attr("reshape")(-1, core.n_levels() + (dimensions.back() == "interface" ? 1 : 0));
}

/// A view on a state, in its precision.
nb::object prognostic(nb::handle self, const std::string& name) {
  const auto as_array = [&]<class Real>(std::span<Real> values) {
    return nb::cast(numpy_view<Real>(self, values.data(), values.size()));
  };
  auto& core = nb::cast<Core&>(self);
  return shaped(core, name, std::visit(as_array, core.prognostic(name)));
}

void set_state(Core& core, ::Numbers ground, ::Numbers surface, ::Numbers wind,
               const std::optional<::Numbers>& temperature, const std::optional<::Numbers>& tracers) {
  const ::Numbers none;
  core.set(GivenState{.ground = ground,
                      .surface = surface,
                      .temperature = temperature.value_or(none),
                      .wind = wind,
                      .tracers = tracers.value_or(none)});
}

nb::dict products(Core& core, const std::vector<std::string>& names) {
  auto values = core.products(names);
  nb::dict found;
  for (std::size_t i = 0; i < names.size(); ++i)
    found[names[i].c_str()] = shaped(core, names[i], nb::cast(to_numpy(std::move(values[i]))));
  return found;
}

auto owned_ids(const Core& core, int kind) {
  const auto& share = core.decomposition().shares[kind];
  return to_numpy(std::vector<GlobalIndex>(share.to_global.begin(), share.to_global.begin() + share.n_owned));
}

void bind_choices(nb::module_& m) {
  nb::class_<Planet>(m, "Planet", "Radius [m], rotation [rad s-1] and gravity [m s-2].")
      .def(keywords<members<>, members<&Planet::radius, &Planet::rotation, &Planet::gravity>>())
      .def(properties<&Planet::radius, &Planet::rotation, &Planet::gravity>());
  nb::class_<Scheme>(m, "Scheme", "What may be chosen of the horizontal scheme; see docs/atmosphere.md.")
      .def(keywords<members<>, members<&Scheme::vertex_energy, &Scheme::anticipation, &Scheme::diffusion,
                                       &Scheme::hyperdiffusion, &Scheme::divergence_damping,
                                       &Scheme::transport_order, &Scheme::upwinding, &Scheme::monotone>>());
}

void bind_air(nb::module_& m) {
  const AirOptions defaults;
  nb::class_<AirOf>(m, "AirOptions", "What may be chosen of the air; see docs/atmosphere.md.")
      .def(made([](std::vector<double> a, std::vector<double> b, bool nonhydrostatic, double off_centring,
                   double sponge_pressure, double sponge_rate, bool held_suarez, bool reference,
                   bool keep_energy, std::vector<std::string> tracers, std::int64_t tile_bytes) {
             return AirOf{{.hybrid = {std::move(a), std::move(b)},
                           .air = {},
                           .off_centring = off_centring,
                           .sponge = {sponge_pressure, sponge_rate},
                           .held_suarez = held_suarez,
                           .reference = reference,
                           .keep_energy = keep_energy,
                           .tile_bytes = tile_bytes,
                           .tracers = std::move(tracers)},
                          nonhydrostatic};
           }),
           nb::kw_only(), "a"_a, "b"_a, "nonhydrostatic"_a = false, "off_centring"_a = defaults.off_centring,
           "sponge_pressure"_a = defaults.sponge.pressure, "sponge_rate"_a = defaults.sponge.rate,
           "held_suarez"_a = defaults.held_suarez, "reference"_a = defaults.reference,
           "keep_energy"_a = defaults.keep_energy, "tracers"_a = defaults.tracers,
           "tile_bytes"_a = defaults.tile_bytes,
           "a [Pa] and b of the interfaces from the top; sponge_pressure [Pa], sponge_rate [s-1]; reference: "
           "forces\nof pressure are taken as perturbations from a reference atmosphere; tracers: of the "
           "table, or others; tile_bytes: of a field of the cells that are computed at once.");
}

void bind_core(nb::module_& m) {
  nb::class_<PartTimes>(m, "PartTimes").def(properties<&PartTimes::compute_s, &PartTimes::exchange_s>());
  nb::class_<Trouble>(m, "Trouble")
      .def(
          properties<&Trouble::cell, &Trouble::step, &Trouble::variable, &Trouble::level, &Trouble::value>());
  nb::class_<Core>(m, "Core", "The dynamical core on one rank's part of the globe.")
      .def("set", nb::overload_cast<const std::string&, const StartOptions&>(&Core::set), "name"_a,
           "options"_a, "Sets a start by its name; see `start_options`, and `air_start_options` for the air.")
      .def("set_state", &set_state, nb::kw_only(), "ground"_a, "surface"_a, "wind"_a,
           "temperature"_a = nb::none(), "tracers"_a = nb::none(),
           "Sets the state to float64 arrays: ground (local cell, halo included) geopotential [m2 s-2], "
           "of\nshallow water height [m]; surface (owned cell) pressure at the ground [Pa], of shallow water "
           "the\nheight of the surface [m]; wind (owned edge, level) across the edges [m s-1]; temperature "
           "(owned\ncell, level) means of layers over ln p [K], of the air alone; tracers (tracer, owned "
           "cell,\nlevel), mixing ratios, of air that carries others than `constant_tracer`.")
      .def("step", &Core::step, "dt"_a, Released(), "Collective. One step [s].")
      .def("prognostic", &prognostic, "name"_a,
           "A view on a state by the name of its row in the table of variables: (owned cell or edge, level).")
      .def_prop_ro("n_levels", &Core::n_levels)
      .def_prop_ro("variables", &Core::variables, "The table of variables of its equations.")
      .def_prop_ro("integral_variables", &Core::integral_variables, "The rows of `integrals`.")
      .def("products", &products, "names"_a,
           "Collective. Products by name, float64 (owned cell) or (owned cell, level).")
      .def(
          "integrals", [](Core& self) { return to_numpy(self.integrals()); },
          "Collective. Over the globe, in the order of `integral_variables`.")
      .def_prop_ro("trouble", [](const Core& self) { return self.trouble(); })
      .def("longest_step", &Core::longest_step,
           "Collective. The longest stable step [s] of the present state in the owned cells.")
      .def("longest_step_with_room", &Core::longest_step_with_room,
           "Collective. The same, shorter where winds alone limit it, so that they may grow.")
      .def_prop_ro("n_iterations", &Core::n_iterations, "Of all implicit solutions of its steps.")
      .def_prop_ro("n_owned", [](const Core& self) { return self.decomposition().cells().n_owned; })
      .def_prop_ro(
          "owned_cells", [](const Core& self) { return owned_ids(self, 0); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "owned_edges", [](const Core& self) { return owned_ids(self, 1); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "ground", [](const Core& self) { return to_numpy(self.ground()); }, nb::rv_policy::automatic,
          "Its height [m] (owned cell).")
      .def_prop_ro("times", &Core::times)
      .def_prop_ro("exchange", &Core::exchange, "The exchange method, and why it was chosen if it was.")
      .def(properties<&Core::halo_bytes, &Core::memory_bytes>());
}

void bind_sets(nb::module_& m) {
  nb::class_<EquationSet>(m, "EquationSet", "A set of equations, as its core declares it.")
      .def_prop_ro("name", [](const EquationSet& self) { return self.name; })
      .def_prop_ro("text", [](const EquationSet& self) { return self.text; })
      .def_ro("has_levels", &EquationSet::has_levels)
      .def_ro("state", &EquationSet::state, "Variables that steps advance, which travel between ranks.")
      .def_prop_ro("variables", [](const EquationSet& self) { return self.variables(); })
      .def_prop_ro("integral_variables", [](const EquationSet& self) { return self.integral_variables(); })
      .def_prop_ro(
          "bytes", [](const EquationSet& self) { return self.costs.bytes; },
          "That a step must move, of a cell and level in 64 bits: each field once a sweep.")
      .def_prop_ro(
          "longest_step_s", [](const EquationSet& self) { return self.costs.longest_step_s; },
          "The longest stable step on G0 [s]; half of it a level finer.")
      .def_prop_ro(
          "halo_work", [](const EquationSet& self) { return self.costs.halo_work; },
          "Of what a cell costs, the part that ranks compute of those beyond their rim.");
  m.def("equation_sets", [] { return equation_sets(); }, "Every set of equations.");
}

}  // namespace

void bind_atmosphere(nb::module_& m) {
  bind_choices(m);
  bind_air(m);
  bind_core(m);
  bind_sets(m);
  bind_atmosphere_starts(m);
  bind_atmosphere_columns(m);
  bind_atmosphere_transport(m);
  m.def("make_core", &make, "comm"_a, "mesh"_a, "planet"_a, "scheme"_a, nb::kw_only(), "equations"_a = "",
        "single"_a = false, "method"_a = "isend_irecv", "overlap"_a = true, "semi_implicit"_a = false,
        "tolerance"_a = ImplicitOptions{}.tolerance, "air"_a = nb::none(),
        "Collective. A core of a set of equations, a name of `equation_sets`; by default of shallow water, "
        "or\nwith AirOptions of hydrostatic air (nonhydrostatic=True: nonhydrostatic). The mesh needs two "
        "halo layers.\nsemi_implicit: its gravity waves are implicit, solved for to the tolerance.\nRaises "
        "InputError where it is not of the whole globe, ConfigError where a vertical coordinate is none.");
  m.def("shallow_water_variables", [] { return shallow_water_variables(); }, "The table of variables.");
  m.def("air_integral_variables", [] { return air_integral_variables(); }, "The table of its integrals.");
  m.def("air_variables", [] { return air_variables(); }, "The table of variables of the air.");
  m.def("tracer_variable", &tracer_variable, "name"_a,
        "The row of a tracer: of the table, or one for a name that the table does not have.");
  m.def("integral_variables", [] { return integral_variables(); }, "The table of integrals over the globe.");
}
