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

using Field = std::optional<Input<double>>;

std::span<const double> values_of(const Field& field) {
  return field ? span_of(*field) : std::span<const double>();
}

void set(Model& model, const Field& ground, const Field& surface, const Field& temperature, const Field& east,
         const Field& north, std::array<double, 3> axis) {
  model.set({values_of(ground),
             values_of(surface),
             values_of(temperature),
             values_of(east),
             values_of(north),
             {axis[0], axis[1], axis[2]}});
}

/// A view on coefficients, as pairs of real and imaginary part.
nb::object prognostic(nb::handle self, const std::string& name) {
  const auto found = nb::cast<Model&>(self).prognostic(name);
  auto* parts = reinterpret_cast<double*>(found.data());
  return nb::cast(numpy_view<double>(self, parts, 2 * found.size())).attr("reshape")(-1, 2);
}

nb::dict products(Model& model, const std::vector<std::string>& names) {
  auto values = model.products(names);
  nb::dict found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& row = fields::find(model.equation_set().variables, names[i]);
    auto array = nb::cast(to_numpy(std::move(values[i])));
    found[names[i].c_str()] =
        row.dimensions.size() == 1 ? array : array.attr("reshape")(model.n_levels(), -1).attr("T");
  }
  return found;
}

void bind_options(nb::module_& m) {
  nb::class_<Planet>(m, "Planet", "Radius [m], rotation [rad s-1] and gravity [m s-2].")
      .def(
          "__init__",
          [](Planet* self, double radius, double rotation, double gravity) {
            new (self) Planet{radius, rotation, gravity};
          },
          nb::kw_only(), nb::arg("radius") = Planet{}.radius, nb::arg("rotation") = Planet{}.rotation,
          nb::arg("gravity") = Planet{}.gravity)
      .def_ro("radius", &Planet::radius)
      .def_ro("rotation", &Planet::rotation)
      .def_ro("gravity", &Planet::gravity);
  nb::class_<ModelOptions>(m, "ModelOptions", "The scheme in time, and hyperdiffusion; see docs/spectral.md.")
      .def(
          "__init__",
          [](ModelOptions* self, bool semi_implicit, double filter, double filter_share, int diffusion_order,
             double diffusion_time, std::size_t memory) {
            new (self) ModelOptions{
                semi_implicit, {filter, filter_share}, {diffusion_order, diffusion_time}, memory};
          },
          nb::kw_only(), nb::arg("semi_implicit") = false, nb::arg("filter") = Filter{}.strength,
          nb::arg("filter_share") = Filter{}.share, nb::arg("diffusion_order") = Diffusion{}.order,
          nb::arg("diffusion_time") = Diffusion{}.time_scale,
          nb::arg("memory") = ModelOptions{}.memory_bytes);
  nb::class_<AirOptions>(m, "AirOptions", "Levels, gas and forcing of the air.")
      .def(
          "__init__",
          [](AirOptions* self, std::vector<double> a, std::vector<double> b, double gas_constant,
             double heat_capacity, bool held_suarez) {
            new (self) AirOptions{std::move(a), std::move(b), gas_constant, heat_capacity, held_suarez};
          },
          nb::kw_only(), nb::arg("a"), nb::arg("b"), nb::arg("gas_constant") = AirOptions{}.gas_constant,
          nb::arg("heat_capacity") = AirOptions{}.heat_capacity, nb::arg("held_suarez") = false)
      .def_ro("a", &AirOptions::a)
      .def_ro("b", &AirOptions::b)
      .def_ro("held_suarez", &AirOptions::held_suarez);
  nb::class_<Trouble>(m, "Trouble")
      .def_ro("point", &Trouble::point)
      .def_ro("step", &Trouble::step)
      .def_ro("variable", &Trouble::variable)
      .def_ro("level", &Trouble::level)
      .def_ro("value", &Trouble::value);
}

void bind_model(nb::module_& m) {
  nb::class_<Model> type(m, "Model");
  bind_exchanges(type, [](const Model& model) -> const auto& { return model.transform(); });
  type.def(
          "__init__",
          [](Model* self, const comm::Communicator* comm, std::pair<int, int> sets,
             const std::string& equations, const transform::Grid& grid, int truncation, const Planet& planet,
             const ModelOptions& options, const std::optional<AirOptions>& air) {
            new (self) Model(comm, {sets.first, sets.second}, equations, grid, truncation, planet, options,
                             air.value_or(AirOptions{}));
          },
          nb::arg("comm").none(), nb::arg("sets"), nb::arg("equations"), nb::arg("grid"),
          nb::arg("truncation"), nb::arg("planet"), nb::arg("options"), nb::arg("air") = nb::none(),
          Released())
      .def("rehearse", &Model::rehearse, Released())
      .def("set", &set, nb::kw_only(), nb::arg("ground") = nb::none(), nb::arg("surface") = nb::none(),
           nb::arg("temperature") = nb::none(), nb::arg("east") = nb::none(), nb::arg("north") = nb::none(),
           nb::arg("axis") = std::array{0.0, 0.0, 1.0})
      .def("go_on", &Model::go_on)
      .def("look_ahead", &Model::look_ahead, nb::arg("dt"), Released())
      .def("step", &Model::step, nb::arg("dt"), Released())
      .def("prognostic", &prognostic, nb::arg("name"))
      .def("products", &products, nb::arg("names"))
      .def("integrals", [](Model& self) { return to_numpy(self.integrals()); })
      .def("longest_step", &Model::longest_step, nb::arg("least_speed") = 0.0)
      .def_prop_ro("held", &Model::held)
      .def_prop_ro("n_levels", &Model::n_levels)
      .def_prop_ro(
          "points", [](const Model& self) { return to_numpy(self.basis().points()); },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "coefficients", [](const Model& self) { return to_numpy(self.basis().coefficients()); },
          nb::rv_policy::automatic)
      .def_prop_ro("variables", [](const Model& self) { return self.equation_set().variables; })
      .def_prop_ro("integral_variables",
                   [](const Model& self) { return self.equation_set().integral_variables; })
      .def_prop_ro("trouble", [](const Model& self) { return self.trouble(); })
      .def_prop_ro(
          "ground", [](const Model& self) { return to_numpy(self.equations().ground()); },
          nb::rv_policy::automatic)
      .def_prop_ro("compute_s", &Model::compute_s)
      .def_prop_ro("transforms", &Model::transforms)
      .def_prop_ro("memory_bytes", &Model::memory_bytes)
      .def_prop_ro("kept_bytes", [](const Model& self) { return self.basis().transform().kept_bytes(); });
}

}  // namespace

void bind_spectral(nb::module_& m) {
  bind_options(m);
  bind_model(m);
  const auto set_named = [](const std::string& name) -> const EquationSet& {
    return options::find("equation set", equation_sets(), name);
  };
  m.def("equation_sets", [] { return options::names_of(equation_sets()); });
  m.def("time_schemes", [] { return options::names_of(time_schemes()); });
  m.def(
      "variables", [=](const std::string& name) { return set_named(name).variables; }, nb::arg("equations"));
  m.def(
      "integral_variables", [=](const std::string& name) { return set_named(name).integral_variables; },
      nb::arg("equations"));
}
