#include <nanobind/ndarray.h>

#include "core.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/cut.hpp"
#include "halcyon/mesh/geometry.hpp"
#include "halcyon/mesh/quality.hpp"
#include "halcyon/mesh/voronoi.hpp"

void bind_mesh_files(nb::module_& m);

namespace {

using namespace halcyon;
using namespace halcyon::mesh;

using Released = nb::call_guard<nb::gil_scoped_release>;
using Points = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Triangles = nb::ndarray<const std::int32_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// The number type of an array's elements and how many an element holds.
template <class T>
struct Element {
  using type = T;
  static constexpr std::size_t n = 1;
};
template <class T, std::size_t K>
struct Element<std::array<T, K>> {
  using type = T;
  static constexpr std::size_t n = K;
};
template <>
struct Element<Vector3> {
  using type = double;
  static constexpr std::size_t n = 3;
};

/// A read-only numpy view on an array of the mesh, which it keeps alive.
template <class T>
auto view(nb::handle owner, const std::vector<T>& values) {
  using E = Element<T>;
  using N = typename E::type;
  const std::size_t shape[] = {values.size(), E::n};
  return nb::ndarray<nb::numpy, const N>(reinterpret_cast<const N*>(values.data()), E::n == 1 ? 1 : 2, shape,
                                         owner);
}

template <class T>
void bind_view(nb::class_<Mesh>& type, const char* name, std::vector<T> Mesh::* member) {
  const auto get = [member](nb::handle self) { return view(self, nb::cast<Mesh&>(self).*member); };
  type.def_prop_ro(name, get, nb::rv_policy::automatic);
}

/// A new numpy array with a number a point.
auto per_point(const std::vector<Vector3>& points, double (*value)(Vector3)) {
  auto* values = new std::vector<double>;
  for (const Vector3 p : points) values->push_back(value(p));
  nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return nb::ndarray<nb::numpy, double, nb::ndim<1>>(values->data(), {values->size()}, owner);
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

Mesh voronoi_from(Points generators, Triangles triangles) {
  return voronoi_mesh(
      {reinterpret_cast<const Vector3*>(generators.data()), generators.shape(0)},
      {reinterpret_cast<const std::array<LocalIndex, 3>*>(triangles.data()), triangles.shape(0)});
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

}  // namespace

void bind_mesh(nb::module_& m) {
  nb::class_<Mesh> type(m, "Mesh");
  type.def_prop_ro("n_cells", &Mesh::n_cells);
  type.def_prop_ro("n_edges", &Mesh::n_edges);
  type.def_prop_ro("n_vertices", &Mesh::n_vertices);
  bind_arrays(type);
  // These two are copies, since they can be replaced.
  type.def_prop_rw(
      "mesh_density",
      [](const Mesh& mesh) { return view(nb::handle(), mesh.mesh_density).cast(nb::rv_policy::copy); },
      [](Mesh& mesh, Values values) { set_per_cell(mesh, "mesh_density", mesh.mesh_density, values); });
  type.def_prop_rw(
      "bottom_depth",
      [](const Mesh& mesh) { return view(nb::handle(), mesh.bottom_depth).cast(nb::rv_policy::copy); },
      [](Mesh& mesh, Values values) { set_per_cell(mesh, "bottom_depth", mesh.bottom_depth, values); });
  bind_reports(m);
  m.def("voronoi_mesh", &voronoi_from, nb::arg("generators"), nb::arg("triangles"), Released());
  m.def(
      "cut", [](const Mesh& mesh, Flags keep) { return cut(mesh, {keep.data(), keep.size()}); },
      nb::arg("mesh"), nb::arg("keep"), Released());
  m.def("identities", &identities, nb::arg("mesh"), Released());
  m.def("quality", &quality, nb::arg("mesh"), Released());
  bind_mesh_files(m);
}
