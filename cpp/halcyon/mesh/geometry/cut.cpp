#include "halcyon/mesh/geometry/cut.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "halcyon/base/error.hpp"
#include "halcyon/base/index.hpp"
#include "halcyon/mesh/geometry/geometry.hpp"

namespace halcyon::mesh {

namespace {

/// The values at the given places, in their order; none of no values.
template <class T, class Index>
std::vector<T> pick(const std::vector<T>& values, std::span<const Index> places) {
  std::vector<T> picked;
  if (values.empty()) return picked;
  picked.reserve(places.size());
  for (const auto place : places) picked.push_back(values[place]);
  return picked;
}

/// Where the lists at the given places begin in their new order.
template <class Index>
std::vector<LocalIndex> pick_offsets(const std::vector<LocalIndex>& offsets, std::span<const Index> places) {
  std::vector<LocalIndex> picked{0};
  picked.reserve(places.size() + 1);
  for (const auto place : places) picked.push_back(picked.back() + offsets[place + 1] - offsets[place]);
  return picked;
}

/// All cells that neighbours join to `root` over cells of `open`, which are closed behind.
std::vector<LocalIndex> take_part(const graph::NeighbourLists& cells_on_cell, LocalIndex root, Flags& open) {
  std::vector<LocalIndex> part{root};
  open[root] = 0;
  for (std::size_t at = 0; at < part.size(); ++at) {
    for (const LocalIndex other : cells_on_cell[part[at]]) {
      if (other == kNone || !open[other]) continue;
      open[other] = 0;
      part.push_back(other);
    }
  }
  return part;
}

bool is_dead_end(const graph::NeighbourLists& cells_on_cell, LocalIndex cell, const Flags& kept) {
  return std::ranges::count_if(cells_on_cell[cell],
                               [&](LocalIndex other) { return other != kNone && kept[other]; }) < 2;
}

}  // namespace

Flags largest_part(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep) {
  Flags open(keep.begin(), keep.end());
  std::vector<LocalIndex> largest;
  for (LocalIndex cell = 0; cell < cells_on_cell.n_nodes(); ++cell) {
    if (!open[cell]) continue;
    auto part = take_part(cells_on_cell, cell, open);
    if (part.size() > largest.size()) largest = std::move(part);
  }
  Flags kept(keep.size(), 0);
  for (const LocalIndex cell : largest) kept[cell] = 1;
  return kept;
}

Flags without_dead_ends(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep) {
  Flags kept(keep.begin(), keep.end());
  std::vector<LocalIndex> doubtful;
  for (LocalIndex cell = 0; cell < cells_on_cell.n_nodes(); ++cell)
    if (kept[cell]) doubtful.push_back(cell);
  while (!doubtful.empty()) {
    const LocalIndex cell = doubtful.back();
    doubtful.pop_back();
    if (!kept[cell] || !is_dead_end(cells_on_cell, cell, kept)) continue;
    kept[cell] = 0;
    for (const LocalIndex other : cells_on_cell[cell])
      if (other != kNone && kept[other]) doubtful.push_back(other);
  }
  return kept;
}

Flags clean(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep) {
  require<InputError>(std::ssize(keep) == cells_on_cell.n_nodes(),
                      "keep has {} entries, but the mesh has {} cells. Give one entry a cell.", keep.size(),
                      cells_on_cell.n_nodes());
  return without_dead_ends(cells_on_cell, largest_part(cells_on_cell, keep));
}

namespace {

/// What stays, in its new order, and where the old things went (kNone if nowhere).
struct Renumbering {
  std::vector<LocalIndex> kept, place;

  explicit Renumbering(LocalIndex n) : place(n, kNone) {}
  std::span<const LocalIndex> numbers() const { return kept; }
  /// Whether this was the first touch.
  bool touch(LocalIndex old) {
    if (place[old] != kNone) return false;
    place[old] = static_cast<LocalIndex>(kept.size());
    kept.push_back(old);
    return true;
  }
  LocalIndex operator()(LocalIndex old) const { return old == kNone ? kNone : place[old]; }
};

struct Renumberings {
  Renumbering cells, edges, vertices;
  std::vector<std::uint8_t> turned;  ///< (new edge) whether its second cell comes first

  explicit Renumberings(const Mesh& mesh)
      : cells(mesh.n_cells()), edges(mesh.n_edges()), vertices(mesh.n_vertices()) {}
};

void touch_cell(const Mesh& mesh, LocalIndex cell, Renumberings& to) {
  require<InputError>(cell >= 0 && cell < mesh.n_cells(),
                      "Cell {} is asked for, but the mesh has the cells 0..{}.", cell, mesh.n_cells() - 1);
  require<InputError>(to.cells.touch(cell), "Cell {} is asked for twice. Name each cell once.", cell);
  for (LocalIndex i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    const LocalIndex edge = mesh.edges_on_cell[i];
    if (to.edges.touch(edge)) to.turned.push_back(mesh.cells_on_edge[edge][0] != cell);
    to.vertices.touch(mesh.vertices_on_cell[i]);
  }
}

void select_cells(const Mesh& mesh, const Renumberings& to, Mesh& part) {
  part.cell_offsets = pick_offsets(mesh.cell_offsets, to.cells.numbers());
  for (auto* list : {&part.cells_on_cell, &part.edges_on_cell, &part.vertices_on_cell})
    list->reserve(part.cell_offsets.back());
  for (const LocalIndex c : to.cells.kept) {
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
      part.cells_on_cell.push_back(to.cells(mesh.cells_on_cell[i]));
      part.edges_on_cell.push_back(to.edges.place[mesh.edges_on_cell[i]]);
      part.vertices_on_cell.push_back(to.vertices.place[mesh.vertices_on_cell[i]]);
    }
  }
  part.cell_points = pick(mesh.cell_points, to.cells.numbers());
  part.area_cell = pick(mesh.area_cell, to.cells.numbers());
  part.mesh_density = pick(mesh.mesh_density, to.cells.numbers());
  part.bottom_depth = pick(mesh.bottom_depth, to.cells.numbers());
}

/// The angle of the normal that points the other way: computed, for adding pi and taking it away again does
/// not give the same number.
double turned_angle(const Mesh& mesh, LocalIndex edge) {
  const auto [to, from] = mesh.cells_on_edge[edge];
  return angle_from_east(mesh.edge_points[edge], mesh.cell_points[to] - mesh.cell_points[from]);
}

void select_edges(const Mesh& mesh, const Renumberings& to, Mesh& part) {
  part.edge_points = pick(mesh.edge_points, to.edges.numbers());
  part.dc_edge = pick(mesh.dc_edge, to.edges.numbers());
  part.dv_edge = pick(mesh.dv_edge, to.edges.numbers());
  part.angle_edge = pick(mesh.angle_edge, to.edges.numbers());
  part.cells_on_edge = pick(mesh.cells_on_edge, to.edges.numbers());
  part.vertices_on_edge = pick(mesh.vertices_on_edge, to.edges.numbers());
  for (LocalIndex e = 0; e < part.n_edges(); ++e) {
    auto& [first, second] = part.cells_on_edge[e];
    auto& [right, left] = part.vertices_on_edge[e];
    if (to.turned[e]) {
      std::swap(first, second);
      std::swap(right, left);
      part.angle_edge[e] = turned_angle(mesh, to.edges.kept[e]);
    }
    first = to.cells.place[first], second = to.cells(second);
    right = to.vertices.place[right], left = to.vertices.place[left];
  }
}

/// Brings the list of an edge near the processor before it is read.
void fetch_tangent(const Mesh& mesh, LocalIndex edge) {
  const LocalIndex begin = mesh.edge_offsets[edge];
  __builtin_prefetch(&mesh.edges_on_edge[begin]);
  __builtin_prefetch(&mesh.weights_on_edge[begin]);
  __builtin_prefetch(&mesh.weights_on_edge[begin] + 8);
}

/// Writes a piece of the list of an edge, `turned` or not, to place `at` of the new lists.
/// @returns the place after it
LocalIndex copy_tangent(const Mesh& mesh, const Renumberings& to, std::uint8_t turned, LocalIndex from,
                        LocalIndex end, Mesh& part, LocalIndex at) {
  for (LocalIndex i = from; i < end; ++i, ++at) {
    const LocalIndex place = to.edges(mesh.edges_on_edge[i]);
    const int reverses = place == kNone ? 0 : turned ^ to.turned[place];
    part.edges_on_edge[at] = place;
    part.weights_on_edge[at] = place == kNone ? 0 : (1 - 2 * reverses) * mesh.weights_on_edge[i];
  }
  return at;
}

/// The edges of the first cell come first, so a turned edge has its two lists exchanged.
void select_tangents(const Mesh& mesh, const Renumberings& to, Mesh& part) {
  constexpr std::size_t kAhead = 16;  // edges: old lists lie anywhere in memory, and are asked for in time
  part.edge_offsets = pick_offsets(mesh.edge_offsets, to.edges.numbers());
  part.edges_on_edge.resize(part.edge_offsets.back());
  part.weights_on_edge.resize(part.edge_offsets.back());
  LocalIndex at = 0;
  for (std::size_t k = 0; k < to.edges.kept.size(); ++k) {
    if (k + kAhead < to.edges.kept.size()) fetch_tangent(mesh, to.edges.kept[k + kAhead]);
    const LocalIndex e = to.edges.kept[k], first = mesh.cells_on_edge[e][0], begin = mesh.edge_offsets[e];
    const LocalIndex n_first = mesh.cell_offsets[first + 1] - mesh.cell_offsets[first] - 1;
    const LocalIndex middle = to.turned[k] ? begin + n_first : begin;
    at = copy_tangent(mesh, to, to.turned[k], middle, mesh.edge_offsets[e + 1], part, at);
    at = copy_tangent(mesh, to, to.turned[k], begin, middle, part, at);
  }
}

void select_vertices(const Mesh& mesh, const Renumberings& to, Mesh& part) {
  part.vertex_points = pick(mesh.vertex_points, to.vertices.numbers());
  part.area_triangle = pick(mesh.area_triangle, to.vertices.numbers());
  part.cells_on_vertex = pick(mesh.cells_on_vertex, to.vertices.numbers());
  part.edges_on_vertex = pick(mesh.edges_on_vertex, to.vertices.numbers());
  part.kite_areas_on_vertex = pick(mesh.kite_areas_on_vertex, to.vertices.numbers());
  for (LocalIndex v = 0; v < part.n_vertices(); ++v) {
    for (int j = 0; j < 3; ++j) {
      LocalIndex &cell = part.cells_on_vertex[v][j], &edge = part.edges_on_vertex[v][j];
      cell = to.cells(cell);
      edge = to.edges(edge);
      if (cell == kNone) part.kite_areas_on_vertex[v][j] = 0;
    }
  }
}

}  // namespace

Mesh select(const Mesh& mesh, std::span<const LocalIndex> cells) {
  require<InputError>(!cells.empty(), "No cell of the mesh is kept. Widen the region.");
  Renumberings to(mesh);
  for (const LocalIndex cell : cells) touch_cell(mesh, cell, to);
  Mesh part;
  select_cells(mesh, to, part);
  select_edges(mesh, to, part);
  select_tangents(mesh, to, part);
  select_vertices(mesh, to, part);
  return part;
}

Mesh cut(const Mesh& mesh, std::span<const std::uint8_t> keep) {
  require<InputError>(keep.size() == mesh.cell_points.size(),
                      "keep has {} entries, but the mesh has {} cells. Give one entry a cell.", keep.size(),
                      mesh.cell_points.size());
  std::vector<LocalIndex> cells;
  for (LocalIndex c = 0; c < mesh.n_cells(); ++c)
    if (keep[c]) cells.push_back(c);
  return select(mesh, cells);
}

Mesh ordered(const Mesh& mesh, graph::Order order) {
  return select(mesh, graph::order_of(order, {mesh.cell_offsets, mesh.cells_on_cell}, mesh.cell_points));
}

namespace {

using Ids = std::span<const GlobalIndex>;

template <class T>
std::vector<T> pick_lists(const std::vector<LocalIndex>& offsets, const std::vector<T>& values, Ids ids) {
  std::vector<T> picked;
  for (const auto id : ids)
    picked.insert(picked.end(), values.begin() + offsets[id], values.begin() + offsets[id + 1]);
  return picked;
}

}  // namespace

Mesh rows(const Mesh& m, Ids cells, Ids edges, Ids vertices) {
  return {
      .cell_offsets = pick_offsets(m.cell_offsets, cells),
      .cells_on_cell = pick_lists(m.cell_offsets, m.cells_on_cell, cells),
      .edges_on_cell = pick_lists(m.cell_offsets, m.edges_on_cell, cells),
      .vertices_on_cell = pick_lists(m.cell_offsets, m.vertices_on_cell, cells),
      .cells_on_edge = pick(m.cells_on_edge, edges),
      .vertices_on_edge = pick(m.vertices_on_edge, edges),
      .cells_on_vertex = pick(m.cells_on_vertex, vertices),
      .edges_on_vertex = pick(m.edges_on_vertex, vertices),
      .edge_offsets = pick_offsets(m.edge_offsets, edges),
      .edges_on_edge = pick_lists(m.edge_offsets, m.edges_on_edge, edges),
      .weights_on_edge = pick_lists(m.edge_offsets, m.weights_on_edge, edges),
      .cell_points = pick(m.cell_points, cells),
      .edge_points = pick(m.edge_points, edges),
      .vertex_points = pick(m.vertex_points, vertices),
      .area_cell = pick(m.area_cell, cells),
      .area_triangle = pick(m.area_triangle, vertices),
      .kite_areas_on_vertex = pick(m.kite_areas_on_vertex, vertices),
      .dc_edge = pick(m.dc_edge, edges),
      .dv_edge = pick(m.dv_edge, edges),
      .angle_edge = pick(m.angle_edge, edges),
      .mesh_density = pick(m.mesh_density, cells),
      .bottom_depth = pick(m.bottom_depth, cells),
  };
}

}  // namespace halcyon::mesh
