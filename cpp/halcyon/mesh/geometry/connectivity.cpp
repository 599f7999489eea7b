#include "halcyon/mesh/geometry/connectivity.hpp"

#include <algorithm>
#include <numeric>

#include "halcyon/base/error.hpp"
#include "halcyon/base/parallel.hpp"

namespace halcyon::mesh {
namespace {

/// For every entry of a cell's lists, the triangle there: its vertex, before vertices are numbered.
using Rings = std::vector<LocalIndex>;

void count_sides(Mesh& mesh, const Triangulation& t) {
  mesh.cell_offsets.assign(t.points.size() + 1, 0);
  for (const Triangle& corners : t.corners)
    for (const LocalIndex cell : corners) ++mesh.cell_offsets[cell + 1];
  std::partial_sum(mesh.cell_offsets.begin(), mesh.cell_offsets.end(), mesh.cell_offsets.begin());
}

/// Walks counter-clockwise around a cell, listing triangles and, to the left of each, neighbours.
void walk_around(Mesh& mesh, const Triangulation& t, LocalIndex cell, LocalIndex first, Rings& rings) {
  const LocalIndex begin = mesh.cell_offsets[cell], end = mesh.cell_offsets[cell + 1];
  LocalIndex at = first, i = begin;
  do {
    const int k = corner_of(t.corners[at], cell);
    rings[i] = at;
    mesh.cells_on_cell[i] = t.corners[at][last_corner(k)];
    at = t.neighbours[at][next_corner(k)];
  } while (++i < end && at != first);
  require<InputError>(i == end && at == first,
                      "The triangles do not close around generator {}. Give a triangulation of the whole "
                      "sphere.",
                      cell);
  const auto cells = mesh.cells_on_cell.begin();
  const auto start = std::min_element(cells + begin, cells + end) - cells - begin;
  std::rotate(cells + begin, cells + begin + start, cells + end);
  std::rotate(rings.begin() + begin, rings.begin() + begin + start, rings.begin() + end);
}

/// Numbers the vertices as the cells touch them first.
void number_vertices(Mesh& mesh, const Rings& rings) {
  std::vector<LocalIndex> number(rings.size() / 3, kNone);
  mesh.cells_on_vertex.reserve(number.size());
  mesh.vertices_on_cell.resize(rings.size());
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c) {
    LocalIndex right = mesh.cells_on_cell[mesh.cell_offsets[c + 1] - 1];
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
      LocalIndex& vertex = number[rings[i]];
      if (vertex == kNone) {
        vertex = static_cast<LocalIndex>(mesh.cells_on_vertex.size());
        mesh.cells_on_vertex.push_back({c, right, mesh.cells_on_cell[i]});
      }
      mesh.vertices_on_cell[i] = vertex;
      right = mesh.cells_on_cell[i];
    }
  }
}

/// The edge between two cells, given that the first is the smaller one.
LocalIndex edge_between(const Mesh& mesh, LocalIndex cell, LocalIndex other) {
  const auto begin = mesh.cells_on_cell.begin();
  const auto at = std::find(begin + mesh.cell_offsets[cell], begin + mesh.cell_offsets[cell + 1], other);
  return mesh.edges_on_cell[at - begin];
}

/// The first edge of each cell, of those whose smaller cell it is.
std::vector<LocalIndex> first_edges(const Mesh& mesh, int threads) {
  std::vector<LocalIndex> first(mesh.n_cells() + 1, 0);
  for_each_index(mesh.n_cells(), threads, [&](std::int64_t c) {
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i)
      first[c + 1] += c < mesh.cells_on_cell[i];
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

/// Numbers the edges as the cells touch them first; edge j of a cell runs from its vertex j to j + 1.
void number_edges(Mesh& mesh, int threads) {
  const auto first = first_edges(mesh, threads);
  mesh.cells_on_edge.resize(first.back());
  mesh.vertices_on_edge.resize(first.back());
  mesh.edges_on_cell.resize(mesh.cells_on_cell.size());
  for_each_index(mesh.n_cells(), threads, [&](std::int64_t c) {
    const LocalIndex begin = mesh.cell_offsets[c], end = mesh.cell_offsets[c + 1];
    LocalIndex next = first[c];
    for (LocalIndex i = begin; i < end; ++i) {
      if (mesh.cells_on_cell[i] < c) continue;
      mesh.cells_on_edge[next] = {static_cast<LocalIndex>(c), mesh.cells_on_cell[i]};
      mesh.vertices_on_edge[next] = {mesh.vertices_on_cell[i],
                                     mesh.vertices_on_cell[i + 1 < end ? i + 1 : begin]};
      mesh.edges_on_cell[i] = next++;
    }
  });
  for_each_index(mesh.n_cells(), threads, [&](std::int64_t c) {
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i)
      if (mesh.cells_on_cell[i] < c)
        mesh.edges_on_cell[i] = edge_between(mesh, mesh.cells_on_cell[i], static_cast<LocalIndex>(c));
  });
}

/// Edge j of a vertex lies between its cells j and j + 1.
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
  count_sides(mesh, t);
  const auto first = first_triangles(t);
  Rings rings(3 * t.corners.size());
  mesh.cells_on_cell.resize(rings.size());
  for_each_index(mesh.n_cells(), threads,
                 [&](std::int64_t c) { walk_around(mesh, t, static_cast<LocalIndex>(c), first[c], rings); });
  number_vertices(mesh, rings);
  number_edges(mesh, threads);
  list_edges_on_vertex(mesh, threads);
}

}  // namespace halcyon::mesh
