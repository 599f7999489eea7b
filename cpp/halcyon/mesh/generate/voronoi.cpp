#include "halcyon/mesh/generate/voronoi.hpp"

#include <algorithm>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/base/parallel.hpp"
#include "halcyon/mesh/generate/predicates.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::mesh {
namespace {

/// Triangles around each cell, in the order of vertices_on_cell: each triangle becomes a vertex.
using Rings = std::vector<LocalIndex>;

void set_cell_offsets(Mesh& mesh, const Triangulation& t) {
  mesh.cell_offsets.assign(t.points.size() + 1, 0);
  for (const Triangle& corners : t.corners)
    for (const LocalIndex cell : corners) ++mesh.cell_offsets[cell + 1];
  std::partial_sum(mesh.cell_offsets.begin(), mesh.cell_offsets.end(), mesh.cell_offsets.begin());
}

/// Lists the triangles around a cell, counter-clockwise, and, after each triangle, the neighbouring cell
/// between it and the next triangle.
void list_neighbours(Mesh& mesh, const Triangulation& t, LocalIndex cell, LocalIndex first, Rings& rings) {
  const LocalIndex begin = mesh.cell_offsets[cell], end = mesh.cell_offsets[cell + 1];
  LocalIndex triangle = first, i = begin;
  do {
    const int k = corner_of(t.corners[triangle], cell);
    rings[i] = triangle;
    mesh.cells_on_cell[i] = t.corners[triangle][previous_corner(k)];
    triangle = t.neighbours[triangle][next_corner(k)];
  } while (++i < end && triangle != first);
  require<InputError>(i == end && triangle == first,
                      "The triangles do not close around generator {}. Give a triangulation of the whole "
                      "sphere.",
                      cell);
  const auto cells = mesh.cells_on_cell.begin();
  const auto start = std::min_element(cells + begin, cells + end) - cells - begin;
  std::rotate(cells + begin, cells + begin + start, cells + end);
  std::rotate(rings.begin() + begin, rings.begin() + begin + start, rings.begin() + end);
}

/// Numbers the vertices in the order of their first use by the cells.
void number_vertices(Mesh& mesh, const Rings& rings) {
  std::vector<LocalIndex> vertex_of_triangle(rings.size() / 3, kNone);
  mesh.cells_on_vertex.reserve(vertex_of_triangle.size());
  mesh.vertices_on_cell.resize(rings.size());
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c) {
    LocalIndex right = mesh.cells_on_cell[mesh.cell_offsets[c + 1] - 1];
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
      LocalIndex& vertex = vertex_of_triangle[rings[i]];
      if (vertex == kNone) {
        vertex = static_cast<LocalIndex>(mesh.cells_on_vertex.size());
        mesh.cells_on_vertex.push_back({c, right, mesh.cells_on_cell[i]});
      }
      mesh.vertices_on_cell[i] = vertex;
      right = mesh.cells_on_cell[i];
    }
  }
}

/// Returns the edge between two cells; `cell` must be smaller than `other`.
LocalIndex edge_between(const Mesh& mesh, LocalIndex cell, LocalIndex other) {
  const auto begin = mesh.cells_on_cell.begin();
  const auto entry = std::find(begin + mesh.cell_offsets[cell], begin + mesh.cell_offsets[cell + 1], other);
  return mesh.edges_on_cell[entry - begin];
}

/// Returns n_cells + 1 offsets: edges first[c] .. first[c + 1] - 1 are those of cell c to neighbours of
/// larger index.
std::vector<LocalIndex> first_edges(const Mesh& mesh, int threads) {
  std::vector<LocalIndex> first(mesh.n_cells() + 1, 0);
  for_each_index(mesh.n_cells(), threads, [&](std::int64_t c) {
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i)
      first[c + 1] += c < mesh.cells_on_cell[i];
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

/// Numbers the edges in the order of their first use; edge j of a cell runs from its vertex j to j + 1.
void number_edges(Mesh& mesh, int threads) {
  const auto first_edge = first_edges(mesh, threads);
  mesh.cells_on_edge.resize(first_edge.back());
  mesh.vertices_on_edge.resize(first_edge.back());
  mesh.edges_on_cell.resize(mesh.cells_on_cell.size());
  for_each_index(mesh.n_cells(), threads, [&](std::int64_t c) {
    const LocalIndex begin = mesh.cell_offsets[c], end = mesh.cell_offsets[c + 1];
    LocalIndex next_edge = first_edge[c];
    for (LocalIndex i = begin; i < end; ++i) {
      if (mesh.cells_on_cell[i] < c) continue;
      mesh.cells_on_edge[next_edge] = {static_cast<LocalIndex>(c), mesh.cells_on_cell[i]};
      mesh.vertices_on_edge[next_edge] = {mesh.vertices_on_cell[i],
                                          mesh.vertices_on_cell[i + 1 < end ? i + 1 : begin]};
      mesh.edges_on_cell[i] = next_edge++;
    }
  });
  for_each_index(mesh.n_cells(), threads, [&](std::int64_t c) {
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i)
      if (mesh.cells_on_cell[i] < c)
        mesh.edges_on_cell[i] = edge_between(mesh, mesh.cells_on_cell[i], static_cast<LocalIndex>(c));
  });
}

/// Fills edges_on_vertex: edge j of a vertex separates the vertex's cells j and j + 1.
void list_edges_on_vertex(Mesh& mesh, int threads) {
  mesh.edges_on_vertex.resize(mesh.cells_on_vertex.size());
  for_each_index(static_cast<std::int64_t>(mesh.cells_on_vertex.size()), threads, [&](std::int64_t v) {
    for (int j = 0; j < 3; ++j) {
      const auto [low, high] =
          std::minmax({mesh.cells_on_vertex[v][j], mesh.cells_on_vertex[v][next_corner(j)]});
      mesh.edges_on_vertex[v][j] = edge_between(mesh, low, high);
    }
  });
}

}  // namespace

void connect(Mesh& mesh, const Triangulation& t, int threads) {
  set_cell_offsets(mesh, t);
  const auto first = first_triangles(t);
  Rings rings(3 * t.corners.size());
  mesh.cells_on_cell.resize(rings.size());
  for_each_index(mesh.n_cells(), threads, [&](std::int64_t c) {
    list_neighbours(mesh, t, static_cast<LocalIndex>(c), first[c], rings);
  });
  number_vertices(mesh, rings);
  number_edges(mesh, threads);
  list_edges_on_vertex(mesh, threads);
}

namespace {

/// The factors of the tangential weights within a cell i, in the order of the cell's lists.
struct WeightFactors {
  std::vector<double> kite_share, outward, length;  ///< A_iv / A_i; n_ei; l_e

  void gather(const Mesh& mesh, LocalIndex cell) {
    for (auto* values : {&kite_share, &outward, &length}) values->clear();
    for (LocalIndex i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
      const LocalIndex edge = mesh.edges_on_cell[i];
      kite_share.push_back(kite_area(mesh, cell, mesh.vertices_on_cell[i]) / mesh.area_cell[cell]);
      outward.push_back(mesh.cells_on_edge[edge][0] == cell ? 1.0 : -1.0);
      length.push_back(mesh.dv_edge[edge]);
    }
  }
};

LocalIndex n_sides(const Mesh& mesh, LocalIndex cell) {
  return cell == kNone ? 0 : mesh.cell_offsets[cell + 1] - mesh.cell_offsets[cell];
}

/// Writes, for each edge of a cell, the cell's other edges counter-clockwise with their weights: at the front
/// of the edge's list if the cell is the edge's first cell, otherwise after the entries of the first cell.
void list_weights(Mesh& mesh, LocalIndex cell, const WeightFactors& factors) {
  const LocalIndex n = n_sides(mesh, cell);
  const LocalIndex* edges = &mesh.edges_on_cell[mesh.cell_offsets[cell]];
  for (LocalIndex j = 0; j < n; ++j) {
    const LocalIndex edge = edges[j], first_cell = mesh.cells_on_edge[edge][0];
    LocalIndex entry = mesh.edge_offsets[edge] + (first_cell == cell ? 0 : n_sides(mesh, first_cell) - 1);
    const double scale = factors.outward[j] / mesh.dc_edge[edge];
    double kite_sum = 0;
    for (LocalIndex k = 1, other = j; k < n; ++k, ++entry) {
      other = other + 1 == n ? 0 : other + 1;
      kite_sum += factors.kite_share[other];
      mesh.edges_on_edge[entry] = edges[other];
      mesh.weights_on_edge[entry] = scale * factors.outward[other] * (0.5 - kite_sum) * factors.length[other];
    }
  }
}

}  // namespace

void compute_tangential_weights(Mesh& mesh, int threads) {
  mesh.edge_offsets.assign(1, 0);
  mesh.edge_offsets.reserve(mesh.cells_on_edge.size() + 1);
  for (const auto& [first, second] : mesh.cells_on_edge)
    mesh.edge_offsets.push_back(mesh.edge_offsets.back() + n_sides(mesh, first) - 1 +
                                std::max(0, n_sides(mesh, second) - 1));
  mesh.edges_on_edge.resize(mesh.edge_offsets.back());
  mesh.weights_on_edge.resize(mesh.edge_offsets.back());
  for_blocks(mesh.n_cells(), threads, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    WeightFactors factors;
    for (auto cell = static_cast<LocalIndex>(begin); cell < end; ++cell) {
      factors.gather(mesh, cell);
      list_weights(mesh, cell, factors);
    }
  });
}

namespace {

constexpr double kMaxInverted = 1e-9;  // [rad] tolerated length of an inverted edge (cocircular points)
constexpr LocalIndex kMaxCells = 70'000'000;  // 30 entries of edges_on_edge per cell fit 32-bit offsets

void compute_vertices(Mesh& mesh, int threads) {
  mesh.vertex_points.resize(mesh.cells_on_vertex.size());
  for_each_index(mesh.n_vertices(), threads, [&](std::int64_t v) {
    const auto& [a, b, c] = mesh.cells_on_vertex[v];
    mesh.vertex_points[v] = vertex_point(mesh.cell_points[a], mesh.cell_points[b], mesh.cell_points[c]);
  });
}

/// Computes the point, lengths and angle of an edge; the point is the midpoint of the arc between the cells.
void measure_edge(Mesh& mesh, std::int64_t e) {
  const Vector3 from = mesh.cell_points[mesh.cells_on_edge[e][0]];
  const Vector3 to = mesh.cell_points[mesh.cells_on_edge[e][1]];
  const Vector3 right = mesh.vertex_points[mesh.vertices_on_edge[e][0]];
  const Vector3 left = mesh.vertex_points[mesh.vertices_on_edge[e][1]];
  const Vector3 point = normalized(from + to), normal = to - from;
  mesh.dc_edge[e] = arc_length(from, to);
  require<InputError>(dot(left - right, cross(point, normal)) > -kMaxInverted * mesh.dc_edge[e],
                      "The triangulation is not Delaunay between generators {} and {}. Flip the edge between "
                      "them.",
                      mesh.cells_on_edge[e][0], mesh.cells_on_edge[e][1]);
  mesh.edge_points[e] = point;
  mesh.dv_edge[e] = arc_length(right, left);
  mesh.angle_edge[e] = angle_from_east(point, normal);
}

void measure_edges(Mesh& mesh, int threads) {
  const std::size_t n = mesh.cells_on_edge.size();
  mesh.edge_points.resize(n);
  for (auto* values : {&mesh.dc_edge, &mesh.dv_edge, &mesh.angle_edge}) values->resize(n);
  for_each_index(mesh.n_edges(), threads, [&](std::int64_t e) { measure_edge(mesh, e); });
}

/// Computes the kites (cell, edge, vertex, edge) of a triangle; those of an obtuse one can be negative.
void measure_triangle(Mesh& mesh, std::int64_t v) {
  const Vector3 vertex = mesh.vertex_points[v];
  double sum = 0;
  for (int j = 0; j < 3; ++j) {
    const Vector3 cell = mesh.cell_points[mesh.cells_on_vertex[v][j]];
    const Vector3 right = mesh.edge_points[mesh.edges_on_vertex[v][j]];
    const Vector3 left = mesh.edge_points[mesh.edges_on_vertex[v][previous_corner(j)]];
    const double kite = kite_area(cell, right, vertex, left);
    mesh.kite_areas_on_vertex[v][j] = kite;
    sum += kite;
  }
  mesh.area_triangle[v] = sum;
}

void measure_areas(Mesh& mesh, int threads) {
  mesh.kite_areas_on_vertex.resize(mesh.vertex_points.size());
  mesh.area_triangle.resize(mesh.vertex_points.size());
  for_each_index(mesh.n_vertices(), threads, [&](std::int64_t v) { measure_triangle(mesh, v); });
  mesh.area_cell.assign(mesh.cell_points.size(), 0);
  for_each_index(mesh.n_cells(), threads, [&](std::int64_t c) {
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i)
      mesh.area_cell[c] += kite_area(mesh, static_cast<LocalIndex>(c), mesh.vertices_on_cell[i]);
  });
}

}  // namespace

Mesh voronoi_mesh(const Triangulation& triangulation, int threads) {
  require<InputError>(triangulation.n_points() <= kMaxCells,
                      "A mesh of {} cells has lists too long for its 32-bit indices. Give at most {}.",
                      triangulation.n_points(), kMaxCells);
  Mesh mesh;
  mesh.cell_points = triangulation.points;
  mesh.mesh_density.assign(triangulation.points.size(), 1.0);
  connect(mesh, triangulation, threads);
  compute_vertices(mesh, threads);
  measure_edges(mesh, threads);
  measure_areas(mesh, threads);
  compute_tangential_weights(mesh, threads);
  return mesh;
}

}  // namespace halcyon::mesh
