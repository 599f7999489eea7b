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

/// Returns the values at the given indices, in the order of the indices; nothing if there are no values.
template <class T, class Index>
std::vector<T> gather(const std::vector<T>& values, std::span<const Index> indices) {
  std::vector<T> gathered;
  if (values.empty()) return gathered;
  gathered.reserve(indices.size());
  for (const auto index : indices) gathered.push_back(values[index]);
  return gathered;
}

/// Returns new offsets for the lists at the given indices, in the order of the indices.
template <class Index>
std::vector<LocalIndex> gather_offsets(const std::vector<LocalIndex>& offsets,
                                       std::span<const Index> indices) {
  std::vector<LocalIndex> gathered{0};
  gathered.reserve(indices.size() + 1);
  for (const auto index : indices) gathered.push_back(gathered.back() + offsets[index + 1] - offsets[index]);
  return gathered;
}

/// Returns the connected component of cell `start` among `unvisited` cells, and marks its cells visited.
std::vector<LocalIndex> flood_fill(const graph::NeighbourLists& cells_on_cell, LocalIndex start,
                                   Flags& unvisited) {
  std::vector<LocalIndex> component{start};
  unvisited[start] = 0;
  for (std::size_t i = 0; i < component.size(); ++i) {
    for (const LocalIndex other : cells_on_cell[component[i]]) {
      if (other == kNone || !unvisited[other]) continue;
      unvisited[other] = 0;
      component.push_back(other);
    }
  }
  return component;
}

bool is_dead_end(const graph::NeighbourLists& cells_on_cell, LocalIndex cell, const Flags& kept) {
  return std::ranges::count_if(cells_on_cell[cell],
                               [&](LocalIndex other) { return other != kNone && kept[other]; }) < 2;
}

}  // namespace

Flags largest_component(const graph::NeighbourLists& cells_on_cell, std::span<const std::uint8_t> keep) {
  Flags unvisited(keep.begin(), keep.end());
  std::vector<LocalIndex> largest;
  for (LocalIndex cell = 0; cell < cells_on_cell.n_nodes(); ++cell) {
    if (!unvisited[cell]) continue;
    auto component = flood_fill(cells_on_cell, cell, unvisited);
    if (component.size() > largest.size()) largest = std::move(component);
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

/// The kept cells, edges or vertices: old_index[new], and new_index[old], which is kNone if dropped.
struct Renumbering {
  std::vector<LocalIndex> old_index, new_index;

  explicit Renumbering(LocalIndex n) : new_index(n, kNone) {}
  std::span<const LocalIndex> old_indices() const { return old_index; }
  /// Gives an old index the next new index, unless it already has one. Returns whether it was new.
  bool add(LocalIndex old) {
    if (new_index[old] != kNone) return false;
    new_index[old] = static_cast<LocalIndex>(old_index.size());
    old_index.push_back(old);
    return true;
  }
  /// Returns the new index of an old index, which may be kNone.
  LocalIndex operator()(LocalIndex old) const { return old == kNone ? kNone : new_index[old]; }
};

struct Renumberings {
  Renumbering cells, edges, vertices;
  std::vector<std::uint8_t> reversed;  ///< (new edge) whether its first and second cell are exchanged

  explicit Renumberings(const Mesh& mesh)
      : cells(mesh.n_cells()), edges(mesh.n_edges()), vertices(mesh.n_vertices()) {}
};

/// Numbers a cell, its edges and its vertices.
void add_cell(const Mesh& mesh, LocalIndex cell, Renumberings& numbers) {
  require<InputError>(cell >= 0 && cell < mesh.n_cells(),
                      "Cell {} was requested, but the mesh has the cells 0..{}.", cell, mesh.n_cells() - 1);
  require<InputError>(numbers.cells.add(cell), "Cell {} is requested twice. Request each cell once.", cell);
  for (LocalIndex i = mesh.cell_offsets[cell]; i < mesh.cell_offsets[cell + 1]; ++i) {
    const LocalIndex edge = mesh.edges_on_cell[i];
    if (numbers.edges.add(edge)) numbers.reversed.push_back(mesh.cells_on_edge[edge][0] != cell);
    numbers.vertices.add(mesh.vertices_on_cell[i]);
  }
}

void select_cells(const Mesh& mesh, const Renumberings& numbers, Mesh& part) {
  part.cell_offsets = gather_offsets(mesh.cell_offsets, numbers.cells.old_indices());
  for (auto* list : {&part.cells_on_cell, &part.edges_on_cell, &part.vertices_on_cell})
    list->reserve(part.cell_offsets.back());
  for (const LocalIndex c : numbers.cells.old_index) {
    for (LocalIndex i = mesh.cell_offsets[c]; i < mesh.cell_offsets[c + 1]; ++i) {
      part.cells_on_cell.push_back(numbers.cells(mesh.cells_on_cell[i]));
      part.edges_on_cell.push_back(numbers.edges.new_index[mesh.edges_on_cell[i]]);
      part.vertices_on_cell.push_back(numbers.vertices.new_index[mesh.vertices_on_cell[i]]);
    }
  }
  part.cell_points = gather(mesh.cell_points, numbers.cells.old_indices());
  part.area_cell = gather(mesh.area_cell, numbers.cells.old_indices());
  part.mesh_density = gather(mesh.mesh_density, numbers.cells.old_indices());
  part.bottom_depth = gather(mesh.bottom_depth, numbers.cells.old_indices());
}

/// Returns the angle of the reversed normal, from the points: adding and subtracting pi can change bits.
double reversed_angle(const Mesh& mesh, LocalIndex edge) {
  const auto [to, from] = mesh.cells_on_edge[edge];
  return angle_from_east(mesh.edge_points[edge], mesh.cell_points[to] - mesh.cell_points[from]);
}

void select_edges(const Mesh& mesh, const Renumberings& numbers, Mesh& part) {
  part.edge_points = gather(mesh.edge_points, numbers.edges.old_indices());
  part.dc_edge = gather(mesh.dc_edge, numbers.edges.old_indices());
  part.dv_edge = gather(mesh.dv_edge, numbers.edges.old_indices());
  part.angle_edge = gather(mesh.angle_edge, numbers.edges.old_indices());
  part.cells_on_edge = gather(mesh.cells_on_edge, numbers.edges.old_indices());
  part.vertices_on_edge = gather(mesh.vertices_on_edge, numbers.edges.old_indices());
  for (LocalIndex e = 0; e < part.n_edges(); ++e) {
    auto& [first, second] = part.cells_on_edge[e];
    auto& [right, left] = part.vertices_on_edge[e];
    if (numbers.reversed[e]) {
      std::swap(first, second);
      std::swap(right, left);
      part.angle_edge[e] = reversed_angle(mesh, numbers.edges.old_index[e]);
    }
    first = numbers.cells.new_index[first], second = numbers.cells(second);
    right = numbers.vertices.new_index[right], left = numbers.vertices.new_index[left];
  }
}

/// Prefetches the list of edges_on_edge and weights_on_edge of an edge.
void prefetch_tangent(const Mesh& mesh, LocalIndex edge) {
  const LocalIndex begin = mesh.edge_offsets[edge];
  __builtin_prefetch(&mesh.edges_on_edge[begin]);
  __builtin_prefetch(&mesh.weights_on_edge[begin]);
  __builtin_prefetch(&mesh.weights_on_edge[begin] + 8);
}

/// Copies the entries [`from`, `end`) of the tangential weights of an edge, which may be `reversed`, to index
/// `entry` of the new lists. Returns the index after the last copied entry.
LocalIndex copy_tangent_weights(const Mesh& mesh, const Renumberings& numbers, std::uint8_t reversed,
                                LocalIndex from, LocalIndex end, Mesh& part, LocalIndex entry) {
  for (LocalIndex i = from; i < end; ++i, ++entry) {
    const LocalIndex new_edge = numbers.edges(mesh.edges_on_edge[i]);
    const int changes_sign = new_edge == kNone ? 0 : reversed ^ numbers.reversed[new_edge];
    part.edges_on_edge[entry] = new_edge;
    part.weights_on_edge[entry] = new_edge == kNone ? 0 : (1 - 2 * changes_sign) * mesh.weights_on_edge[i];
  }
  return entry;
}

/// Copies the tangential weights. Each list has the edges of the first cell, then those of the second; for a
/// reversed edge, copies the second part first.
void select_tangent_weights(const Mesh& mesh, const Renumberings& numbers, Mesh& part) {
  constexpr std::size_t kPrefetchDistance = 16;  // [edges]; the old lists are scattered in memory
  part.edge_offsets = gather_offsets(mesh.edge_offsets, numbers.edges.old_indices());
  part.edges_on_edge.resize(part.edge_offsets.back());
  part.weights_on_edge.resize(part.edge_offsets.back());
  LocalIndex entry = 0;
  for (std::size_t k = 0; k < numbers.edges.old_index.size(); ++k) {
    if (k + kPrefetchDistance < numbers.edges.old_index.size())
      prefetch_tangent(mesh, numbers.edges.old_index[k + kPrefetchDistance]);
    const LocalIndex e = numbers.edges.old_index[k], first_cell = mesh.cells_on_edge[e][0],
                     begin = mesh.edge_offsets[e];
    const LocalIndex n_first = mesh.cell_offsets[first_cell + 1] - mesh.cell_offsets[first_cell] - 1;
    const LocalIndex middle = numbers.reversed[k] ? begin + n_first : begin;
    entry = copy_tangent_weights(mesh, numbers, numbers.reversed[k], middle, mesh.edge_offsets[e + 1], part,
                                 entry);
    entry = copy_tangent_weights(mesh, numbers, numbers.reversed[k], begin, middle, part, entry);
  }
}

void select_vertices(const Mesh& mesh, const Renumberings& numbers, Mesh& part) {
  part.vertex_points = gather(mesh.vertex_points, numbers.vertices.old_indices());
  part.area_triangle = gather(mesh.area_triangle, numbers.vertices.old_indices());
  part.cells_on_vertex = gather(mesh.cells_on_vertex, numbers.vertices.old_indices());
  part.edges_on_vertex = gather(mesh.edges_on_vertex, numbers.vertices.old_indices());
  part.kite_areas_on_vertex = gather(mesh.kite_areas_on_vertex, numbers.vertices.old_indices());
  for (LocalIndex v = 0; v < part.n_vertices(); ++v) {
    for (int j = 0; j < 3; ++j) {
      LocalIndex &cell = part.cells_on_vertex[v][j], &edge = part.edges_on_vertex[v][j];
      cell = numbers.cells(cell);
      edge = numbers.edges(edge);
      if (cell == kNone) part.kite_areas_on_vertex[v][j] = 0;
    }
  }
}

}  // namespace

Mesh select(const Mesh& mesh, std::span<const LocalIndex> cells) {
  require<InputError>(!cells.empty(), "No cell of the mesh is kept. Widen the region.");
  Renumberings numbers(mesh);
  for (const LocalIndex cell : cells) add_cell(mesh, cell, numbers);
  Mesh part;
  select_cells(mesh, numbers, part);
  select_edges(mesh, numbers, part);
  select_tangent_weights(mesh, numbers, part);
  select_vertices(mesh, numbers, part);
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

Mesh select_without_renumbering(const Mesh& m, Ids cells, Ids edges, Ids vertices) {
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
