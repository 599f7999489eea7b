#pragma once

#include <span>
#include <string>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// Writes the part of each cell, a line a cell, as METIS' gpmetis writes it (Karypis and Kumar, METIS manual
/// 5.1.0, section 4.2.1) and MPAS reads it (`graph.info.part.N`).
/// @param parts (cell)
/// @throws RunError if the disk or the folder refuses
void write_partition(const std::string& path, std::span<const Rank> parts);

/// Reads such a file. It must have a line a cell, each a whole number from 0 to N - 1, and no part without a
/// cell. N is that of a name which ends in .part.N; or else one more than the largest part.
/// @throws InputError that names file, line and value otherwise
std::vector<Rank> read_partition(const std::string& path, LocalIndex n_cells);

/// Writes which cells touch which in the format of METIS (Karypis and Kumar, METIS manual 5.1.0, section
/// 4.1.1), as MPAS reads it (`graph.info`): a line with the numbers of cells and of edges between two cells,
/// then a line a cell with its neighbours, one-based and counter-clockwise.
/// @throws RunError if the disk or the folder refuses
void write_graph_info(const std::string& path, const Mesh& mesh);

}  // namespace halcyon::mesh
