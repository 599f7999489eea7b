#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halcyon/mesh/files/classic_file.hpp"

namespace halcyon::io {

/// Returns the checksum of a header's bytes, with zeros for the digits of the attribute `header_checksum`.
std::uint64_t header_checksum(const std::string& path, const mesh::ClassicHeader& header);

/// Checks a file's size against its header and, if the file has checksums, the checksum of the header.
/// @returns the header; nullopt if the file is not in a classic netCDF format
/// @throws InputError if the file is missing, cut short or damaged
std::optional<mesh::ClassicHeader> checked_header(const std::string& path);

/// Returns the checksum of the first `n_records` records of a variable, or of a variable without records.
std::uint64_t file_checksum(const std::string& path, const mesh::ClassicHeader& header,
                            const mesh::ClassicVariable& variable, std::uint64_t n_records);

/// Whether a file has at least `n_records` records, and each variable has the given checksum over these.
/// @param checksums in the order of the header
bool has_records(const std::string& path, std::uint64_t n_records,
                 const std::vector<std::uint64_t>& checksums);

struct Verification {
  std::string format;  ///< "CDF-2", "CDF-5", "netCDF-4", ...
  std::int64_t bytes = 0;
  std::int64_t n_records = 0;          ///< 0 for a netCDF-4 file without digest
  int n_variables = 0, n_checked = 0;  ///< of a classic file: variables, and how many of them have checksums
  bool header_checked = false;  ///< whether the header has a checksum (netCDF-4: the file has a digest)
};

/// Checks the size, the header and all checksums of a file, before a netCDF library opens it.
/// @throws InputError with the damaged part, or if the file is not a netCDF file
Verification verify(const std::string& path);

/// Writes checksums into the existing attributes of a classic file: `checksum` of each variable and
/// `header_checksum` of the file, 16 characters each.
/// @param checksums of the variables, in the order of the header
/// @throws RunError if the file cannot be written; InputError if an attribute is missing
void write_checksums(const std::string& path, const std::vector<std::uint64_t>& checksums);

/// Computes the checksums of a classic file and writes them into its attributes.
void write_checksums(const std::string& path);

}  // namespace halcyon::io
