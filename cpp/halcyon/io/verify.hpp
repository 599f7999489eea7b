#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halcyon/mesh/files/classic_file.hpp"

namespace halcyon::io {

/// The checksum of the bytes of a header, its own digits taken as zeros.
std::uint64_t header_checksum(const std::string& path, const mesh::ClassicHeader& header);

/// Checks the header of a file against its size and, if it has one, its checksum.
/// @returns the header; nothing if the file is not a classic one
/// @throws InputError if it is missing, cut short or damaged
std::optional<mesh::ClassicHeader> checked_header(const std::string& path);

/// The checksum of the first so many records of a variable, or of a whole one that does not grow.
std::uint64_t file_checksum(const std::string& path, const mesh::ClassicHeader& header,
                            const mesh::ClassicVariable& variable, std::uint64_t n_records);

/// Whether a file holds so many records, and each variable in them has the checksum that is given.
/// @param checksums in the header's order
bool holds(const std::string& path, std::uint64_t n_records, const std::vector<std::uint64_t>& checksums);

/// What `verify` found.
struct Verified {
  std::string format;  ///< "CDF-2", "CDF-5", "netCDF-4", ...
  std::int64_t bytes = 0;
  std::int64_t n_records = 0;          ///< of a file with checksums
  int n_variables = 0, n_checked = 0;  ///< of a classic file: its variables, and those with checksums
  bool header_checked = false;         ///< its header had a checksum; of netCDF-4: the whole file had
};

/// Checks size, header and every checksum of a file; no netCDF library sees a file before.
/// @throws InputError that names what is damaged, or if the file is not of netCDF
Verified verify(const std::string& path);

/// Writes checksums into the attributes that a classic file has for them: `checksum` of each variable and
/// `header_checksum` of the file, 16 characters each.
/// @param checksums of the variables, in the header's order
/// @throws RunError if it cannot be written; InputError if an attribute is not there
void stamp(const std::string& path, const std::vector<std::uint64_t>& checksums);

/// The same with the checksums of what the file holds.
void stamp(const std::string& path);

}  // namespace halcyon::io
