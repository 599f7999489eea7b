#include "halcyon/wave/model.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "bindings/wave/wave.hpp"
#include "halcyon/base/error.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::wave;

using OptionalFloats = std::optional<Floats>;

TransportOptions transport_options(bool great_circle, bool refraction, const std::string& scheme,
                                   double swell_age) {
  return {.great_circle = great_circle,
          .refraction = refraction,
          .scheme = scheme_named(scheme),
          .swell_age = swell_age};
}

Model make_model(const comm::Communicator& comm, const decomposition::LocalMesh& mesh,
                 const SpectralGrid& grid, bool great_circle, bool refraction, const std::string& scheme,
                 double swell_age, std::vector<std::pair<int, int>> bands, double least_depth,
                 double ice_threshold, const std::string& physics, const nb::dict& physics_options,
                 std::vector<physics::SpectrumScheme> schemes, const std::string& method, bool overlap) {
  return Model(comm, mesh, grid,
               {.transport = transport_options(great_circle, refraction, scheme, swell_age),
                .bands = std::move(bands),
                .least_depth = least_depth,
                .ice_threshold = ice_threshold,
                .physics = physics,
                .physics_options = values_of(physics_options),
                .schemes = std::move(schemes),
                .method = comm::method_named(method),
                .overlap = overlap});
}

/// Checks and returns the requested owned cells; without a request, returns all owned cells.
std::vector<LocalIndex> chosen_cells(const Model& model, const std::optional<List<const LocalIndex>>& cells) {
  std::vector<LocalIndex> chosen(model.n_owned());
  std::iota(chosen.begin(), chosen.end(), 0);
  if (cells) chosen.assign(cells->begin(), cells->end());
  for (const auto cell : chosen)
    require<InputError>(cell >= 0 && cell < model.n_owned(), "Cell {} is not one of the {} owned cells.",
                        cell, model.n_owned());
  return chosen;
}

nb::dict products(Model& model, const ProductColumns::Names& names,
                  const std::optional<List<const LocalIndex>>& cells) {
  const auto chosen = chosen_cells(model, cells);
  ProductColumns columns(names, chosen.size());
  model.compute_products(chosen, columns.requested());
  return columns.take();
}

template <auto Values>
auto writable(Model& model) {
  const std::span<float> values = (model.*Values)();
  return nb::ndarray<nb::numpy, float, nb::ndim<1>>(values.data(), {values.size()});
}

nb::dict surface(Model& model, const std::optional<List<const LocalIndex>>& cells) {
  const auto chosen = chosen_cells(model, cells);
  SurfaceColumns columns(static_cast<std::size_t>(model.n_owned()));
  model.compute_surface(chosen, columns.arrays());
  return columns.take(&chosen);
}

auto owned_ids(const Model& model) {
  const auto& cells = model.decomposition().cells();
  return to_numpy(std::vector<GlobalIndex>(cells.to_global.begin(), cells.to_global.begin() + cells.n_owned));
}

auto action(Model& model) {
  const auto view = model.action();
  return nb::ndarray<nb::numpy, float, nb::ndim<3>>(view.data(),
                                                    {view.extent(0), view.extent(1), view.extent(2)});
}

void bind_wave_model(nb::module_& m) {
  const TransportOptions defaults;
  m.def(
      "cfl_limits",
      [](const mesh::Mesh& mesh, const SpectralGrid& grid, bool great_circle, const std::string& scheme,
         double swell_age, double strongest_current) {
        const auto options = transport_options(great_circle, /*refraction=*/true, scheme, swell_age);
        return to_numpy(cfl_limits(mesh, grid, options, strongest_current));
      },
      "mesh"_a, "grid"_a, nb::kw_only(), "great_circle"_a = true, "scheme"_a = "second_order",
      "swell_age"_a = defaults.swell_age, "strongest_current"_a = 0.0,
      "Returns the longest stable transport step [s] (frequency) in all cells of a mesh with depths; "
      "strongest_current:\nupper bound of the current speed [m s-1].");
  nb::class_<PhaseTimes>(m, "PhaseTimes")
      .def(properties<&PhaseTimes::transport_s, &PhaseTimes::sources_s, &PhaseTimes::exchange_s>());
  nb::class_<Model> type(m, "Model");
  type.def(init_from(&make_model), "comm"_a, "mesh"_a, "grid"_a, nb::kw_only(), "great_circle"_a = true,
           "refraction"_a = true, "scheme"_a = "second_order", "swell_age"_a = defaults.swell_age,
           "bands"_a = std::vector<std::pair<int, int>>{}, "least_depth"_a = 0.1, "ice_threshold"_a = 0.5,
           "physics"_a = "wam3", "physics_options"_a = nb::dict(),
           "schemes"_a = std::vector<physics::SpectrumScheme>{}, "method"_a = "isend_irecv",
           "overlap"_a = true)
      .def_prop_ro("n_owned", &Model::n_owned)
      .def_prop_ro("n_inner", [](const Model& self) { return self.decomposition().n_inner; })
      .def_prop_ro("owned_cells", owned_ids, nb::rv_policy::automatic)
      .def_prop_ro(
          "action", &action, nb::rv_policy::reference_internal,
          "Action [m2 s2] (owned cell, frequency, direction): a view, invalid after the next transport step.")
      .def_prop_ro("times", &Model::times)
      .def_prop_ro("exchange", &Model::exchange,
                   "The exchange method and, if the method was chosen automatically, the reason.")
      .def(properties<&Model::halo_bytes, &Model::memory_bytes>())
      .def("split_share", &Model::split_share, "dt"_a)
      .def("set_wind", nb::overload_cast<const Wind&, double>(&Model::set_wind), "wind"_a, "time_s"_a)
      .def(
          "set_wind",
          [](Model& self, Numbers eastward, Numbers northward) { return self.set_wind(eastward, northward); },
          "eastward"_a, "northward"_a,
          "Sets the wind at 10 m [m s-1] (owned cell), float64. Returns the owned cell of the lowest global "
          "id where the wind is not finite, or -1.")
      .def(arrays<&Model::cfl_limits>(),
           "Returns the longest stable transport step [s] (frequency) in the owned cells with the present "
           "depth and current.")
      .def(
          "set_water",
          [](Model& self, const OptionalFloats& level, const OptionalFloats& eastward,
             const OptionalFloats& northward) {
            return self.set_water(level.value_or(Floats{}), eastward.value_or(Floats{}),
                                  northward.value_or(Floats{}));
          },
          "level"_a.none() = nb::none(), "eastward_current"_a.none() = nb::none(),
          "northward_current"_a.none() = nb::none(),
          "Sets the water level [m] and the current [m s-1] of all local cells; None means zero. Returns the "
          "owned cell of\nthe lowest global id with a value that is not finite (nothing is changed then), "
          "or -1.")
      .def(
          "set_ice",
          [](Model& self, const OptionalFloats& fraction) {
            return self.set_ice(fraction.value_or(Floats{}));
          },
          "fraction"_a.none(),
          "Sets the sea-ice fraction of each owned (or local) cell; above ice_threshold a cell has no waves "
          "and absorbs\nwaves from other cells. None: no ice. Returns the owned cell of the lowest global id "
          "with a value that is\nnot finite, or -1.")
      .def(
          "under_ice",
          [](const Model& self, const std::optional<List<const LocalIndex>>& cells) {
            std::vector<std::uint8_t> flags;
            for (const auto cell : chosen_cells(self, cells)) flags.push_back(self.is_under_ice(cell));
            return to_numpy(std::move(flags));
          },
          "cells"_a = nb::none(),
          "Returns whether ice is above ice_threshold, uint8, in the given owned cells (int32) or all.")
      .def(
          "hold_cells", [](Model& self, Indices cells) { self.hold_cells(cells); }, "cells"_a,
          "Excludes owned cells (int32) from transport, so that their spectra stay as prescribed. Raises "
          "InputError for a cell that is not owned.")
      .def("set_calm", &Model::set_calm)
      .def("set_fetch_law", &Model::set_fetch_law, "fetch"_a, nb::kw_only(), "cap_light_winds"_a = false,
           "Sets the fetch-limited sea of the present wind; fetch [m]; cap_light_winds: see the function "
           "set_fetch_law.")
      .def("transport", &Model::advance_transport, "dt"_a, ReleaseGil(),
           "Collective. Advances transport by dt [s].")
      .def(
          "sources",
          [](Model& self, double dt) {
            const auto bad = self.advance_sources(dt);
            return std::pair(bad.cell, bad.significant_height);
          },
          "dt"_a, ReleaseGil(),
          "Advances spectra by dt [s] with the source terms. Returns the owned cell of the lowest global id "
          "with an invalid spectrum (or -1) and its significant height.")
      .def(
          "set_clock",
          [](Model& self, std::int64_t n_steps, double start_date) {
            if (auto* schemes = self.schemes()) schemes->set_clock(n_steps, start_date);
          },
          "n_steps"_a, "start_date"_a,
          "Sets the clock of the added source terms: the number of source steps so far, and the time of the "
          "start [s since 1970-01-01].")
      .def_prop_ro(
          "scheme_failure",
          [](Model& self) {
            const auto* schemes = self.schemes();
            const auto failure = schemes == nullptr ? physics::SchemeFailure{} : schemes->failure();
            return std::tuple(failure.item, failure.scheme, failure.message, failure.result, failure.level,
                              failure.value);
          },
          "The failure of an added source term in the last source step: cell (-1: none), scheme, message, "
          "result, bin and value.")
      .def_prop_ro(
          "scheme_variables",
          [](Model& self) {
            auto* schemes = self.schemes();
            return schemes == nullptr ? std::vector<fields::Variable>{} : schemes->variables();
          },
          "The fields of the added source terms, as rows of the table of variables.")
      .def(
          "scheme_field",
          [](nb::handle self, const std::string& name) {
            auto* schemes = nb::cast<Model&>(self).schemes();
            const auto values = schemes == nullptr ? std::span<double>{} : schemes->values(name);
            require<InternalError>(!values.empty(), "There is no field '{}' of a source term.", name);
            return numpy_view<double>(self, values.data(), values.size());
          },
          "name"_a, "The values float64 (owned cell) of one of `scheme_variables`, a view.")
      .def("products", &products, "names"_a = nb::none(), "cells"_a = nb::none(),
           "Returns products, float32 (cell) by name; by default all products that need only the "
           "spectrum.\ncells: owned cells, int32; by default all.")
      .def_prop_ro("wave_stress", &writable<&Model::wave_stress>, nb::rv_policy::reference_internal,
                   "Wave stress tau_w / rho_a of the last source step [m2 s-2] (owned cell); 0 at the start, "
                   "empty if the physics set keeps none.")
      .def_prop_ro("keeps_wave_stress", &Model::keeps_wave_stress,
                   "Whether the physics set keeps the wave stress from step to step.")
      .def_prop_ro("largest_significant_height", &writable<&Model::largest_significant_height>,
                   nb::rv_policy::reference_internal,
                   "The largest significant height [m] (owned cell) of all calls of update_largest_height.")
      .def("update_largest_height", &Model::update_largest_height,
           "Updates the largest significant heights with the present heights.")
      .def("surface", &surface, "cells"_a = nb::none(),
           "Returns friction velocity [m s-1], roughness length [m] and stress [Pa], float32 (cell) by "
           "name.\ncells: owned cells, int32; by default all.");
  type.def(arrays<&Model::eastward_wind, &Model::northward_wind>())
      .def(arrays<&Model::water_level>(), "Water level of the owned cells [m]; 0 by default.")
      .def(arrays<&Model::eastward_current, &Model::northward_current>(),
           "Current of the owned cells [m s-1]; 0 by default.")
      .def(arrays<&Model::ice_fraction>(), "Ice fraction of the owned cells; 0 by default.")
      .def(arrays<&Model::depth>(), "Depth of the local cells with the present water level [m].")
      .def(arrays<&Model::latitude, &Model::longitude>(),
           "Coordinate [rad] of the local cells, which are the owned cells, then the halo cells.");
}

}  // namespace

void bind_wave(nb::module_& m) {
  bind_wave_physics(m);
  bind_wave_products(m);
  bind_wave_wind(m);
  bind_wave_model(m);
}
