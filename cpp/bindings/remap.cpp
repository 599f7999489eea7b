#include "arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/remap/overlap.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::remap;

Overlaps overlaps_of(std::span<const Vector3> nodes, Indices offsets, Indices nodes_on_face,
                     const LatLonGrid& grid, int threads) {
  return overlaps({nodes, offsets, nodes_on_face}, grid, threads);
}

auto average_of(const Overlaps& areas, Numbers values, int threads) {
  require<InputError>(values.size() == areas.face_areas.size(),
                      "There are {} values, but {} faces. Give one value per face.", values.size(),
                      areas.face_areas.size());
  std::vector<double> means(areas.box_areas.size()), covered(means.size());
  without_gil([&] { average(areas, values, means, covered, threads); });
  return to_tuple(std::move(means), std::move(covered));
}

void bind_remap_grid(nb::module_& m) {
  nb::class_<LatLonGrid>(m, "LatLonGrid")
      .def(init_from([](Numbers longitudes, Numbers latitudes) {
             return LatLonGrid({longitudes.begin(), longitudes.end()}, {latitudes.begin(), latitudes.end()});
           }),
           "longitudes"_a, "latitudes"_a,
           "Boxes bounded by ascending meridians and parallels [rad]. Raises InputError if invalid.")
      .def(properties<&LatLonGrid::n_rows, &LatLonGrid::n_columns>())
      .def_prop_ro("areas", [](const LatLonGrid& grid) { return to_numpy(grid.areas()); });
}

}  // namespace

void bind_remap(nb::module_& m) {
  bind_remap_grid(m);
  nb::class_<Overlaps> type(m, "Overlaps",
                            "Overlap areas of mesh faces and grid boxes (row, column), rows from the south.");
  type.def(views<&Overlaps::offsets, &Overlaps::faces, &Overlaps::areas, &Overlaps::box_areas,
                 &Overlaps::face_areas>());
  m.def("overlaps", &overlaps_of, "nodes"_a, "offsets"_a, "nodes_on_face"_a, "grid"_a, "threads"_a = 0,
        ReleaseGil(),
        "Overlap areas of mesh faces and the boxes of a grid: nodes (node, 3) on the unit sphere; face i has "
        "the nodes nodes_on_face[offsets[i] : offsets[i + 1]]. Raises InputError for invalid faces.");
  m.def("average", &average_of, "overlaps"_a, "values"_a, "threads"_a = 0,
        "Returns means (box) of values (face; NaN: missing), and the fraction of each box's area that has "
        "values.");
}
