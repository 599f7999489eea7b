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

using Released = nb::call_guard<nb::gil_scoped_release>;
using Points = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Triangles = nb::ndarray<const LocalIndex, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Order = nb::ndarray<const LocalIndex, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

std::span<const Vector3> as_points(const Points& points) {
  return {reinterpret_cast<const Vector3*>(points.data()), points.shape(0)};
}

std::span<const Triangle> as_triangles(const Triangles& triangles) {
  return {reinterpret_cast<const Triangle*>(triangles.data()), triangles.shape(0)};
}

/// A copy of the triangulation with more points.
Triangulation with_points(const Triangulation& t, Points points) {
  Triangulation more = t;
  insert(more, as_points(points));
  return more;
}

Triangulation delaunay(const Triangulation& t, int threads) {
  return MovingDelaunay(t, threads).triangulation();
}

/// `progress` returns to Python now and then, where also an interrupt is noticed.
std::tuple<Triangulation, int, double> relaxed(Triangulation start, const SpacingTable* spacing,
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
  values.reserve(points.shape(0));
  for (const Vector3 p : as_points(points)) values.push_back(table(p));
  return values;
}

void bind_triangulation(nb::module_& m) {
  nb::class_<Triangulation> type(
      m, "Triangulation",
      "A triangulation of the whole sphere: points (point, 3) on the unit sphere; corners "
      "(triangle, 3), counter-clockwise; neighbours (triangle, 3) across the side opposite "
      "each corner.");
  type.def_prop_ro("n_points", &Triangulation::n_points);
  bind_view(type, "points", &Triangulation::points);
  bind_view(type, "corners", &Triangulation::corners);
  bind_view(type, "neighbours", &Triangulation::neighbours);
  m.def(
      "triangulation_of",
      [](Points points, Triangles triangles) {
        return triangulation_of(as_points(points), as_triangles(triangles));
      },
      nb::arg("points"), nb::arg("triangles"), Released(),
      "The triangulation of points (point, 3) by triangles (triangle, 3, int32) of any orientation and "
      "order. Raises "
      "InputError if points are not on the unit sphere, or the triangles do not cover it once.");
  m.def("icosahedron", &icosahedron, "The twelve corners and twenty faces of the icosahedron.");
  m.def("bisected", &bisected, nb::arg("triangulation"), Released(),
        "Each triangle cut into four at the midpoints of its sides: 4 n - 6 points.");
  m.def("with_points", &with_points, nb::arg("triangulation"), nb::arg("points"), Released(),
        "The Delaunay triangulation with points (point, 3) of the unit sphere added. Raises InputError if "
        "one is there "
        "already.");
  m.def("delaunay", &delaunay, nb::arg("triangulation"), nb::arg("threads") = 0, Released(),
        "The triangulation with sides flipped until every triangle is Delaunay (Lawson 1977).");
  m.def(
      "ordered_points",
      [](const Triangulation& t, Order order) { return ordered(t, {order.data(), order.size()}); },
      nb::arg("triangulation"), nb::arg("order"), Released(),
      "The triangulation with points in an order, order[new] = old (int32), and triangles sorted by their "
      "corners. "
      "Raises InputError unless it is a permutation.");
}

}  // namespace

void bind_mesh_generator(nb::module_& m) {
  bind_triangulation(m);
  nb::class_<SpacingTable>(
      m, "SpacingTable",
      "Spacing [rad] on the faces of a cube, (face, n + 1, n + 1) in single precision at nodes(n), "
      "bilinear in between; called with points (n, 3). n_cells: the hexagons that fill the sphere. "
      "Raises InputError for values that are not positive.")
      .def(
          "__init__", [](SpacingTable* self, Table values) { new (self) SpacingTable(make_table(values)); },
          nb::arg("values"))
      .def(
          "__call__",
          [](const SpacingTable& table, Points points) { return to_numpy(spacing_at(table, points)); },
          nb::arg("points"))
      .def("scaled", &SpacingTable::scaled, nb::arg("factor"))
      .def_prop_ro("n_cells", &SpacingTable::n_cells)
      .def_static("nodes", [](int n) { return to_numpy(SpacingTable::nodes(n)); }, nb::arg("n"));
  m.def("relax", &relaxed, nb::arg("triangulation"), nb::arg("spacing").none(), nb::kw_only(),
        nb::arg("tolerance"), nb::arg("limit"), nb::arg("threads") = 0, nb::arg("progress") = nb::none(),
        Released(),
        "Moves points to a centroidal Voronoi tessellation of a spacing, a SpacingTable or None for the same "
        "everywhere: "
        "Lloyd's iteration with Nesterov's momentum. It ends when the mean over cells of a move over the "
        "local spacing "
        "is below the tolerance, or after `limit` iterations. progress: called with (iteration, move). Gives "
        "the "
        "triangulation, the iterations and the last move. Raises ConfigError if tolerance or limit is not "
        "positive.");
  m.def("voronoi_mesh", &voronoi_mesh, nb::arg("triangulation"), nb::arg("threads") = 0, Released(),
        "The Voronoi mesh of a Delaunay triangulation, cells in the order of its points. Raises InputError "
        "where a "
        "triangle is not Delaunay.");
}
