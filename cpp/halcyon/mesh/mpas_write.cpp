#include <netcdf.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/classic_file.hpp"
#include "halcyon/mesh/geometry.hpp"
#include "halcyon/mesh/mpas.hpp"
#include "halcyon/mesh/quality.hpp"

namespace halcyon::mesh {
namespace {

/// A netCDF file being made: variables are defined with a function that fills them, then all are written.
class Writer {
 public:
  explicit Writer(std::string path) : path_(std::move(path)) {
    check(nc_create(path_.c_str(), NC_CLOBBER | NC_64BIT_DATA, &file_));
    check(nc_set_fill(file_, NC_NOFILL, nullptr));
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    if (file_ >= 0) nc_abort(file_);
  }

  int dimension(const char* name, std::size_t length) {
    int id = 0;
    check(nc_def_dim(file_, name, length, &id));
    return id;
  }
  void attribute(const char* name, const std::string& text) {
    check(nc_put_att_text(file_, NC_GLOBAL, name, text.size(), text.c_str()));
  }
  void attribute(const char* name, double value) {
    check(nc_put_att_double(file_, NC_GLOBAL, name, NC_DOUBLE, 1, &value));
  }
  template <class Fill>
  void integers(const char* name, std::vector<int> dimensions, Fill fill) {
    const int id = define(name, NC_INT, dimensions);
    pending_.push_back([this, id, fill] {
      const std::vector<int> values = fill();
      check(nc_put_var_int(file_, id, values.data()));
    });
  }
  template <class Fill>
  void reals(const char* name, std::vector<int> dimensions, Fill fill) {
    const int id = define(name, NC_DOUBLE, dimensions);
    pending_.push_back([this, id, fill] {
      const std::vector<double> values = fill();
      check(nc_put_var_double(file_, id, values.data()));
    });
  }
  void finish() {
    check(nc_enddef(file_));
    for (const auto& write : pending_) write();
    check(nc_close(std::exchange(file_, -1)));
  }

 private:
  int define(const char* name, nc_type type, const std::vector<int>& dimensions) {
    int id = 0;
    check(nc_def_var(file_, name, type, static_cast<int>(dimensions.size()), dimensions.data(), &id));
    return id;
  }
  void check(int status) const {
    require<RunError>(status == NC_NOERR,
                      "Cannot write {}: {}. Check the folder, its permissions and free space.", path_,
                      nc_strerror(status));
  }

  std::string path_;
  int file_ = -1;
  std::vector<std::function<void()>> pending_;
};

struct Dimensions {
  int cells, edges, vertices, max_edges, max_edges_2, two, degree;
};

std::vector<double> per(LocalIndex n, const std::function<double(LocalIndex)>& value) {
  std::vector<double> values(n);
  for (LocalIndex i = 0; i < n; ++i) values[i] = value(i);
  return values;
}

std::vector<int> flags(LocalIndex n, const std::function<bool(LocalIndex)>& value) {
  std::vector<int> values(n);
  for (LocalIndex i = 0; i < n; ++i) values[i] = value(i);
  return values;
}

/// Lists of varying length as a table of `width` columns, filled with 0 behind.
template <class T, class U>
std::vector<U> padded(const std::vector<LocalIndex>& offsets, const std::vector<T>& entries,
                      std::size_t width, U shift) {
  std::vector<U> table((offsets.size() - 1) * width, 0);
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
    for (LocalIndex i = offsets[row]; i < offsets[row + 1]; ++i)
      table[row * width + i - offsets[row]] = static_cast<U>(entries[i]) + shift;
  return table;
}

std::vector<int> lengths(const std::vector<LocalIndex>& offsets) {
  std::vector<int> n(offsets.size() - 1);
  for (std::size_t i = 0; i < n.size(); ++i) n[i] = offsets[i + 1] - offsets[i];
  return n;
}

/// Rows of K zero-based indices as one-based ones.
template <std::size_t K>
std::vector<int> one_based(const std::vector<std::array<LocalIndex, K>>& rows) {
  std::vector<int> values;
  values.reserve(K * rows.size());
  for (const auto& row : rows)
    for (const LocalIndex i : row) values.push_back(i + 1);
  return values;
}

std::vector<int> ids(LocalIndex n) {
  std::vector<int> values(n);
  for (LocalIndex i = 0; i < n; ++i) values[i] = i + 1;
  return values;
}

void define_points(Writer& out, const std::string& where, int dimension, const std::vector<Vector3>& points) {
  const auto n = static_cast<LocalIndex>(points.size());
  const auto put = [&](const char* what, auto value) {
    out.reals((what + where).c_str(), {dimension},
              [n, value, &points] { return per(n, [&](LocalIndex i) { return value(points[i]); }); });
  };
  put("lat", latitude);
  put("lon", longitude);
  put("x", [](Vector3 p) { return p.x; });
  put("y", [](Vector3 p) { return p.y; });
  put("z", [](Vector3 p) { return p.z; });
  out.integers(("indexTo" + where + "ID").c_str(), {dimension}, [n] { return ids(n); });
}

void define_cells(Writer& out, const Dimensions& d, const Mesh& m, std::size_t width) {
  const auto list = [&](const char* name, const std::vector<LocalIndex>& entries) {
    out.integers(name, {d.cells, d.max_edges},
                 [&m, &entries, width] { return padded(m.cell_offsets, entries, width, 1); });
  };
  define_points(out, "Cell", d.cells, m.cell_points);
  out.integers("nEdgesOnCell", {d.cells}, [&m] { return lengths(m.cell_offsets); });
  list("cellsOnCell", m.cells_on_cell);
  list("edgesOnCell", m.edges_on_cell);
  list("verticesOnCell", m.vertices_on_cell);
  out.reals("areaCell", {d.cells}, [&m] { return m.area_cell; });
  out.reals("meshDensity", {d.cells}, [&m] { return m.mesh_density; });
  out.reals("cellQuality", {d.cells},
            [&m] { return per(m.n_cells(), [&](LocalIndex c) { return cell_quality(m, c); }); });
  out.reals("gridSpacing", {d.cells},
            [&m] { return per(m.n_cells(), [&](LocalIndex c) { return cell_spacing(m, c); }); });
  if (!m.bottom_depth.empty()) out.reals("bottomDepth", {d.cells}, [&m] { return m.bottom_depth; });
}

void define_edges(Writer& out, const Dimensions& d, const Mesh& m, std::size_t width) {
  define_points(out, "Edge", d.edges, m.edge_points);
  out.integers("cellsOnEdge", {d.edges, d.two}, [&m] { return one_based(m.cells_on_edge); });
  out.integers("verticesOnEdge", {d.edges, d.two}, [&m] { return one_based(m.vertices_on_edge); });
  out.integers("nEdgesOnEdge", {d.edges}, [&m] { return lengths(m.edge_offsets); });
  out.integers("edgesOnEdge", {d.edges, d.max_edges_2},
               [&m, width] { return padded(m.edge_offsets, m.edges_on_edge, width, 1); });
  out.reals("weightsOnEdge", {d.edges, d.max_edges_2},
            [&m, width] { return padded(m.edge_offsets, m.weights_on_edge, width, 0.0); });
  out.reals("dcEdge", {d.edges}, [&m] { return m.dc_edge; });
  out.reals("dvEdge", {d.edges}, [&m] { return m.dv_edge; });
  out.reals("angleEdge", {d.edges}, [&m] { return m.angle_edge; });
}

void define_vertices(Writer& out, const Dimensions& d, const Mesh& m) {
  define_points(out, "Vertex", d.vertices, m.vertex_points);
  out.integers("cellsOnVertex", {d.vertices, d.degree}, [&m] { return one_based(m.cells_on_vertex); });
  out.integers("edgesOnVertex", {d.vertices, d.degree}, [&m] { return one_based(m.edges_on_vertex); });
  out.reals("kiteAreasOnVertex", {d.vertices, d.degree}, [&m] {
    const auto* first = m.kite_areas_on_vertex.front().data();
    return std::vector<double>(first, first + 3 * m.kite_areas_on_vertex.size());
  });
  out.reals("areaTriangle", {d.vertices}, [&m] { return m.area_triangle; });
  out.reals("triangleQuality", {d.vertices},
            [&m] { return per(m.n_vertices(), [&](LocalIndex v) { return triangle_quality(m, v); }); });
  out.integers("obtuseTriangle", {d.vertices},
               [&m] { return flags(m.n_vertices(), [&](LocalIndex v) { return is_obtuse(m, v); }); });
  out.integers("boundaryVertex", {d.vertices},
               [&m] { return flags(m.n_vertices(), [&](LocalIndex v) { return is_boundary(m, v); }); });
}

void write_whole(const std::string& path, const Mesh& m) {
  const auto cell_edges = lengths(m.cell_offsets), edge_edges = lengths(m.edge_offsets);
  const std::size_t width =
      std::max(*std::ranges::max_element(cell_edges), (*std::ranges::max_element(edge_edges) + 1) / 2);
  Writer out(path);
  const Dimensions d{out.dimension("nCells", m.cell_points.size()),
                     out.dimension("nEdges", m.edge_points.size()),
                     out.dimension("nVertices", m.vertex_points.size()),
                     out.dimension("maxEdges", width),
                     out.dimension("maxEdges2", 2 * width),
                     out.dimension("TWO", 2),
                     out.dimension("vertexDegree", 3)};
  out.attribute("on_a_sphere", "YES");
  out.attribute("sphere_radius", 1.0);
  out.attribute("is_periodic", "NO");
  out.attribute("mesh_spec", "1.0");
  out.attribute("Conventions", "MPAS");
  define_cells(out, d, m, width);
  define_edges(out, d, m, 2 * width);
  define_vertices(out, d, m);
  out.finish();
}

}  // namespace

void write_mpas(const std::string& path, const Mesh& mesh) {
  require<InputError>(mesh.n_cells() > 0, "The mesh for {} has no cells.", path);
  const std::string part = path + ".part";
  write_whole(part, mesh);
  require_whole(part);
  std::error_code failed;
  std::filesystem::rename(part, path, failed);
  require<RunError>(!failed, "Cannot rename {} to {}: {}.", part, path, failed.message());
}

}  // namespace halcyon::mesh
