#pragma once

#include <string>

#include "halcyon/mesh/files/netcdf.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// Whether a file has the variables of a GRIST grid file.
bool is_grist(const NetcdfInput& in);

/// Reads a grid file of GRIST (`NAME.2d.nc`): the generators vtx_p, or where they are missing latitude and
/// longitude [rad] in vtx_ltln_nnb, and the triangles tri_v, one-based, all as (component, place) or (place,
/// component). From these the mesh is made anew, with the cells as the file numbers them. Their areas must be
/// plg_area (the last component; unit sphere) to 1 %, if the file has it.
/// Source: grist_grid_file_read.F90, grist_grid_file_vars.F90 and gen_grist_scrip_remapFile.ncl of GRIST, as
/// in github.com/Xu-Kai/SW-GRIST at 5660633.
/// @throws InputError if the file is missing, cut short, or not such a grid of the whole sphere
Mesh read_grist(const std::string& path);

/// Reads a mesh of either kind, MPAS or GRIST, told apart by its variables.
/// @throws InputError as the readers, or if the file has the variables of neither
Mesh read_mesh(const std::string& path);

}  // namespace halcyon::mesh
