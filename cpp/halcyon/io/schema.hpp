#pragma once

#include <string>
#include <variant>
#include <vector>

#include "halcyon/base/index.hpp"

namespace halcyon::io {

enum class Type { int32, int64, float32, float64 };

/// Bytes of a number.
constexpr std::int64_t bytes_of(Type type) {
  return type == Type::int32 || type == Type::float32 ? 4 : 8;
}

/// Its number in netCDF files: NC_INT, NC_INT64, NC_FLOAT, NC_DOUBLE.
constexpr int external(Type type) {
  constexpr int kNumbers[] = {4, 10, 5, 6};
  return kNumbers[static_cast<int>(type)];
}

template <class T>
constexpr Type type_of() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? Type::float32 : Type::float64;
  return sizeof(T) == 4 ? Type::int32 : Type::int64;
}

struct Attribute {
  std::string name;
  std::variant<std::string, double> value;
  Type type = Type::float64;  ///< of a number
};

struct Dimension {
  std::string name;
  GlobalIndex size = 0;  ///< 0 for the one that grows
};

struct Variable {
  std::string name;
  Type type = Type::float64;
  std::vector<int> dimensions;  ///< positions in Schema::dimensions; the one that grows comes first
  std::vector<Attribute> attributes;
};

/// What a file holds: dimensions, variables and attributes, before and after it is written.
struct Schema {
  std::vector<Dimension> dimensions;
  std::vector<Variable> variables;
  std::vector<Attribute> attributes;

  void add_dimension(std::string name, GlobalIndex size) { dimensions.push_back({std::move(name), size}); }
  /// @throws InternalError for a dimension that is not there
  void add_variable(std::string name, Type type, const std::vector<std::string>& dimensions);
  /// Of a variable, or of the file where `variable` is empty.
  void add_attribute(const std::string& variable, Attribute attribute);

  /// The position of a variable. @throws InternalError if there is none
  int find(const std::string& variable) const;

  bool grows(const Variable& variable) const;
  /// Sizes of a variable's dimensions, without the one that grows.
  std::vector<GlobalIndex> shape(const Variable& variable) const;
  /// How many of the first of these dimensions items of a placement make up: one, as cells do, two, as the
  /// rows of a grid on each of its levels do, or more; 0 where the variable does not lie on so many items.
  int item_dimensions(const Variable& variable, GlobalIndex n_items) const;
  /// Numbers of a variable for one item, where items make up so many dimensions.
  GlobalIndex item_width(const Variable& variable, int item_dimensions) const;
  /// Numbers in a variable, or in a record of it.
  GlobalIndex count(const Variable& variable) const;
  /// Bytes of all values, with so many records.
  std::int64_t bytes(GlobalIndex n_records) const;
  /// Whether a file of 32-bit sizes (CDF-2) can hold it, which everything reads; else CDF-5.
  bool fits_cdf2() const;
};

}  // namespace halcyon::io
