#pragma once

#include <memory>
#include <span>
#include <string>

#include "halcyon/io/placement.hpp"
#include "halcyon/io/schema.hpp"

namespace halcyon::io {

/// Where numbers of a variable go: those of this rank's items, in its own order.
struct Target {
  std::string variable;
  Type type;   ///< wanted; PnetCDF converts
  void* data;  ///< or null, where the caller's array cannot be filled from first to last
  std::size_t count;
};

/// A classic netCDF file (CDF-1, 2 or 5) that all ranks read together, by global id. Every call is
/// collective.
class Reader {
 public:
  /// Collective. Compares the header with the file's size and with its checksum.
  /// @throws InputError if the file is missing, cut short, damaged or of another format
  Reader(const Ranks& ranks, std::string path);

  const Schema& schema() const { return schema_; }
  GlobalIndex n_records() const { return n_records_; }
  const std::string& path() const { return path_; }
  /// @throws InputError if there is none of this name
  const Variable& variable(const std::string& name) const;
  /// The text of an attribute of a variable, or of the file. @throws InputError if there is none
  std::string text(const std::string& variable, const std::string& name) const;

  /// Reads variables on the same items in one go. @param record along the dimension that grows, or -1
  void read(GlobalIndex record, const Placement& placement, std::span<const Target> targets);
  /// Reads whole variables, or records of them, for all ranks.
  void read_all(GlobalIndex record, std::span<const Target> targets);
  /// A second call does nothing; reading after it throws InternalError.
  void close();

 private:
  class Shared;
  void require_fit(const Target& target, GlobalIndex record, std::size_t count) const;
  std::size_t width_on(const Placement& placement, const Target& target) const;

  std::string path_;
  Schema schema_;
  GlobalIndex n_records_ = 0;
  bool is_closed_ = false;
  std::shared_ptr<Shared> shared_;
};

}  // namespace halcyon::io
