#include "halcyon/mesh/geometry/cut.hpp"

#include "halcyon/base/error.hpp"
#include "halcyon/mesh/geometry/select.hpp"

namespace halcyon::mesh {

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

}  // namespace halcyon::mesh
