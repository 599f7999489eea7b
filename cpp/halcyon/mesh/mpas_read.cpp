#include <netcdf.h>

#include <algorithm>
#include <cmath>

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/classic_file.hpp"
#include "halcyon/mesh/mpas.hpp"
#include "halcyon/mesh/mpas_check.hpp"

namespace halcyon::mesh {
namespace {

/// A netCDF file being read.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    require_whole(path);
    const int status = nc_open(path.c_str(), NC_NOWRITE, &file_);
    require<InputError>(status == NC_NOERR, "Cannot read {}: {}. An MPAS mesh is a netCDF file.", path,
                        nc_strerror(status));
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { nc_close(file_); }

  std::size_t dimension(const char* name) const {
    int id = 0;
    std::size_t length = 0;
    require<InputError>(nc_inq_dimid(file_, name, &id) == NC_NOERR,
                        "{} has no dimension {}. Is it an MPAS mesh file?", path_, name);
    check(name, nc_inq_dimlen(file_, id, &length));
    return length;
  }
  bool has(const char* name) const {
    int id = 0;
    return nc_inq_varid(file_, name, &id) == NC_NOERR;
  }
  std::vector<int> integers(const char* name, std::size_t size) const {
    std::vector<int> values(size);
    check(name, nc_get_var_int(file_, variable(name, size), values.data()));
    return values;
  }
  std::vector<double> reals(const char* name, std::size_t size) const {
    std::vector<double> values(size);
    check(name, nc_get_var_double(file_, variable(name, size), values.data()));
    for (std::size_t i = 0; i < size; ++i)
      require<InputError>(std::isfinite(values[i]),
                          "{}: {} is not a number at entry {}. Make the mesh again.", path_, name, i + 1);
    return values;
  }
  /// The radius of the sphere [any unit].
  double radius() const {
    std::size_t length = 0;
    std::string text;
    if (nc_inq_attlen(file_, NC_GLOBAL, "on_a_sphere", &length) == NC_NOERR) {
      text.resize(length);
      nc_get_att_text(file_, NC_GLOBAL, "on_a_sphere", text.data());
    }
    require<InputError>(text.starts_with("YES") || text.starts_with("yes"),
                        "{}: on_a_sphere is '{}'. Only meshes on the sphere (YES) can be used.", path_, text);
    double value = 1;
    nc_get_att_double(file_, NC_GLOBAL, "sphere_radius", &value);
    require<InputError>(value > 0 && std::isfinite(value),
                        "{}: sphere_radius is {}, but must be positive. Set the attribute.", path_, value);
    return value;
  }

 private:
  int variable(const char* name, std::size_t size) const {
    int id = 0, rank = 0, dimensions[NC_MAX_VAR_DIMS];
    require<InputError>(nc_inq_varid(file_, name, &id) == NC_NOERR,
                        "{} has no variable {}. Make the mesh file with all variables of the MPAS format.",
                        path_, name);
    check(name, nc_inq_var(file_, id, nullptr, nullptr, &rank, dimensions, nullptr));
    std::size_t found = 1, length = 0;
    for (int d = 0; d < rank; ++d) {
      check(name, nc_inq_dimlen(file_, dimensions[d], &length));
      found *= length;
    }
    require<InputError>(found == size, "{}: {} has {} entries, but {} are needed. Make the mesh again.",
                        path_, name, found, size);
    return id;
  }
  void check(const char* name, int status) const {
    require<InputError>(status == NC_NOERR, "{}: {} cannot be read: {}.", path_, name, nc_strerror(status));
  }

  std::string path_;
  int file_ = -1;
};

std::vector<Vector3> read_points(const Reader& in, const std::string& path, const std::string& where,
                                 std::size_t n, double radius) {
  const auto x = in.reals(("x" + where).c_str(), n), y = in.reals(("y" + where).c_str(), n),
             z = in.reals(("z" + where).c_str(), n);
  std::vector<Vector3> points(n);
  for (std::size_t i = 0; i < n; ++i) {
    points[i] = radius == 1 ? Vector3{x[i], y[i], z[i]} : (1 / radius) * Vector3{x[i], y[i], z[i]};
    require<InputError>(std::abs(norm(points[i]) - 1) < 1e-6,
                        "{}: {} {} lies {} radii from the centre. Correct sphere_radius or x{}, y{}, z{}.",
                        path, where, i + 1, norm(points[i]), where, where, where);
  }
  return points;
}

/// Row lengths as offsets. @param width columns of the table
std::vector<LocalIndex> read_offsets(const Reader& in, const std::string& path, const char* name,
                                     std::size_t n, std::size_t width, int least) {
  const auto lengths = in.integers(name, n);
  std::vector<LocalIndex> offsets(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    require<InputError>(lengths[i] >= least && lengths[i] <= static_cast<int>(width),
                        "{}: {} is {} at entry {}, but must be {}..{}. Make the mesh again.", path, name,
                        lengths[i], i + 1, least, width);
    offsets[i + 1] = offsets[i] + lengths[i];
  }
  return offsets;
}

/// The entries of a padded table without the padding.
template <class T>
std::vector<T> packed(const std::vector<LocalIndex>& offsets, const std::vector<T>& table,
                      std::size_t width) {
  std::vector<T> entries;
  entries.reserve(offsets.back());
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
    for (LocalIndex i = 0; i < offsets[row + 1] - offsets[row]; ++i)
      entries.push_back(table[row * width + i]);
  return entries;
}

template <std::size_t K, class T, class U>
std::vector<std::array<T, K>> rows(const std::vector<U>& values, T shift) {
  std::vector<std::array<T, K>> result(values.size() / K);
  for (std::size_t i = 0; i < values.size(); ++i) result[i / K][i % K] = static_cast<T>(values[i]) - shift;
  return result;
}

std::vector<LocalIndex> zero_based(std::vector<int> values) {
  for (int& value : values) --value;
  return values;
}

std::vector<double> scaled(std::vector<double> values, double divisor) {
  if (divisor != 1)
    for (double& value : values) value /= divisor;
  return values;
}

void read_cells(const Reader& in, const std::string& path, std::size_t n, double radius, Mesh& m) {
  const std::size_t width = in.dimension("maxEdges");
  m.cell_points = read_points(in, path, "Cell", n, radius);
  m.cell_offsets = read_offsets(in, path, "nEdgesOnCell", n, width, 3);
  const auto list = [&](const char* name) {
    return zero_based(packed(m.cell_offsets, in.integers(name, n * width), width));
  };
  m.cells_on_cell = list("cellsOnCell");
  m.edges_on_cell = list("edgesOnCell");
  m.vertices_on_cell = list("verticesOnCell");
  m.area_cell = scaled(in.reals("areaCell", n), radius * radius);
  m.mesh_density = in.has("meshDensity") ? in.reals("meshDensity", n) : std::vector<double>(n, 1.0);
  if (in.has("bottomDepth")) m.bottom_depth = in.reals("bottomDepth", n);
}

void read_edges(const Reader& in, const std::string& path, std::size_t n, double radius, Mesh& m) {
  const std::size_t width = in.dimension("maxEdges2");
  m.edge_points = read_points(in, path, "Edge", n, radius);
  m.cells_on_edge = rows<2>(in.integers("cellsOnEdge", 2 * n), LocalIndex{1});
  m.vertices_on_edge = rows<2>(in.integers("verticesOnEdge", 2 * n), LocalIndex{1});
  m.edge_offsets = read_offsets(in, path, "nEdgesOnEdge", n, width, 0);
  m.edges_on_edge = zero_based(packed(m.edge_offsets, in.integers("edgesOnEdge", n * width), width));
  m.weights_on_edge = packed(m.edge_offsets, in.reals("weightsOnEdge", n * width), width);
  m.dc_edge = scaled(in.reals("dcEdge", n), radius);
  m.dv_edge = scaled(in.reals("dvEdge", n), radius);
  m.angle_edge = in.reals("angleEdge", n);
}

void read_vertices(const Reader& in, const std::string& path, std::size_t n, double radius, Mesh& m) {
  m.vertex_points = read_points(in, path, "Vertex", n, radius);
  m.cells_on_vertex = rows<3>(in.integers("cellsOnVertex", 3 * n), LocalIndex{1});
  m.edges_on_vertex = rows<3>(in.integers("edgesOnVertex", 3 * n), LocalIndex{1});
  m.area_triangle = scaled(in.reals("areaTriangle", n), radius * radius);
  m.kite_areas_on_vertex = rows<3>(scaled(in.reals("kiteAreasOnVertex", 3 * n), radius * radius), 0.0);
}

}  // namespace

Mesh read_mpas(const std::string& path) {
  const Reader in(path);
  require<InputError>(in.dimension("vertexDegree") == 3,
                      "{}: vertexDegree is {}, but must be 3 (a Voronoi mesh of triangles).", path,
                      in.dimension("vertexDegree"));
  const double radius = in.radius();
  Mesh mesh;
  read_cells(in, path, in.dimension("nCells"), radius, mesh);
  read_edges(in, path, in.dimension("nEdges"), radius, mesh);
  read_vertices(in, path, in.dimension("nVertices"), radius, mesh);
  check_lists(mesh, path);
  return mesh;
}

}  // namespace halcyon::mesh
