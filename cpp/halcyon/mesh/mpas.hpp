#pragma once

#include <string>

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// Writes a mesh in the MPAS format (CDF-5, one-based, 0 where there is nothing, unit sphere), with
/// bottomDepth if the mesh has depths. The file appears under its name only when it is whole.
/// @throws RunError if the disk or the folder refuses
void write_mpas(const std::string& path, const Mesh& mesh);

/// Reads and checks a mesh in the MPAS format, of any sphere radius and any maxEdges.
/// @throws InputError if the file is missing, cut short, or breaks a convention; the text names the
/// variable and the cell
Mesh read_mpas(const std::string& path);

}  // namespace halcyon::mesh
