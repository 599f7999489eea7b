#pragma once

#include <span>
#include <string>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// netCDF formats: CDF-5, which PnetCDF can read, and netCDF-4, which is HDF5.
enum class Format { cdf5, netcdf4 };

/// Returns the format with a name. @throws ConfigError unless the name is "cdf5" or "netcdf4"
Format format_named(const std::string& name);

/// Writes a mesh in the MPAS format (one-based, 0 for a missing cell or edge, unit sphere), with bottomDepth
/// if the mesh has depths. The file is written atomically and needs a few MB of memory.
/// @throws RunError if the file cannot be written
void write_mpas(const std::string& path, const Mesh& mesh, Format format = Format::cdf5);

/// Reads and checks a mesh in the MPAS format, of any sphere radius, any maxEdges and any netCDF format; of
/// the whole sphere or a limited area. Single precision is accepted; edgesOnEdge and weightsOnEdge are
/// computed if they are missing. Variables may have a leading time dimension: the first time is read.
/// @throws InputError if the file is missing, cut short, or breaks a convention (names the variable and cell)
Mesh read_mpas(const std::string& path);

/// Reads and checks a mesh like `read_mpas`.
/// @returns whether the file has the form that `write_mpas` writes (classic format, unit sphere, no time
/// dimension, Halcyon's order of all lists), so that ranks can read slices of it
bool is_canonical(const std::string& path);

/// Reads a grid file of GRIST (`NAME.2d.nc`): the cell centres vtx_p, or if vtx_p is missing, their latitude
/// and longitude [rad] in vtx_ltln_nnb; and the triangles tri_v, one-based. Each is (component, point) or
/// (point, component). The mesh is computed from these variables, in the file's order of cells. If the file
/// has plg_area (last component; unit sphere), cell areas must agree with it to 1 %. Source:
/// grist_grid_file_read.F90, grist_grid_file_vars.F90 and gen_grist_scrip_remapFile.ncl of GRIST, as in
/// github.com/Xu-Kai/SW-GRIST at 5660633.
/// @throws InputError if the file is missing, cut short, or not such a grid of the whole sphere
Mesh read_grist(const std::string& path);

/// Reads an MPAS or a GRIST mesh, recognized by its variables.
/// @throws InputError as `read_mpas` and `read_grist`, or if the file has the variables of neither format
Mesh read_mesh(const std::string& path);

/// Writes the part of each cell, one line per cell, as METIS' gpmetis writes it (Karypis and Kumar, METIS
/// manual 5.1.0, section 4.2.1) and MPAS reads it (`graph.info.part.N`).
/// @param parts (cell)
/// @throws RunError if the file cannot be written
void write_partition(const std::string& path, std::span<const Rank> parts);

/// Reads a file as `write_partition` writes it. It must have one line per cell, each an integer from 0 to
/// N - 1, and no empty part. N is taken from a name that ends in .part.N, or else is the largest part plus 1.
/// @throws InputError that states file, line and value
std::vector<Rank> read_partition(const std::string& path, LocalIndex n_cells);

/// Writes the adjacency of the cells in the format of METIS (Karypis and Kumar, METIS manual 5.1.0, section
/// 4.1.1), as MPAS reads it (`graph.info`): a line with the numbers of cells and of edges between two cells,
/// then one line per cell with its neighbours, one-based and counter-clockwise.
/// @throws RunError if the file cannot be written
void write_graph_info(const std::string& path, const Mesh& mesh);

}  // namespace halcyon::mesh
