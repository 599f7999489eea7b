#pragma once

#include <string>

#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

// The steps from a mesh as others wrote it to ours, each relying on those before. Each throws InputError
// naming the file `path`, the variable, the cell, edge or vertex (one-based, as in the file) and the remedy.

/// All of them.
void settle(Mesh& mesh, const std::string& path);

/// Every index points to something.
void check_ranges(const Mesh& mesh, const std::string& path);

/// Cells, their neighbours, edges and vertices agree and run counter-clockwise; every edge is in the list of
/// each of its cells once. An edge of the outer boundary is turned so that its first cell is there, and the
/// vertices of a cell so that its edge j runs from its vertex j to j + 1.
void settle_cells(Mesh& mesh, const std::string& path);

/// Cells and edges around vertices agree with the edges; they are turned counter-clockwise, edge j between
/// cells j and j + 1.
void settle_vertices(Mesh& mesh, const std::string& path);

/// Lengths, areas and angles are those of the points to 1 %: units and radius are right. Kites of what is
/// cut off are set to 0.
void check_sizes(Mesh& mesh, const std::string& path);

/// Edges on edge are the other edges of an edge's cells, with weights that follow from the kites to 1 %.
/// Lists in another order than ours are made anew, as are those beside the outer boundary of a limited area,
/// which tools that cut meshes leave as they were. A mesh without them gets them.
void settle_tangents(Mesh& mesh, const std::string& path);

}  // namespace halcyon::mesh
