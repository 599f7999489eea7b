#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halcyon/io/schema.hpp"

namespace halcyon::io {

/// Writes a copy of the classic netCDF file `classic` as netCDF-4 (HDF5): variables are shuffled and
/// deflated, in chunks of one record. The file ends with a digest of all its bytes, which HDF5 ignores.
/// @param level compression level, 1 to 9
/// @throws RunError with the needed and free bytes if the disk is too full, or with the netCDF library's text
void write_compressed(const std::string& classic, const std::string& path, const Schema& schema, int level);

/// Checks the digest of a netCDF-4 file; without one, checks the file's size against its superblock.
/// @returns whether the file has a digest; nullopt if it is not an HDF5 file
/// @throws InputError if the file is cut short or damaged
std::optional<bool> verify_compressed(const std::string& path);

/// Returns the number of records of a file that `write_compressed` wrote, and the checksum of each variable
/// over the first `n_records` records; no checksums if there are fewer records.
/// @throws RunError with the error text of the netCDF library if the file cannot be read
std::pair<std::uint64_t, std::vector<std::uint64_t>> compressed_checksums(const std::string& path,
                                                                          std::uint64_t n_records);

}  // namespace halcyon::io
