#pragma once

#include <pnetcdf.h>

#include <string>
#include <vector>

#include "halcyon/io/placement.hpp"
#include "halcyon/io/schema.hpp"

namespace halcyon::io {

/// The values of a variable that an I/O rank writes or reads, as runs of consecutive items. An item is given
/// by its indices in the first `item_dimensions` dimensions (after the record dimension, if any), see
/// Schema::item_dimensions. Within a run, only the last of these indices varies.
struct Request {
  int variable;        ///< index in the schema
  GlobalIndex record;  ///< -1 for a variable without the record dimension
  std::vector<ItemRange> runs;
  std::byte* values;  ///< values of all runs, concatenated
  int item_dimensions = 1;
};

/// Returns a request for the items `runs` of a placement. @param n_items number of items in the file
Request request_of(const Schema& schema, int variable, GlobalIndex record, GlobalIndex n_items,
                   const std::vector<ItemRange>& runs, std::byte* values);

using Batch = std::vector<Request>;

/// Divides requests into batches of at most `max_runs` runs and `max_bytes` bytes, or one item. Long runs are
/// divided, too. @returns at least one batch
std::vector<Batch> batches_of(const Schema& schema, const std::vector<Request>& requests,
                              std::size_t max_runs, std::int64_t max_bytes);

/// A classic netCDF file, opened by PnetCDF on the I/O ranks. Every call is collective over the I/O ranks; an
/// error on one I/O rank is thrown on all I/O ranks.
class PnetcdfFile {
 public:
  enum class Mode { write, read };
  PnetcdfFile(const Ranks& ranks, const std::string& path, Mode mode);

  /// Writes the header of a file without variables.
  void define(const Schema& schema);
  /// Reads or writes several requests. At most `Options::most_requests` runs per rank are outstanding.
  void transfer(const Schema& schema, const std::vector<Request>& requests, bool writes);
  void sync() { require_success(ncmpi_sync(file_), "flush it to the disk"); }
  void close() { require_success(ncmpi_close(file_), "close it"); }

 private:
  void require_success(int status, const char* action) const;
  void post(const Schema& schema, const Request& request, bool writes);

  MPI_Comm comm_;
  int most_requests_, file_ = -1;
  int failure_ = NC_NOERR;  ///< worst status of the posted calls
};

}  // namespace halcyon::io
