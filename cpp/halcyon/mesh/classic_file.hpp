#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace halcyon::mesh {

/// The size [bytes] that the header of a classic netCDF file (CDF-1, 2 or 5) promises, or nothing if the file
/// is of another format. netCDF-C opens a classic file that was cut short without an error.
/// Source: "NetCDF classic format specification", NetCDF User's Guide, appendix B.
/// @throws InputError if the file cannot be opened, or ends within its header
std::optional<std::uint64_t> promised_bytes(const std::string& path);

/// Checks that a file is at least as long as its header promises.
/// @throws InputError if it is missing or cut short
void require_whole(const std::string& path);

}  // namespace halcyon::mesh
