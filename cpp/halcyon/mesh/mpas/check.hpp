#pragma once

#include <string>

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

// Functions that check an MPAS mesh, written by any program, and convert it to Halcyon's conventions. Each
// step relies on the steps declared before it, and throws InputError with the file `path`, the variable, the
// cell, edge or vertex (one-based, as in the file) and the remedy.

/// Runs all the following steps.
void canonicalize(Mesh& mesh, const std::string& path);

/// Checks that every index is in range.
void check_ranges(const Mesh& mesh, const std::string& path);

/// Derives what the file lacks of cells_on_vertex, from vertices_on_cell, and edges_on_vertex, from
/// vertices_on_edge, in any order. Without cells_on_vertex, the lists of cells and the vertices of edges may
/// have any order in the file, and are ordered first.
void derive_vertices(Mesh& mesh, const std::string& path);

/// Checks that the lists of cells are consistent and counter-clockwise, and that every edge is listed once by
/// each of its cells. Reverses edges of the outer boundary whose first cell is missing, and rotates the
/// vertices of a cell such that edge j runs from vertex j to j + 1.
void canonicalize_cells(Mesh& mesh, const std::string& path);

/// Checks that cells_on_vertex and edges_on_vertex are consistent with the lists of the edges. Orders them
/// counter-clockwise, with edge j between cells j and j + 1.
void canonicalize_vertices(Mesh& mesh, const std::string& path);

/// Derives the areas of kites that the file lacks.
void derive_kites(Mesh& mesh);

/// Checks lengths, areas and angles against the points to 1 %, so that wrong units and radii are detected.
/// Sets kites of missing cells to 0.
void check_geometry(Mesh& mesh, const std::string& path);

/// Checks that edges_on_edge of an edge are the other edges of its cells, and that weights_on_edge agree, to
/// 1 %, with weights computed from the kites. Recomputes all lists if they are missing or in another order,
/// or if they differ at the outer boundary of a limited area: tools that cut meshes do not update them there.
void canonicalize_tangents(Mesh& mesh, const std::string& path);

}  // namespace halcyon::mesh
