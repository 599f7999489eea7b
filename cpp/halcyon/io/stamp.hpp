#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace halcyon::io {

/// Writes checksums into the attributes that a classic file has for them: `checksum` of each variable and
/// `header_checksum` of the file, 16 characters each.
/// @param checksums of the variables, in the header's order
/// @throws RunError if it cannot be written; InputError if an attribute is not there
void stamp(const std::string& path, const std::vector<std::uint64_t>& checksums);

/// The same with the checksums of what the file holds.
void stamp(const std::string& path);

}  // namespace halcyon::io
