#pragma once

#include <span>
#include <string>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

/// What a file is written as: CDF-5 is what PnetCDF reads; netCDF-4 is HDF5.
enum class Format { cdf5, netcdf4 };

/// @throws ConfigError unless the name is "cdf5" or "netcdf4"
Format format_named(const std::string& name);

/// Writes a mesh in the MPAS format (one-based, 0 where there is nothing, unit sphere), with bottomDepth if
/// the mesh has depths. The file appears under its name only when it is whole and on the disk. Beside the
/// mesh it needs a few MB of memory.
/// @throws RunError if the disk is too full, or it or the folder refuses
void write_mpas(const std::string& path, const Mesh& mesh, Format format = Format::cdf5);

/// Reads and checks a mesh in the MPAS format, of any sphere radius, any maxEdges and any netCDF format; of
/// the whole sphere or a limited area. Single precision is taken; indices and weights of edges on edge are
/// made if the file has none. Variables may have a time dimension before their own: the first time counts.
/// @throws InputError if the file is missing, cut short, or breaks a convention; the text names the
/// variable and the cell
Mesh read_mpas(const std::string& path);

/// Reads and checks a mesh like `read_mpas`. @returns whether the file holds it just as it is read (classic
/// format, unit sphere, no time dimension, all lists as ours), so that parts of it can be read alone
bool is_plain(const std::string& path);

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
