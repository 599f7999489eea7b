#pragma once

#include <string>

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// Checks every index, that lists agree with each other and run counter-clockwise, that lengths and areas are
/// sensible, and sorts the vertices of a cell so that its edge j runs from its vertex j to j + 1.
/// @param path of the file, for the error
/// @throws InputError naming file, variable, cell (one-based, as in the file) and remedy
void check_lists(Mesh& mesh, const std::string& path);

}  // namespace halcyon::mesh
