#include <cmath>
#include <numbers>

#include "halcyon/base/error.hpp"
#include "halcyon/base/plausible.hpp"
#include "halcyon/mesh/files/netcdf.hpp"
#include "halcyon/mesh/generate/voronoi.hpp"
#include "halcyon/mesh/mpas/mpas.hpp"

namespace halcyon::mesh {
namespace {

/// A table of a GRIST file: a few components per point, stored as (component, point) or (point, component).
struct Table {
  const NetcdfInput& in;
  std::string name;
  std::size_t n_components, n_points;
  bool components_first;  ///< whether it is stored as (component, point)

  Table(const NetcdfInput& from, const std::string& variable) : in(from), name(variable) {
    const auto shape = in.shape(name);
    require<InputError>(shape.size() == 2, "{}: {} has {} dimensions, but must have 2 in a GRIST grid file.",
                        in.path(), name, shape.size());
    components_first = shape[0] < shape[1];
    n_components = shape[components_first ? 0 : 1];
    n_points = shape[components_first ? 1 : 0];
  }

  /// Reads one component at all points.
  std::vector<double> component(std::size_t k) const {
    require<InputError>(k < n_components,
                        "{}: {} has {} components, but more are needed. Make the grid again.", in.path(),
                        name, n_components);
    std::vector<double> values(n_points);
    if (components_first)
      in.read(name, {k, 0}, {1, n_points}, values.data());
    else
      in.read(name, {0, k}, {n_points, 1}, values.data());
    return values;
  }
};

/// Checks latitudes or longitudes [rad]. @param quantity latitude or longitude
void require_position(const NetcdfInput& in, const char* quantity, std::vector<double> values) {
  for (double& value : values) value *= 180 / std::numbers::pi;
  require_plausible(quantity, fmt::format("{}: the {} of vtx_ltln_nnb", in.path(), quantity), values,
                    [](std::size_t i) { return fmt::format("cell {}", i + 1); });
}

/// Reads the generators and normalizes them to the unit sphere.
std::vector<Vector3> generators_of(const NetcdfInput& in) {
  if (!in.has("vtx_p")) {
    const Table table(in, "vtx_ltln_nnb");
    const auto lat = table.component(0), lon = table.component(1);
    require_position(in, "latitude", lat);
    require_position(in, "longitude", lon);
    std::vector<Vector3> points(table.n_points);
    for (std::size_t i = 0; i < points.size(); ++i)
      points[i] = normalized(
          {std::cos(lat[i]) * std::cos(lon[i]), std::cos(lat[i]) * std::sin(lon[i]), std::sin(lat[i])});
    return points;
  }
  const Table table(in, "vtx_p");
  const auto x = table.component(0), y = table.component(1), z = table.component(2);
  std::vector<Vector3> points(table.n_points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double distance = norm({x[i], y[i], z[i]});
    require<InputError>(
        std::abs(distance - 1) < 1e-6,
        "{}: vtx_p of cell {} lies {} from the centre, but must be on the unit sphere. Make the "
        "grid again.",
        in.path(), i + 1, distance);
    points[i] = normalized({x[i], y[i], z[i]});
  }
  return points;
}

/// Reads the corners of the triangles, zero-based.
std::vector<std::array<LocalIndex, 3>> triangles_of(const NetcdfInput& in, std::size_t n_cells) {
  const Table table(in, "tri_v");
  std::vector<std::array<LocalIndex, 3>> triangles(table.n_points);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto cells = table.component(k);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      const bool is_valid =
          cells[t] >= 1 && cells[t] <= static_cast<double>(n_cells) && cells[t] == std::floor(cells[t]);
      require<InputError>(is_valid,
                          "{}: tri_v of triangle {} names cell {}, but must be 1..{}. Make the grid again.",
                          in.path(), t + 1, cells[t], n_cells);
      triangles[t][k] = static_cast<LocalIndex>(cells[t]) - 1;
    }
  }
  return triangles;
}

/// Computes the Voronoi mesh of a triangulation. Errors name the file.
Mesh mesh_of_triangles(const std::string& path, const std::vector<Vector3>& generators,
                       const std::vector<std::array<LocalIndex, 3>>& triangles) {
  try {
    return voronoi_mesh(triangulation_of(generators, triangles));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} (its points and triangles are counted from 0): {}", path, error.what()));
  }
}

void check_areas(const NetcdfInput& in, const Mesh& mesh) {
  if (!in.has("plg_area")) return;
  const Table table(in, "plg_area");
  const auto areas = table.component(table.n_components - 1);  // of the unit sphere
  for (std::size_t c = 0; c < areas.size() && c < mesh.area_cell.size(); ++c)
    require<InputError>(
        std::abs(areas[c] - mesh.area_cell[c]) <= 0.01 * mesh.area_cell[c],
        "{}: plg_area of cell {} is {}, but its Voronoi cell has {} square radii. Make the grid "
        "again.",
        in.path(), c + 1, areas[c], mesh.area_cell[c]);
}

bool is_grist_file(const NetcdfInput& in) {
  return in.has("tri_v") && (in.has("vtx_p") || in.has("vtx_ltln_nnb"));
}

}  // namespace

Mesh read_grist(const std::string& path) {
  const NetcdfInput in(path);
  require<InputError>(
      is_grist_file(in),
      "{} has no tri_v, or neither vtx_p nor vtx_ltln_nnb. Give the .2d.nc file of a GRIST grid.", path);
  const auto generators = generators_of(in);
  const auto triangles = triangles_of(in, generators.size());
  Mesh mesh = mesh_of_triangles(path, generators, triangles);
  check_areas(in, mesh);
  return mesh;
}

Mesh read_mesh(const std::string& path) {
  bool is_grist = false;
  {
    const NetcdfInput in(path);
    is_grist = is_grist_file(in);
    require<InputError>(
        is_grist || in.has("xCell"),
        "{} is not a mesh: it has neither the variables of MPAS (xCell, cellsOnCell, ...) nor of "
        "GRIST's .2d.nc files (vtx_p, tri_v). Give a mesh in one of these formats.",
        path);
  }
  return is_grist ? read_grist(path) : read_mpas(path);
}

}  // namespace halcyon::mesh
