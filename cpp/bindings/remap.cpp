#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/remap/overlap.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::remap;

using Released = nb::call_guard<nb::gil_scoped_release>;
using Points = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

std::vector<double> copied(const Input<double>& values) {
  return {values.data(), values.data() + values.size()};
}

Overlaps overlaps_of(const Points& nodes, const Input<LocalIndex>& offsets,
                     const Input<LocalIndex>& nodes_on_face, const LatLonGrid& grid, int threads) {
  const Faces faces{{reinterpret_cast<const Vector3*>(nodes.data()), nodes.shape(0)},
                    span_of(offsets),
                    span_of(nodes_on_face)};
  return overlaps(faces, grid, threads);
}

auto average_of(const Overlaps& shared, const Input<double>& values, int threads) {
  require<InputError>(values.size() == shared.face_areas.size(),
                      "There are {} values, but {} faces. Give one value a face.", values.size(),
                      shared.face_areas.size());
  std::vector<double> means(shared.box_areas.size()), covered(means.size());
  {
    nb::gil_scoped_release released;
    average(shared, span_of(values), means, covered, threads);
  }
  return nb::make_tuple(to_numpy(std::move(means)), to_numpy(std::move(covered)));
}

void bind_grid(nb::module_& m) {
  nb::class_<LatLonGrid>(m, "LatLonGrid")
      .def(
          "__init__",
          [](LatLonGrid* self, Input<double> longitudes, Input<double> latitudes) {
            new (self) LatLonGrid(copied(longitudes), copied(latitudes));
          },
          nb::arg("longitudes"), nb::arg("latitudes"),
          "Boxes between meridians and parallels [rad], ascending; raises InputError where they are not.")
      .def_prop_ro("n_rows", &LatLonGrid::n_rows)
      .def_prop_ro("n_columns", &LatLonGrid::n_columns)
      .def_prop_ro("areas", [](const LatLonGrid& grid) { return to_numpy(grid.areas()); });
}

}  // namespace

void bind_remap(nb::module_& m) {
  bind_grid(m);
  nb::class_<Overlaps> type(m, "Overlaps", "What faces and boxes share; box (row, column), from the south.");
  bind_view(type, "offsets", &Overlaps::offsets);
  bind_view(type, "faces", &Overlaps::faces);
  bind_view(type, "areas", &Overlaps::areas);
  bind_view(type, "box_areas", &Overlaps::box_areas);
  bind_view(type, "face_areas", &Overlaps::face_areas);
  m.def("overlaps", &overlaps_of, nb::arg("nodes"), nb::arg("offsets"), nb::arg("nodes_on_face"),
        nb::arg("grid"), nb::arg("threads") = 0, Released(),
        "The areas that faces share with the boxes of a grid: nodes (node, 3) on the unit sphere, int32 "
        "offsets (face + 1) into nodes_on_face. Raises InputError for a face that is none.");
  m.def("average", &average_of, nb::arg("overlaps"), nb::arg("values"), nb::arg("threads") = 0,
        "Means (box) of values (face), NaN where missing, and the part of each box that they cover.");
}
