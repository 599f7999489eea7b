#pragma once

#include <pnetcdf.h>

#include <string>
#include <vector>

#include "halcyon/io/placement.hpp"
#include "halcyon/io/schema.hpp"

namespace halcyon::io {

/// Rows of a variable that an I/O rank writes or reads: runs along its first dimension, or along the second
/// of one that grows. Where rows make up several dimensions, no run crosses from one index of those before
/// the last to the next.
struct Request {
  int variable;
  GlobalIndex record;  ///< or -1 for a variable that does not grow
  std::vector<Run> runs;
  std::byte* values;  ///< of all runs, one after the other
  int item_dimensions = 1;
};

/// A request whose rows are the items of a placement. @param n_items of all ranks
Request request_of(const Schema& schema, int variable, GlobalIndex record, GlobalIndex n_items,
                   const std::vector<Run>& runs, std::byte* values);

/// A classic file that PnetCDF has open on the I/O ranks. Calls are collective on them and throw on all.
class Classic {
 public:
  enum class Mode { create_cdf2, create_cdf5, write, read };
  Classic(const Ranks& ranks, const std::string& path, Mode mode);

  /// Makes the header of a new file.
  void define(const Schema& schema);
  /// Reads or writes several requests, at most `most_requests` runs of a rank outstanding.
  void transfer(const Schema& schema, std::vector<Request> requests, bool writes);
  void sync() { agree(ncmpi_sync(file_), "bring it to the disk"); }
  void close() { agree(ncmpi_close(file_), "close it"); }

 private:
  void agree(int status, const char* what) const;
  void start(const Schema& schema, const Request& request, std::size_t first, std::size_t n, bool writes);

  MPI_Comm comm_;
  int most_requests_, file_ = -1;
  int failure_ = NC_NOERR;  ///< of what was started and not yet agreed on
};

}  // namespace halcyon::io
