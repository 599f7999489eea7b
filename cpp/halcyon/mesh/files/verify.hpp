#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halcyon/base/index.hpp"
#include "halcyon/mesh/files/classic_file.hpp"

namespace halcyon::mesh {

/// Returns the checksum of a header's bytes, with zeros for the digits of the attribute `header_checksum`.
std::uint64_t header_checksum(const std::string& path, const ClassicHeader& header);

/// Checks a file's size against its header and, if the file has checksums, the checksum of the header.
/// @returns the header; nullopt if the file is not in a classic netCDF format
/// @throws InputError if the file is missing, cut short or damaged
std::optional<ClassicHeader> checked_header(const std::string& path);

/// Returns the checksum of the first `n_records` records of a variable, or of a variable without records.
std::uint64_t file_checksum(const std::string& path, const ClassicHeader& header,
                            const ClassicVariable& variable, std::uint64_t n_records);

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

/// Checks what `verify` checks, but does not open the file with a netCDF library. @returns whether the file
/// has checksums; false also for a file that is not netCDF
/// @throws InputError with the damaged part
bool require_undamaged(const std::string& path);

/// Returns, per variable of a classic file without records, the checksum of part `part` of `n_parts` of its
/// values; the sum over all parts is the checksum of the variable.
std::vector<std::uint64_t> checksum_shares(const std::string& path, Rank part, Rank n_parts);

/// @throws InputError that the checksum of a variable is wrong, unless `is_equal`
void require_equal_sum(bool is_equal, const std::string& path, const std::string& variable);

/// Writes checksums into the existing attributes of a classic file: `checksum` of each variable and
/// `header_checksum` of the file, 16 characters each.
/// @param checksums of the variables, in the order of the header
/// @throws RunError if the file cannot be written; InputError if an attribute is missing
void write_checksums(const std::string& path, const std::vector<std::uint64_t>& checksums);

/// Computes the checksums of a classic file and writes them into its attributes; appends to a netCDF-4 file a
/// digest of all its bytes, which HDF5 ignores.
void write_checksums(const std::string& path);

}  // namespace halcyon::mesh
