#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/transform/shared.hpp"
#include "halcyon/spectral/model.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::spectral;

using Field = std::optional<Numbers>;

template <class Real>
void set(Model<Real>& model, const Field& ground, const Field& surface, const Field& temperature,
         const Field& east, const Field& north, const Field& tracers, std::array<double, 3> axis) {
  const Numbers empty;
  model.set({.orography = ground.value_or(empty),
             .surface = surface.value_or(empty),
             .temperature = temperature.value_or(empty),
             .east = east.value_or(empty),
             .north = north.value_or(empty),
             .tracers = tracers.value_or(empty),
             .axis = {axis[0], axis[1], axis[2]}});
}

/// Returns a view (coefficient, real and imaginary part) of a prognostic variable.
template <class Real>
nb::object prognostic(nb::handle self, const std::string& name) {
  auto& model = nb::cast<Model<Real>&>(self);
  if (const auto values = model.physics_values(name); !values.empty()) {
    const auto array = nb::cast(numpy_view<double>(self, values.data(), values.size()));
    return values.size() == model.basis().n_points() ? array
                                                     : array.attr("reshape")(model.basis().n_points(), -1);
  }
  if (const auto values = model.tracer_values(name); !values.empty())
    return nb::cast(numpy_view<Real>(self, values.data(), values.size()));
  const auto result = model.prognostic(name);
  auto* parts = reinterpret_cast<Real*>(result.data());
  return nb::cast(numpy_view<Real>(self, parts, 2 * result.size())).attr("reshape")(-1, 2);
}

template <class Real>
nb::dict products(Model<Real>& model, const std::vector<std::string>& names) {
  auto values = model.products(names);
  nb::dict result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto table = model.variables();
    const auto& variable = fields::find(table, names[i]);
    auto array = nb::cast(to_numpy(std::move(values[i])));
    result[names[i].c_str()] =
        variable.dimensions.size() == 1 ? array : array.attr("reshape")(model.n_levels(), -1).attr("T");
  }
  return result;
}

void bind_options(nb::module_& m) {
  nb::class_<Planet>(m, "Planet", "Radius [m], rotation [rad s-1] and gravity [m s-2].")
      .def(keywords<members<>, members<&Planet::radius, &Planet::rotation, &Planet::gravity>>())
      .def(properties<&Planet::radius, &Planet::rotation, &Planet::gravity>());
  nb::class_<ModelOptions>(m, "ModelOptions", "Time scheme and hyperdiffusion; see docs/spectral.md.")
      .def(init_from([](bool semi_implicit, double filter, double filter_share, int diffusion_order,
                        double diffusion_time, std::size_t memory,
                        const std::optional<LagrangianOptions>& semi_lagrangian) {
             return ModelOptions{.semi_implicit = semi_implicit,
                                 .semi_lagrangian = semi_lagrangian,
                                 .filter = {.strength = filter, .share = filter_share},
                                 .diffusion = {.order = diffusion_order, .time_scale = diffusion_time},
                                 .memory_bytes = memory};
           }),
           nb::kw_only(), "semi_implicit"_a = false, "filter"_a = Filter{}.strength,
           "filter_share"_a = Filter{}.share, "diffusion_order"_a = Diffusion{}.order,
           "diffusion_time"_a = Diffusion{}.time_scale, "memory"_a = ModelOptions{}.memory_bytes,
           "semi_lagrangian"_a = nb::none());
  nb::class_<LagrangianOptions>(m, "LagrangianOptions", "Semi-Lagrangian steps; see docs/spectral.md.")
      .def(init_from([](const std::string& interpolation, bool monotone, bool monotone_tracers,
                        double decentring, bool mass_fixer, const std::string& solver, double tolerance,
                        const std::string& halo, int level_groups) {
             return LagrangianOptions{.interpolation = semi_lagrangian::interpolation_named(interpolation),
                                      .monotone = monotone,
                                      .monotone_tracers = monotone_tracers,
                                      .decentring = decentring,
                                      .mass_fixer = mass_fixer,
                                      .solver = {solver_named(solver), tolerance},
                                      .halo = semi_lagrangian::halo_named(halo),
                                      .level_groups = level_groups};
           }),
           nb::kw_only(), "interpolation"_a = "cubic", "monotone"_a = false, "monotone_tracers"_a = true,
           "decentring"_a = LagrangianOptions{}.decentring, "mass_fixer"_a = true, "solver"_a = "direct",
           "tolerance"_a = SolverOptions{}.tolerance, "halo"_a = "wide", "level_groups"_a = 1);
  nb::class_<AirOptions>(m, "AirOptions", "Levels, gas constants and physics of the air.")
      .def(keywords<members<&AirOptions::a, &AirOptions::b>,
                    members<&AirOptions::gas_constant, &AirOptions::heat_capacity, &AirOptions::physics,
                            &AirOptions::tracers, &AirOptions::is_moist>>())
      .def(properties<&AirOptions::a, &AirOptions::b>());
  nb::class_<SolverCosts>(m, "SolverCosts")
      .def(properties<&SolverCosts::solve_s, &SolverCosts::exchange_s, &SolverCosts::transform_s,
                      &SolverCosts::n_solutions, &SolverCosts::n_iterations, &SolverCosts::n_allreduces,
                      &SolverCosts::residual, &SolverCosts::has_converged>());
  nb::class_<StepFailure>(m, "StepFailure")
      .def(properties<&StepFailure::point, &StepFailure::step, &StepFailure::variable, &StepFailure::level,
                      &StepFailure::value, &StepFailure::scheme, &StepFailure::message>());
}

template <class Real>
void bind_model(nb::module_& m, const char* name) {
  using Model = spectral::Model<Real>;
  nb::class_<Model> type(m, name);
  bind_exchanges(type, [](const Model& model) -> const auto& { return model.transform(); });
  type.def(
          init_from([](const comm::Communicator* comm, std::pair<int, int> sets, const std::string& equations,
                       const transform::Grid& grid, int truncation, const Planet& planet,
                       const ModelOptions& options, const std::optional<AirOptions>& air) {
            return Model(comm, {sets.first, sets.second}, equations, grid, truncation, planet, options,
                         air.value_or(AirOptions{}));
          }),
          "comm"_a.none(), "sets"_a, "equations"_a, "grid"_a, "truncation"_a, "planet"_a, "options"_a,
          "air"_a = nb::none(), ReleaseGil())
      .def("time_transforms", &Model::time_transforms, ReleaseGil())
      .def("set", &set<Real>, nb::kw_only(), "ground"_a = nb::none(), "surface"_a = nb::none(),
           "temperature"_a = nb::none(), "east"_a = nb::none(), "north"_a = nb::none(),
           "tracers"_a = nb::none(), "axis"_a = std::array{0.0, 0.0, 1.0})
      .def("resume", &Model::resume, "is_start"_a)
      .def("check_step", &Model::check_step, "dt"_a, ReleaseGil())
      .def("step", &Model::step, "dt"_a, "check"_a, ReleaseGil())
      .def("prognostic", &prognostic<Real>, "name"_a)
      .def("products", &products<Real>, "names"_a)
      .def("integrals", [](Model& self) { return to_numpy(self.integrals()); })
      .def("longest_step", &Model::longest_step, "least_speed"_a = 0.0)
      .def(properties<&Model::restart_variables, &Model::n_levels, &Model::tracers>())
      .def_prop_ro(
          "points", [](const Model& self) { return to_numpy(self.basis().points()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "coefficients", [](const Model& self) { return to_numpy(self.basis().coefficients()); },
          nb::rv_policy::automatic)
      .def("set_clock", &Model::set_clock, "n_steps"_a, "start_date"_a)
      .def_prop_ro("variables", &Model::variables)
      .def_prop_ro("integral_variables", &Model::integral_variables)
      .def_prop_ro("failure", [](const Model& self) { return self.failure(); })
      .def_prop_ro(
          "ground", [](const Model& self) { return to_numpy(self.equations().orography()); },
          nb::rv_policy::automatic)
      .def(properties<&Model::compute_s, &Model::transforms, &Model::memory_bytes, &Model::advection_costs,
                      &Model::solver_costs, &Model::halo_bytes>())
      .def_prop_ro("kept_bytes",
                   [](const Model& self) { return self.basis().transform().precomputed_bytes(); });
}

}  // namespace

void bind_spectral(nb::module_& m) {
  bind_options(m);
  bind_model<double>(m, "Model");
  bind_model<float>(m, "SingleModel");
  const auto find_set = [](const std::string& name) -> const EquationSet& {
    return options::find("equation set", equation_sets(), name);
  };
  m.def("equation_sets", [] { return options::names_of(equation_sets()); });
  m.def("time_schemes", [] { return options::names_of(time_schemes()); });
  m.def("variables", [=](const std::string& name) { return find_set(name).variables; }, "equations"_a);
  m.def(
      "integral_variables", [=](const std::string& name) { return find_set(name).integral_variables; },
      "equations"_a);
}
