#pragma once

#include <span>
#include <string>
#include <vector>

#include "halcyon/comm/communicator.hpp"
#include "halcyon/io/placement.hpp"

namespace halcyon::io {

enum class Type { int32, float32, float64 };

/// A netCDF file that all ranks write together through PnetCDF, by global id. It is written as `path.part`
/// and gets its name when it is whole; what an earlier run left under the name stays until then. Every call
/// is collective and takes the same names and sizes on every rank; what goes wrong on one rank is thrown on
/// all.
class Writer {
 public:
  /// Collective. @param large CDF-5, for variables beyond 4 GiB; else CDF-2, which everything reads
  Writer(const comm::Communicator& comm, std::string path, bool large);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  /// Leaves `path.part` behind, open, if the file was not closed: giving it back to PnetCDF would be
  /// collective, and a rank that fails on its own must not wait for the others.
  ~Writer() = default;

  /// Defines a dimension. @param size 0 for the one that grows
  void dimension(const std::string& name, GlobalIndex size);
  void variable(const std::string& name, Type type, const std::vector<std::string>& dimensions);
  /// Sets an attribute of a variable, or of the file where `variable` is empty.
  void attribute(const std::string& variable, const std::string& name, const std::string& value);
  void attribute(const std::string& variable, const std::string& name, double value, Type type);
  void end_definitions();

  /// Writes a whole variable, or one record of it, from rank 0's values; other ranks' are not read.
  void write(const std::string& variable, GlobalIndex record, std::span<const double> values);

  /// Writes items that lie along the variable's first dimension (after the one that grows), each rank its
  /// own.
  /// @param record along the dimension that grows, or -1 where the variable has none
  /// @param values (item, the variable's further dimensions)
  void write(const std::string& variable, GlobalIndex record, const Placement& placement,
             std::span<const float> values);
  void write(const std::string& variable, GlobalIndex record, const Placement& placement,
             std::span<const double> values);
  void write(const std::string& variable, GlobalIndex record, const Placement& placement,
             std::span<const std::int32_t> values);

  /// Makes what was written safe on disk, without closing.
  void sync();

  /// Closes the file, checks that it is whole, and gives it its name.
  void close();

 private:
  template <class T>
  void write_items(const std::string& variable, GlobalIndex record, const Placement& placement,
                   std::span<const T> values);
  int id_of(const std::string& variable) const;
  void agree(int status, const std::string& what) const;

  comm::Communicator comm_;
  std::string path_, part_;
  int file_ = -1;
};

}  // namespace halcyon::io
