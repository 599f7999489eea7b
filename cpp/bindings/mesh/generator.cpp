#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <utility>

#include "bindings/arrays.hpp"
#include "halcyon/mesh/generate/lloyd.hpp"
#include "halcyon/mesh/generate/triangulation.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"

namespace {

using namespace halcyon;
using namespace halcyon::mesh;

using Table = Array<float, 3>;

using Points = std::span<const Vector3>;

/// Returns a copy of the triangulation with the points added.
Triangulation with_points(const Triangulation& t, Points points) {
  Triangulation extended = t;
  insert(extended, points);
  return extended;
}

Triangulation delaunay(const Triangulation& t, int threads) {
  return MovingDelaunay(t, threads).triangulation();
}

/// Runs `relax`. Checks Python's signals after each iteration, so that Ctrl-C ends the relaxation.
std::tuple<Triangulation, int, double> relax_with_signals(Triangulation start, const SpacingTable* spacing,
                                                          double tolerance, int limit, int threads,
                                                          const std::function<void(int, double)>& progress) {
  const auto report = [&](int iteration, double move) {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress) progress(iteration, move);
  };
  auto result = relax(std::move(start), spacing, {tolerance, limit, threads}, report);
  return {std::move(result.triangulation), result.iterations, result.move};
}

SpacingTable make_table(Table values) {
  const auto side = static_cast<int>(values.shape(2));
  return {side - 1, std::vector<float>(values.data(), values.data() + values.size())};
}

auto spacing_at(const SpacingTable& table, Points points) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const Vector3 p : points) values.push_back(table(p));
  return values;
}

void bind_triangulation(nb::module_& m) {
  nb::class_<Triangulation> type(
      m, "Triangulation",
      "A triangulation of the whole sphere: points (point, 3) on the unit sphere; corners (triangle, 3), "
      "counter-clockwise; neighbours (triangle, 3) across the side opposite each corner.");
  type.def_prop_ro("n_points", &Triangulation::n_points);
  type.def(views<&Triangulation::points, &Triangulation::corners, &Triangulation::neighbours>());
  m.def("triangulation_of", &triangulation_of, "points"_a, "triangles"_a, ReleaseGil(),
        "The triangulation of points (point, 3) by triangles (triangle, 3, int32) in any orientation and "
        "order. Raises InputError unless points are on the unit sphere and triangles cover it once.");
  m.def("icosahedron", &icosahedron, "The twelve corners and twenty faces of the icosahedron.");
  m.def("bisected", &bisected, "triangulation"_a, ReleaseGil(),
        "Splits each triangle into four at the midpoints of its sides: n points become 4 n - 6 points.");
  m.def("with_points", &with_points, "triangulation"_a, "points"_a, ReleaseGil(),
        "The Delaunay triangulation with points (point, 3) of the unit sphere added. Raises InputError if "
        "two points coincide.");
  m.def("delaunay", &delaunay, "triangulation"_a, "threads"_a = 0, ReleaseGil(),
        "Flips sides until every triangle is Delaunay (Lawson 1977).");
  m.def(
      "ordered_points",
      [](const Triangulation& t, List<const LocalIndex> order) { return ordered(t, order); },
      "triangulation"_a, "order"_a, ReleaseGil(),
      "The triangulation with its points reordered, order[new] = old (int32), and triangles sorted by their "
      "corners. Raises InputError unless the order is a permutation.");
}

}  // namespace

void bind_mesh_generator(nb::module_& m) {
  bind_triangulation(m);
  nb::class_<SpacingTable>(
      m, "SpacingTable",
      "Spacing [rad] on the faces of a cube, (face, n + 1, n + 1) in single precision at nodes(n), bilinear "
      "in between; called with points (point, 3). n_cells: number of hexagons that fill the sphere. Raises "
      "InputError for values that are not positive.")
      .def(init_from([](Table values) { return SpacingTable(make_table(values)); }), "values"_a)
      .def(
          "__call__",
          [](const SpacingTable& table, Points points) { return to_numpy(spacing_at(table, points)); },
          "points"_a)
      .def("scaled", &SpacingTable::scaled, "factor"_a)
      .def_prop_ro("n_cells", &SpacingTable::n_cells)
      .def_static("nodes", [](int n) { return to_numpy(SpacingTable::nodes(n)); }, "n"_a);
  m.def("relax", &relax_with_signals, "triangulation"_a, "spacing"_a.none(), nb::kw_only(), "tolerance"_a,
        "limit"_a, "threads"_a = 0, "progress"_a = nb::none(), ReleaseGil(),
        "Moves points to a centroidal Voronoi tessellation with the given spacing (None: uniform), by "
        "Lloyd's iteration with Nesterov's momentum. It ends when the mean move over the local "
        "spacing is below the tolerance, or after `limit` iterations. progress: called with (iteration, "
        "move). Returns the triangulation, the number of iterations and the last move. Raises ConfigError if "
        "tolerance or limit is not positive.");
  m.def("voronoi_mesh", &voronoi_mesh, "triangulation"_a, "threads"_a = 0, ReleaseGil(),
        "The Voronoi mesh of a Delaunay triangulation, cells in the order of its points. Raises InputError "
        "where a triangle is not Delaunay.");
}
