#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "halcyon/io/schema.hpp"

namespace halcyon::io {

/// Writes a copy of the classic netCDF file `classic` as netCDF-4 (HDF5): variables are shuffled and
/// deflated, in chunks of one record. The file ends with a digest of all its bytes, which HDF5 ignores.
/// @param level compression level, 1 to 9
/// @throws RunError with the needed and free bytes if the disk is too full, or with the netCDF library's text
void write_compressed(const std::string& classic, const std::string& path, const Schema& schema, int level);

struct CompressedChecksums {
  std::uint64_t n_records;               ///< of the whole file
  std::vector<std::uint64_t> checksums;  ///< per variable; empty if the file has fewer records than requested
};

/// Returns the checksums of the first `n_records` records of a file that `write_compressed` wrote.
/// @throws RunError with the error text of the netCDF library if the file cannot be read
CompressedChecksums compressed_checksums(const std::string& path, std::uint64_t n_records);

}  // namespace halcyon::io
