#include <algorithm>

#include "halcyon/base/atomic_file.hpp"
#include "halcyon/base/error.hpp"
#include "halcyon/mesh/files/classic_file.hpp"
#include "halcyon/mesh/files/netcdf.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"
#include "halcyon/mesh/geometry/quality.hpp"
#include "halcyon/mesh/mpas/mpas.hpp"

namespace halcyon::mesh {
namespace {

struct Dimensions {
  int cells, edges, vertices, max_edges, max_edges_2, two, degree;  ///< ids of the file's dimensions
};

/// Returns the filling function of a column whose row i is value(i).
template <class T, class Value>
NetcdfOutput::Fill<T> column_of(Value value) {
  return [value](std::size_t first, std::size_t n, T* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(value(static_cast<LocalIndex>(first + i)));
  };
}

NetcdfOutput::Fill<double> column(const std::vector<double>& values) {
  return column_of<double>([&values](LocalIndex i) { return values[i]; });
}

NetcdfOutput::Fill<std::int32_t> lengths(const std::vector<LocalIndex>& offsets) {
  return column_of<std::int32_t>([&offsets](LocalIndex i) { return offsets[i + 1] - offsets[i]; });
}

/// Returns the filling function of lists as rows of `width` columns, padded with 0; adds `shift` to entries.
template <class T>
NetcdfOutput::Fill<T> lists(const std::vector<LocalIndex>& offsets, const std::vector<T>& entries,
                            std::size_t width, T shift) {
  return [&offsets, &entries, width, shift](std::size_t first, std::size_t n, T* out) {
    for (std::size_t row = first; row < first + n; ++row, out += width) {
      const auto begin = entries.begin() + offsets[row], end = entries.begin() + offsets[row + 1];
      T* const padding = std::transform(begin, end, out, [shift](T value) { return value + shift; });
      std::fill(padding, out + width, T{0});
    }
  };
}

/// Returns the filling function of rows of K numbers plus `shift`; 1 makes indices one-based.
template <class T, std::size_t K>
NetcdfOutput::Fill<T> rows(const std::vector<std::array<T, K>>& values, T shift) {
  return [&values, shift](std::size_t first, std::size_t n, T* out) {
    for (std::size_t row = first; row < first + n; ++row)
      for (const T value : values[row]) *out++ = value + shift;
  };
}

/// Defines the coordinates and numbers of cells, edges or vertices. @param kind "Cell", "Edge" or "Vertex"
void define_points(NetcdfOutput& out, const std::string& kind, int rows, const std::vector<Vector3>& points) {
  const auto coordinate = [&](const char* name, auto value) {
    out.variable(name + kind, {rows},
                 column_of<double>([&points, value](LocalIndex i) { return value(points[i]); }));
  };
  coordinate("lat", [](Vector3 p) { return latitude(p); });
  coordinate("lon", [](Vector3 p) { return longitude(p); });
  coordinate("x", [](Vector3 p) { return p.x; });
  coordinate("y", [](Vector3 p) { return p.y; });
  coordinate("z", [](Vector3 p) { return p.z; });
  out.variable("indexTo" + kind + "ID", {rows}, column_of<std::int32_t>([](LocalIndex i) { return i + 1; }));
}

void define_cells(NetcdfOutput& out, const Dimensions& d, const Mesh& m, std::size_t width) {
  define_points(out, "Cell", d.cells, m.cell_points);
  out.variable("nEdgesOnCell", {d.cells}, lengths(m.cell_offsets));
  const auto list = [&](const char* name, const std::vector<LocalIndex>& entries) {
    out.variable(name, {d.cells, d.max_edges}, lists(m.cell_offsets, entries, width, 1));
  };
  list("cellsOnCell", m.cells_on_cell);
  list("edgesOnCell", m.edges_on_cell);
  list("verticesOnCell", m.vertices_on_cell);
  out.variable("areaCell", {d.cells}, column(m.area_cell));
  out.variable("meshDensity", {d.cells}, column(m.mesh_density));
  out.variable("cellQuality", {d.cells},
               column_of<double>([&m](LocalIndex c) { return cell_quality(m, c); }));
  out.variable("gridSpacing", {d.cells},
               column_of<double>([&m](LocalIndex c) { return cell_spacing(m, c); }));
  if (!m.bottom_depth.empty()) out.variable("bottomDepth", {d.cells}, column(m.bottom_depth));
}

void define_edges(NetcdfOutput& out, const Dimensions& d, const Mesh& m, std::size_t width) {
  define_points(out, "Edge", d.edges, m.edge_points);
  out.variable("cellsOnEdge", {d.edges, d.two}, rows(m.cells_on_edge, 1));
  out.variable("verticesOnEdge", {d.edges, d.two}, rows(m.vertices_on_edge, 1));
  out.variable("nEdgesOnEdge", {d.edges}, lengths(m.edge_offsets));
  out.variable("edgesOnEdge", {d.edges, d.max_edges_2}, lists(m.edge_offsets, m.edges_on_edge, width, 1));
  out.variable("weightsOnEdge", {d.edges, d.max_edges_2},
               lists(m.edge_offsets, m.weights_on_edge, width, 0.0));
  out.variable("dcEdge", {d.edges}, column(m.dc_edge));
  out.variable("dvEdge", {d.edges}, column(m.dv_edge));
  out.variable("angleEdge", {d.edges}, column(m.angle_edge));
}

void define_vertices(NetcdfOutput& out, const Dimensions& d, const Mesh& m) {
  define_points(out, "Vertex", d.vertices, m.vertex_points);
  out.variable("cellsOnVertex", {d.vertices, d.degree}, rows(m.cells_on_vertex, 1));
  out.variable("edgesOnVertex", {d.vertices, d.degree}, rows(m.edges_on_vertex, 1));
  out.variable("kiteAreasOnVertex", {d.vertices, d.degree}, rows(m.kite_areas_on_vertex, 0.0));
  out.variable("areaTriangle", {d.vertices}, column(m.area_triangle));
  const auto per_vertex = [&]<class T>(const char* name, T (*value)(const Mesh&, LocalIndex)) {
    using Written = std::conditional_t<std::is_same_v<T, bool>, std::int32_t, T>;
    out.variable(name, {d.vertices}, column_of<Written>([&m, value](LocalIndex v) { return value(m, v); }));
  };
  per_vertex("triangleQuality", triangle_quality);
  per_vertex("obtuseTriangle", is_obtuse);
  per_vertex("boundaryVertex", is_boundary_vertex);
}

LocalIndex longest_length(const std::vector<LocalIndex>& offsets) {
  LocalIndex length = 0;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) length = std::max(length, offsets[i + 1] - offsets[i]);
  return length;
}

void define_attributes(NetcdfOutput& out, const Mesh& m) {
  out.attribute("on_a_sphere", "YES");
  out.attribute("sphere_radius", 1.0);
  out.attribute("is_periodic", "NO");
  out.attribute("mesh_spec", "1.0");
  out.attribute("Conventions", "MPAS");
  out.attribute("title", fmt::format("Voronoi mesh of {} cells", m.n_cells()));
  out.attribute("history", "written by Halcyon " HALCYON_VERSION);
}

void write_file(const std::string& path, const Mesh& m, Format format) {
  const auto width = static_cast<std::size_t>(
      std::max(longest_length(m.cell_offsets), (longest_length(m.edge_offsets) + 1) / 2));
  NetcdfOutput out(path, format);
  const Dimensions d{out.dimension("nCells", m.cell_points.size()),
                     out.dimension("nEdges", m.edge_points.size()),
                     out.dimension("nVertices", m.vertex_points.size()),
                     out.dimension("maxEdges", width),
                     out.dimension("maxEdges2", 2 * width),
                     out.dimension("TWO", 2),
                     out.dimension("vertexDegree", 3)};
  define_attributes(out, m);
  define_cells(out, d, m, width);
  define_edges(out, d, m, 2 * width);
  define_vertices(out, d, m);
  out.finish();
}

}  // namespace

Format format_named(const std::string& name) {
  require<ConfigError>(name == "cdf5" || name == "netcdf4",
                       "The format '{}' is unknown. Choose 'cdf5' or 'netcdf4'.", name);
  return name == "cdf5" ? Format::cdf5 : Format::netcdf4;
}

void write_mpas(const std::string& path, const Mesh& mesh, Format format) {
  require<InputError>(mesh.n_cells() > 0, "The mesh for {} has no cells.", path);
  write_atomically(path, [&](const std::string& part_path) {
    write_file(part_path, mesh, format);
    require_complete(part_path);
  });
}

}  // namespace halcyon::mesh
