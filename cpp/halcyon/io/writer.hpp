#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "halcyon/io/placement.hpp"
#include "halcyon/io/schema.hpp"

namespace halcyon::io {

/// The values of a variable that this rank writes: for each of the rank's items (cells, edges, vertices or
/// grid rows), in the order of Placement::ids(), the values over the variable's other dimensions.
struct Values {
  std::string variable;
  Type type;  ///< type of the variable
  const void* data;
  std::size_t count;  ///< number of values
};

/// The state of a partly written file: number of records, and checksums in the order of the variables.
struct Progress {
  GlobalIndex n_records = 0;
  std::vector<std::uint64_t> checksums;
};

/// Whether a complete file has at least the records of `progress`, with its checksums over these.
/// @throws InputError if the file is damaged
bool has_records(const std::string& path, const Progress& progress);

/// The contents and compression of a file. (The writer adds checksum attributes to the schema.)
struct FileSpec {
  Schema schema;
  int compression = 0;  ///< 1 to 9: level; `close` converts the file to netCDF-4. 0: CDF-2 or CDF-5
};

/// A netCDF file that all ranks write together, ordered by global id. It is written as `path.part` and
/// renamed when it is complete; until then an existing file at `path` stays. Every call is collective, with
/// the same variables on every rank; an error on one rank is thrown on all.
///
/// With `Options::background`, a call returns as soon as the I/O ranks have received the values; if writing
/// them fails, a later call throws.
class Writer {
 public:
  /// Collective. @param n_records expected number, for which disk space is reserved
  /// @throws RunError if the disk has too little space or the file cannot be created
  Writer(const Ranks& ranks, std::string path, const FileSpec& spec, GlobalIndex n_records);
  /// Collective. Continues `path.part` from the state that `sync` returned; write later records again.
  /// @throws InputError if `path.part` is missing, or its records differ from `progress`
  Writer(const Ranks& ranks, std::string path, const FileSpec& spec, GlobalIndex n_records,
         const Progress& progress);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  /// Does not close an open file, which stays as `path.part`: closing is collective, and a single rank that
  /// fails must not wait for the other ranks.
  ~Writer();

  /// Writes variables that all lie on the items of `placement`, in one transfer.
  /// @param record index along the record dimension; -1 for variables without it
  void write(GlobalIndex record, const Placement& placement, std::span<const Values> values);
  /// Writes whole variables, or one record of whole variables, from the arrays of rank 0 only.
  void write_root(GlobalIndex record, std::span<const Values> values);
  /// Flushes the file to the disk. @returns the state from which the file can be continued
  Progress sync();
  /// As `sync`, but does not wait for the background thread. A restart file that the same ranks write later
  /// may store the returned state: jobs run in order, so that the restart file is written after the flush.
  Progress sync_in_background();
  /// Checks that every variable is written, closes the file, and renames it; with `background`, the thread
  /// does this later. A second call does nothing; a later `write` or `sync` throws InternalError.
  void close();
  /// Checks, without waiting, whether writing has failed. @throws RunError with the file and the cause
  void check();
  /// Waits for the background jobs of the file. @throws RunError with the file and the cause if one failed
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
