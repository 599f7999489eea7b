#include <nanobind/stl/string.h>

#include <algorithm>

#include "bindings/arrays.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/geometry/cut.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"
#include "halcyon/mesh/geometry/quality.hpp"

Bind bind_mesh_files, bind_mesh_generator;

namespace {

using namespace halcyon;
using namespace halcyon::mesh;

/// Returns a copy as a numpy array, read-only because writing to the copy would not change the mesh.
auto copy_of(std::vector<double> values) {
  const auto [vector, owner] = give_to_python(std::move(values));
  return view(owner, *vector);
}

/// Returns a new numpy array with one number per point.
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

/// Replaces an array with one value per cell.
void set_per_cell(const Mesh& mesh, const char* name, std::vector<double>& target,
                  List<const double> values) {
  require<InputError>(values.size() == mesh.cell_points.size(),
                      "{} has {} values, but the mesh has {} cells.", name, values.size(),
                      mesh.cell_points.size());
  target.assign(values.begin(), values.end());
}

void bind_arrays(nb::class_<Mesh>& type) {
  type.def(
      views<&Mesh::cell_offsets, &Mesh::cells_on_cell, &Mesh::edges_on_cell, &Mesh::vertices_on_cell,
            &Mesh::cells_on_edge, &Mesh::vertices_on_edge, &Mesh::cells_on_vertex, &Mesh::edges_on_vertex,
            &Mesh::edge_offsets, &Mesh::edges_on_edge, &Mesh::weights_on_edge, &Mesh::cell_points,
            &Mesh::edge_points, &Mesh::vertex_points, &Mesh::area_cell, &Mesh::area_triangle,
            &Mesh::kite_areas_on_vertex, &Mesh::dc_edge, &Mesh::dv_edge, &Mesh::angle_edge>());
  bind_coordinates(type, "cell_latitude", "cell_longitude", &Mesh::cell_points);
  bind_coordinates(type, "edge_latitude", "edge_longitude", &Mesh::edge_points);
  bind_coordinates(type, "vertex_latitude", "vertex_longitude", &Mesh::vertex_points);
}

void bind_reports(nb::module_& m) {
  nb::class_<Identities>(m, "Identities")
      .def(properties<&Identities::area, &Identities::antisymmetry, &Identities::divergence,
                      &Identities::orthogonality>());
  nb::class_<Quality>(m, "Quality")
      .def(properties<&Quality::cell_min, &Quality::cell_mean, &Quality::triangle_min,
                      &Quality::triangle_mean, &Quality::dc_min, &Quality::dc_mean, &Quality::dc_max,
                      &Quality::area_ratio, &Quality::n_obtuse>());
}

Mesh ordered(const Mesh& mesh, const std::string& order) {
  return mesh::ordered(mesh, graph::order_named(order));
}

auto clean_selection(const Mesh& whole, List<const std::uint8_t> keep) {
  return to_numpy(mesh::clean_selection({whole.cell_offsets, whole.cells_on_cell}, keep));
}

void bind_parts(nb::module_& m) {
  m.def(
      "select", [](const Mesh& whole, List<const LocalIndex> cells) { return mesh::select(whole, cells); },
      "mesh"_a, "cells"_a, ReleaseGil(),
      "The part of a mesh with the given cells (int32), in the given order. Raises InputError if cells is "
      "empty, or an index is repeated or out of range.");
  m.def(
      "cut", [](const Mesh& whole, List<const std::uint8_t> keep) { return mesh::cut(whole, keep); },
      "mesh"_a, "keep"_a, ReleaseGil(),
      "The part of a mesh with the cells where keep (cell, uint8) is not 0, in the order of the mesh. Raises "
      "InputError if keep has the wrong length or only zeros.");
  m.def("ordered", &ordered, "mesh"_a, "order"_a, ReleaseGil(),
        "The mesh with its cells in one of halcyon.graph.ORDERS; edges and vertices are numbered in the "
        "order in which cells first use them. Raises ConfigError for an unknown order.");
  m.def("clean_selection", &clean_selection, "mesh"_a, "keep"_a,
        "The largest connected component (cell, uint8) of the cells that keep marks, without dead ends: each "
        "cell has at least two kept neighbours. Raises InputError if keep has the wrong length.");
}

}  // namespace

void bind_mesh(nb::module_& m) {
  nb::class_<Mesh> type(m, "Mesh");
  type.def(properties<&Mesh::n_cells, &Mesh::n_edges, &Mesh::n_vertices>());
  bind_arrays(type);
  // mesh_density and bottom_depth return copies, since their setters replace the whole array.
  type.def_prop_rw(
      "mesh_density", [](const Mesh& mesh) { return copy_of(mesh.mesh_density); },
      [](Mesh& mesh, List<const double> values) {
        set_per_cell(mesh, "mesh_density", mesh.mesh_density, values);
      },
      nb::for_getter(nb::rv_policy::automatic));
  type.def_prop_rw(
      "bottom_depth", [](const Mesh& mesh) { return copy_of(mesh.bottom_depth); },
      [](Mesh& mesh, List<const double> values) {
        set_per_cell(mesh, "bottom_depth", mesh.bottom_depth, values);
      },
      nb::for_getter(nb::rv_policy::automatic));
  bind_reports(m);
  bind_mesh_generator(m);
  bind_parts(m);
  m.def("identities", &identities, "mesh"_a, ReleaseGil());
  m.def("quality", &quality, "mesh"_a, ReleaseGil());
  bind_mesh_files(m);
}
