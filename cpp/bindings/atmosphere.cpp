#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/atmosphere/core.hpp"
#include "halcyon/atmosphere/variables.hpp"

void bind_atmosphere_operators(nb::module_& m);
void bind_atmosphere_transport(nb::module_& m);

namespace {

using namespace halcyon;
using namespace halcyon::atmosphere;

using Released = nb::call_guard<nb::gil_scoped_release>;

std::unique_ptr<Core> make_core(const comm::Communicator& comm, const decomposition::LocalMesh& mesh,
                                const Planet& planet, const Scheme& scheme, bool single,
                                const std::string& method, bool overlap) {
  const CoreOptions options{
      .planet = planet, .scheme = scheme, .method = comm::method_named(method), .overlap = overlap};
  return make_shallow_water(comm, mesh, options, single);
}

/// A view on a state, in its precision.
nb::object prognostic(nb::handle self, const std::string& name) {
  const auto as_array = [&]<class Real>(std::span<Real> values) {
    return nb::cast(numpy_view<Real>(self, values.data(), values.size()));
  };
  return std::visit(as_array, nb::cast<Core&>(self).prognostic(name));
}

nb::dict products(Core& core, const std::vector<std::string>& names) {
  std::vector<Product> wanted;
  for (const auto& name : names) wanted.push_back(product_named(name));
  auto values = core.products(wanted);
  nb::dict found;
  for (std::size_t i = 0; i < names.size(); ++i) found[names[i].c_str()] = to_numpy(std::move(values[i]));
  return found;
}

auto owned_ids(const Core& core, int kind) {
  const auto& share = core.decomposition().shares[kind];
  return to_numpy(std::vector<GlobalIndex>(share.to_global.begin(), share.to_global.begin() + share.n_owned));
}

void bind_choices(nb::module_& m) {
  const Planet planet;
  nb::class_<Planet>(m, "Planet", "Radius [m], rotation [rad s-1] and gravity [m s-2].")
      .def(
          "__init__",
          [](Planet* self, double radius, double rotation, double gravity) {
            new (self) Planet{radius, rotation, gravity};
          },
          nb::kw_only(), nb::arg("radius") = planet.radius, nb::arg("rotation") = planet.rotation,
          nb::arg("gravity") = planet.gravity)
      .def_ro("radius", &Planet::radius)
      .def_ro("rotation", &Planet::rotation)
      .def_ro("gravity", &Planet::gravity);
  const Scheme scheme;
  nb::class_<Scheme>(m, "Scheme", "What may be chosen of the horizontal scheme; see docs/atmosphere.md.")
      .def(
          "__init__",
          [](Scheme* self, double vertex_energy, double anticipation, double diffusion, double hyperdiffusion,
             double divergence_damping, int transport_order, double upwinding, bool monotone) {
            new (self) Scheme{vertex_energy,      anticipation,    diffusion, hyperdiffusion,
                              divergence_damping, transport_order, upwinding, monotone};
          },
          nb::kw_only(), nb::arg("vertex_energy") = scheme.vertex_energy,
          nb::arg("anticipation") = scheme.anticipation, nb::arg("diffusion") = scheme.diffusion,
          nb::arg("hyperdiffusion") = scheme.hyperdiffusion,
          nb::arg("divergence_damping") = scheme.divergence_damping,
          nb::arg("transport_order") = scheme.transport_order, nb::arg("upwinding") = scheme.upwinding,
          nb::arg("monotone") = scheme.monotone);
}

void bind_core(nb::module_& m) {
  nb::class_<PartTimes>(m, "PartTimes")
      .def_ro("compute_s", &PartTimes::compute_s)
      .def_ro("exchange_s", &PartTimes::exchange_s);
  nb::class_<Trouble>(m, "Trouble")
      .def_ro("cell", &Trouble::cell)
      .def_ro("step", &Trouble::step)
      .def_ro("variable", &Trouble::variable)
      .def_ro("level", &Trouble::level)
      .def_ro("value", &Trouble::value);
  nb::class_<Core>(m, "Core", "The dynamical core on one rank's part of the globe.")
      .def(
          "set",
          [](Core& self, const std::string& name, const StartOptions& options, const Planet& planet) {
            self.set(make_start(name, options, planet));
          },
          nb::arg("name"), nb::arg("options"), nb::arg("planet"),
          "Sets a start by its name; see `start_options`.")
      .def("step", &Core::step, nb::arg("dt"), Released(), "Collective. One step [s].")
      .def("prognostic", &prognostic, nb::arg("name"),
           "A view on a state by the name of its row in the table of variables: (owned cell or edge).")
      .def("products", &products, nb::arg("names"), "Collective. Products, float64 (owned cell) by name.")
      .def(
          "integrals", [](Core& self) { return to_numpy(self.integrals()); },
          "Collective. Over the globe, in the order of `integral_variables`.")
      .def_prop_ro("trouble", [](const Core& self) { return self.trouble(); })
      .def("longest_step", &Core::longest_step,
           "Collective. The longest stable step [s] of the present state in the owned cells.")
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
      .def_prop_ro("halo_bytes", &Core::halo_bytes)
      .def_prop_ro("memory_bytes", &Core::memory_bytes);
}

}  // namespace

void bind_atmosphere(nb::module_& m) {
  bind_choices(m);
  bind_core(m);
  bind_atmosphere_operators(m);
  bind_atmosphere_transport(m);
  m.def("make_core", &make_core, nb::arg("comm"), nb::arg("mesh"), nb::arg("planet"), nb::arg("scheme"),
        nb::kw_only(), nb::arg("single") = false, nb::arg("method") = "isend_irecv",
        nb::arg("overlap") = true,
        "Collective. A core of shallow water; the mesh needs two halo layers. Raises InputError where it is "
        "not\n"
        "of the whole globe.");
  m.def("start_names", &start_names, "Names of the starts.");
  m.def("start_options", &start_options, nb::arg("name"), "The options of a start, with their defaults.");
  m.def("shallow_water_variables", [] { return shallow_water_variables(); }, "The table of variables.");
  m.def("integral_variables", [] { return integral_variables(); }, "The table of integrals over the globe.");
}
