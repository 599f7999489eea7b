#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/io/placement.hpp"
#include "halcyon/io/schema.hpp"

namespace halcyon::io {

/// Numbers for a variable: of this rank's items, in its own order, with the variable's further dimensions.
struct Values {
  std::string variable;
  Type type;
  const void* data;
  std::size_t count;
};

/// How far a file is: its records, and the checksum of each variable in the schema's order.
struct Progress {
  GlobalIndex n_records = 0;
  std::vector<std::uint64_t> checksums;
};

/// What is written. Each variable and the file get checksums beside.
struct FileKind {
  Schema schema;
  int compression = 0;  ///< 1 to 9: rank 0 makes a netCDF-4 file of it when it is closed; 0: CDF-2 or CDF-5
};

/// A netCDF file that all ranks write together, by global id. It is written as `path.part` and gets its name
/// when it is whole; what an earlier run left under the name stays until then. Every call is collective and
/// takes the same names and sizes on every rank; what goes wrong on one rank is thrown on all.
///
/// With `Options::background`, a call returns as soon as the I/O ranks have the numbers, and what goes wrong
/// with them is thrown by a later call.
class Writer {
 public:
  /// Collective. @param n_records that are expected: their space is reserved
  /// @throws RunError if there is no space or the file cannot be made
  Writer(const Ranks& ranks, std::string path, const FileKind& kind, GlobalIndex n_records);
  /// Collective. Continues `path.part` from where it was at a `sync`; records after that are written anew.
  /// @throws InputError if the part is not there, or does not hold what it held
  Writer(const Ranks& ranks, std::string path, const FileKind& kind, GlobalIndex n_records,
         const Progress& progress);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  /// Leaves `path.part` behind if the file was not closed: giving it back to PnetCDF would be collective, and
  /// a rank that fails on its own must not wait for the others.
  ~Writer();

  /// Writes variables on the same items in one go. @param record along the dimension that grows, or -1
  void write(GlobalIndex record, const Placement& placement, std::span<const Values> values);
  /// Writes whole variables, or records of them, from rank 0's numbers; other ranks' are not read.
  void write_root(GlobalIndex record, std::span<const Values> values);
  /// Brings what was written to the disk. @returns from where the file can be continued
  Progress sync();
  /// The same, but in the background it is only on its way: a file that is written after it there, on the
  /// same ranks, may hold what it gives.
  Progress sync_behind();
  /// Checks that every variable is written, closes the file, and gives it its name; with `background`, soon.
  /// A second call does nothing; other calls after it throw InternalError.
  void close();
  /// Throws what went wrong so far, without waiting. @throws RunError with the file and the cause
  void check();
  /// Waits for what is still being written. @throws RunError with the file and the cause if it failed
  void wait();
  /// Whether the file has its name; known to rank 0 alone. Not collective.
  bool is_whole() const;

  const std::string& path() const;
  /// How long this rank waited for room in the background [s].
  double waited_s() const;
  /// How long this rank's background was at work on the file [s].
  double worked_s() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace halcyon::io
