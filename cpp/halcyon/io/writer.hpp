#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/io/placement.hpp"
#include "halcyon/io/schema.hpp"

namespace halcyon::io {

/// Values of a variable: of this rank's items in its own order, with the variable's remaining dimensions.
struct Values {
  std::string variable;
  Type type;
  const void* data;
  std::size_t count;
};

/// The state of a partly written file: its records, and the checksum of each variable in the order of the
/// schema.
struct Progress {
  GlobalIndex n_records = 0;
  std::vector<std::uint64_t> checksums;
};

/// The contents and compression of a file. The writer adds checksum attributes to each variable and to the
/// file.
struct FileSpec {
  Schema schema;
  int compression = 0;  ///< 1 to 9: converted to netCDF-4 when closed; 0: CDF-2 or CDF-5
};

/// A netCDF file that all ranks write together, by global id. It is written as `path.part` and renamed when
/// it is complete; until then an existing file at `path` stays. Every call is collective and takes the same
/// names and sizes on every rank; an error on one rank is thrown on all.
///
/// With `Options::background`, a call returns as soon as the I/O ranks have received the values; errors of
/// the writing are thrown by a later call.
class Writer {
 public:
  /// Collective. @param n_records expected number, for which disk space is reserved
  /// @throws RunError if the disk has too little space or the file cannot be created
  Writer(const Ranks& ranks, std::string path, const FileSpec& spec, GlobalIndex n_records);
  /// Collective. Continues `path.part` from its state at a `sync`; later records are written again.
  /// @throws InputError if the part is missing, or its records differ from that state
  Writer(const Ranks& ranks, std::string path, const FileSpec& spec, GlobalIndex n_records,
         const Progress& progress);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  /// Does not close an open file, so that `path.part` stays: closing is collective, and a rank that fails
  /// alone must not wait for the others.
  ~Writer();

  /// Writes variables on the same items in one transfer. @param record index along the record dimension, or
  /// -1
  void write(GlobalIndex record, const Placement& placement, std::span<const Values> values);
  /// Writes whole variables, or whole records of them, from the values of rank 0; those of other ranks are
  /// ignored.
  void write_root(GlobalIndex record, std::span<const Values> values);
  /// Flushes the file to the disk. @returns the state from which the file can be continued
  Progress sync();
  /// As `sync`, but does not wait for the background thread. Jobs run in order: a restart file written later
  /// on the same ranks can store the returned state.
  Progress sync_in_background();
  /// Checks that every variable is written, closes the file, and renames it; with `background`, the thread
  /// does this later. A second call does nothing; other calls after it throw InternalError.
  void close();
  /// Throws if writing failed so far, without waiting. @throws RunError with the file and the cause
  void check();
  /// Waits for the background jobs of the file. @throws RunError with the file and the cause if it failed
  void wait();
  /// Whether the file is closed and renamed; valid on rank 0 only. Not collective.
  bool is_complete() const;

  const std::string& path() const;
  /// Time that this rank waited for space in the background queue [s].
  double waited_s() const;
  /// Time that this rank's background thread worked on the file [s].
  double worked_s() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace halcyon::io
