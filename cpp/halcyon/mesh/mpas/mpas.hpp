#pragma once

#include <string>

#include "halcyon/mesh/files/netcdf.hpp"
#include "halcyon/mesh/mesh.hpp"

namespace halcyon::mesh {

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

}  // namespace halcyon::mesh
