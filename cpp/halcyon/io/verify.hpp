#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halcyon/mesh/files/classic_file.hpp"

namespace halcyon::io {

/// Returns the checksum of a header's bytes, with the digits of the checksum itself replaced by zeros.
std::uint64_t header_checksum(const std::string& path, const mesh::ClassicHeader& header);

/// Checks a file's size against its header and, if there is one, the checksum of the header.
/// @returns the header; nullopt if the file is not a classic one
/// @throws InputError if the file is missing, cut short or damaged
std::optional<mesh::ClassicHeader> checked_header(const std::string& path);

/// Returns the checksum of the first `n_records` records of a variable, or of a whole variable without
/// records.
std::uint64_t file_checksum(const std::string& path, const mesh::ClassicHeader& header,
                            const mesh::ClassicVariable& variable, std::uint64_t n_records);

/// Whether a file has at least `n_records` records, and each variable has the given checksum over them.
/// @param checksums in the order of the header
bool has_records(const std::string& path, std::uint64_t n_records,
                 const std::vector<std::uint64_t>& checksums);

/// The result of `verify`.
struct Verification {
  std::string format;  ///< "CDF-2", "CDF-5", "netCDF-4", ...
  std::int64_t bytes = 0;
  std::int64_t n_records = 0;          ///< records, of a file with checksums
  int n_variables = 0, n_checked = 0;  ///< variables of a classic file, and how many have checksums
  bool header_checked = false;         ///< whether the header (netCDF-4: the file) has a checksum
};

/// Checks size, header and every checksum of a file before any netCDF library opens it.
/// @throws InputError with the damaged part, or if the file is not a netCDF file
Verification verify(const std::string& path);

/// Writes checksums into the existing attributes of a classic file: `checksum` of each variable and
/// `header_checksum` of the file, 16 characters each.
/// @param checksums of the variables, in the order of the header
/// @throws RunError if the file cannot be written; InputError if an attribute is missing
void write_checksums(const std::string& path, const std::vector<std::uint64_t>& checksums);

/// Computes the checksums from the file and writes them.
void write_checksums(const std::string& path);

}  // namespace halcyon::io
