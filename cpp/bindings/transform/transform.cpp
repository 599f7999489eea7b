#include "halcyon/transform/sphere/transform.hpp"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "halcyon/transform/sphere/grid.hpp"
#include "shared.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::transform;

using Numbers = Input<double>;
using Spectrum = Input<Complex>;
using Class = nb::class_<Transform, SharedTransform>;

void bind_grid(nb::module_& m) {
  nb::class_<Grid> type(m, "Grid");
  type.def(nb::init<std::vector<int>>(), nb::arg("row_lengths"))
      .def_static("full", &Grid::full, nb::arg("n_rows"), nb::arg("n_longitudes"))
      .def_static("reduced", &Grid::reduced, nb::arg("n_rows"), nb::arg("truncation"),
                  nb::arg("points_per_wave"), nb::arg("tolerance"), nb::arg("shortest"))
      .def_static("octahedral", &Grid::octahedral, nb::arg("n"))
      .def("holds", &holds, nb::arg("truncation"))
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

void bind_vectors(Class& type) {
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

void bind_laplacians(Class& type) {
  type.def("laplacian", [](const Transform& t, const Spectrum& x,
                           const Output<Complex>& y) { t.laplacian(span_of(x), span_of(y)); })
      .def("inverse_laplacian", [](const Transform& t, const Spectrum& y, const Output<Complex>& x) {
        t.inverse_laplacian(span_of(y), span_of(x));
      });
}

/// What any of the V x W sets holds.
void bind_sets(Class& type) {
  type.def("wavenumbers",
           [](const Transform& t, int w) { return to_numpy(std::vector(t.sets().wavenumbers(w))); })
      .def("rows", [](const Transform& t, int w) { return to_numpy(t.sets().rows(w)); })
      .def("fields", [](const Transform& t, int n, int v) {
        const FieldGroups fields{n, t.sets().counts().v, 1};
        return std::pair(fields.first(v), fields.size(v));
      });
}

}  // namespace

void bind_transform(nb::module_& m) {
  bind_shared_transform(m);
  bind_grid(m);
  Class type(m, "Transform");
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
      .def_prop_ro("kept_bytes", &Transform::kept_bytes);
  bind_vectors(type);
  bind_laplacians(type);
  bind_sets(type);
  bind_bifourier(m);
  bind_tuning(m);
}
