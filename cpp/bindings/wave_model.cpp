#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/wave/model.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::wave;

using Released = nb::call_guard<nb::gil_scoped_release>;

using Floats = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const float> span(const std::optional<Floats>& values) {
  return values ? std::span(values->data(), values->size()) : std::span<const float>{};
}

auto local_values(std::span<const double> values) {
  return to_numpy(std::vector<double>(values.begin(), values.end()));
}

TransportOptions transport_options(bool great_circle, bool refraction, const std::string& scheme,
                                   double swell_age) {
  return {.great_circle = great_circle,
          .refraction = refraction,
          .scheme = scheme_named(scheme),
          .swell_age = swell_age};
}

void make_model(Model* self, const comm::Communicator& comm, const decomposition::LocalMesh& mesh,
                const SpectralGrid& grid, bool great_circle, bool refraction, const std::string& scheme,
                double swell_age, std::vector<std::pair<int, int>> bands, double least_depth,
                double ice_threshold, const std::string& physics, const Options& physics_options,
                const std::string& method, bool overlap) {
  const ModelOptions options{.transport = transport_options(great_circle, refraction, scheme, swell_age),
                             .bands = std::move(bands),
                             .least_depth = least_depth,
                             .ice_threshold = ice_threshold,
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
  const TransportOptions defaults;
  m.def(
      "cfl_limits",
      [](const mesh::Mesh& mesh, const SpectralGrid& grid, bool great_circle, const std::string& scheme,
         double swell_age, double strongest_current) {
        const auto options = transport_options(great_circle, true, scheme, swell_age);
        return to_numpy(cfl_limits(mesh, grid, options, strongest_current));
      },
      nb::arg("mesh"), nb::arg("grid"), nb::kw_only(), nb::arg("great_circle") = true,
      nb::arg("scheme") = "second_order", nb::arg("swell_age") = defaults.swell_age,
      nb::arg("strongest_current") = 0.0,
      "The longest stable steps of spatial transport [s] (frequency) over all cells of a mesh with depths, "
      "in "
      "water\n"
      "that moves at up to strongest_current [m s-1].");
  nb::class_<PartTimes>(m, "PartTimes")
      .def_ro("transport_s", &PartTimes::transport_s)
      .def_ro("sources_s", &PartTimes::sources_s)
      .def_ro("exchange_s", &PartTimes::exchange_s);
  nb::class_<Model>(m, "Model")
      .def("__init__", &make_model, nb::arg("comm"), nb::arg("mesh"), nb::arg("grid"), nb::kw_only(),
           nb::arg("great_circle") = true, nb::arg("refraction") = true, nb::arg("scheme") = "second_order",
           nb::arg("swell_age") = defaults.swell_age, nb::arg("bands") = std::vector<std::pair<int, int>>{},
           nb::arg("least_depth") = 0.1, nb::arg("ice_threshold") = 0.5, nb::arg("physics") = "wam3",
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
      .def_prop_ro(
          "latitude", [](const Model& self) { return local_values(self.latitude()); },
          nb::rv_policy::automatic, "Of the local cells [rad]: owned, then halo.")
      .def_prop_ro(
          "longitude", [](const Model& self) { return local_values(self.longitude()); },
          nb::rv_policy::automatic, "Of the local cells [rad]: owned, then halo.")
      .def_prop_ro(
          "depth",
          [](const Model& self) {
            const auto depth = self.depth();
            return to_numpy(std::vector<float>(depth.begin(), depth.end()));
          },
          nb::rv_policy::automatic, "Of the local cells with the present water level [m].")
      .def_prop_ro(
          "cfl_limits", [](const Model& self) { return to_numpy(self.cfl_limits()); },
          nb::rv_policy::automatic,
          "The longest stable steps of transport [s] (frequency) in the owned cells, with the present water.")
      .def(
          "set_water",
          [](Model& self, const std::optional<Floats>& level, const std::optional<Floats>& eastward,
             const std::optional<Floats>& northward) {
            return self.set_water(span(level), span(eastward), span(northward));
          },
          nb::arg("level").none() = nb::none(), nb::arg("eastward_current").none() = nb::none(),
          nb::arg("northward_current").none() = nb::none(),
          "Sets the water level [m] and the current [m s-1] of all local cells; what is None is zero. "
          "Returns "
          "the\n"
          "owned cell of the lowest global id where one is not finite (nothing changes then), or -1.")
      .def(
          "set_ice",
          [](Model& self, const std::optional<Floats>& fraction) { return self.set_ice(span(fraction)); },
          nb::arg("fraction").none(),
          "Sets the part of each owned (or local) cell that is under ice; above ice_threshold waves are "
          "gone, "
          "and\n"
          "what comes is absorbed. None: no ice. Returns as set_water.")
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
      .def("products", &products);
}
