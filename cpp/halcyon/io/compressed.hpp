#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halcyon/io/schema.hpp"

namespace halcyon::io {

/// Writes a classic file as a netCDF-4 one (HDF5): every variable shuffled and deflated, in chunks of one
/// record. It holds the same schema and values, and ends with a digest of all its bytes, which HDF5 does not
/// read.
/// @param level of compression, 1 to 9
/// @throws RunError if the disk has no room, with what is needed and free, or the library's reason
void write_compressed(const std::string& classic, const std::string& path, const Schema& schema, int level);

/// Checks the digest of a netCDF-4 file, or for one without, that it is as long as its superblock promises.
/// @returns whether there was a digest; nothing if the file is not of HDF5
/// @throws InputError if the file is cut short or damaged
std::optional<bool> verify_compressed(const std::string& path);

/// The checksums of the first so many records of each variable of a netCDF-4 file that `write_compressed`
/// made, and how many it has in all.
/// @throws RunError with the library's reason if it cannot be read
std::pair<std::uint64_t, std::vector<std::uint64_t>> compressed_checksums(const std::string& path,
                                                                          std::uint64_t n_records);

}  // namespace halcyon::io
