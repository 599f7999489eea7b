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

/// Returns the values at the given indices, in their order; an empty list if there are no values.
template <class T, class Index>
std::vector<T> gather(const std::vector<T>& values, std::span<const Index> indices) {
  std::vector<T> gathered;
  if (values.empty()) return gathered;
  gathered.reserve(indices.size());
  for (const auto index : indices) gathered.push_back(values[index]);
  return gathered;
}

/// Returns the offsets of the lists at the given indices, in their new order.
template <class Index>
std::vector<LocalIndex> gather_offsets(const std::vector<LocalIndex>& offsets,
                                       std::span<const Index> indices) {
  std::vector<LocalIndex> gathered{0};
  gathered.reserve(indices.size() + 1);
  for (const auto index : indices) gathered.push_back(gathered.back() + offsets[index + 1] - offsets[index]);
  return gathered;
}

/// Returns the connected component of `root` within the cells of `open`, and removes it from `open`.
std::vector<LocalIndex> flood_fill(const graph::NeighbourLists& cells_on_cell, LocalIndex root, Flags& open) {
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

Flags largest_component(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep) {
  Flags open(keep.begin(), keep.end());
  std::vector<LocalIndex> largest;
  for (LocalIndex cell = 0; cell < cells_on_cell.n_nodes(); ++cell) {
    if (!open[cell]) continue;
    auto part = flood_fill(cells_on_cell, cell, open);
    if (part.size() > largest.size()) largest = std::move(part);
  }
  Flags kept(keep.size(), 0);
  for (const LocalIndex cell : largest) kept[cell] = 1;
  return kept;
}

Flags without_dead_ends(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep) {
  Flags kept(keep.begin(), keep.end());
  std::vector<LocalIndex> candidates;
  for (LocalIndex cell = 0; cell < cells_on_cell.n_nodes(); ++cell)
    if (kept[cell]) candidates.push_back(cell);
  while (!candidates.empty()) {
    const LocalIndex cell = candidates.back();
    candidates.pop_back();
    if (!kept[cell] || !is_dead_end(cells_on_cell, cell, kept)) continue;
    kept[cell] = 0;
    for (const LocalIndex other : cells_on_cell[cell])
      if (other != kNone && kept[other]) candidates.push_back(other);
  }
  return kept;
}

Flags clean_selection(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep) {
  require<InputError>(std::ssize(keep) == cells_on_cell.n_nodes(),
                      "keep has {} entries, but the mesh has {} cells. Give one per cell.", keep.size(),
                      cells_on_cell.n_nodes());
  return without_dead_ends(cells_on_cell, largest_component(cells_on_cell, keep));
}

namespace {

/// The old indices that are kept, in their new order, and the new index of each old one (kNone if it is
/// dropped).
struct Renumbering {
  std::vector<LocalIndex> kept, new_index;

  explicit Renumbering(LocalIndex n) : new_index(n, kNone) {}
  std::span<const LocalIndex> numbers() const { return kept; }
  /// Numbers an old index unless it has a number. Returns whether it was new.
  bool add(LocalIndex old) {
    if (new_index[old] != kNone) return false;
    new_index[old] = static_cast<LocalIndex>(kept.size());
    kept.push_back(old);
    return true;
  }
  LocalIndex operator()(LocalIndex old) const { return old == kNone ? kNone : new_index[old]; }
};

struct Renumberings {
  Renumbering cells, edges, vertices;
  std::vector<std::uint8_t> reversed;  ///< (new edge) whether its cells are exchanged

  explicit Renumberings(const Mesh& mesh)
      : cells(mesh.n_cells()), edges(mesh.n_edges()), vertices(mesh.n_vertices()) {}
};

void add_cell(const Mesh& mesh, LocalIndex cell, Renumberings& to) {
  require<InputError>(cell >= 0 && cell < mesh.n_cells(),
                      "Cell {} was requested, but the mesh has the cells 0..{}.", cell, mesh.n_cells() - 1);
  require<InputError>(to.cells.add(cell), "Cell {} is asked for twice. Name each cell once.", cell);
  for (LocalIndex i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    const LocalIndex edge = mesh.edges_on_cell[i];
    if (to.edges.add(edge)) to.reversed.push_back(mesh.cells_on_edge[edge][0] != cell);
    to.vertices.add(mesh.vertices_on_cell[i]);
  }
}

void select_cells(const Mesh& mesh, const Renumberings& to, Mesh& part) {
  part.cell_offsets = gather_offsets(mesh.cell_offsets, to.cells.numbers());
  for (auto* list : {&part.cells_on_cell, &part.edges_on_cell, &part.vertices_on_cell})
    list->reserve(part.cell_offsets.back());
  for (const LocalIndex c : to.cells.kept) {
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
      part.cells_on_cell.push_back(to.cells(mesh.cells_on_cell[i]));
      part.edges_on_cell.push_back(to.edges.new_index[mesh.edges_on_cell[i]]);
      part.vertices_on_cell.push_back(to.vertices.new_index[mesh.vertices_on_cell[i]]);
    }
  }
  part.cell_points = gather(mesh.cell_points, to.cells.numbers());
  part.area_cell = gather(mesh.area_cell, to.cells.numbers());
  part.mesh_density = gather(mesh.mesh_density, to.cells.numbers());
  part.bottom_depth = gather(mesh.bottom_depth, to.cells.numbers());
}

/// Returns the angle of the reversed normal. It is computed from the points, since adding and subtracting pi
/// does not restore the bits.
double reversed_angle(const Mesh& mesh, LocalIndex edge) {
  const auto [to, from] = mesh.cells_on_edge[edge];
  return angle_from_east(mesh.edge_points[edge], mesh.cell_points[to] - mesh.cell_points[from]);
}

void select_edges(const Mesh& mesh, const Renumberings& to, Mesh& part) {
  part.edge_points = gather(mesh.edge_points, to.edges.numbers());
  part.dc_edge = gather(mesh.dc_edge, to.edges.numbers());
  part.dv_edge = gather(mesh.dv_edge, to.edges.numbers());
  part.angle_edge = gather(mesh.angle_edge, to.edges.numbers());
  part.cells_on_edge = gather(mesh.cells_on_edge, to.edges.numbers());
  part.vertices_on_edge = gather(mesh.vertices_on_edge, to.edges.numbers());
  for (LocalIndex e = 0; e < part.n_edges(); ++e) {
    auto& [first, second] = part.cells_on_edge[e];
    auto& [right, left] = part.vertices_on_edge[e];
    if (to.reversed[e]) {
      std::swap(first, second);
      std::swap(right, left);
      part.angle_edge[e] = reversed_angle(mesh, to.edges.kept[e]);
    }
    first = to.cells.new_index[first], second = to.cells(second);
    right = to.vertices.new_index[right], left = to.vertices.new_index[left];
  }
}

/// Prefetches the edges and weights of an edge.
void prefetch_tangent(const Mesh& mesh, LocalIndex edge) {
  const LocalIndex begin = mesh.edge_offsets[edge];
  __builtin_prefetch(&mesh.edges_on_edge[begin]);
  __builtin_prefetch(&mesh.weights_on_edge[begin]);
  __builtin_prefetch(&mesh.weights_on_edge[begin] + 8);
}

/// Writes a part of the list of an edge, which may be `reversed`, to index `at` of the new lists. @returns
/// the index after it
LocalIndex copy_tangent_weights(const Mesh& mesh, const Renumberings& to, std::uint8_t reversed,
                                LocalIndex from, LocalIndex end, Mesh& part, LocalIndex at) {
  for (LocalIndex i = from; i < end; ++i, ++at) {
    const LocalIndex place = to.edges(mesh.edges_on_edge[i]);
    const int reverses = place == kNone ? 0 : reversed ^ to.reversed[place];
    part.edges_on_edge[at] = place;
    part.weights_on_edge[at] = place == kNone ? 0 : (1 - 2 * reverses) * mesh.weights_on_edge[i];
  }
  return at;
}

/// The edges of the first cell come first, so the two lists of a reversed edge are exchanged.
void select_tangent_weights(const Mesh& mesh, const Renumberings& to, Mesh& part) {
  constexpr std::size_t kPrefetchDistance = 16;  // edges; the old lists are scattered in memory
  part.edge_offsets = gather_offsets(mesh.edge_offsets, to.edges.numbers());
  part.edges_on_edge.resize(part.edge_offsets.back());
  part.weights_on_edge.resize(part.edge_offsets.back());
  LocalIndex at = 0;
  for (std::size_t k = 0; k < to.edges.kept.size(); ++k) {
    if (k + kPrefetchDistance < to.edges.kept.size())
      prefetch_tangent(mesh, to.edges.kept[k + kPrefetchDistance]);
    const LocalIndex e = to.edges.kept[k], first = mesh.cells_on_edge[e][0], begin = mesh.edge_offsets[e];
    const LocalIndex n_first = mesh.cell_offsets[first + 1] - mesh.cell_offsets[first] - 1;
    const LocalIndex middle = to.reversed[k] ? begin + n_first : begin;
    at = copy_tangent_weights(mesh, to, to.reversed[k], middle, mesh.edge_offsets[e + 1], part, at);
    at = copy_tangent_weights(mesh, to, to.reversed[k], begin, middle, part, at);
  }
}

void select_vertices(const Mesh& mesh, const Renumberings& to, Mesh& part) {
  part.vertex_points = gather(mesh.vertex_points, to.vertices.numbers());
  part.area_triangle = gather(mesh.area_triangle, to.vertices.numbers());
  part.cells_on_vertex = gather(mesh.cells_on_vertex, to.vertices.numbers());
  part.edges_on_vertex = gather(mesh.edges_on_vertex, to.vertices.numbers());
  part.kite_areas_on_vertex = gather(mesh.kite_areas_on_vertex, to.vertices.numbers());
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
  for (const LocalIndex cell : cells) add_cell(mesh, cell, to);
  Mesh part;
  select_cells(mesh, to, part);
  select_edges(mesh, to, part);
  select_tangent_weights(mesh, to, part);
  select_vertices(mesh, to, part);
  return part;
}

Mesh cut(const Mesh& mesh, std::span<const std::uint8_t> keep) {
  require<InputError>(keep.size() == mesh.cell_points.size(),
                      "keep has {} entries, but the mesh has {} cells. Give one per cell.", keep.size(),
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
std::vector<T> gather_lists(const std::vector<LocalIndex>& offsets, const std::vector<T>& values, Ids ids) {
  std::vector<T> gathered;
  for (const auto id : ids)
    gathered.insert(gathered.end(), values.begin() + offsets[id], values.begin() + offsets[id + 1]);
  return gathered;
}

}  // namespace

Mesh select_rows(const Mesh& m, Ids cells, Ids edges, Ids vertices) {
  return {
      .cell_offsets = gather_offsets(m.cell_offsets, cells),
      .cells_on_cell = gather_lists(m.cell_offsets, m.cells_on_cell, cells),
      .edges_on_cell = gather_lists(m.cell_offsets, m.edges_on_cell, cells),
      .vertices_on_cell = gather_lists(m.cell_offsets, m.vertices_on_cell, cells),
      .cells_on_edge = gather(m.cells_on_edge, edges),
      .vertices_on_edge = gather(m.vertices_on_edge, edges),
      .cells_on_vertex = gather(m.cells_on_vertex, vertices),
      .edges_on_vertex = gather(m.edges_on_vertex, vertices),
      .edge_offsets = gather_offsets(m.edge_offsets, edges),
      .edges_on_edge = gather_lists(m.edge_offsets, m.edges_on_edge, edges),
      .weights_on_edge = gather_lists(m.edge_offsets, m.weights_on_edge, edges),
      .cell_points = gather(m.cell_points, cells),
      .edge_points = gather(m.edge_points, edges),
      .vertex_points = gather(m.vertex_points, vertices),
      .area_cell = gather(m.area_cell, cells),
      .area_triangle = gather(m.area_triangle, vertices),
      .kite_areas_on_vertex = gather(m.kite_areas_on_vertex, vertices),
      .dc_edge = gather(m.dc_edge, edges),
      .dv_edge = gather(m.dv_edge, edges),
      .angle_edge = gather(m.angle_edge, edges),
      .mesh_density = gather(m.mesh_density, cells),
      .bottom_depth = gather(m.bottom_depth, cells),
  };
}

}  // namespace halcyon::mesh
