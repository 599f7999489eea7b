#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "halcyon/io/placement.hpp"
#include "halcyon/io/schema.hpp"

namespace halcyon::io {

/// Rows of a variable that an I/O rank writes or reads: runs along its first dimension, or along the second
/// of one that grows.
struct Request {
  int variable;
  GlobalIndex record;  ///< or -1 for a variable that does not grow
  std::vector<Run> runs;
  std::byte* values;  ///< of all runs, one after the other
};

/// A file of one format, open on the I/O ranks. Every call is collective on them; what fails on one of them
/// is thrown on all, as RunError with the library's reason.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  /// Writes several requests in one go.
  virtual void write(std::vector<Request> requests) = 0;
  /// Brings what was written to the disk.
  virtual void sync() = 0;
  virtual void close() = 0;
};

/// CDF-2 or CDF-5 through PnetCDF: a new file, or one of the same schema that is continued.
std::unique_ptr<OutputFile> create_classic(const Ranks& ranks, const std::string& path, const Schema& schema);
std::unique_ptr<OutputFile> continue_classic(const Ranks& ranks, const std::string& path,
                                             const Schema& schema);

}  // namespace halcyon::io
