#pragma once

#include <string>

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// Writes which cells touch which in the format of METIS (Karypis and Kumar, METIS manual 5.1.0, section
/// 4.1.1), as MPAS reads it (`graph.info`): a line with the numbers of cells and of edges between two cells,
/// then a line a cell with its neighbours, one-based and counter-clockwise.
/// @throws RunError if the disk or the folder refuses
void write_graph_info(const std::string& path, const Mesh& mesh);

}  // namespace halcyon::mesh
