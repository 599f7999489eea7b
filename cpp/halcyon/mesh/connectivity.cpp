#include "halcyon/mesh/connectivity.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::mesh {
namespace {

using Triangle = std::array<LocalIndex, 3>;

/// A triangle seen from one of its corners: counter-clockwise the corner, `right`, `left`.
struct Wedge {
  LocalIndex right, left, triangle;
};

/// The triangle with its corners counter-clockwise seen from outside.
Triangle oriented(Triangle t, const std::vector<Vector3>& points) {
  const Vector3 a = points[t[0]], b = points[t[1]], c = points[t[2]];
  if (dot(a, cross(b - a, c - a)) < 0) std::swap(t[1], t[2]);
  return t;
}

void check_corners(const Triangle& t, std::size_t at, LocalIndex n_cells) {
  for (const LocalIndex c : t)
    require<InputError>(c >= 0 && c < n_cells,
                        "Triangle {} names generator {}, but generators are numbered 0..{}.", at, c,
                        n_cells - 1);
  require<InputError>(t[0] != t[1] && t[1] != t[2] && t[2] != t[0],
                      "Triangle {} names generator {} twice. Remove duplicate points.", at, t[0]);
}

/// The wedges around each cell: entries offsets[c] .. offsets[c + 1], in no order.
std::vector<Wedge> collect_wedges(Mesh& mesh, std::span<const Triangle> triangles) {
  const LocalIndex n = mesh.n_cells();
  auto& offsets = mesh.cell_offsets;
  offsets.assign(n + 1, 0);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    check_corners(triangles[t], t, n);
    for (const LocalIndex c : triangles[t]) ++offsets[c + 1];
  }
  for (LocalIndex c = 0; c < n; ++c) offsets[c + 1] += offsets[c];
  std::vector<LocalIndex> fill(offsets.begin(), offsets.end() - 1);
  std::vector<Wedge> wedges(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Triangle corners = oriented(triangles[t], mesh.cell_points);
    for (int j = 0; j < 3; ++j)
      wedges[fill[corners[j]]++] = {corners[(j + 1) % 3], corners[(j + 2) % 3], static_cast<LocalIndex>(t)};
  }
  return wedges;
}

/// Sorts the wedges of a cell counter-clockwise.
void sort_around(std::span<Wedge> around, LocalIndex cell) {
  require<InputError>(around.size() >= 3,
                      "Generator {} is a corner of {} triangles. Give a triangulation "
                      "of the whole sphere, without duplicate points.",
                      cell, around.size());
  for (std::size_t j = 0; j < around.size(); ++j) {
    const LocalIndex wanted = around[j].left;
    const bool last = j + 1 == around.size();
    const auto next =
        last ? around.begin()
             : std::find_if(around.begin() + j + 1, around.end(), [&](auto& w) { return w.right == wanted; });
    require<InputError>(next != around.end() && next->right == wanted,
                        "The triangles do not close around generator {}. Give a triangulation of the whole "
                        "sphere.",
                        cell);
    if (!last) std::swap(*next, around[j + 1]);
  }
}

/// Numbers the vertices as the sorted wedges of the cells touch them first.
void number_vertices(Mesh& mesh, std::vector<Wedge>& wedges) {
  std::vector<LocalIndex> number(wedges.size() / 3, kNone);
  mesh.cells_on_vertex.clear();
  mesh.vertices_on_cell.resize(wedges.size());
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c) {
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
      auto& [right, left, triangle] = wedges[i];
      if (number[triangle] == kNone) {
        number[triangle] = static_cast<LocalIndex>(mesh.cells_on_vertex.size());
        mesh.cells_on_vertex.push_back({c, right, left});
      }
      mesh.vertices_on_cell[i] = number[triangle];
    }
  }
}

/// Position in cell `c` of its neighbour `other`.
LocalIndex find_neighbour(const Mesh& mesh, LocalIndex c, LocalIndex other) {
  const auto begin = mesh.cells_on_cell.begin();
  const auto at = std::find(begin + mesh.cell_offsets[c], begin + mesh.cell_offsets[c + 1], other);
  require<InputError>(at != begin + mesh.cell_offsets[c + 1],
                      "Generator {} is a neighbour of {}, but not the reverse. Give a triangulation of the "
                      "whole sphere.",
                      other, c);
  return static_cast<LocalIndex>(at - begin);
}

/// Numbers the edges as the cells touch them first; edge j of a cell runs from its vertex j to j + 1.
void number_edges(Mesh& mesh) {
  mesh.cells_on_edge.clear();
  mesh.vertices_on_edge.clear();
  mesh.edges_on_cell.resize(mesh.cells_on_cell.size());
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c) {
    const LocalIndex begin = mesh.cell_offsets[c], end = mesh.cell_offsets[c + 1];
    for (LocalIndex i = begin; i < end; ++i) {
      const LocalIndex other = mesh.cells_on_cell[i];
      if (other < c) {
        mesh.edges_on_cell[i] = mesh.edges_on_cell[find_neighbour(mesh, other, c)];
        continue;
      }
      mesh.edges_on_cell[i] = static_cast<LocalIndex>(mesh.cells_on_edge.size());
      mesh.cells_on_edge.push_back({c, other});
      mesh.vertices_on_edge.push_back(
          {mesh.vertices_on_cell[i], mesh.vertices_on_cell[i + 1 < end ? i + 1 : begin]});
    }
  }
}

/// Edge j of a vertex lies between its cells j and j + 1.
void list_edges_on_vertex(Mesh& mesh) {
  mesh.edges_on_vertex.assign(mesh.cells_on_vertex.size(), {kNone, kNone, kNone});
  for (LocalIndex e = 0; e < static_cast<LocalIndex>(mesh.cells_on_edge.size()); ++e) {
    for (const LocalIndex v : mesh.vertices_on_edge[e]) {
      const auto& cells = mesh.cells_on_vertex[v];
      const auto [first, second] = mesh.cells_on_edge[e];
      for (int j = 0; j < 3; ++j) {
        const LocalIndex a = cells[j], b = cells[(j + 1) % 3];
        if ((a == first && b == second) || (a == second && b == first)) mesh.edges_on_vertex[v][j] = e;
      }
    }
  }
}

}  // namespace

void connect(Mesh& mesh, std::span<const Triangle> triangles) {
  const std::size_t expected = 2 * mesh.cell_points.size() - 4;
  require<InputError>(mesh.cell_points.size() >= 4 && triangles.size() == expected,
                      "{} generators on the sphere need 2 n - 4 triangles, but {} were given. Give a "
                      "triangulation of the whole sphere, without duplicate points.",
                      mesh.cell_points.size(), triangles.size());
  auto wedges = collect_wedges(mesh, triangles);
  mesh.cells_on_cell.resize(wedges.size());
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c) {
    const LocalIndex begin = mesh.cell_offsets[c], end = mesh.cell_offsets[c + 1];
    sort_around(std::span(wedges).subspan(begin, end - begin), c);
    for (LocalIndex i = begin; i < end; ++i) mesh.cells_on_cell[i] = wedges[i].left;
  }
  number_vertices(mesh, wedges);
  number_edges(mesh);
  list_edges_on_vertex(mesh);
}

}  // namespace halcyon::mesh
