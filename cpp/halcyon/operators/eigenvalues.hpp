#pragma once

#include "halcyon/mesh/mesh.hpp"

/// Bounds of the largest eigenvalues [m-2] of the discrete Laplacians on a sphere of a radius [m], by the
/// rows of their matrices (Gershgorin): what a step must resolve of waves, and of what is explicitly
/// diffused.
namespace halcyon::operators {

/// 2/A_i sum_e l_e/d_e of a cell.
double cell_laplacian_bound(const mesh::Mesh& mesh, LocalIndex cell, double radius);
/// 2/A_v sum_e d_e/l_e of the vertices, the largest around a cell.
double vertex_laplacian_bound(const mesh::Mesh& mesh, LocalIndex cell, double radius);

}  // namespace halcyon::operators
