#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "halcyon/base/error.hpp"
#include "halcyon/base/plausible.hpp"
#include "halcyon/mesh/files/classic_file.hpp"
#include "halcyon/mesh/files/netcdf.hpp"
#include "halcyon/mesh/mpas/check.hpp"
#include "halcyon/mesh/mpas/mpas.hpp"

namespace halcyon::mesh {
namespace {

/// A file and the radius of its sphere, in the file's unit.
struct Source {
  const NetcdfInput& in;
  double radius;
  bool has_normalized = false;  ///< whether a point was normalized
};

double radius_of(const NetcdfInput& in) {
  const std::string text = in.text_attribute("on_a_sphere");
  // Without the attribute, to_unit_sphere checks that the points are on a sphere.
  require<InputError>(text.empty() || text == "YES" || text == "yes",
                      "{}: on_a_sphere is '{}'. Only meshes on the sphere (YES) can be used.", in.path(),
                      text);
  const double radius = in.number_attribute("sphere_radius", 1);
  require<InputError>(radius > 0 && std::isfinite(radius),
                      "{}: sphere_radius is {}, but must be positive. Set the attribute.", in.path(), radius);
  return radius;
}

/// Scales point i to the unit sphere; normalizes it if its length differs from 1 by more than rounding in
/// double precision. @param kind "Cell", "Edge" or "Vertex"
Vector3 to_unit_sphere(Source& from, const std::string& kind, std::size_t i, Vector3 point) {
  if (from.radius != 1) point = (1 / from.radius) * point;
  const double distance = norm(point);
  require<InputError>(std::abs(distance - 1) < 1e-6,
                      "{}: {} {} lies {} radii from the centre. Correct sphere_radius or x{}, y{}, z{}.",
                      from.in.path(), kind, i + 1, distance, kind, kind, kind);
  if (std::abs(distance - 1) <= 1e-12) return point;
  from.has_normalized = true;
  return normalized(point);
}

std::vector<Vector3> read_points(Source& from, const std::string& kind, std::size_t n) {
  std::vector<Vector3> points(n);
  const auto read = [&](const char* axis, double Vector3::* component) {
    from.in.read_blocks<double>(axis + kind, n, 1,
                                [&](std::size_t first, std::size_t count, const double* values) {
                                  for (std::size_t i = 0; i < count; ++i)
                                    points[first + i].*component = values[i];
                                });
  };
  read("x", &Vector3::x);
  read("y", &Vector3::y);
  read("z", &Vector3::z);
  for (std::size_t i = 0; i < n; ++i) points[i] = to_unit_sphere(from, kind, i, points[i]);
  return points;
}

/// Reads the lengths of lists, and converts them to offsets. @param width longest allowed length
std::vector<LocalIndex> read_offsets(const NetcdfInput& in, const char* name, std::size_t n,
                                     std::size_t width, int least) {
  std::vector<LocalIndex> offsets = in.read_integers(name, n);
  LocalIndex end = 0;
  for (std::size_t i = 0; i < n; ++i) {
    require<InputError>(offsets[i] >= least && offsets[i] <= static_cast<int>(width),
                        "{}: {} is {} at entry {}, but must be {}..{}. Make the mesh again.", in.path(), name,
                        offsets[i], i + 1, least, width);
    offsets[i] = std::exchange(end, end + offsets[i]);
  }
  offsets.push_back(end);
  return offsets;
}

/// Reads lists from a padded table. @param entry converts a number of the file to an entry
template <class T, class Value>
std::vector<T> read_lists(const NetcdfInput& in, const char* name, const std::vector<LocalIndex>& offsets,
                          std::size_t width, Value entry) {
  std::vector<T> entries(offsets.back());
  in.read_blocks<T>(name, offsets.size() - 1, width, [&](std::size_t first, std::size_t n, const T* values) {
    for (std::size_t row = first; row < first + n; ++row, values += width)
      std::transform(values, values + (offsets[row + 1] - offsets[row]), &entries[offsets[row]], entry);
  });
  return entries;
}

/// Converts a one-based index to a zero-based one; indices far out of range stay out of range.
LocalIndex zero_based(int i) {
  return static_cast<LocalIndex>(static_cast<unsigned>(i) - 1);
}

/// Returns a function that converts a one-based index as `zero_based`, but 0 and n + 1 to kNone: MPAS marks a
/// missing entry by 0 in files and by n + 1 in memory.
auto index_or_none(std::size_t n) {
  return [missing = static_cast<int>(n + 1)](int i) { return i == missing ? kNone : zero_based(i); };
}

/// Reads n rows of K numbers. @param entry converts a number of the file to an entry
template <class T, std::size_t K, class Value>
std::vector<std::array<T, K>> read_rows(const NetcdfInput& in, const char* name, std::size_t n, Value entry) {
  std::vector<std::array<T, K>> rows(n);
  in.read_blocks<T>(name, n, K, [&](std::size_t first, std::size_t count, const T* values) {
    std::transform(values, values + count * K, rows[first].data(), entry);
  });
  return rows;
}

/// Reads n numbers and divides them by `unit`.
std::vector<double> read_scaled(const NetcdfInput& in, const char* name, std::size_t n, double unit) {
  auto values = in.read_reals(name, n);
  if (unit != 1)
    for (double& value : values) value /= unit;
  return values;
}

struct Counts {
  std::size_t cells, edges, vertices;
};

void read_cells(Source& from, const Counts& n, Mesh& m) {
  const NetcdfInput& in = from.in;
  const std::size_t width = in.dimension("maxEdges");
  m.cell_points = read_points(from, "Cell", n.cells);
  m.cell_offsets = read_offsets(in, "nEdgesOnCell", n.cells, width, 3);
  m.cells_on_cell = read_lists<LocalIndex>(in, "cellsOnCell", m.cell_offsets, width, index_or_none(n.cells));
  m.edges_on_cell = read_lists<LocalIndex>(in, "edgesOnCell", m.cell_offsets, width, zero_based);
  m.vertices_on_cell = read_lists<LocalIndex>(in, "verticesOnCell", m.cell_offsets, width, zero_based);
  m.area_cell = read_scaled(in, "areaCell", n.cells, from.radius * from.radius);
  m.mesh_density = in.has("meshDensity") ? in.read_reals("meshDensity", n.cells) : std::vector(n.cells, 1.0);
  if (!in.has("bottomDepth")) return;
  m.bottom_depth = in.read_reals("bottomDepth", n.cells);
  require_plausible("depth", in.path() + ": bottomDepth", m.bottom_depth,
                    [](std::size_t i) { return fmt::format("cell {}", i + 1); });
}

void read_edges(Source& from, const Counts& n, Mesh& m) {
  const NetcdfInput& in = from.in;
  m.edge_points = read_points(from, "Edge", n.edges);
  m.cells_on_edge = read_rows<LocalIndex, 2>(in, "cellsOnEdge", n.edges, index_or_none(n.cells));
  m.vertices_on_edge = read_rows<LocalIndex, 2>(in, "verticesOnEdge", n.edges, zero_based);
  m.dc_edge = read_scaled(in, "dcEdge", n.edges, from.radius);
  m.dv_edge = read_scaled(in, "dvEdge", n.edges, from.radius);
  m.angle_edge = in.read_reals("angleEdge", n.edges);
  if (!in.has("nEdgesOnEdge") || !in.has("edgesOnEdge") || !in.has("weightsOnEdge")) return;
  const std::size_t width = in.dimension("maxEdges2");
  m.edge_offsets = read_offsets(in, "nEdgesOnEdge", n.edges, width, 0);
  m.edges_on_edge = read_lists<LocalIndex>(in, "edgesOnEdge", m.edge_offsets, width, index_or_none(n.edges));
  m.weights_on_edge =
      read_lists<double>(in, "weightsOnEdge", m.edge_offsets, width, [](double value) { return value; });
}

void read_vertices(Source& from, const Counts& n, Mesh& m) {
  const NetcdfInput& in = from.in;
  const double unit = from.radius * from.radius;
  m.vertex_points = read_points(from, "Vertex", n.vertices);
  m.area_triangle = read_scaled(in, "areaTriangle", n.vertices, unit);
  if (in.has("cellsOnVertex"))
    m.cells_on_vertex = read_rows<LocalIndex, 3>(in, "cellsOnVertex", n.vertices, index_or_none(n.cells));
  if (in.has("edgesOnVertex"))
    m.edges_on_vertex = read_rows<LocalIndex, 3>(in, "edgesOnVertex", n.vertices, index_or_none(n.edges));
  if (!in.has("kiteAreasOnVertex")) return;
  m.kite_areas_on_vertex = read_rows<double, 3>(
      in, "kiteAreasOnVertex", n.vertices, [unit](double area) { return unit == 1 ? area : area / unit; });
}

template <class T>
std::size_t hash_of(const std::vector<T>& values) {
  return std::hash<std::string_view>{}(
      {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

/// Returns hashes of all arrays that `canonicalize` can change.
auto hashes_of(const Mesh& m) {
  return std::array{hash_of(m.cells_on_cell),   hash_of(m.edges_on_cell),    hash_of(m.vertices_on_cell),
                    hash_of(m.cells_on_edge),   hash_of(m.vertices_on_edge), hash_of(m.cells_on_vertex),
                    hash_of(m.edges_on_vertex), hash_of(m.edge_offsets),     hash_of(m.edges_on_edge),
                    hash_of(m.weights_on_edge), hash_of(m.angle_edge),       hash_of(m.kite_areas_on_vertex)};
}

bool is_classic_without_records(const std::string& path) {
  const auto header = read_classic_header(path);
  return header && std::ranges::none_of(header->variables, &ClassicVariable::is_record);
}

/// A mesh, and whether its arrays are stored as `write_mpas` writes them.
struct ReadResult {
  Mesh mesh;
  bool is_canonical;
};

ReadResult read(const std::string& path) {
  const NetcdfInput in(path);
  const std::size_t degree = in.has("cellsOnVertex") ? in.dimension("vertexDegree") : 3;
  require<InputError>(degree == 3, "{}: vertexDegree is {}, but must be 3 (a Voronoi mesh of triangles).",
                      path, degree);
  Source from{in, radius_of(in)};
  const Counts n{in.dimension("nCells"), in.dimension("nEdges"), in.dimension("nVertices")};
  Mesh mesh;
  read_cells(from, n, mesh);
  read_edges(from, n, mesh);
  read_vertices(from, n, mesh);
  const auto before = hashes_of(mesh);
  canonicalize(mesh, path);
  const bool is_canonical = from.radius == 1 && !from.has_normalized && hashes_of(mesh) == before;
  return {std::move(mesh), is_canonical};
}

}  // namespace

Mesh read_mpas(const std::string& path) {
  return read(path).mesh;
}

bool is_canonical(const std::string& path) {
  return is_classic_without_records(path) && read(path).is_canonical;
}

}  // namespace halcyon::mesh
