#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace halcyon::mesh {

/// An attribute in the header of a classic file: its values lie at `offset`, big-endian.
struct ClassicAttribute {
  std::string name;
  int type = 0;  ///< external type 1..11
  std::uint64_t count = 0, offset = 0;
};

struct ClassicDimension {
  std::string name;
  std::uint64_t size = 0;  ///< 0 for the one that grows
};

/// A variable: its values, or those of its first record, lie at `begin`.
struct ClassicVariable {
  std::string name;
  std::vector<std::uint64_t> dimensions;
  std::vector<ClassicAttribute> attributes;
  int type = 0;
  std::uint64_t values = 1;  ///< in all, or in one record
  std::uint64_t begin = 0;
  bool grows = false;

  std::uint64_t bytes() const;  ///< of `values`
};

/// What the header of a classic netCDF file (CDF-1, 2 or 5) says.
/// Source: "NetCDF classic format specification", NetCDF User's Guide, appendix B.
struct ClassicHeader {
  int version = 0;
  std::uint64_t n_records = 0, bytes = 0;
  std::vector<ClassicDimension> dimensions;
  std::vector<ClassicAttribute> attributes;
  std::vector<ClassicVariable> variables;

  std::uint64_t record_bytes() const;    ///< of all variables that grow
  std::uint64_t promised_bytes() const;  ///< of a file that holds all that the header lists
};

/// Bytes of a value of an external type 1..11.
std::uint64_t classic_type_bytes(int type);

/// Reads a header, or nothing if the bytes are of another format.
/// @param path named in errors
/// @throws InputError if the header is broken or ends too early
std::optional<ClassicHeader> read_classic_header(std::istream& in, const std::string& path);

/// @throws InputError if the file cannot be opened, too
std::optional<ClassicHeader> read_classic_header(const std::string& path);

/// The size [bytes] that the header of a classic file promises, or nothing if it is of another format.
/// netCDF-C opens a classic file that was cut short without an error.
/// @throws InputError if the file cannot be opened, or its header is broken
std::optional<std::uint64_t> promised_bytes(const std::string& path);

/// Writes another number of records into the header of a file.
/// @throws RunError if it cannot be written
void set_record_count(const std::string& path, const ClassicHeader& header, std::uint64_t n_records);

/// Checks that a file is at least as long as its header promises.
/// @throws InputError if it is missing or cut short
void require_whole(const std::string& path);

}  // namespace halcyon::mesh
