#include "halcyon/mesh/cut.hpp"

#include <algorithm>

#include "halcyon/base/constants.hpp"
#include "halcyon/base/error.hpp"

namespace halcyon::mesh {
namespace {

/// What stays, in its new order, and where the old things went (kNone if nowhere).
struct Renumbering {
  std::vector<LocalIndex> kept, place;

  explicit Renumbering(LocalIndex n) : place(n, kNone) {}
  void touch(LocalIndex old) {
    if (place[old] != kNone) return;
    place[old] = static_cast<LocalIndex>(kept.size());
    kept.push_back(old);
  }
  LocalIndex operator()(LocalIndex old) const { return old == kNone ? kNone : place[old]; }
};

struct Renumberings {
  Renumbering cells, edges, vertices;
};

Renumberings renumber(const Mesh& mesh, std::span<const std::uint8_t> keep) {
  Renumberings to{Renumbering(mesh.n_cells()), Renumbering(mesh.n_edges()), Renumbering(mesh.n_vertices())};
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c) {
    if (!keep[c]) continue;
    to.cells.touch(c);
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
      to.edges.touch(mesh.edges_on_cell[i]);
      to.vertices.touch(mesh.vertices_on_cell[i]);
    }
  }
  return to;
}

template <class T>
std::vector<T> pick(const std::vector<T>& values, const std::vector<LocalIndex>& kept) {
  std::vector<T> picked;
  if (values.empty()) return picked;
  picked.reserve(kept.size());
  for (const LocalIndex old : kept) picked.push_back(values[old]);
  return picked;
}

/// Whether the first cell of an edge goes and the second stays.
bool turns(const Mesh& mesh, const Renumberings& to, LocalIndex edge) {
  return to.cells(mesh.cells_on_edge[edge][0]) == kNone;
}

void cut_cells(const Mesh& mesh, const Renumberings& to, Mesh& part) {
  part.cell_offsets.assign(1, 0);
  for (const LocalIndex c : to.cells.kept) {
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
      part.cells_on_cell.push_back(to.cells(mesh.cells_on_cell[i]));
      part.edges_on_cell.push_back(to.edges(mesh.edges_on_cell[i]));
      part.vertices_on_cell.push_back(to.vertices(mesh.vertices_on_cell[i]));
    }
    part.cell_offsets.push_back(static_cast<LocalIndex>(part.cells_on_cell.size()));
  }
  part.cell_points = pick(mesh.cell_points, to.cells.kept);
  part.area_cell = pick(mesh.area_cell, to.cells.kept);
  part.mesh_density = pick(mesh.mesh_density, to.cells.kept);
  part.bottom_depth = pick(mesh.bottom_depth, to.cells.kept);
}

void cut_edges(const Mesh& mesh, const Renumberings& to, Mesh& part) {
  part.edge_points = pick(mesh.edge_points, to.edges.kept);
  part.dc_edge = pick(mesh.dc_edge, to.edges.kept);
  part.dv_edge = pick(mesh.dv_edge, to.edges.kept);
  part.angle_edge = pick(mesh.angle_edge, to.edges.kept);
  for (const LocalIndex e : to.edges.kept) {
    const auto [first, second] = mesh.cells_on_edge[e];
    const auto [right, left] = mesh.vertices_on_edge[e];
    auto& cells = part.cells_on_edge.emplace_back(std::array{to.cells(first), to.cells(second)});
    auto& ends = part.vertices_on_edge.emplace_back(std::array{to.vertices(right), to.vertices(left)});
    if (!turns(mesh, to, e)) continue;
    std::swap(cells[0], cells[1]);
    std::swap(ends[0], ends[1]);
    double& angle = part.angle_edge[part.cells_on_edge.size() - 1];
    angle += angle > 0 ? -kPi : kPi;
  }
}

void append_tangent(const Mesh& mesh, const Renumberings& to, LocalIndex edge, LocalIndex from,
                    LocalIndex end, Mesh& part) {
  for (LocalIndex i = from; i < end; ++i) {
    const LocalIndex other = mesh.edges_on_edge[i];
    const LocalIndex place = to.edges(other);
    const bool reverses = place != kNone && turns(mesh, to, edge) != turns(mesh, to, other);
    part.edges_on_edge.push_back(place);
    part.weights_on_edge.push_back(place == kNone ? 0 : (reverses ? -1 : 1) * mesh.weights_on_edge[i]);
  }
}

void cut_tangents(const Mesh& mesh, const Renumberings& to, Mesh& part) {
  part.edge_offsets.assign(1, 0);
  for (const LocalIndex e : to.edges.kept) {
    const LocalIndex first = mesh.cells_on_edge[e][0], begin = mesh.edge_offsets[e];
    const LocalIndex middle = begin + mesh.cell_offsets[first + 1] - mesh.cell_offsets[first] - 1;
    const LocalIndex end = mesh.edge_offsets[e + 1];
    const bool turned = turns(mesh, to, e);
    append_tangent(mesh, to, e, turned ? middle : begin, turned ? end : middle, part);
    append_tangent(mesh, to, e, turned ? begin : middle, turned ? middle : end, part);
    part.edge_offsets.push_back(static_cast<LocalIndex>(part.edges_on_edge.size()));
  }
}

void cut_vertices(const Mesh& mesh, const Renumberings& to, Mesh& part) {
  part.vertex_points = pick(mesh.vertex_points, to.vertices.kept);
  part.area_triangle = pick(mesh.area_triangle, to.vertices.kept);
  for (const LocalIndex v : to.vertices.kept) {
    auto& cells = part.cells_on_vertex.emplace_back();
    auto& edges = part.edges_on_vertex.emplace_back();
    auto& kites = part.kite_areas_on_vertex.emplace_back();
    for (int j = 0; j < 3; ++j) {
      cells[j] = to.cells(mesh.cells_on_vertex[v][j]);
      edges[j] = to.edges(mesh.edges_on_vertex[v][j]);
      kites[j] = cells[j] == kNone ? 0 : mesh.kite_areas_on_vertex[v][j];
    }
  }
}

}  // namespace

Mesh cut(const Mesh& mesh, std::span<const std::uint8_t> keep) {
  require<InputError>(keep.size() == mesh.cell_points.size(),
                      "keep has {} entries, but the mesh has {} cells. Give one entry a cell.", keep.size(),
                      mesh.cell_points.size());
  const Renumberings to = renumber(mesh, keep);
  require<InputError>(!to.cells.kept.empty(), "No cell of the mesh is kept. Widen the region.");
  Mesh part;
  cut_cells(mesh, to, part);
  cut_edges(mesh, to, part);
  cut_tangents(mesh, to, part);
  cut_vertices(mesh, to, part);
  return part;
}

}  // namespace halcyon::mesh
