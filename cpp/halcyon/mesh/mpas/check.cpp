#include "halcyon/mesh/mpas/check.hpp"

#include <span>

#include "halcyon/base/error.hpp"

namespace halcyon::mesh {
namespace {

using Lists = std::vector<LocalIndex>;

/// Checks that entries point to 1..n, or to nothing (0) where that is allowed.
void check_range(const std::string& path, const char* name, const char* row_name, std::size_t row,
                 std::span<const LocalIndex> entries, LocalIndex n, bool may_miss) {
  for (const LocalIndex i : entries)
    require<InputError>(i < n && i >= (may_miss ? kNone : 0),
                        "{}: {} of {} {} is {}, but must be {}..{}. Make the mesh again.", path, name,
                        row_name, row + 1, std::int64_t{i} + 1, may_miss ? 0 : 1, n);
}

template <class Rows>
void check_rows(const std::string& path, const char* name, const char* row_name, const Rows& rows,
                LocalIndex n, bool may_miss) {
  for (std::size_t row = 0; row < rows.size(); ++row)
    check_range(path, name, row_name, row, rows[row], n, may_miss);
}

void check_lists(const std::string& path, const char* name, const char* row_name, const Lists& offsets,
                 const Lists& entries, LocalIndex n, bool may_miss) {
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
    check_range(path, name, row_name, row,
                std::span(entries).subspan(offsets[row], offsets[row + 1] - offsets[row]), n, may_miss);
}

}  // namespace

void check_ranges(const Mesh& m, const std::string& path) {
  require<InputError>(m.n_cells() > 0, "{} has no cells. Make the mesh again.", path);
  check_lists(path, "cellsOnCell", "cell", m.cell_offsets, m.cells_on_cell, m.n_cells(), true);
  check_lists(path, "edgesOnCell", "cell", m.cell_offsets, m.edges_on_cell, m.n_edges(), false);
  check_lists(path, "verticesOnCell", "cell", m.cell_offsets, m.vertices_on_cell, m.n_vertices(), false);
  check_lists(path, "edgesOnEdge", "edge", m.edge_offsets, m.edges_on_edge, m.n_edges(), true);
  check_rows(path, "cellsOnEdge", "edge", m.cells_on_edge, m.n_cells(), true);
  check_rows(path, "verticesOnEdge", "edge", m.vertices_on_edge, m.n_vertices(), false);
  check_rows(path, "cellsOnVertex", "vertex", m.cells_on_vertex, m.n_cells(), true);
  check_rows(path, "edgesOnVertex", "vertex", m.edges_on_vertex, m.n_edges(), true);
}

void settle(Mesh& mesh, const std::string& path) {
  check_ranges(mesh, path);
  settle_cells(mesh, path);
  settle_vertices(mesh, path);
  check_sizes(mesh, path);
  settle_tangents(mesh, path);
}

}  // namespace halcyon::mesh
