#include "halcyon/transform/transform.hpp"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/schedule/sequence.hpp"
#include "halcyon/transform/grid.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::transform;

using Released = nb::call_guard<nb::gil_scoped_release>;
using Numbers = Input<double>;
using Spectrum = Input<Complex>;
template <class T>
using Output = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<T> span_of(const Output<T>& array) {
  return {array.data(), array.size()};
}

void bind_grid(nb::module_& m) {
  nb::class_<Grid> type(m, "Grid");
  type.def(nb::init<std::vector<int>>(), nb::arg("row_lengths"))
      .def_static("full", &Grid::full, nb::arg("n_rows"), nb::arg("n_longitudes"))
      .def_static("reduced", &Grid::reduced, nb::arg("n_rows"), nb::arg("truncation"),
                  nb::arg("points_per_wave"), nb::arg("tolerance"), nb::arg("shortest"))
      .def_static("octahedral", &Grid::octahedral, nb::arg("n"))
      .def_prop_ro("n_rows", &Grid::n_rows)
      .def_prop_ro("n_points", &Grid::n_points);
  const auto row_values = [&type](const char* name, auto get) {
    type.def_prop_ro(name, [get](const Grid& grid) { return to_numpy(get(grid)); }, nb::rv_policy::move);
  };
  row_values("row_lengths", [](const Grid& grid) { return grid.row_lengths(); });
  row_values("sines", [](const Grid& grid) { return grid.latitudes().sines; });
  row_values("cosines", [](const Grid& grid) { return grid.latitudes().cosines; });
  row_values("weights", [](const Grid& grid) { return grid.latitudes().weights; });
}

void bind_transforms(nb::class_<Transform>& type) {
  type.def(
      "synthesis",
      [](Transform& t, const Spectrum& coefficients, const Output<double>& values) {
        t.synthesis(span_of(coefficients), span_of(values));
      },
      Released());
  type.def(
      "analysis",
      [](Transform& t, const Numbers& values, const Output<Complex>& coefficients) {
        t.analysis(span_of(values), span_of(coefficients));
      },
      Released());
  type.def(
      "winds",
      [](Transform& t, const Spectrum& vorticity, const Spectrum& divergence, const Output<double>& u,
         const Output<double>& v) {
        t.winds(span_of(vorticity), span_of(divergence), span_of(u), span_of(v));
      },
      Released());
  type.def(
      "vorticity_divergence",
      [](Transform& t, const Numbers& u, const Numbers& v, const Output<Complex>& vorticity,
         const Output<Complex>& divergence) {
        t.vorticity_divergence(span_of(u), span_of(v), span_of(vorticity), span_of(divergence));
      },
      Released());
  type.def(
      "gradient",
      [](Transform& t, const Spectrum& coefficients, const Output<double>& east,
         const Output<double>& north) { t.gradient(span_of(coefficients), span_of(east), span_of(north)); },
      Released());
}

Way way_named(const std::string& name) {
  require<ConfigError>(name == "synthesis" || name == "analysis", "way is '{}'. Use synthesis or analysis.",
                       name);
  return name == "synthesis" ? Way::synthesis : Way::analysis;
}

/// What any of the V x W sets holds.
void bind_sets(nb::class_<Transform>& type) {
  type.def_prop_ro("v", &Transform::v)
      .def_prop_ro("w", &Transform::w)
      .def_prop_ro("n_points", &Transform::n_points)
      .def("wavenumbers",
           [](const Transform& t, int w) { return to_numpy(std::vector(t.sets().wavenumbers(w))); })
      .def("rows", [](const Transform& t, int w) { return to_numpy(t.sets().rows(w)); })
      .def("points", [](const Transform& t, int v, int w) { return to_numpy(t.sets().points(v, w)); })
      .def("fields", [](const Transform& t, int n, int v) {
        const FieldGroups fields{n, t.sets().counts().v, 1};
        return std::pair(fields.first(v), fields.size(v));
      });
}

void bind_measurements(nb::class_<Transform>& type) {
  type.def("schedule",
           [](const Transform& t, const std::string& way, int n_fields) -> schedule::SchedulePointer {
             return std::make_shared<schedule::Pipeline>(t.schedule(way_named(way), n_fields));
           })
      .def(
          "compute",
          [](Transform& t, const std::string& way, const Output<Complex>& coefficients,
             const Output<double>& values) {
            t.compute(way_named(way), span_of(coefficients), span_of(values));
          },
          Released())
      .def_prop_ro("statistics", &Transform::statistics)
      .def_prop_ro("fourier_s", &Transform::fourier_s)
      .def_prop_ro("legendre_s", &Transform::legendre_s);
}

}  // namespace

void bind_transform(nb::module_& m) {
  bind_grid(m);
  nb::class_<Transform> type(m, "Transform");
  type.def(
          "__init__",
          [](Transform* self, const Grid& grid, int truncation, double radius, std::size_t memory,
             int group) { new (self) Transform(grid, truncation, {radius, memory, group}); },
          nb::arg("grid"), nb::arg("truncation"), nb::arg("radius"), nb::arg("memory"), nb::arg("group"),
          Released())
      .def(
          "__init__",
          [](Transform* self, const comm::Communicator& comm, const std::pair<int, int>& sets,
             const Grid& grid, int truncation, double radius, std::size_t memory, int group) {
            new (self) Transform(comm, {sets.first, sets.second}, grid, truncation, {radius, memory, group});
          },
          nb::arg("comm"), nb::arg("sets"), nb::arg("grid"), nb::arg("truncation"), nb::arg("radius"),
          nb::arg("memory"), nb::arg("group"), Released())
      .def("communicate",
           [](Transform& t, const std::string& algorithm, const std::string& method,
              std::shared_ptr<comm::Progress> progress, int groups, int ahead) {
             t.communicate({schedule::alltoall_named(algorithm), comm::method_named(method),
                            std::move(progress), groups, ahead});
           })
      .def_prop_ro("kept_bytes", &Transform::kept_bytes);
  bind_transforms(type);
  bind_sets(type);
  bind_measurements(type);
}
