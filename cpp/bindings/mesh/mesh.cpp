#include <nanobind/stl/string.h>

#include <algorithm>

#include "bindings/arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/geometry/cut.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"
#include "halcyon/mesh/geometry/quality.hpp"

void bind_mesh_files(nb::module_& m);
void bind_mesh_generator(nb::module_& m);

namespace {

using namespace halcyon;
using namespace halcyon::mesh;

using Released = nb::call_guard<nb::gil_scoped_release>;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A new numpy array that cannot be written: the mesh would not change with it.
auto copy_of(std::vector<double> values) {
  auto* kept = new std::vector<double>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return view(owner, *kept);
}

/// A new numpy array with a number a point.
auto per_point(const std::vector<Vector3>& points, double (*value)(Vector3)) {
  std::vector<double> values(points.size());
  std::ranges::transform(points, values.begin(), value);
  return copy_of(std::move(values));
}

void bind_coordinates(nb::class_<Mesh>& type, const char* lat, const char* lon,
                      std::vector<Vector3> Mesh::* points) {
  const auto getter = [points](double (*value)(Vector3)) {
    return [points, value](const Mesh& m) { return per_point(m.*points, value); };
  };
  type.def_prop_ro(lat, getter(latitude), nb::rv_policy::automatic);
  type.def_prop_ro(lon, getter(longitude), nb::rv_policy::automatic);
}

/// Replaces an array that has one value a cell.
void set_per_cell(const Mesh& mesh, const char* name, std::vector<double>& target, const Values& values) {
  require<InputError>(values.size() == mesh.cell_points.size(),
                      "{} has {} values, but the mesh has {} cells.", name, values.size(),
                      mesh.cell_points.size());
  target.assign(values.data(), values.data() + values.size());
}

void bind_arrays(nb::class_<Mesh>& type) {
  bind_view(type, "cell_offsets", &Mesh::cell_offsets);
  bind_view(type, "cells_on_cell", &Mesh::cells_on_cell);
  bind_view(type, "edges_on_cell", &Mesh::edges_on_cell);
  bind_view(type, "vertices_on_cell", &Mesh::vertices_on_cell);
  bind_view(type, "cells_on_edge", &Mesh::cells_on_edge);
  bind_view(type, "vertices_on_edge", &Mesh::vertices_on_edge);
  bind_view(type, "cells_on_vertex", &Mesh::cells_on_vertex);
  bind_view(type, "edges_on_vertex", &Mesh::edges_on_vertex);
  bind_view(type, "edge_offsets", &Mesh::edge_offsets);
  bind_view(type, "edges_on_edge", &Mesh::edges_on_edge);
  bind_view(type, "weights_on_edge", &Mesh::weights_on_edge);
  bind_view(type, "cell_points", &Mesh::cell_points);
  bind_view(type, "edge_points", &Mesh::edge_points);
  bind_view(type, "vertex_points", &Mesh::vertex_points);
  bind_view(type, "area_cell", &Mesh::area_cell);
  bind_view(type, "area_triangle", &Mesh::area_triangle);
  bind_view(type, "kite_areas_on_vertex", &Mesh::kite_areas_on_vertex);
  bind_view(type, "dc_edge", &Mesh::dc_edge);
  bind_view(type, "dv_edge", &Mesh::dv_edge);
  bind_view(type, "angle_edge", &Mesh::angle_edge);
  bind_coordinates(type, "cell_latitude", "cell_longitude", &Mesh::cell_points);
  bind_coordinates(type, "edge_latitude", "edge_longitude", &Mesh::edge_points);
  bind_coordinates(type, "vertex_latitude", "vertex_longitude", &Mesh::vertex_points);
}

void bind_reports(nb::module_& m) {
  nb::class_<Identities>(m, "Identities")
      .def_ro("area", &Identities::area)
      .def_ro("antisymmetry", &Identities::antisymmetry)
      .def_ro("divergence", &Identities::divergence)
      .def_ro("orthogonality", &Identities::orthogonality);
  nb::class_<Quality>(m, "Quality")
      .def_ro("cell_min", &Quality::cell_min)
      .def_ro("cell_mean", &Quality::cell_mean)
      .def_ro("triangle_min", &Quality::triangle_min)
      .def_ro("triangle_mean", &Quality::triangle_mean)
      .def_ro("dc_min", &Quality::dc_min)
      .def_ro("dc_mean", &Quality::dc_mean)
      .def_ro("dc_max", &Quality::dc_max)
      .def_ro("area_ratio", &Quality::area_ratio)
      .def_ro("n_obtuse", &Quality::n_obtuse);
}

using Cells = nb::ndarray<const LocalIndex, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Keep = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Mesh select_cells(const Mesh& whole, Cells cells) {
  return mesh::select(whole, {cells.data(), cells.size()});
}

Mesh cut(const Mesh& whole, Keep keep) {
  return mesh::cut(whole, {keep.data(), keep.size()});
}

Mesh ordered(const Mesh& given, const std::string& order) {
  return mesh::ordered(given, graph::order_named(order));
}

auto clean(const Mesh& whole, Keep keep) {
  return to_numpy(mesh::clean({whole.cell_offsets, whole.cells_on_cell}, {keep.data(), keep.size()}));
}

void bind_parts(nb::module_& m) {
  m.def("select", &select_cells, nb::arg("mesh"), nb::arg("cells"), Released(),
        "The part of a mesh that has the named cells (int32), in the order in which they are named. Raises "
        "InputError if there are none, or one is named twice or is not there.");
  m.def("cut", &cut, nb::arg("mesh"), nb::arg("keep"), Released(),
        "The part of a mesh whose cells keep (cell, uint8) names, in their order. Raises InputError if keep "
        "has "
        "another length, or keeps nothing.");
  m.def("ordered", &ordered, nb::arg("mesh"), nb::arg("order"), Released(),
        "The mesh with its cells in one of halcyon.graph.ORDERS, and edges and vertices as these touch them. "
        "Raises ConfigError where there is no such order.");
  m.def("clean", &clean, nb::arg("mesh"), nb::arg("keep"),
        "The cells (cell, uint8) of keep that neighbours join to the largest part, without dead ends: each "
        "has two "
        "kept neighbours or more. Raises InputError if keep has another length.");
}

}  // namespace

void bind_mesh(nb::module_& m) {
  nb::class_<Mesh> type(m, "Mesh");
  type.def_prop_ro("n_cells", &Mesh::n_cells);
  type.def_prop_ro("n_edges", &Mesh::n_edges);
  type.def_prop_ro("n_vertices", &Mesh::n_vertices);
  bind_arrays(type);
  // These two are copies, since they can be replaced as a whole.
  type.def_prop_rw(
      "mesh_density", [](const Mesh& mesh) { return copy_of(mesh.mesh_density); },
      [](Mesh& mesh, Values values) { set_per_cell(mesh, "mesh_density", mesh.mesh_density, values); },
      nb::for_getter(nb::rv_policy::automatic));
  type.def_prop_rw(
      "bottom_depth", [](const Mesh& mesh) { return copy_of(mesh.bottom_depth); },
      [](Mesh& mesh, Values values) { set_per_cell(mesh, "bottom_depth", mesh.bottom_depth, values); },
      nb::for_getter(nb::rv_policy::automatic));
  bind_reports(m);
  bind_mesh_generator(m);
  bind_parts(m);
  m.def("identities", &identities, nb::arg("mesh"), Released());
  m.def("quality", &quality, nb::arg("mesh"), Released());
  bind_mesh_files(m);
}
