#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/wave/model.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::wave;

using Released = nb::call_guard<nb::gil_scoped_release>;

void make_model(Model* self, const comm::Communicator& comm, const decomposition::LocalMesh& mesh,
                const SpectralGrid& grid, bool great_circle, bool refraction, const std::string& physics,
                const Options& physics_options, const std::string& method, bool overlap) {
  const ModelOptions options{.turning = {.great_circle = great_circle, .refraction = refraction},
                             .physics = physics,
                             .physics_options = physics_options,
                             .method = comm::method_named(method),
                             .overlap = overlap};
  new (self) Model(comm, mesh, grid, options);
}

/// The bulk parameters by the names of the table of variables.
nb::dict products(Model& model) {
  const auto n = static_cast<std::size_t>(model.n_owned());
  const auto numbers = [n] { return std::vector<float>(n); };
  auto height = numbers(), mean = numbers(), mean_01 = numbers(), mean_02 = numbers(), peak = numbers(),
       direction = numbers();
  std::vector<std::int32_t> bin(n);
  model.products({height, mean, mean_01, mean_02, peak, direction, bin});
  nb::dict result;
  result["significant_height"] = to_numpy(std::move(height));
  result["mean_period"] = to_numpy(std::move(mean));
  result["mean_period_01"] = to_numpy(std::move(mean_01));
  result["mean_period_02"] = to_numpy(std::move(mean_02));
  result["peak_period"] = to_numpy(std::move(peak));
  result["mean_direction"] = to_numpy(std::move(direction));
  result["peak_bin"] = to_numpy(std::move(bin));
  return result;
}

/// The state of the surface by the names of the table of variables.
nb::dict surface(Model& model) {
  const auto n = static_cast<std::size_t>(model.n_owned());
  std::vector<float> velocity(n), roughness(n), east(n), north(n);
  model.surface({velocity, roughness, east, north});
  nb::dict result;
  result["friction_velocity"] = to_numpy(std::move(velocity));
  result["roughness_length"] = to_numpy(std::move(roughness));
  result["eastward_stress"] = to_numpy(std::move(east));
  result["northward_stress"] = to_numpy(std::move(north));
  return result;
}

auto owned_ids(const Model& model) {
  const auto& share = model.decomposition().cells();
  return to_numpy(std::vector<GlobalIndex>(share.to_global.begin(), share.to_global.begin() + share.n_owned));
}

auto action(Model& model) {
  const auto view = model.action();
  return nb::ndarray<nb::numpy, float, nb::ndim<3>>(view.data(),
                                                    {view.extent(0), view.extent(1), view.extent(2)});
}

}  // namespace

void bind_wave_model(nb::module_& m) {
  m.def("cfl_limit", &cfl_limit, nb::arg("mesh"), nb::arg("grid"), nb::kw_only(),
        nb::arg("great_circle") = true,
        "The longest stable step of spatial transport [s] over all cells of a mesh with depths.");
  nb::class_<PartTimes>(m, "PartTimes")
      .def_ro("transport_s", &PartTimes::transport_s)
      .def_ro("sources_s", &PartTimes::sources_s)
      .def_ro("exchange_s", &PartTimes::exchange_s);
  nb::class_<Model>(m, "Model")
      .def("__init__", &make_model, nb::arg("comm"), nb::arg("mesh"), nb::arg("grid"), nb::kw_only(),
           nb::arg("great_circle") = true, nb::arg("refraction") = true, nb::arg("physics") = "wam3",
           nb::arg("physics_options") = Options{}, nb::arg("method") = "isend_irecv",
           nb::arg("overlap") = true)
      .def_prop_ro("n_owned", &Model::n_owned)
      .def_prop_ro("n_inner", [](const Model& self) { return self.decomposition().n_inner; })
      .def_prop_ro("owned_cells", owned_ids, nb::rv_policy::automatic)
      .def_prop_ro("action", &action, nb::rv_policy::reference_internal,
                   "Action [m2 s2] (owned cell, frequency, direction): a view that a transport step ends.")
      .def_prop_ro("times", &Model::times)
      .def_prop_ro("exchange", &Model::exchange, "The exchange method, and why it was chosen if it was.")
      .def_prop_ro("halo_bytes", &Model::halo_bytes)
      .def_prop_ro("memory_bytes", &Model::memory_bytes)
      .def("implicit_share", &Model::implicit_share, nb::arg("dt"))
      .def("set_wind", &Model::set_wind, nb::arg("wind"), nb::arg("time_s"))
      .def_prop_ro(
          "eastward_wind",
          [](const Model& self) {
            const auto wind = self.eastward_wind();
            return to_numpy(std::vector<float>(wind.begin(), wind.end()));
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "northward_wind",
          [](const Model& self) {
            const auto wind = self.northward_wind();
            return to_numpy(std::vector<float>(wind.begin(), wind.end()));
          },
          nb::rv_policy::automatic)
      .def("set_calm", &Model::set_calm)
      .def("set_fetch_law", &Model::set_fetch_law, nb::arg("fetch"))
      .def("transport", &Model::transport, nb::arg("dt"), Released(),
           "Collective. One step of transport [s].")
      .def(
          "sources",
          [](Model& self, double dt) {
            const auto bad = self.sources(dt);
            return std::pair(bad.cell, bad.significant_height);
          },
          nb::arg("dt"), Released(),
          "One step of the source terms [s]; the bad owned cell of the lowest global id (or -1) and its "
          "height.")
      .def("products", &products)
      .def("surface", &surface,
           "Friction velocity [m s-1], roughness length [m] and stress [N m-2] of the owned cells, by name.");
}
