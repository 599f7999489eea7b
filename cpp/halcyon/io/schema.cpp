#include "halcyon/io/schema.hpp"

#include <algorithm>

#include "halcyon/base/error.hpp"

namespace halcyon::io {

void Schema::add_variable(std::string name, Type type, const std::vector<std::string>& names) {
  Variable added{std::move(name), type, {}, {}};
  for (const auto& axis : names) {
    const auto found = std::ranges::find(dimensions, axis, &Dimension::name);
    require<InternalError>(found != dimensions.end(), "The variable {} has no dimension {}.", added.name,
                           axis);
    require<InternalError>(found->size != 0 || added.dimensions.empty(),
                           "The dimension {} is unlimited and must be the first of {}.", axis, added.name);
    added.dimensions.push_back(static_cast<int>(found - dimensions.begin()));
  }
  variables.push_back(std::move(added));
}

void Schema::add_attribute(const std::string& variable, Attribute attribute) {
  auto& list = variable.empty() ? attributes : variables[find(variable)].attributes;
  list.push_back(std::move(attribute));
}

int Schema::find(const std::string& variable) const {
  const auto found = std::ranges::find(variables, variable, &Variable::name);
  require<InternalError>(found != variables.end(), "The file has no variable {}.", variable);
  return static_cast<int>(found - variables.begin());
}

bool Schema::is_record_variable(const Variable& variable) const {
  return !variable.dimensions.empty() && dimensions[variable.dimensions[0]].size == 0;
}

std::vector<GlobalIndex> Schema::shape(const Variable& variable) const {
  std::vector<GlobalIndex> sizes;
  for (const int d : variable.dimensions)
    if (dimensions[d].size != 0) sizes.push_back(dimensions[d].size);
  return sizes;
}

int Schema::item_dimensions(const Variable& variable, GlobalIndex n_items) const {
  int n_dimensions = 0;
  GlobalIndex product = 1;
  for (const auto size : shape(variable)) {
    product *= size;
    ++n_dimensions;
    if (product == n_items) return n_dimensions;
  }
  return 0;
}

GlobalIndex Schema::item_width(const Variable& variable, int item_dimensions) const {
  const auto sizes = shape(variable);
  GlobalIndex width = 1;
  for (std::size_t d = item_dimensions; d < sizes.size(); ++d) width *= sizes[d];
  return width;
}

GlobalIndex Schema::count(const Variable& variable) const {
  GlobalIndex product = 1;
  for (const auto size : shape(variable)) product *= size;
  return product;
}

std::int64_t Schema::bytes(GlobalIndex n_records) const {
  std::int64_t sum = 0;
  for (const auto& variable : variables)
    sum += count(variable) * bytes_of(variable.type) * (is_record_variable(variable) ? n_records : 1);
  return sum;
}

bool Schema::fits_cdf2() const {
  constexpr std::int64_t kLargest = (std::int64_t{1} << 32) - 4;  // bytes of a variable or its record
  const auto has_64_bits = [](const std::vector<Attribute>& list) {
    return std::ranges::any_of(list, [](const Attribute& attribute) {
      return attribute.type == Type::int64 && !std::holds_alternative<std::string>(attribute.value);
    });
  };
  return !has_64_bits(attributes) && std::ranges::all_of(variables, [&](const Variable& variable) {
    return variable.type != Type::int64 && !has_64_bits(variable.attributes) &&
           count(variable) * bytes_of(variable.type) <= kLargest;
  });
}

}  // namespace halcyon::io
