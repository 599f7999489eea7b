#pragma once

#include <string>

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

// The steps that check an MPAS mesh of any program and convert it to Halcyon's conventions; each relies on
// the previous ones. Each throws InputError with the file `path`, the variable, the cell, edge or vertex
// (one-based, as in the file) and the remedy.

/// All steps.
void canonicalize(Mesh& mesh, const std::string& path);

/// Checks that every index is in range.
void check_ranges(const Mesh& mesh, const std::string& path);

/// Checks that the lists of cells are consistent and counter-clockwise, and that every edge is listed once by
/// each of its cells. Reverses edges of the outer boundary whose first cell is missing, and rotates the
/// vertices of a cell such that its edge j runs from its vertex j to j + 1.
void canonicalize_cells(Mesh& mesh, const std::string& path);

/// Checks that cells and edges around vertices are consistent with the edges. Orders them counter-clockwise,
/// with edge j between cells j and j + 1.
void canonicalize_vertices(Mesh& mesh, const std::string& path);

/// Checks lengths, areas and angles against the points to 1 %, so that wrong units and radii are detected.
/// Sets kites of missing cells to 0.
void check_geometry(Mesh& mesh, const std::string& path);

/// Checks that edges on edge are the other edges of an edge's cells, with weights that follow from the kites
/// to 1 %. Lists in another order are recomputed, and so are lists at the outer boundary of a limited area,
/// which tools that cut meshes leave unchanged. Missing lists are computed.
void canonicalize_tangents(Mesh& mesh, const std::string& path);

}  // namespace halcyon::mesh
