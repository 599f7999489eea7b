#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon::io {

enum class Type { int32, int64, float32, float64 };

/// Size of a number [bytes].
constexpr std::int64_t bytes_of(Type type) {
  return type == Type::int32 || type == Type::float32 ? 4 : 8;
}

/// The netCDF code of a type: NC_INT, NC_INT64, NC_FLOAT or NC_DOUBLE.
constexpr int netcdf_type(Type type) {
  constexpr int kCodes[] = {4, 10, 5, 6};
  return kCodes[static_cast<int>(type)];
}

template <class T>
constexpr Type type_of() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? Type::float32 : Type::float64;
  return sizeof(T) == 4 ? Type::int32 : Type::int64;
}

struct Attribute {
  std::string name;
  std::variant<std::string, double, std::int64_t> value;  ///< integers as std::int64_t: double has 53 bits
  Type type = Type::float64;                              ///< of a number; not used for a text
};

struct Dimension {
  std::string name;
  GlobalIndex size = 0;  ///< 0 for the unlimited (record) dimension
};

struct Variable {
  std::string name;
  Type type = Type::float64;
  std::vector<int> dimensions;  ///< indices into Schema::dimensions; the record dimension comes first
  std::vector<Attribute> attributes;
};

/// The dimensions, variables and attributes of a file.
struct Schema {
  std::vector<Dimension> dimensions;
  std::vector<Variable> variables;
  std::vector<Attribute> attributes;

  void add_dimension(std::string name, GlobalIndex size) { dimensions.push_back({std::move(name), size}); }
  /// @throws InternalError for an unknown dimension
  void add_variable(std::string name, Type type, const std::vector<std::string>& dimensions);
  /// Adds an attribute to a variable, or to the file if `variable` is empty.
  void add_attribute(const std::string& variable, Attribute attribute);

  /// Returns the index of a variable. @throws InternalError if there is no such variable
  int find(const std::string& variable) const;

  bool is_record_variable(const Variable& variable) const;
  /// Sizes of a variable's dimensions, without the record dimension.
  std::vector<GlobalIndex> shape(const Variable& variable) const;
  /// Returns how many leading dimensions of the shape count the items, which means that the product of their
  /// sizes is `n_items`: 1 for cells, 2 if an item is a grid row on one level; 0 if no product fits.
  int item_dimensions(const Variable& variable, GlobalIndex n_items) const;
  /// Number of values of a variable per item: the product of the sizes of the other dimensions.
  GlobalIndex item_width(const Variable& variable, int item_dimensions) const;
  /// Number of values of a variable, or of one of its records.
  GlobalIndex count(const Variable& variable) const;
  /// Size of all values [bytes] with `n_records` records.
  std::int64_t bytes(GlobalIndex n_records) const;
  /// Whether the file can be CDF-2, which every netCDF program reads, but which has no 64-bit integers and
  /// limits the size of a variable; otherwise it must be CDF-5.
  bool fits_cdf2() const;
};

}  // namespace halcyon::io
