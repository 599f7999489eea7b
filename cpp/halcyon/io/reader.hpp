#pragma once

#include <memory>
#include <span>
#include <string>

#include "halcyon/io/placement.hpp"
#include "halcyon/io/schema.hpp"

namespace halcyon::io {

/// The array that receives a variable's values at this rank's items (cells, edges, vertices or grid rows), in
/// the order of Placement::ids().
struct Target {
  std::string variable;
  Type type;          ///< of the array; values are converted to it
  void* data;         ///< null if the caller's array is not contiguous
  std::size_t count;  ///< number of values
};

/// A classic netCDF file (CDF-1, 2 or 5) that all ranks read together; each rank names its items by
/// global id. Every call is collective.
class Reader {
 public:
  /// Collective. Checks the file's size and the checksum of the header.
  /// @throws InputError if the file is missing, cut short, damaged or of another format
  Reader(const Ranks& ranks, std::string path);

  const Schema& schema() const { return schema_; }
  GlobalIndex n_records() const { return n_records_; }
  const std::string& path() const { return path_; }
  /// @throws InputError if there is no such variable
  const Variable& variable(const std::string& name) const;
  /// Returns a text attribute of a variable, or of the file if `variable` is empty. @throws InputError if
  /// there is no such attribute
  std::string text(const std::string& variable, const std::string& name) const;

  /// Reads variables that all lie on the items of `placement`, in one transfer.
  /// @param record index along the record dimension; -1 for variables without it
  void read(GlobalIndex record, const Placement& placement, std::span<const Target> targets);
  /// Reads whole variables, or one record of whole variables, on all ranks.
  void read_all(GlobalIndex record, std::span<const Target> targets);
  /// Closes the file. A second call does nothing; a later `read` throws InternalError.
  void close();

 private:
  class Shared;
  void check_target(const Target& target, GlobalIndex record, std::size_t count) const;
  std::size_t item_width_on(const Placement& placement, const Target& target) const;

  std::string path_;
  Schema schema_;
  GlobalIndex n_records_ = 0;
  bool is_closed_ = false;
  std::shared_ptr<Shared> shared_;
};

}  // namespace halcyon::io
