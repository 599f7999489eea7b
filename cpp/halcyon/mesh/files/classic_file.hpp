#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace halcyon::mesh {

/// An attribute in the header of a classic file: `count` big-endian values that start at byte `offset`.
struct ClassicAttribute {
  std::string name;
  int type = 0;  ///< netCDF's external type 1..11
  std::uint64_t count = 0, offset = 0;
};

struct ClassicDimension {
  std::string name;
  std::uint64_t size = 0;  ///< 0 for the record dimension
};

/// A variable: its values, or the values of its first record, start at byte `begin`.
struct ClassicVariable {
  std::string name;
  std::vector<std::uint64_t> dimensions;  ///< indices into ClassicHeader::dimensions
  std::vector<ClassicAttribute> attributes;
  int type = 0;                ///< netCDF's external type 1..11
  std::uint64_t n_values = 1;  ///< number of values, or of values per record
  std::uint64_t begin = 0;
  bool is_record = false;  ///< whether it has the record dimension

  std::uint64_t bytes() const;  ///< size of the values, or of the values per record
};

/// The header of a classic netCDF file (CDF-1, 2 or 5).
/// Source: "NetCDF classic format specification", NetCDF User's Guide, appendix B.
struct ClassicHeader {
  int version = 0;                         ///< 1, 2 or 5
  std::uint64_t n_records = 0, bytes = 0;  ///< bytes: size of the header
  std::vector<ClassicDimension> dimensions;
  std::vector<ClassicAttribute> attributes;
  std::vector<ClassicVariable> variables;

  std::uint64_t record_bytes() const;    ///< size of one record of all record variables
  std::uint64_t expected_bytes() const;  ///< size of the complete file
};

/// Size [bytes] of a value of netCDF's external type 1..11.
std::uint64_t classic_type_bytes(int type);

/// Reads the header of a classic file; nullopt if the file has another format.
/// @param path for error texts
/// @throws InputError if the header is broken or incomplete
std::optional<ClassicHeader> read_classic_header(std::istream& in, const std::string& path);

/// Reads the header of the file `path`. @throws InputError also if the file cannot be opened
std::optional<ClassicHeader> read_classic_header(const std::string& path);

/// Returns the size [bytes] of the complete file according to its header; nullopt if it has another format.
/// netCDF-C opens a truncated classic file without an error.
/// @throws InputError if the file cannot be opened, or its header is broken
std::optional<std::uint64_t> expected_bytes(const std::string& path);

/// Sets the number of records in the header of a file. @throws RunError if the file cannot be written
void set_record_count(const std::string& path, const ClassicHeader& header, std::uint64_t n_records);

/// Checks that a file is not smaller than its header requires.
/// @throws InputError if the file is missing or cut short
void require_complete(const std::string& path);

}  // namespace halcyon::mesh
